//! The test USDC: code at a fixed address from the genesis block on, balances written by the node.
//! `contracts/DevnetUsdc.sol` is its source and `contracts/compile.mjs` makes the bytecode.

use alloy_primitives::{Address, Bytes, U256, address, hex, keccak256};

/// Where the test USDC lives on every devnet: "USDC" in ASCII, then zeros, so that nobody mistakes it
/// for the real one.
pub const ADDRESS: Address = address!("0x5553444300000000000000000000000000000000");

/// Slot of `totalSupply` in the contract's storage.
pub(crate) const SUPPLY_SLOT: U256 = U256::from_limbs([2, 0, 0, 0]);

const RUNTIME_HEX: &str = include_str!("../contracts/DevnetUsdc.runtime.hex");

pub(crate) fn runtime_code() -> Bytes {
    hex::decode(RUNTIME_HEX.trim()).expect("the committed bytecode is hex").into()
}

/// Where Solidity keeps `balanceOf[owner]`, the mapping at slot 0.
pub(crate) fn balance_slot(owner: Address) -> U256 {
    let mut key_and_slot = [0; 64];
    key_and_slot[12..32].copy_from_slice(owner.as_slice());
    keccak256(key_and_slot).into()
}
