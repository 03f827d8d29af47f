//! Reading parameters: strict about their form, with the position and the value in every message.

use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_primitives::{Address, B256, Bytes, TxKind, U256, hex};
use serde_json::{Map, Value};

use super::RpcError;
use crate::call::{Call, Fee};
use crate::chain::Chain;

#[derive(Clone, Copy)]
pub(super) struct Params<'a>(pub(super) &'a [Value]);

#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockTag {
    /// Also `safe` and `finalized`: this chain never takes a block back.
    Latest,
    Pending,
    Earliest,
    Number(u64),
    Hash(B256),
}

impl BlockTag {
    /// `None` for a block that does not exist, and for the pending one.
    pub(super) fn number(&self, chain: &Chain) -> Option<u64> {
        match self {
            Self::Latest => Some(chain.latest().header.number),
            Self::Pending => None,
            Self::Earliest => Some(0),
            Self::Number(number) => chain.block(*number).map(|block| block.header.number),
            Self::Hash(hash) => chain.block_by_hash(*hash).map(|block| block.header.number),
        }
    }
}

impl Params<'_> {
    pub(super) fn at_most(self, count: usize) -> Result<(), RpcError> {
        if self.0.len() > count {
            return Err(RpcError::invalid_params(format!("too many arguments, want at most {count}")));
        }
        Ok(())
    }

    pub(super) fn none(self) -> Result<(), RpcError> {
        self.at_most(0)
    }

    pub(super) fn address(self, index: usize) -> Result<Address, RpcError> {
        read(self.required(index)?, &argument(index), address)
    }

    pub(super) fn hash(self, index: usize) -> Result<B256, RpcError> {
        read(self.required(index)?, &argument(index), hash)
    }

    pub(super) fn bytes(self, index: usize) -> Result<Bytes, RpcError> {
        read(self.required(index)?, &argument(index), bytes)
    }

    pub(super) fn quantity(self, index: usize) -> Result<U256, RpcError> {
        read(self.required(index)?, &argument(index), quantity)
    }

    /// A storage slot: clients send it as a quantity or as all 32 bytes.
    pub(super) fn slot(self, index: usize) -> Result<U256, RpcError> {
        let value = self.required(index)?;
        read(value, &argument(index), |value| hash(value).map(Into::into).or_else(|_| quantity(value)))
    }

    /// The latest block when left out.
    pub(super) fn block_tag(self, index: usize) -> Result<BlockTag, RpcError> {
        self.optional(index).map_or(Ok(BlockTag::Latest), |value| read(value, &argument(index), block_tag))
    }

    pub(super) fn full_transactions(self, index: usize) -> Result<bool, RpcError> {
        self.optional(index)
            .map_or(Ok(false), |value| read(value, &argument(index), |value| value.as_bool().ok_or("a boolean is wanted".to_owned())))
    }

    pub(super) fn object(&self, index: usize) -> Result<Fields<'_>, RpcError> {
        match self.required(index)? {
            Value::Object(fields) => Ok(Fields { fields, argument: index }),
            _ => Err(RpcError::invalid_params(format!("invalid argument {index}: an object is wanted"))),
        }
    }

    pub(super) fn call(self, index: usize, chain_id: u64) -> Result<Call, RpcError> {
        self.object(index)?.call(chain_id)
    }

    pub(super) fn required(&self, index: usize) -> Result<&Value, RpcError> {
        self.optional(index).ok_or_else(|| RpcError::invalid_params(format!("missing value for required argument {index}")))
    }

    pub(super) fn optional(&self, index: usize) -> Option<&Value> {
        self.0.get(index).filter(|value| !value.is_null())
    }
}

