//! The methods by name. What a method answers is in `answers`, what it takes is in `params`.

use serde_json::{Value, json};

use super::answers::{self, quantity};
use super::history;
use super::params::{BlockTag, Params};
use super::{METHOD_NOT_FOUND, REFUSED, RpcError};
use crate::Devnet;
use crate::call;
use crate::chain::Chain;

/// What `eth_maxPriorityFeePerGas` suggests. Blocks are never full enough for it to matter.
const SUGGESTED_TIP_WEI: u64 = 1_000_000;

pub(super) fn call(devnet: &Devnet, method: &str, params: &[Value]) -> Result<Value, RpcError> {
    let params = Params(params);
    match method {
        "devnet_fund" | "devnet_mintUsdc" | "devnet_mine" | "eth_sendRawTransaction" => change(devnet, method, params),
        "eth_chainId" => params.none().map(|()| quantity(devnet.chain_id())),
        "net_version" => params.none().map(|()| json!(devnet.chain_id().to_string())),
        "web3_clientVersion" => params.none().map(|()| json!(concat!("chimera-devnet/", env!("CARGO_PKG_VERSION")))),
        "eth_syncing" => params.none().map(|()| json!(false)),
        "eth_accounts" => params.none().map(|()| json!([])),
        _ => ask(&*devnet.read()?, method, params),
    }
}

/// Methods that change the chain.
fn change(devnet: &Devnet, method: &str, params: Params) -> Result<Value, RpcError> {
    match method {
        "eth_sendRawTransaction" => {
            params.at_most(1)?;
            let raw = params.bytes(0)?;
            let tx_hash = devnet.write()?.submit(raw)?;
            Ok(answers::hash(tx_hash))
        }
        "devnet_fund" => {
            params.at_most(2)?;
            devnet.fund(params.address(0)?, params.quantity(1)?)?;
            Ok(Value::Bool(true))
        }
        "devnet_mintUsdc" => {
            params.at_most(2)?;
            devnet.mint_usdc(params.address(0)?, params.quantity(1)?)?;
            Ok(Value::Bool(true))
        }
        "devnet_mine" => {
            params.none()?;
            Ok(quantity(devnet.mine()?))
        }
        _ => Err(unknown(method)),
    }
}

/// Methods that only ask.
fn ask(chain: &Chain, method: &str, params: Params) -> Result<Value, RpcError> {
    match method {
        "eth_blockNumber" => params.none().map(|()| quantity(chain.latest().header.number)),
        "eth_gasPrice" => params.none().map(|()| quantity(chain.next_base_fee_wei() + SUGGESTED_TIP_WEI)),
        "eth_maxPriorityFeePerGas" => params.none().map(|()| quantity(SUGGESTED_TIP_WEI)),
        "eth_feeHistory" => history::fee_history(chain, params),
        "eth_getLogs" => history::logs(chain, params),
        "eth_getBalance" | "eth_getTransactionCount" | "eth_getCode" | "eth_getStorageAt" | "eth_call" | "eth_estimateGas" => {
            ask_state(chain, method, params)
        }
        "eth_getTransactionByHash" => {
            params.at_most(1)?;
            Ok(transaction(chain, params)?.unwrap_or(Value::Null))
        }
        "eth_getTransactionReceipt" => {
            params.at_most(1)?;
            let mined = chain.mined(params.hash(0)?);
            Ok(mined.map_or(Value::Null, |(block, index, mined)| answers::receipt(block, index, mined)))
        }
        "eth_getBlockByNumber" => {
            params.at_most(2)?;
            let full = params.full_transactions(1)?;
            if params.block_tag(0)? == BlockTag::Pending {
                return Ok(answers::pending_block(chain, full));
            }
            let block = params.block_tag(0)?.number(chain).and_then(|number| chain.block(number));
            Ok(block.map_or(Value::Null, |block| answers::block(block, full)))
        }
        "eth_getBlockByHash" => {
            params.at_most(2)?;
            let full = params.full_transactions(1)?;
            let block = chain.block_by_hash(params.hash(0)?);
            Ok(block.map_or(Value::Null, |block| answers::block(block, full)))
        }
        _ => Err(unknown(method)),
    }
}

/// Methods about the state at a block, which must be the latest.
fn ask_state(chain: &Chain, method: &str, params: Params) -> Result<Value, RpcError> {
    let tag_index = if method == "eth_getStorageAt" { 2 } else { 1 };
    params.at_most(tag_index + 1)?;
    let tag = params.block_tag(tag_index)?;
    require_latest(chain, &tag)?;

    match method {
        "eth_getBalance" => Ok(quantity(chain.account(params.address(0)?).balance)),
        "eth_getTransactionCount" => {
            let sender = params.address(0)?;
            let mined = chain.account(sender).nonce;
            let pending = chain.pool().next_nonce(sender, mined);
            Ok(quantity(if tag == BlockTag::Pending { pending } else { mined }))
        }
        "eth_getCode" => Ok(json!(chain.code(params.address(0)?).to_string())),
        "eth_getStorageAt" => {
            let value = chain.storage(params.address(0)?, params.slot(1)?);
            Ok(answers::hash(value.into()))
        }
        "eth_call" => Ok(json!(call::call(chain, &params.call(0, chain.chain_id())?)?.to_string())),
        "eth_estimateGas" => Ok(quantity(call::estimate_gas(chain, &params.call(0, chain.chain_id())?)?)),
        _ => Err(unknown(method)),
    }
}

fn transaction(chain: &Chain, params: Params) -> Result<Option<Value>, RpcError> {
    let tx_hash = params.hash(0)?;
    let mined = chain.mined(tx_hash).map(|(block, index, mined)| answers::mined_transaction(block, index, mined));
    Ok(mined.or_else(|| chain.pool().get(tx_hash).map(|waiting| answers::waiting_transaction(waiting))))
}

/// Answering for an older block with today's state would be a lie.
fn require_latest(chain: &Chain, tag: &BlockTag) -> Result<(), RpcError> {
    let latest = chain.latest().header.number;
    match tag.number(chain) {
        _ if *tag == BlockTag::Pending => Ok(()),
        Some(number) if number == latest => Ok(()),
        Some(number) if number < latest => Err(RpcError::new(
            REFUSED,
            format!("state of block {number} is not kept: this chain answers for the latest block, {latest}, only"),
        )),
        _ => Err(RpcError::new(REFUSED, "header not found")),
    }
}

fn unknown(method: &str) -> RpcError {
    RpcError::new(METHOD_NOT_FOUND, format!("the method {method} does not exist/is not available"))
}
