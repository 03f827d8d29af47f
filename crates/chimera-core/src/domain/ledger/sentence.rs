//! An entry as one sentence for people, the same on every surface.

use super::{LedgerKind, Posting, Postings};
use crate::domain::{
    hidden::excerpt,
    money::{AssetKind, NATIVE_DECIMALS, format_units, parse_units},
};
use serde_json::Value;
use std::collections::BTreeMap;

const LINE_CHARS_MAX: usize = 140;

/// What chains call their native asset, by chain id. Of a chain that is not among them, what an entry's own postings call it.
#[derive(Debug, Clone, Default)]
pub struct Sentences {
    natives: BTreeMap<String, String>,
}

impl Sentences {
    pub fn new(natives: BTreeMap<String, String>) -> Self {
        Self { natives }
    }

    /// Of a posting's asset, as it is called today where that is known.
    pub fn symbol<'a>(&'a self, posting: &'a Posting) -> &'a str {
        match posting.asset.kind {
            AssetKind::Native => self.natives.get(&posting.chain.to_string()).unwrap_or(&posting.asset.symbol),
            AssetKind::Token(_) => &posting.asset.symbol,
        }
    }

    pub fn of(&self, kind: LedgerKind, facts: &Value, postings: &Postings) -> String {
        let sentence = match kind {
            LedgerKind::Payment => format!("paid {}, {}, {}", moved(facts), self.fee(facts, postings), block(facts)),
            LedgerKind::Reversal => format!("took back the transfer of {}: its {} left the chain", moved(facts), block(facts)),
            LedgerKind::Refusal => self.refusal(facts, postings),
            LedgerKind::Post => {
                format!("{} on {}: {}", text(facts, "status").replace('_', " "), text(facts, "platform"), text(facts, "text"))
            }
            LedgerKind::Control => control(facts),
        };
        excerpt(&sentence, LINE_CHARS_MAX)
    }

    fn refusal(&self, facts: &Value, postings: &Postings) -> String {
        let moved = moved(facts);
        match text(facts, "state") {
            "refused" => format!("refused {moved}: {} ({})", text(facts, "message"), text(facts, "error_code")),
            "reverted" => format!("reverted {moved}: {}, {}, {}", text(facts, "reason"), self.fee(facts, postings), block(facts)),
            "refused_by_node" => format!("the node refused {moved}: {}", text(facts, "reason")),
            "given_up" => format!("gave up {moved}, which never showed on the chain: {}", text(facts, "reason")),
            "replaced" => format!("another transaction took the place of {moved}"),
            other => format!("{other} {moved}"),
        }
    }

    fn fee(&self, facts: &Value, postings: &Postings) -> String {
        let written = || postings.iter().find(|posting| posting.asset.kind == AssetKind::Native).map(|posting| &posting.asset.symbol);
        let symbol = self.natives.get(text(facts, "chain_id")).or_else(written).map_or("of the native asset", String::as_str);
        format!(
            "fee {} {symbol}",
            parse_units(text(facts, "fee_wei")).map_or_else(|_| "?".to_owned(), |wei| format_units(wei, NATIVE_DECIMALS))
        )
    }
}

/// `1.5 USDC to 0x… on chain 8453`
fn moved(facts: &Value) -> String {
    let (units, asset) = (text(facts, "amount_units"), text(facts, "asset"));
    // Entries from before double entry do not say how many decimals their asset has.
    let decimals = facts["decimals"].as_u64().and_then(|decimals| u8::try_from(decimals).ok());
    let amount = match (parse_units(units), decimals) {
        (Ok(units), Some(decimals)) => format!("{} {asset}", format_units(units, decimals)),
        _ => format!("{units} smallest units of {asset}"),
    };
    format!("{amount} to {} on chain {}", text(facts, "to"), text(facts, "chain_id"))
}

fn block(facts: &Value) -> String {
    format!("block {}", text(facts, "block_number"))
}