/// An object among the parameters. `null` counts as left out.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    fields: &'a Map<String, Value>,
    argument: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn get(self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn read<T>(self, name: &str, reader: impl Fn(&'a Value) -> Result<T, String>) -> Result<Option<T>, RpcError> {
        let at = format!("invalid argument {}, field {name}", self.argument);
        self.get(name).map(|value| read(value, &at, reader)).transpose()
    }

    fn call(self, chain_id: u64) -> Result<Call, RpcError> {
        for unsupported in ["blobVersionedHashes", "blobs", "maxFeePerBlobGas", "authorizationList"] {
            if self.get(unsupported).is_some_and(|value| value.as_array().is_none_or(|items| !items.is_empty())) {
                return Err(RpcError::invalid_params(format!("{unsupported} is not supported by this chain")));
            }
        }
        if let Some(other) = self.read("chainId", quantity_u64)?.filter(|id| *id != chain_id) {
            return Err(RpcError::invalid_params(format!("chainId does not match node's (have={other}, want={chain_id})")));
        }
        let (input, data) = (self.read("input", bytes)?, self.read("data", bytes)?);
        if input.is_some() && data.is_some() && input != data {
            return Err(RpcError::invalid_params("both \"data\" and \"input\" are set and not equal"));
        }

        Ok(Call {
            from: self.read("from", address)?.unwrap_or_default(),
            to: self.read("to", address)?.map_or(TxKind::Create, TxKind::Call),
            gas: self.read("gas", quantity_u64)?,
            fee: self.fee()?,
            value_wei: self.read("value", quantity)?.unwrap_or_default(),
            data: input.or(data).unwrap_or_default(),
            access_list: self.read("accessList", access_list)?.unwrap_or_default(),
        })
    }

    fn fee(self) -> Result<Fee, RpcError> {
        let gas_price_wei = self.read("gasPrice", quantity_u128)?;
        let max_fee_wei = self.read("maxFeePerGas", quantity_u128)?;
        let tip_wei = self.read("maxPriorityFeePerGas", quantity_u128)?;
        match (gas_price_wei, max_fee_wei, tip_wei) {
            (None, None, None) => Ok(Fee::Free),
            (Some(gas_price_wei), None, None) => Ok(Fee::Legacy { gas_price_wei }),
            (Some(_), _, _) => Err(RpcError::invalid_params("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified")),
            // A tip alone says nothing about the price, so the call stays free, as in geth.
            (None, None, Some(_)) => Ok(Fee::Free),
            (None, Some(max_fee_wei), tip_wei) => Ok(Fee::Dynamic { max_fee_wei, tip_wei: tip_wei.unwrap_or_default() }),
        }
    }
}

pub(super) fn address(value: &Value) -> Result<Address, String> {
    Ok(Address::from(fixed_bytes::<20>(value)?))
}

pub(super) fn hash(value: &Value) -> Result<B256, String> {
    Ok(B256::from(fixed_bytes::<32>(value)?))
}

pub(super) fn bytes(value: &Value) -> Result<Bytes, String> {
    hex::decode(digits(value)?).map(Bytes::from).map_err(|error| error.to_string())
}

/// `0x` and hex digits; also a plain JSON number, which people type.
pub(super) fn quantity(value: &Value) -> Result<U256, String> {
    if let Some(number) = value.as_u64() {
        return Ok(U256::from(number));
    }
    let digits = digits(value)?;
    // `from_str_radix` would take "0x" as zero and skip underscores.
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err("a hex quantity is wanted, such as 0x1a".to_owned());
    }
    U256::from_str_radix(digits, 16).map_err(|error| error.to_string())
}

pub(super) fn quantity_u64(value: &Value) -> Result<u64, String> {
    quantity(value)?.try_into().map_err(|_| "it is above 64 bits".to_owned())
}

fn quantity_u128(value: &Value) -> Result<u128, String> {
    quantity(value)?.try_into().map_err(|_| "it is above 128 bits".to_owned())
}

pub(super) fn block_tag(value: &Value) -> Result<BlockTag, String> {
    match value {
        Value::String(tag) => match tag.as_str() {
            "latest" | "safe" | "finalized" => Ok(BlockTag::Latest),
            "pending" => Ok(BlockTag::Pending),
            "earliest" => Ok(BlockTag::Earliest),
            _ => quantity_u64(value).map(BlockTag::Number),
        },
        Value::Object(fields) => match (fields.get("blockNumber"), fields.get("blockHash")) {
            (Some(number), None) => quantity_u64(number).map(BlockTag::Number),
            (None, Some(block_hash)) => hash(block_hash).map(BlockTag::Hash),
            _ => Err("one of blockNumber and blockHash is wanted".to_owned()),
        },
        _ => Err("a block tag or number is wanted".to_owned()),
    }
}

fn access_list(value: &Value) -> Result<AccessList, String> {
    let items = value.as_array().ok_or("an array is wanted")?;
    let items = items.iter().map(|item| {
        let keys = item.get("storageKeys").and_then(Value::as_array).ok_or("storageKeys is not an array")?;
        Ok(AccessListItem {
            address: address(item.get("address").unwrap_or(&Value::Null))?,
            storage_keys: keys.iter().map(hash).collect::<Result<_, String>>()?,
        })
    });
    Ok(AccessList(items.collect::<Result<_, String>>()?))
}

fn fixed_bytes<const N: usize>(value: &Value) -> Result<[u8; N], String> {
    let digits = digits(value)?;
    if digits.len() != 2 * N {
        return Err(format!("0x and {} hex digits are wanted", 2 * N));
    }
    hex::decode_to_array(digits).map_err(|error| error.to_string())
}

fn digits(value: &Value) -> Result<&str, String> {
    value.as_str().and_then(|text| text.strip_prefix("0x")).ok_or_else(|| "a string with 0x is wanted".to_owned())
}

fn argument(index: usize) -> String {
    format!("invalid argument {index}")
}

fn read<'a, T>(value: &'a Value, at: &str, reader: impl Fn(&'a Value) -> Result<T, String>) -> Result<T, RpcError> {
    reader(value).map_err(|reason| RpcError::invalid_params(format!("{at}: {reason}")))
}
