//! What a review is about, in one line, and what its reasoning tells.

use super::{
    hidden::excerpt,
    money::{format_units, parse_units},
};
use crate::contracts::{
    review::ReviewItem,
    task::TaskTransaction,
    views::reviews::{ConfidencePart, ReviewKind},
};

const SUMMARY_CHARS_MAX: usize = 140;
/// Before the parts of a confidence, in the content skill's trace.
const CHECKS: &str = "checks: ";

/// The beginning of the text, or the payment. `what` is the task of a review that has neither; `decimals` are those of a payment's asset,
/// where they are known.
pub fn summary(review: &ReviewItem, kind: ReviewKind, what: Option<&str>, decimals: Option<u8>) -> String {
    let text = || review.artifact.as_ref().and_then(|artifact| artifact.payload_text.as_deref());
    let media = || review.artifact.as_ref().and_then(|artifact| artifact.payload_media_uri.as_deref());
    let line = match (kind, &review.transaction) {
        (ReviewKind::Money, Some(transaction)) => payment(transaction, decimals),
        (ReviewKind::Content | ReviewKind::UnknownPost | ReviewKind::Stuck | ReviewKind::Money, _) => {
            text().or_else(media).or(what).unwrap_or(&review.escalation_reason).to_owned()
        }
    };
    excerpt(&line, SUMMARY_CHARS_MAX)
}

/// `25 USDC to 0x…`
fn payment(transaction: &TaskTransaction, decimals: Option<u8>) -> String {
    let params = &transaction.params;
    let units = params.amount_wei_or_units.as_deref().unwrap_or("?");
    let amount = match (parse_units(units), decimals) {
        (Ok(units), Some(decimals)) => format!("{} {}", format_units(units, decimals), params.asset),
        _ => format!("{units} smallest units of {}", params.asset),
    };
    let chain = params.chain_id.as_ref().map(|id| format!(" on chain {id}")).unwrap_or_default();
    format!("{amount} to {}{chain}", params.to_address.as_deref().unwrap_or("?"))
}

/// Name and share of each part that a confidence is made of, in the order of the trace; none where it does not tell them.
pub fn confidence_parts(trace: &str) -> Vec<ConfidencePart> {
    let Some(line) = trace.lines().rev().find_map(|line| line.trim().strip_prefix(CHECKS)) else { return Vec::new() };
    let part = |part: &str| {
        let (name, share) = part.trim().rsplit_once(' ')?;
        let share = share.parse::<f64>().ok().filter(|share| share.is_finite())?;
        Some(ConfidencePart { name: name.to_owned(), share })
    };
    line.split(',').filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::{
        UtcTime, UuidV4,
        content_generator::{Artifact, ContentType},
        review::ReviewStatus,
        wallet_transaction::{WalletOperation, WalletParams},
    };

    fn review() -> ReviewItem {
        ReviewItem {
            review_id: UuidV4::random(),
            result_id: None,
            task_id: UuidV4::random(),
            agent_id: "selam".to_owned(),
            escalation_reason: "no source answers".to_owned(),
            artifact: None,
            transaction: None,
            confidence_score: None,
            reasoning_trace: None,
            created_at: UtcTime(chrono::DateTime::UNIX_EPOCH),
            status: ReviewStatus::Pending,
        }
    }

    #[test]
    fn a_payment_is_told_in_whole_units_where_they_are_known() {
        let params = WalletParams {
            asset: "USDC".to_owned(),
            to_address: Some("0xab".to_owned()),
            amount_wei_or_units: Some("1500000".to_owned()),
            chain_id: Some("8453".to_owned()),
        };
        let transaction = Some(TaskTransaction { operation: WalletOperation::TokenTransfer, params, budget_check: None });
        let asked = ReviewItem { transaction, ..review() };

        assert_eq!(ReviewKind::of(&asked), ReviewKind::Money);
        assert_eq!(summary(&asked, ReviewKind::Money, None, Some(6)), "1.5 USDC to 0xab on chain 8453");
        assert_eq!(summary(&asked, ReviewKind::Money, None, None), "1500000 smallest units of USDC to 0xab on chain 8453");
    }

    #[test]
    fn a_text_is_told_by_its_beginning_and_what_was_never_made_by_its_task() {
        let text = format!("Look\u{202e}:\n{}", "é".repeat(300));
        let artifact =
            Artifact { content_type: ContentType::Text, payload_text: Some(text), payload_media_uri: None, platform_target: None };
        let told = summary(&ReviewItem { artifact: Some(artifact), ..review() }, ReviewKind::Content, None, None);
        assert!(told.starts_with("Look\\u{202E}: éé") && told.ends_with('…'), "{told}");
        assert_eq!(told.chars().count(), SUMMARY_CHARS_MAX);

        assert_eq!(ReviewKind::of(&review()), ReviewKind::Stuck);
        assert_eq!(summary(&review(), ReviewKind::Stuck, Some("text for mastodon"), None), "text for mastodon");
        assert_eq!(summary(&review(), ReviewKind::Stuck, None, None), "no source answers");
    }

    #[test]
    fn parts_are_read_out_of_the_trace_as_the_skill_writes_it() {
        let trace = "cited source: x\nchecks: support 0.95, on goal 0.50, voice 1.00\nconfidence: 0.912, extractive, at most 0.89";
        let parts: Vec<(String, f64)> = confidence_parts(trace).into_iter().map(|part| (part.name, part.share)).collect();
        assert_eq!(parts, [("support".to_owned(), 0.95), ("on goal".to_owned(), 0.5), ("voice".to_owned(), 1.0)]);
        for none in ["", "no checks", "checks: ", "checks: what, ever"] {
            assert_eq!(confidence_parts(none), [], "{none:?}");
        }
    }
}
