//! `chimera social`: an MCP server whose resources are mentions, timelines and engagement on Mastodon, Bluesky and X, and whose one tool
//! publishes there. An upstream like any other. Depends on the core for the clock and for how platforms read a text.

mod address;
mod api;
mod bluesky;
mod config;
mod errors;
mod mastodon;
mod media;
mod posts;
mod publishing;
mod server;
mod x;

pub use address::{Address, BlueskyAddress, MastodonAddress, TwitterAddress};
pub use config::{BlueskyAccount, MastodonAccount, Secret, SocialConfig, SocialConfigError, XAccess, XAccount, XKeys, web_address};
pub use server::{ServeError, SocialServer, serve_stdio};

#[cfg(test)]
mod tests;
