//! What a contract said when it reverted.

use super::rpc::RpcFailure;
use alloy_primitives::{U256, hex};
use serde_json::Value;

/// `Error(string)`.
const ERROR_SELECTOR: [u8; 4] = [0x08, 0xc3, 0x79, 0xa0];
/// `Panic(uint256)`.
const PANIC_SELECTOR: [u8; 4] = [0x4e, 0x48, 0x7b, 0x71];
const REASON_BYTES_MAX: usize = 256;

/// The reason, when `failure` is a revert.
pub fn reason(failure: &RpcFailure) -> Option<String> {
    let RpcFailure::Answered { code, message, data } = failure else { return None };
    let is_revert = *code == 3 || message.to_lowercase().contains("revert");
    if !is_revert {
        return None;
    }
    Some(data.as_ref().and_then(bytes_in).and_then(|bytes| decoded(&bytes)).unwrap_or_else(|| message.clone()))
}

/// Nodes put the bytes in `data`, or one level deeper.
fn bytes_in(data: &Value) -> Option<Vec<u8>> {
    let text = data.as_str().or_else(|| data["data"].as_str())?;
    hex::decode(text).ok()
}

fn decoded(bytes: &[u8]) -> Option<String> {
    let (selector, body) = bytes.split_at_checked(4)?;
    if selector == ERROR_SELECTOR {
        let length: usize = U256::try_from_be_slice(body.get(32..64)?)?.try_into().ok()?;
        let text = body.get(64..64usize.checked_add(length.min(REASON_BYTES_MAX))?)?;
        return Some(String::from_utf8_lossy(text).chars().filter(|c| !c.is_control()).collect());
    }
    if selector == PANIC_SELECTOR {
        return Some(format!("panic code {}", U256::try_from_be_slice(body.get(..32)?)?));
    }
    Some(format!("custom error 0x{}", hex::encode(selector)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answered(code: i64, message: &str, data: Value) -> RpcFailure {
        RpcFailure::Answered { code, message: message.to_owned(), data: Some(data) }
    }

    #[test]
    fn reasons_are_decoded_and_malformed_ones_do_no_harm() {
        let error = format!("0x08c379a0{:064x}{:064x}{:0<64}", 32, 3, hex::encode("abc"));
        let table = [
            (answered(3, "execution reverted", json!(error)), Some("abc")),
            (answered(3, "execution reverted", json!({ "data": error })), Some("abc")),
            (answered(-32000, "execution reverted: x", json!(format!("0x4e487b71{:064x}", 17))), Some("panic code 17")),
            (answered(3, "execution reverted", json!("0xdeadbeef")), Some("custom error 0xdeadbeef")),
            (answered(3, "execution reverted", json!("0x")), Some("execution reverted")),
            (answered(3, "execution reverted", json!("0x08c379a0ff")), Some("execution reverted")),
            (answered(3, "execution reverted", json!(format!("0x08c379a0{}", "f".repeat(192)))), Some("execution reverted")),
            (answered(3, "execution reverted", json!([1])), Some("execution reverted")),
            (answered(-32000, "nonce too low", json!(null)), None),
            (RpcFailure::NoAnswer("reverted".to_owned()), None),
        ];
        for (failure, expected) in table {
            assert_eq!(reason(&failure).as_deref(), expected, "{failure:?}");
        }
    }
}
