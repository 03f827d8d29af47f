//! EVM chains behind the core's `Chain` port: a thin JSON-RPC client of our own, because a provider library would choose nonces and
//! wait for receipts by itself, and both must be ours.

mod evm;
mod gathering;
mod health;
mod l1_fee;
mod node;
mod nodes;
mod refusals;
mod revert;
mod rpc;
mod sharing;

pub use evm::EvmChain;
pub use nodes::RpcClient;

#[cfg(test)]
mod scripted_node;
