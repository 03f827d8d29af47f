//! AgentKit's prose, in the exact shapes of its version 0.10. Anything else says nothing.

use alloy_primitives::B256;
use chimera_core::{
    domain::money::{ChainId, parse_address},
    ports::sending_wallet::WalletDetails,
};

/// A token's name is its contract's choice.
const TOKEN_NAME_CHARS_MAX: usize = 128;
/// How much of its words is repeated to people.
const GIST_CHARS_MAX: usize = 160;

/// The whole of what `get_wallet_details` says, line by line.
pub fn details(text: &str) -> Result<WalletDetails, String> {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.iter().any(|line| line.starts_with("- Owner Address: ")) {
        return Err(
            "it is a smart wallet, whose transactions others send: its nonces say nothing; use a wallet with a key of its own".to_owned()
        );
    }
    let [title, provider, address, network, family, network_id, chain, wei, ether] = lines.as_slice() else { return Err(gist(text)) };
    let has_shape = *title == "Wallet Details:"
        && provider.starts_with("- Provider: ")
        && *network == "- Network:"
        && network_id.starts_with("  * Network ID: ")
        && wei.starts_with("- Native Balance: ")
        && ether.starts_with("- Native Balance: ");
    if !has_shape {
        return Err(gist(text));
    }
    if *family != "  * Protocol Family: evm" {
        return Err("its wallet is not one of an EVM chain".to_owned());
    }
    let address = address.strip_prefix("- Address: ").and_then(|address| parse_address(address).ok());
    let chain = chain.strip_prefix("  * Chain ID: ").and_then(decimal).map(ChainId);
    match (address, chain) {
        (Some(address), Some(chain)) => Ok(WalletDetails { address, chain }),
        _ => Err("it names no address or no chain".to_owned()),
    }
}

/// The hash, when it says that exactly this was transferred. Whether it was is another matter.
pub fn native_transfer(text: &str, amount: &str, to: &str) -> Option<B256> {
    // It calls every chain's native asset ETH.
    hash(text.strip_prefix(&format!("Transferred {amount} ETH to {to}\nTransaction hash: "))?)
}

/// Likewise. The token's name stands in the middle, so the rest is measured from both ends.
pub fn token_transfer(text: &str, amount: &str, contract: &str, to: &str) -> Option<B256> {
    let rest = text.strip_prefix(&format!("Transferred {amount} of "))?;
    let (told, tx_hash) = rest.rsplit_once("\nTransaction hash for the transfer: ")?;
    let name = told.strip_suffix(&format!(" ({contract}) to {to}."))?;
    let is_name = name.chars().count() <= TOKEN_NAME_CHARS_MAX && !name.chars().any(char::is_control);
    if is_name { hash(tx_hash) } else { None }
}

/// What it said, in words that are safe to show: the first line, without addresses of nodes, which may carry keys, and of files.
pub fn gist(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let words = first.split_whitespace().filter(|word| !word.contains("://") && !word.starts_with('/'));
    let mut said = String::new();
    for word in words {
        if !said.is_empty() {
            said.push(' ');
        }
        said.extend(word.chars().filter(|c| !c.is_control()));
    }
    let said: String = said.chars().take(GIST_CHARS_MAX).collect();
    if said.is_empty() { "it said nothing".to_owned() } else { format!("it said {said:?}") }
}

fn hash(text: &str) -> Option<B256> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 64)?;
    digits.parse().ok()
}

fn decimal(text: &str) -> Option<u64> {
    // `u64::from_str` also accepts "+7".
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
