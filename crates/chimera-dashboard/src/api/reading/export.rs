//! The ledger to take along: every entry, oldest first, as one file. It is read page by page while it is sent, and never held whole.

use crate::{Dashboard, Problem, api::request::Call};
use axum::{
    body::{Body, Bytes},
    http::header,
    response::{IntoResponse, Response},
};
use chimera_core::{
    contracts::{
        UtcTime,
        views::money::{ExportedEntry, LedgerRow},
    },
    domain::ledger::Sentences,
    ports::{StoreError, ledger::LedgerEntry},
};
use futures::{Stream, StreamExt, stream};
use serde_json::Value;
use std::sync::Arc;

const ROWS: usize = 500;
const COLUMNS: &str = "number,at,kind,agent_id,task_id,told,facts,postings,hash,signature\r\n";

/// RFC 4180.
pub(in crate::api) async fn csv(dashboard: Arc<Dashboard>, _call: Call) -> Result<Response, Problem> {
    let lines = entries(dashboard).map(|page| page.map(|page| page.iter().map(line).collect::<String>()));
    let opening = stream::once(async { Ok(COLUMNS.to_owned()) });
    Ok(file("text/csv; charset=utf-8", "chimera-ledger.csv", opening.chain(lines)))
}

pub(in crate::api) async fn json(dashboard: Arc<Dashboard>, _call: Call) -> Result<Response, Problem> {
    let list = |entry: &ExportedEntry| {
        let comma = if entry.row.number == 1 { "" } else { ",\n" };
        format!("{comma}{}", serde_json::to_string(entry).expect("plain data always serialises"))
    };
    let items = entries(dashboard).map(move |page| page.map(|page| page.iter().map(list).collect::<String>()));
    let [opening, end] = ["[", "]\n"].map(|edge| stream::once(async move { Ok(edge.to_owned()) }));
    Ok(file("application/json", "chimera-ledger.json", opening.chain(items).chain(end)))
}

/// A page that cannot be read breaks the answer off: half a ledger must not look like a whole one.
fn file(media_type: &str, name: &str, parts: impl Stream<Item = Result<String, StoreError>> + Send + 'static) -> Response {
    let body = Body::from_stream(parts.map(|part| part.map(Bytes::from)));
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [(header::CONTENT_TYPE, media_type), (header::CONTENT_DISPOSITION, &disposition), (header::CACHE_CONTROL, "no-store")];
    (headers, body).into_response()
}

fn entries(dashboard: Arc<Dashboard>) -> impl Stream<Item = Result<Vec<ExportedEntry>, StoreError>> {
    stream::try_unfold(0, move |after| {
        let dashboard = dashboard.clone();
        async move {
            let page = dashboard.ledger.page(None, after, ROWS).await?;
            let Some(last) = page.last().map(|entry| entry.number) else { return Ok(None) };
            let sentences = Sentences::default();
            Ok(Some((page.into_iter().map(|entry| exported(entry, &sentences)).collect(), last)))
        }
    })
}

fn exported(read: LedgerEntry, sentences: &Sentences) -> ExportedEntry {
    let entry = read.entry;
    ExportedEntry {
        row: LedgerRow {
            number: read.number,
            at: UtcTime(entry.at),
            kind: entry.kind.as_str().to_owned(),
            agent_id: entry.agent.map(|agent| agent.to_string()).unwrap_or_default(),
            task_id: entry.task_id,
            told: sentences.of(entry.kind, &entry.facts, &entry.postings),
            facts: entry.facts,
            hash: read.hash,
        },
        postings: entry.postings.to_json(),
        signature: read.signature,
    }
}

fn line(entry: &ExportedEntry) -> String {
    let ExportedEntry { row, postings, signature } = entry;
    let text = |value: &Value| value.to_string();
    let cells = [
        row.number.to_string(),
        row.at.to_string(),
        row.kind.clone(),
        row.agent_id.clone(),
        row.task_id.map(|id| id.to_string()).unwrap_or_default(),
        row.told.clone(),
        text(&row.facts),
        text(postings),
        row.hash.clone(),
        signature.clone().unwrap_or_default(),
    ];
    format!("{}\r\n", cells.map(|cell| quoted(&cell)).join(","))
}

/// What a spreadsheet would take for a formula gets an apostrophe before it, which makes it text:
/// <https://owasp.org/www-community/attacks/CSV_Injection>.
fn quoted(cell: &str) -> String {
    let first = cell.trim_start_matches([' ', '\u{feff}']).chars().next();
    let is_formula = first.is_some_and(|first| matches!(first, '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠'));
    let guard = if is_formula { "'" } else { "" };
    format!("\"{guard}{}\"", cell.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_or_leaves_its_quotes() {
        for (cell, expected) in [
            ("=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""),
            ("+1", "\"'+1\""),
            ("-2+3", "\"'-2+3\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\t=1", "\"'\t=1\""),
            ("  =1", "\"'  =1\""),
            ("＝1", "\"'＝1\""),
            ("\",=1\r\n=2", "\"\"\",=1\r\n=2\""),
            ("paid 1.5 USDC", "\"paid 1.5 USDC\""),
            ("", "\"\""),
        ] {
            assert_eq!(quoted(cell), expected, "{cell:?}");
        }
    }
}
