//! Hours of the day, in UTC, in which nothing is published.

use chrono::{DateTime, Days, NaiveTime, Utc};
use std::str::FromStr;

/// Over midnight where it ends before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    from: NaiveTime,
    to: NaiveTime,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} are no quiet hours; write them in UTC, as in \"22:00-07:00\"")]
pub struct NotQuietHours(String);

impl FromStr for QuietHours {
    type Err = NotQuietHours;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotQuietHours(text.to_owned());
        let time = |text: &str| NaiveTime::parse_from_str(text, "%H:%M").map_err(|_| wrong());
        let (from, to) = text.split_once('-').ok_or_else(wrong)?;
        let (from, to) = (time(from)?, time(to)?);
        if from == to { Err(wrong()) } else { Ok(Self { from, to }) }
    }
}

impl QuietHours {
    /// When they end; `None` when they are not now.
    pub fn ends_after(self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let (time, today) = (now.time(), now.date_naive());
        let is_quiet = if self.from < self.to { self.from <= time && time < self.to } else { time >= self.from || time < self.to };
        let ends_on = if time < self.to { today } else { today.checked_add_days(Days::new(1))? };
        is_quiet.then(|| ends_on.and_time(self.to).and_utc())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> DateTime<Utc> {
        format!("2026-11-15T{time}:00Z").parse().unwrap()
    }

    #[test]
    fn they_begin_and_end_to_the_minute_also_over_midnight() {
        let next_morning: DateTime<Utc> = "2026-11-16T07:00:00Z".parse().unwrap();
        for (hours, now, ends) in [
            ("22:00-07:00", "21:59", None),
            ("22:00-07:00", "22:00", Some(next_morning)),
            ("22:00-07:00", "06:59", Some(at("07:00"))),
            ("22:00-07:00", "07:00", None),
            ("12:00-13:00", "12:30", Some(at("13:00"))),
            ("12:00-13:00", "13:00", None),
        ] {
            assert_eq!(hours.parse::<QuietHours>().unwrap().ends_after(at(now)), ends, "{hours} at {now}");
        }
    }

    #[test]
    fn what_is_no_time_of_the_day_is_refused() {
        for wrong in ["", "22", "22-7", "22:00", "22:00-24:00", "25:00-07:00", "07:00-07:00", "22:00-07:00-08:00"] {
            assert!(wrong.parse::<QuietHours>().is_err(), "{wrong:?}");
        }
    }
}
