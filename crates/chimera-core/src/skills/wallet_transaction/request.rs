//! From unchecked JSON to a request that makes sense, or every reason why it does not.

use crate::{
    contracts::{
        Checker, ErrorCode, SkillFailure, UuidV4, Violation,
        wallet_transaction::{WalletOperation, WalletTransactionInput},
    },
    domain::{
        AgentId,
        money::{Address, Asset, AssetKind, ChainId, U256, parse_address, parse_units},
        transfer::{NewTransfer, RequestedLimit, TransferRequest},
    },
    ports::chain_directory::{ChainDirectory, ChainEntry},
};
use serde_json::Value;
use std::sync::Arc;

const TO_ADDRESS: &str = "/params/to_address";
const AMOUNT: &str = "/params/amount_wei_or_units";
const LIMIT: &str = "/budget_check/max_daily_limit_units";

/// What could be read of an input, and everything that is wrong with it. Without violations, `input` is there.
pub(super) struct Reading {
    pub input: Option<WalletTransactionInput>,
    pub violations: Vec<Violation>,
    pub agent: Option<AgentId>,
    pub to: Option<Address>,
    amount_units: Option<U256>,
}

/// A transfer as it was asked for. `chain` stays open when the caller left it open: a bound task then means the chain of its first call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedTransfer {
    pub task_id: UuidV4,
    pub agent: AgentId,
    pub operation: WalletOperation,
    pub chain: Option<ChainId>,
    pub asset: String,
    pub to: Address,
    pub amount_units: U256,
    pub requested_limit: Option<RequestedLimit>,
}

impl AskedTransfer {
    /// What was asked for when the transfer was first put on record.
    pub(super) fn again(transfer: &NewTransfer) -> Self {
        let request = &transfer.request;
        Self {
            task_id: transfer.task_id,
            agent: request.agent.clone(),
            operation: request.operation,
            chain: Some(request.chain),
            asset: request.asset.symbol.clone(),
            to: request.to,
            amount_units: request.amount_units,
            requested_limit: transfer.requested_limit.clone(),
        }
    }

    /// Whether the task's earlier request is this one. A budget check is no part of it: it binds only the call that brings it.
    pub(super) fn is(&self, bound: &TransferRequest) -> bool {
        self.agent == bound.agent
            && self.operation == bound.operation
            && self.chain.is_none_or(|chain| chain == bound.chain)
            && self.asset == bound.asset.symbol
            && self.to == bound.to
            && self.amount_units == bound.amount_units
    }
}

pub(super) fn read(checker: &Checker, value: &Value) -> Reading {
    let (input, mut violations) = match checker.read::<WalletTransactionInput>(value) {
        Ok(input) => (Some(input), Vec::new()),
        Err(violations) => (None, violations),
    };
    let agent = value["agent_id"].as_str().and_then(|id| id.parse().ok());
    let mut reading = Reading { input, violations: Vec::new(), agent, to: None, amount_units: None };
    let text = |path: &str| value.pointer(path).and_then(Value::as_str);
    let flagged =
        |path: &str| violations.iter().any(|violation| violation.path == path || violation.path == "/params" || violation.path.is_empty());
    let mut found = Vec::new();
    if matches!(value["operation"].as_str(), Some("native_transfer" | "token_transfer")) {
        if !flagged(TO_ADDRESS) {
            reading.to = keep(&mut found, TO_ADDRESS, read_recipient(text(TO_ADDRESS)));
        }
        if !flagged(AMOUNT) {
            reading.amount_units = keep(&mut found, AMOUNT, read_amount(text(AMOUNT)));
        }
    }
    if text("/budget_check/daily_spend_key").is_some() && value.pointer(LIMIT).is_none_or(Value::is_null) {
        found.push(Violation::new(LIMIT, "is required beside daily_spend_key"));
    }
    violations.append(&mut found);
    reading.violations = violations;
    reading
}

impl Reading {
    /// Recipients that only lose money: the wallet itself, and the contract of the token that is sent.
    pub(super) fn refuse_recipient(&mut self, own: Option<Address>, asset: Option<&Asset>) {
        let Some(to) = self.to else { return };
        if own == Some(to) {
            self.violations.push(Violation::new(TO_ADDRESS, "is the agent's own address"));
        }
        if asset.is_some_and(|asset| asset.kind == AssetKind::Token(to)) {
            self.violations.push(Violation::new(TO_ADDRESS, "is the token's own contract; tokens sent there are lost"));
        }
    }

