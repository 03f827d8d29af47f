//! What people look at: one document for each screen of mission control, which `/api` gives as JSON and the page draws.
//! Reads only. Amounts are integers in a token's smallest units, as text, with the decimals beside them.

pub mod agents;
pub mod campaigns;
pub mod hindsight;
pub mod memories;
pub mod money;
pub mod people;
pub mod plans;
pub mod reviews;
pub mod souls;
pub mod stories;
pub mod trends;
pub mod wallets;

use schemars::JsonSchema;
use serde::Serialize;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The cursor of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// An amount of one asset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Money {
    /// In the asset's smallest units, as decimal text.
    pub units: String,
    pub asset: String,
    pub decimals: u8,
    pub chain_id: String,
}
