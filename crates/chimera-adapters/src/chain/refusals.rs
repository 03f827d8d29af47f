//! What a node's answer to a broadcast means. Nodes say it in prose, each in its own: the table below has their words.

use super::rpc::RpcFailure;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It has these very bytes already.
    AlreadyThere,
    /// The nonce is used in the chain, by these bytes or by others.
    NonceUsed,
    /// Certain: the bytes were not taken, and will not be.
    Refused,
    /// Certain: the bytes were not taken; later they may be.
    NotNow,
    /// The bytes never left.
    NotSent,
    /// The bytes may be in the pool, or not.
    Unknown,
}

pub fn refusal_of_broadcast(failure: &RpcFailure) -> Refusal {
    let (code, message) = match failure {
        RpcFailure::NotSent(_) | RpcFailure::Withheld => return Refusal::NotSent,
        RpcFailure::NoAnswer(_) => return Refusal::Unknown,
        RpcFailure::Answered { code, message, .. } => (*code, message.to_lowercase()),
    };
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    // Not anywhere in the message: "unknown transaction type" is something else.
    if message.starts_with("known transaction") || says(&ALREADY_THERE) {
        return Refusal::AlreadyThere;
    }
    if says(&NONCE_USED) {
        return Refusal::NonceUsed;
    }
    if says(&NOT_NOW) {
        return Refusal::NotNow;
    }
    // Before the codes: some nodes give every refusal the code of an internal error.
    if says(&REFUSED) {
        return Refusal::Refused;
    }
    const INTERNAL_ERROR: i64 = -32603;
    if code == INTERNAL_ERROR || says(&UNKNOWN) {
        return Refusal::Unknown;
    }
    Refusal::Refused
}

/// geth, reth, erigon; nethermind; anvil and parity; erigon's older words.
const ALREADY_THERE: [&str; 4] = ["already known", "alreadyknown", "already imported", "same hash"];
/// geth, reth, erigon, besu; parity; nethermind.
const NONCE_USED: [&str; 3] = ["nonce too low", "nonce is too low", "oldnonce"];
/// A full pool drains, and a gap before a nonce closes.
const NOT_NOW: [&str; 7] =
    ["txpool is full", "pool is full", "pool full", "nonce too high", "noncegap", "gapped-nonce", "in-flight transaction limit"];
const REFUSED: [&str; 12] = [
    "insufficient funds",
    "insufficientfunds",
    "underpriced",
    "intrinsic gas",
    "gas limit",
    "block base fee",
    "fee too low",
    "feetoolow",
    "exceeds the configured cap",
    "invalid chain id",
    "revert",
    "upfront cost exceeds",
];
const UNKNOWN: [&str; 5] = ["timeout", "timed out", "internal error", "internal_error", "unavailable"];

#[cfg(test)]
mod tests {
    use super::{Refusal::*, *};

    #[test]
    fn the_words_of_real_nodes_are_understood() {
        let table = [
            // geth, op-geth, bor
            (-32000, "already known", AlreadyThere),
            (-32000, "nonce too low: next nonce 7, tx nonce 5", NonceUsed),
            (-32000, "nonce too low: address 0x70997970C51812dc3A010C7d01b50e0d17dc79C8, tx: 5 state: 7", NonceUsed),
            (-32000, "replacement transaction underpriced", Refused),
            (-32000, "replacement transaction underpriced: new tx gas fee cap 1 <= 2 queued", Refused),
            (-32000, "transaction underpriced: tip needed 1000000, tip permitted 1", Refused),
            (-32000, "insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000", Refused),
            (-32000, "intrinsic gas too low: gas 20999, minimum needed 21000", Refused),
            (-32000, "exceeds block gas limit", Refused),
            (-32000, "max fee per gas less than block base fee: address 0x70, maxFeePerGas: 1, baseFee: 7", Refused),
            (-32000, "tx fee (2.10 ether) exceeds the configured cap (1.00 ether)", Refused),
            (-32000, "invalid chain id for signer: have 1 want 8453", Refused),
            (-32000, "max priority fee per gas higher than max fee per gas", Refused),
            (-32000, "transaction type not supported", Refused),
            (-32000, "only replay-protected (EIP-155) transactions allowed over RPC", Refused),
            (-32000, "txpool is full", NotNow),
            (-32000, "gapped-nonce tx from delegated accounts", NotNow),
            (-32000, "in-flight transaction limit reached for delegated accounts", NotNow),
            (-32000, "unknown transaction type", Refused),
            (-32000, "known transaction: 6f0b1f", AlreadyThere),
            (-32002, "request timed out", Unknown),
            // erigon
            (-32000, "ALREADY_EXISTS: already known", AlreadyThere),
            (-32000, "existing tx with same hash", AlreadyThere),
            (-32000, "NONCE_TOO_LOW: nonce too low", NonceUsed),
            (-32000, "INSUFFICIENT_FUNDS: insufficient funds for gas * price + value", Refused),
            (-32000, "UNDERPRICED: transaction underpriced", Refused),
            (-32000, "FEE_TOO_LOW: fee too low", Refused),
            (-32000, "INTERNAL_ERROR: connection to the pool is gone", Unknown),
            // reth
            (-32003, "nonce too low: next nonce 2, tx nonce 1", NonceUsed),
            (-32003, "insufficient funds for gas * price + value: have 0 want 21000", Refused),
            (-32003, "max fee per gas less than block base fee", Refused),
            (-32603, "txpool is full", NotNow),
            // nethermind
            (-32010, "AlreadyKnown", AlreadyThere),
            (-32010, "OldNonce, Current nonce: 7, nonce of rejected tx: 5.", NonceUsed),
            (-32010, "InsufficientFunds, Account balance: 0, cumulative cost: 21000", Refused),
            (-32010, "FeeTooLow, EffectivePriorityFeePerGas too low 1 < 2", Refused),
            (-32010, "FeeTooLowToCompete", Refused),
            (-32010, "GasLimitExceeded, Gas limit: 30000000", Refused),
            (-32010, "ReplacementNotAllowed", Refused),
            (-32010, "NonceGap, Future nonce. Expected nonce: 5", NotNow),
            // anvil, hardhat
            (-32003, "transaction already imported", AlreadyThere),
            (-32003, "nonce too low", NonceUsed),
            (-32003, "Insufficient funds for gas * price + value", Refused),
            (-32003, "max fee per gas less than block base fee", Refused),
            (-32603, "replacement transaction underpriced", Refused),
            (3, "execution reverted: no", Refused),
            // besu, parity and gateways
            (-32000, "Known transaction", AlreadyThere),
            (-32001, "Nonce too low", NonceUsed),
            (-32004, "Upfront cost exceeds account balance", Refused),
            (-32010, "Transaction with the same hash was already imported.", AlreadyThere),
            (-32010, "Transaction nonce is too low. Try incrementing the nonce.", NonceUsed),
            (-32601, "the method eth_sendRawTransaction does not exist/is not available", Refused),
            (-32603, "oops", Unknown),
            (-32000, "service temporarily unavailable", Unknown),
            (-32602, "invalid argument 0: json: cannot unmarshal", Refused),
        ];
        for (code, message, expected) in table {
            let failure = RpcFailure::Answered { code, message: message.to_owned(), data: None };
            assert_eq!(refusal_of_broadcast(&failure), expected, "{code} {message}");
        }
        assert_eq!(refusal_of_broadcast(&RpcFailure::NoAnswer("nonce too low".to_owned())), Unknown, "words of a gateway");
        assert_eq!(refusal_of_broadcast(&RpcFailure::NotSent("already known".to_owned())), NotSent);
    }
}