fn control(facts: &Value) -> String {
    let act = text(facts, "act").replace('_', " ");
    let others = facts.as_object().into_iter().flatten().filter(|(name, value)| *name != "act" && !value.is_null());
    let details: Vec<String> =
        others.map(|(name, value)| format!("{name} {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))).collect();
    if details.is_empty() { act } else { format!("{act}: {}", details.join(", ")) }
}

fn text<'a>(facts: &'a Value, name: &str) -> &'a str {
    facts[name].as_str().unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(kind: LedgerKind, facts: Value) -> String {
        Sentences::new(BTreeMap::from([("8453".to_owned(), "ETH".to_owned())])).of(kind, &facts, &Postings::none())
    }

    #[test]
    fn every_kind_is_told_with_its_amounts() {
        let transfer = json!({"amount_units": "1500000", "decimals": 6, "asset": "USDC", "to": "0xab", "chain_id": "8453",
            "fee_wei": "21000000000000", "block_number": "12", "reason": "paused", "message": "too much", "error_code": "budget_exceeded"});
        let with_state = |state: &str| {
            let mut facts = transfer.clone();
            facts["state"] = json!(state);
            facts
        };
        let moved = "1.5 USDC to 0xab on chain 8453";
        for (kind, facts, line) in [
            (LedgerKind::Payment, with_state("confirmed"), format!("paid {moved}, fee 0.000021 ETH, block 12")),
            (LedgerKind::Refusal, with_state("refused"), format!("refused {moved}: too much (budget_exceeded)")),
            (LedgerKind::Refusal, with_state("reverted"), format!("reverted {moved}: paused, fee 0.000021 ETH, block 12")),
            (LedgerKind::Refusal, with_state("refused_by_node"), format!("the node refused {moved}: paused")),
            (LedgerKind::Refusal, with_state("replaced"), format!("another transaction took the place of {moved}")),
            (LedgerKind::Reversal, with_state("reorganised"), format!("took back the transfer of {moved}: its block 12 left the chain")),
            (LedgerKind::Post, json!({"status": "dry_run", "platform": "mastodon", "text": "Hi"}), "dry run on mastodon: Hi".to_owned()),
            (LedgerKind::Control, json!({"act": "grant_approved", "by": "ops"}), "grant approved: by ops".to_owned()),
            (LedgerKind::Control, json!({"act": "freeze", "by": null}), "freeze".to_owned()),
        ] {
            assert_eq!(told(kind, facts), line);
        }
    }

    #[test]
    fn an_entry_without_decimals_and_one_of_an_unknown_chain_are_told_in_what_is_known() {
        let facts = json!({"amount_units": "500", "asset": "USDC", "to": "0xab", "chain_id": "1", "fee_wei": "1", "block_number": "2"});
        assert_eq!(
            told(LedgerKind::Payment, facts),
            "paid 500 smallest units of USDC to 0xab on chain 1, fee 0.000000000000000001 of the native asset, block 2"
        );
        assert_eq!(told(LedgerKind::Payment, json!({})), "paid ? smallest units of ? to ? on chain ?, fee ? of the native asset, block ?");
    }

    #[test]
    fn a_line_stays_one_line_and_moves_no_cursor() {
        let line = told(LedgerKind::Post, json!({"status": "s", "platform": "p", "text": format!("a\r\n\u{1b}[2Jb{}", "é".repeat(500))}));

        assert!(line.starts_with("s on p: a [2Jb"), "{line:?}");
        assert!(line.ends_with('…') && line.chars().count() == LINE_CHARS_MAX, "{line:?}");
    }

    #[test]
    fn a_fee_on_a_chain_that_is_not_configured_is_called_what_the_books_call_it() {
        let posting = |account: &str, side: &str| json!({"account": account, "side": side, "chain_id": "1", "asset": "ETH", "decimals": 18, "units": "1"});
        let postings = Postings::from_json(&json!([posting("wallet:selam", "credit"), posting("fees", "debit")])).unwrap();
        let facts =
            json!({"amount_units": "5", "decimals": 0, "asset": "X", "to": "0xab", "chain_id": "1", "fee_wei": "1", "block_number": "2"});

        let told = Sentences::default().of(LedgerKind::Payment, &facts, &postings);
        assert_eq!(told, "paid 5 X to 0xab on chain 1, fee 0.000000000000000001 ETH, block 2");
    }
}
