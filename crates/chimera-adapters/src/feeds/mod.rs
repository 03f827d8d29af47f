//! `chimera feeds`: an MCP server whose resources are news (RSS, Atom, JSON Feed) and prices, from http(s) and from files.
//! An upstream like any other. Depends on the core's ports for the clock and for feeds inside fetched text.

mod config;
mod documents;
mod fetching;
mod listings;
mod pacing;
mod reading;
pub mod sample;
mod server;

pub use config::{FeedSource, FeedsConfig, FeedsConfigError, MarketFeed, NewsFeed};
pub use reading::{FeedError, FeedTextParser, ParsedFeed, Sent, parse_feed};
pub use server::{FeedsServer, ServeError, serve_stdio};

#[cfg(test)]
mod tests;
