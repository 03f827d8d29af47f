//! A month as a table of its days, with a dot and the times of what is on them.

use chimera_core::contracts::views::campaigns::CalendarRow;
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveTime, Utc};
use maud::{Markup, html};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Month {
    first: NaiveDate,
}

impl Month {
    pub(super) fn of(day: NaiveDate) -> Self {
        Self { first: day.with_day(1).unwrap_or(day) }
    }

    /// `2026-11`
    pub(super) fn of_text(text: &str) -> Option<Self> {
        // Years before Christ begin with a dash too.
        let is_plain = text.len() == 7 && text.bytes().enumerate().all(|(place, byte)| byte.is_ascii_digit() != (place == 4));
        let first = format!("{text}-01").parse().ok().filter(|_| is_plain)?;
        Some(Self { first })
    }

    pub(super) fn text(self) -> String {
        self.first.format("%Y-%m").to_string()
    }

    pub(super) fn label(self) -> String {
        self.first.format("%B %Y").to_string()
    }

    /// A day early: the reader's month may begin before that of UTC.
    pub(super) fn begin(self) -> DateTime<Utc> {
        self.first.checked_sub_days(Days::new(1)).unwrap_or(self.first).and_time(NaiveTime::MIN).and_utc()
    }

    fn next(self) -> Option<Self> {
        self.first.checked_add_months(Months::new(1)).map(|first| Self { first })
    }

    fn previous(self) -> Option<Self> {
        self.first.checked_sub_months(Months::new(1)).map(|first| Self { first })
    }

    /// Whole weeks from Monday, with the days of other months that fill the first and the last one.
    fn weeks(self) -> Vec<Vec<NaiveDate>> {
        let before = u64::from(self.first.weekday().num_days_from_monday());
        let Some(begin) = self.first.checked_sub_days(Days::new(before)) else { return Vec::new() };
        let end = self.next().map_or(self.first, |next| next.first);
        let days: Vec<NaiveDate> = begin.iter_days().take(42).collect();
        days.chunks(7).filter(|week| week[0] < end).map(<[NaiveDate]>::to_vec).collect()
    }
}

/// In a square; what is more is counted.
const TIMES_SHOWN_MAX: usize = 2;

pub(super) fn grid(month: Month, entries: &[CalendarRow], today: NaiveDate) -> Markup {
    let mut by_day: BTreeMap<NaiveDate, Vec<&CalendarRow>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.status != "removed") {
        by_day.entry(entry.at.0.date_naive()).or_default().push(entry);
    }
    html! {
        section.panel {
            div.spread {
                h2 { (month.label()) }
                nav.line aria-label="Months" {
                    @if let Some(previous) = month.previous() { a.button.small href={ "/calendar?month=" (previous.text()) } aria-label=(previous.label()) { "‹" } }
                    a.button.small href="/calendar" { "Today" }
                    @if let Some(next) = month.next() { a.button.small href={ "/calendar?month=" (next.text()) } aria-label=(next.label()) { "›" } }
                }
            }
            table #month .month data-month=(month.text()) {
                thead { tr { @for day in ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] { th scope="col" { (day) } } } }
                tbody { @for week in month.weeks() { tr { @for day in week { (square(day, month, by_day.get(&day).map_or(&[], Vec::as_slice), today)) } } } }
            }
        }
    }
}

fn square(day: NaiveDate, month: Month, entries: &[&CalendarRow], today: NaiveDate) -> Markup {
    let class = if day.month() == month.first.month() { "in" } else { "out" };
    html! {
        td class=(class) data-day=(day) aria-current=[(day == today).then_some("date")] {
            span.date { (day.day()) }
            div.dots {
                @for entry in entries.iter().take(TIMES_SHOWN_MAX) { a href={ "#entry-" (entry.entry_id) } { (entry.at.0.format("%H:%M")) } }
                @if entries.len() > TIMES_SHOWN_MAX { span.muted { "+" (entries.len() - TIMES_SHOWN_MAX) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn month(text: &str) -> Month {
        Month::of_text(text).unwrap()
    }

    #[test]
    fn a_month_has_whole_weeks_with_all_its_days() {
        for (text, weeks, first, last) in [
            ("2026-11", 6, "2026-10-26", "2026-12-06"),
            ("2026-02", 5, "2026-01-26", "2026-03-01"),
            ("2027-02", 4, "2027-02-01", "2027-02-28"),
            ("2028-02", 5, "2028-01-31", "2028-03-05"),
        ] {
            let found = month(text).weeks();
            assert_eq!(found.len(), weeks, "{text}");
            assert!(found.iter().all(|week| week.len() == 7 && week[0].weekday() == chrono::Weekday::Mon), "{text}");
            assert_eq!(found[0][0].to_string(), first);
            assert_eq!(found[weeks - 1][6].to_string(), last);
        }
    }

    #[test]
    fn years_turn_and_a_month_begins_a_day_early() {
        assert_eq!(month("2026-12").next().unwrap().text(), "2027-01");
        assert_eq!(month("2026-01").previous().unwrap().text(), "2025-12");
        assert_eq!(month("2026-11").begin().to_rfc3339(), "2026-10-31T00:00:00+00:00");
    }

    #[test]
    fn what_is_no_month_is_none() {
        for text in ["", "2026", "2026-13", "2026-00", "2026-1", "20261-1", "-026-01", "2026-11-01", "2026-11<", "abcd-ef"] {
            assert_eq!(Month::of_text(text), None, "{text}");
        }
    }
}
