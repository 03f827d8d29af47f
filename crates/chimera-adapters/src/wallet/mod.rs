//! Wallets that others keep: AgentKit behind an MCP server, which signs and sends by itself, and CDP server wallets, which sign for us.
//! What they say is checked here and never believed. Depends on the core's ports and the shared HTTP client.

mod agentkit;
mod cdp;

pub use agentkit::AgentKitWallet;
pub use cdp::{CDP_URL, CdpCredentials, CdpCredentialsError, CdpSigner};
