//! Double entry: what leaves one account arrives in another, so that the postings of an entry always balance.

use crate::domain::{
    AgentId,
    money::{Address, Asset, AssetKind, ChainId, U256, checksummed, parse_address, parse_units},
};
use serde_json::{Value, json};
use std::{fmt, str::FromStr};

/// Where value is, as the books see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Account {
    /// An agent's own.
    Wallet(AgentId),
    /// Whoever was paid.
    Payee(Address),
    /// What chains took for carrying transactions.
    Fees,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an account: wallet:AGENT, payee:ADDRESS or fees")]
pub struct NotAccount(String);

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wallet(agent) => write!(f, "wallet:{agent}"),
            Self::Payee(address) => write!(f, "payee:{}", checksummed(address)),
            Self::Fees => f.write_str("fees"),
        }
    }
}

impl FromStr for Account {
    type Err = NotAccount;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || NotAccount(text.chars().take(100).collect());
        match text.split_once(':') {
            Some(("wallet", agent)) => agent.parse().map(Self::Wallet).map_err(|_| unknown()),
            Some(("payee", address)) => parse_address(address).map(Self::Payee).map_err(|_| unknown()),
            None if text == "fees" => Ok(Self::Fees),
            _ => Err(unknown()),
        }
    }
}

/// As bookkeepers say it: a debit brings value to the account, a credit takes it away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Debit,
    Credit,
}

impl Side {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debit => "debit",
            Self::Credit => "credit",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Debit => Self::Credit,
            Self::Credit => Self::Debit,
        }
    }
}

/// One line of the books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    pub account: Account,
    pub side: Side,
    pub chain: ChainId,
    /// Told from others by its kind; the symbol is what it was called when this was written.
    pub asset: Asset,
    pub units: U256,
}

/// Value on its way from one account to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    pub from: Account,
    pub to: Account,
    pub chain: ChainId,
    pub asset: Asset,
    pub units: U256,
}

/// The postings of one entry; on each chain, debits and credits of each asset are equal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Postings(Vec<Posting>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotPostings {
    #[error("the postings cannot be read")]
    Unreadable,
    #[error("debits and credits of {symbol} on chain {chain} are not equal")]
    Unbalanced { chain: ChainId, symbol: String },
}

impl Postings {
    pub fn none() -> Self {
        Self::default()
    }

    /// Movements of nothing leave no postings.
    pub fn of(movements: impl IntoIterator<Item = Movement>) -> Self {
        let pair = |Movement { from, to, chain, asset, units }: Movement| {
            let credit = Posting { account: from, side: Side::Credit, chain, asset: asset.clone(), units };
            [credit, Posting { account: to, side: Side::Debit, chain, asset, units }]
        };
        Self(movements.into_iter().filter(|movement| !movement.units.is_zero()).flat_map(pair).collect())
    }

    /// The same movements backwards.
    pub fn reversed(&self) -> Self {
        Self(self.0.iter().map(|posting| Posting { side: posting.side.other(), ..posting.clone() }).collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = &Posting> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn to_json(&self) -> Value {
        Value::Array(self.0.iter().map(Posting::to_json).collect())
    }

    /// Reads what `to_json` wrote; anything that does not balance is refused.
    pub fn from_json(postings: &Value) -> Result<Self, NotPostings> {
        let listed = postings.as_array().ok_or(NotPostings::Unreadable)?;
        let read = listed.iter().map(|posting| Posting::from_json(posting).ok_or(NotPostings::Unreadable));
        Self::balanced(read.collect::<Result<_, _>>()?)
    }

    fn balanced(postings: Vec<Posting>) -> Result<Self, NotPostings> {
        for posting in &postings {
            let sum = |side| {
                let alike = postings.iter().filter(|other| other.side == side && other.is_of_the_same(posting));
                alike.fold((0_u32, U256::ZERO), |(carries, sum), other| {
                    let (sum, carried) = sum.overflowing_add(other.units);
                    (carries + u32::from(carried), sum)
                })
            };
            if sum(Side::Debit) != sum(Side::Credit) {
                return Err(NotPostings::Unbalanced { chain: posting.chain, symbol: posting.asset.symbol.clone() });
            }
        }
        Ok(Self(postings))
    }
}

impl Posting {
    fn is_of_the_same(&self, other: &Self) -> bool {
        self.chain == other.chain && self.asset.kind == other.asset.kind
    }

    fn to_json(&self) -> Value {
        let mut value = json!({
            "account": self.account.to_string(),
            "side": self.side.as_str(),
            "chain_id": self.chain.to_string(),
            "asset": self.asset.symbol,
            "decimals": self.asset.decimals,
            "units": self.units.to_string(),
        });
        if let AssetKind::Token(contract) = self.asset.kind {
            value["token"] = json!(checksummed(&contract));
        }
        value
    }

    fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name)?.as_str();
        let kind = match value.get("token") {
            None => AssetKind::Native,
            Some(contract) => AssetKind::Token(parse_address(contract.as_str()?).ok()?),
        };
        let decimals = value.get("decimals")?.as_u64()?.try_into().ok()?;
        Some(Self {
            account: text("account")?.parse().ok()?,
            side: [Side::Debit, Side::Credit].into_iter().find(|side| Some(side.as_str()) == text("side"))?,
            chain: ChainId(text("chain_id")?.parse().ok()?),
            asset: Asset { symbol: text("asset")?.to_owned(), kind, decimals },
            units: parse_units(text("units")?).ok()?,
        })
    }
}

#[cfg(test)]
mod tests;
