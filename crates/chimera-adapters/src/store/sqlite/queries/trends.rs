//! Trends, with how their stories grew.

use super::{
    super::columns::{count, json, micros, rows, to_json},
    below, one_more, paged,
};
use chimera_core::{
    contracts::{
        trend_alert::TrendAlert,
        views::{Page, trends::TrendRow},
    },
    ports::{StoreError, queries::PageOf},
};
use rusqlite::{Connection, params};
use std::collections::HashMap;

pub(in super::super) const LIST: &str =
    "SELECT number, alert FROM trend_alerts WHERE ?3 IS NULL AND number < ?1 ORDER BY number DESC LIMIT ?2";
pub(in super::super) const OF_CAMPAIGN: &str = "SELECT number, alert FROM trend_alerts INDEXED BY trend_alerts_by_number \
     WHERE campaign_id = ?3 AND number < ?1 ORDER BY number DESC LIMIT ?2";
/// Items of each story, by the hour before it was found that they are of. `?1` lists the page's trends: number, story, moment.
pub(in super::super) const HOURLY: &str = "SELECT json_extract(found.value, '$[0]') AS number, (json_extract(found.value, '$[2]') - items.at) / ?2 AS hours_before, \
     count(*) FROM json_each(?1) AS found CROSS JOIN items INDEXED BY items_of_story \
     ON items.cluster_id = json_extract(found.value, '$[1]') AND items.at > json_extract(found.value, '$[2]') - ?2 * ?3 \
     AND items.at <= json_extract(found.value, '$[2]') GROUP BY 1, 2";
const HOUR_MICROS: i64 = 3_600 * 1_000_000;
/// As many hours as are told.
const HOURS: usize = 24;

pub(super) fn list(db: &Connection, campaign_id: Option<&str>, page: &PageOf) -> Result<Page<TrendRow>, StoreError> {
    let sql = if campaign_id.is_some() { OF_CAMPAIGN } else { LIST };
    let found: Vec<(u64, TrendAlert)> =
        rows(db, sql, params![below(page)?, one_more(page), campaign_id], |row| Ok((count(row, 0)?, json(row, 1)?)))?;
    let mut hourly = hourly(db, &found)?;
    let row = |(number, alert): (u64, TrendAlert)| {
        let row = TrendRow {
            event_id: alert.event_id,
            campaign_id: alert.campaign_id,
            agent_id: alert.agent_id,
            found_at: alert.created_at,
            trend: alert.trend,
            hourly: hourly.remove(&number).unwrap_or_default(),
        };
        (number, row)
    };
    Ok(paged(found.into_iter().map(row).collect(), page))
}

/// By the trend's number; nothing where none of its items is remembered.
fn hourly(db: &Connection, found: &[(u64, TrendAlert)]) -> Result<HashMap<u64, Vec<u64>>, StoreError> {
    let listed: Vec<_> = found.iter().map(|(number, alert)| (number, &alert.trend.cluster_id, micros(alert.created_at.0))).collect();
    let listed = to_json(&listed);
    let counted = rows(db, HOURLY, params![listed, HOUR_MICROS, HOURS as i64], |row| Ok((count(row, 0)?, count(row, 1)?, count(row, 2)?)))?;
    let mut hourly: HashMap<u64, Vec<u64>> = HashMap::new();
    for (number, hours_before, items) in counted {
        let hours = hourly.entry(number).or_insert_with(|| vec![0; HOURS]);
        let place = usize::try_from(hours_before).ok().and_then(|before| (HOURS - 1).checked_sub(before));
        if let Some(hour) = place.and_then(|place| hours.get_mut(place)) {
            *hour += items;
        }
    }
    Ok(hourly)
}