    pub(super) fn failure(&self) -> Option<SkillFailure> {
        if self.violations.is_empty() {
            return None;
        }
        let only_address = self.violations.iter().all(|violation| violation.path == TO_ADDRESS);
        let code = if only_address { ErrorCode::InvalidAddress } else { ErrorCode::InvalidInput };
        Some(SkillFailure::violations(code, &self.violations))
    }

    /// `None` for a balance check, and for an input with violations.
    pub(super) fn transfer(&self) -> Option<AskedTransfer> {
        let input = self.input.as_ref()?;
        Some(AskedTransfer {
            task_id: input.task_id,
            agent: self.agent.clone()?,
            operation: input.operation,
            chain: input.params.chain_id.as_deref().and_then(chain_id),
            asset: input.params.asset.clone(),
            to: self.to?,
            amount_units: self.amount_units?,
            requested_limit: requested_limit(input),
        })
    }
}

/// The chain and asset that the operation is about.
pub(super) fn resolve<'a>(
    chains: &'a ChainDirectory,
    chain: Option<ChainId>,
    symbol: &str,
    operation: WalletOperation,
) -> Result<(&'a Arc<ChainEntry>, &'a Asset), SkillFailure> {
    let id = chain.unwrap_or_else(|| chains.default_chain());
    let entry = chains.get(id).filter(|entry| entry.chain.has_node()).ok_or_else(|| {
        let usable: Vec<String> = chains.all().filter(|entry| entry.chain.has_node()).map(|entry| entry.id.to_string()).collect();
        let message = match chains.get(id) {
            Some(entry) => format!(
                "{} (chain {id}) has no node: an operator adds rpc = [\"https://…\"] under [chains.{id}]; details.known_chains have one",
                entry.name
            ),
            None => format!("chain {id} is not configured; details.known_chains are"),
        };
        SkillFailure::new(ErrorCode::UnsupportedChain, message).with("chain_id", id.to_string()).with("known_chains", usable)
    })?;
    let unsupported = |message: String| {
        SkillFailure::new(ErrorCode::UnsupportedAsset, message).with("asset", symbol).with("known_assets", entry.symbols())
    };
    let asset = entry.asset(symbol).ok_or_else(|| {
        unsupported(format!("{symbol:?} is not known on chain {id}; symbols are case-sensitive, and details.known_assets are"))
    })?;
    match (operation, asset.kind) {
        (WalletOperation::NativeTransfer, AssetKind::Token(_)) => {
            Err(unsupported(format!("{symbol} is a token: native_transfer moves {}; use token_transfer", entry.native.symbol)))
        }
        (WalletOperation::TokenTransfer, AssetKind::Native) => {
            Err(unsupported(format!("{symbol} is the chain's native asset: use native_transfer")))
        }
        (WalletOperation::GetBalance, _)
        | (WalletOperation::NativeTransfer, AssetKind::Native)
        | (WalletOperation::TokenTransfer, AssetKind::Token(_)) => Ok((entry, asset)),
    }
}

/// The contract's pattern allows 19 digits, which always fit.
pub(super) fn chain_id(text: &str) -> Option<ChainId> {
    text.parse().ok().map(ChainId)
}

fn read_recipient(text: Option<&str>) -> Result<Address, String> {
    let address = parse_address(text.ok_or("is required for a transfer")?).map_err(|error| error.to_string())?;
    if address.is_zero() { Err("is the zero address; what is sent there is lost".to_owned()) } else { Ok(address) }
}

fn read_amount(text: Option<&str>) -> Result<U256, String> {
    let amount = parse_units(text.ok_or("is required for a transfer")?).map_err(|error| error.to_string())?;
    if amount.is_zero() { Err("must be above zero".to_owned()) } else { Ok(amount) }
}

fn keep<T>(found: &mut Vec<Violation>, path: &str, read: Result<T, String>) -> Option<T> {
    read.map_err(|problem| found.push(Violation::new(path, problem))).ok()
}

fn requested_limit(input: &WalletTransactionInput) -> Option<RequestedLimit> {
    let check = input.budget_check.as_ref()?;
    // A limit above uint256 is digits, as the contract asks, and tightens nothing.
    let limit_units = parse_units(check.max_daily_limit_units.as_deref()?).unwrap_or(U256::MAX);
    Some(match &check.daily_spend_key {
        Some(key) => RequestedLimit::Named { key: key.clone(), limit_units },
        None => RequestedLimit::Own { limit_units },
    })
}
