//! What an OP-stack rollup charges for a transaction's bytes on the chain below it. It is taken from the sender beside the gas, no limit
//! in the transaction bounds it, and so it is bounded here before anything is signed.

use alloy_primitives::{Address, U256, address};

/// The rollup's own contract that knows; an address without code anywhere else.
pub const GAS_PRICE_ORACLE: Address = address!("0x420000000000000000000000000000000000000F");
/// `getL1FeeUpperBound(uint256)`: the fee for so many bytes of an unsigned transaction, however badly they compress.
const GET_L1_FEE_UPPER_BOUND: [u8; 4] = [0xf1, 0xc7, 0xa5, 0x8b];
/// The most that an unsigned EIP-1559 transaction has beside its data: its type, two list heads, eight numbers and an address.
const ENVELOPE_BYTES_MAX: u64 = 128;
/// The price of the chain below rises by at most an eighth a block: it takes six blocks, over a minute, to double.
const MARGIN_TIMES: u64 = 2;

/// For a transaction that carries `data_bytes` of call data.
pub fn call_data(data_bytes: usize) -> Vec<u8> {
    let bytes = U256::from(data_bytes).saturating_add(U256::from(ENVELOPE_BYTES_MAX));
    [GET_L1_FEE_UPPER_BOUND.as_slice(), &bytes.to_be_bytes::<32>()].concat()
}

/// `None` when the answer makes no sense.
pub fn fee_max_wei(answer: &[u8]) -> Option<U256> {
    match answer.len() {
        // No code at that address: no such fee.
        0 => Some(U256::ZERO),
        32 => U256::from_be_slice(answer).checked_mul(U256::from(MARGIN_TIMES)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_consensus::{SignableTransaction, TxEip1559};
    use alloy_primitives::{Bytes, TxKind, keccak256};

    #[test]
    fn the_oracle_is_asked_by_its_selector_for_no_less_than_any_envelope() {
        assert_eq!(keccak256("getL1FeeUpperBound(uint256)")[..4], GET_L1_FEE_UPPER_BOUND);
        for data_bytes in [0, 1, 55, 56, 68, 1_000, 100_000] {
            let largest = TxEip1559 {
                chain_id: u64::MAX,
                nonce: u64::MAX,
                gas_limit: u64::MAX,
                max_fee_per_gas: u128::MAX,
                max_priority_fee_per_gas: u128::MAX,
                to: TxKind::Call(Address::repeat_byte(0xff)),
                value: U256::MAX,
                access_list: Default::default(),
                input: Bytes::from(vec![0xff; data_bytes]),
            };
            let asked = call_data(data_bytes);
            assert_eq!(asked.len(), 36);
            assert!(U256::from_be_slice(&asked[4..]) >= U256::from(largest.payload_len_for_signature()), "{data_bytes}");
        }
    }

    #[test]
    fn the_answer_is_doubled_absent_or_nonsense() {
        assert_eq!(fee_max_wei(&U256::from(7).to_be_bytes::<32>()), Some(U256::from(14)));
        assert_eq!(fee_max_wei(&[]), Some(U256::ZERO));
        assert_eq!(fee_max_wei(&[1]), None);
        assert_eq!(fee_max_wei(&U256::MAX.to_be_bytes::<32>()), None);
    }
}
