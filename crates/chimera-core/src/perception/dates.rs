//! Dates in the forms that others write them in. One that could be read in two ways is none.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};

/// Longer is a sentence.
const DATE_CHARS_MAX: usize = 80;
const PARTS_MAX: usize = 16;

/// Without a zone it is taken as UTC.
pub fn read_date(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > DATE_CHARS_MAX {
        return None;
    }
    let numeric = iso(text).or_else(|| since_1970(text));
    let zoned = numeric.or_else(|| in_words(text))?;
    // Years that no feed has are a misreading.
    (1970..=2200).contains(&chrono::Datelike::year(&zoned)).then_some(zoned)
}

fn since_1970(text: &str) -> Option<DateTime<Utc>> {
    let number: i64 = text.parse().ok()?;
    match text.len() {
        9..=10 => DateTime::from_timestamp(number, 0),
        13 => DateTime::from_timestamp_millis(number),
        _ => None,
    }
}

/// `2026-11-15T01:02:03.5+01:00` and what is left of it when parts are missing or signs are others: `2026-11`, `2026/11/15 01:02`,
/// `20261115T010203Z`, `2026-319`.
fn iso(text: &str) -> Option<DateTime<Utc>> {
    let date_end = text.find(['T', 't', ' ', '_']).unwrap_or(text.len());
    let (date, time) = text.split_at(date_end);
    let date = iso_date(date)?;
    let time = time.trim_start_matches(['T', 't', ' ', '_', ',']).trim();
    if time.is_empty() {
        return Some(date.and_time(NaiveTime::MIN).and_utc());
    }
    let clock_end = time.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | ','))).unwrap_or(time.len());
    let (clock, zone) = time.split_at(clock_end);
    in_zone(date, clock_of(clock)?, zone.trim())
}

fn iso_date(text: &str) -> Option<NaiveDate> {
    let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
    if parts.iter().any(|part| part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit())) || parts[0].len() < 4 {
        return None;
    }
    let year: i32 = parts[0].get(..4)?.parse().ok()?;
    match (parts[0].len(), parts.as_slice()) {
        (4, [_]) => NaiveDate::from_ymd_opt(year, 1, 1),
        (4, [_, day]) if day.len() == 3 => NaiveDate::from_yo_opt(year, day.parse().ok()?),
        (4, [_, month]) => NaiveDate::from_ymd_opt(year, month.parse().ok()?, 1),
        (4, [_, month, day]) => NaiveDate::from_ymd_opt(year, month.parse().ok()?, day.parse().ok()?),
        (6, [whole]) => NaiveDate::from_ymd_opt(year, whole[4..].parse().ok()?, 1),
        (7, [whole]) => NaiveDate::from_yo_opt(year, whole[4..].parse().ok()?),
        (8, [whole]) => NaiveDate::from_ymd_opt(year, whole[4..6].parse().ok()?, whole[6..].parse().ok()?),
        _ => None,
    }
}

/// `01:02:03.5`, `01:02`, `010203`, `1`. A leap second is the one before it, and 24:00 is midnight.
fn clock_of(text: &str) -> Option<(NaiveTime, i64)> {
    let whole = text.split(['.', ',']).next()?;
    let fields: Vec<&str> = match whole.contains(':') {
        true => whole.split(':').collect(),
        false if whole.len() >= 4 => [whole.get(..2), whole.get(2..4), whole.get(4..6)].into_iter().flatten().collect(),
        false => vec![whole],
    };
    let number = |at: usize| match fields.get(at) {
        None | Some(&"") => Some(0),
        Some(field) => field.parse::<u32>().ok(),
    };
    if fields.first().is_none_or(|hours| hours.is_empty()) || fields.len() > 3 {
        return None;
    }
    let (hours, minutes, seconds) = (number(0)?, number(1)?, number(2)?.min(59));
    let days = i64::from(hours == 24);
    Some((NaiveTime::from_hms_opt(hours % 24, minutes, seconds).filter(|_| hours <= 24)?, days))
}

fn in_zone(date: NaiveDate, (time, days): (NaiveTime, i64), zone: &str) -> Option<DateTime<Utc>> {
    let local: NaiveDateTime = date.and_time(time).checked_add_signed(TimeDelta::days(days))?;
    // A zone that nobody knows is a difference of hours, and no reason to have no date.
    let offset = zone_of(zone).unwrap_or(FixedOffset::east_opt(0)?);
    Some(local.and_local_timezone(offset).single()?.with_timezone(&Utc))
}

/// `Z`, `+01:00`, `+0100`, `+1`, `GMT+1`, `EST`.
fn zone_of(text: &str) -> Option<FixedOffset> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';' | '.'));
    let first = text.split_whitespace().next().unwrap_or_default();
    if let Some(at) = first.find(['+', '-', '−']) {
        let name = &first[..at];
        if name.is_empty() || hours_of_zone(name) == Some(0.0) {
            let sign = if first[at..].starts_with('+') { 1 } else { -1 };
            let digits: String = first[at..].chars().filter(char::is_ascii_digit).collect();
            let (hours, minutes) = match digits.len() {
                1 | 2 => (digits.parse::<i32>().ok()?, 0),
                3 => (digits[..1].parse().ok()?, digits[1..].parse().ok()?),
                4.. => (digits[..2].parse().ok()?, digits[2..4].parse().ok()?),
                0 => return None,
            };
            return FixedOffset::east_opt(sign * (hours * 3_600 + minutes * 60)).filter(|_| hours <= 14 && minutes < 60);
        }
    }
    FixedOffset::east_opt((hours_of_zone(first)? * 3_600.0) as i32)
}

/// Names that feeds use. Of those that several zones share, the American one, which RFC 822 means.
fn hours_of_zone(name: &str) -> Option<f64> {
    const ZONES: [(&str, f64); 44] = [
        ("Z", 0.0),
        ("UT", 0.0),
        ("UTC", 0.0),
        ("GMT", 0.0),
        ("WET", 0.0),
        ("EST", -5.0),
        ("EDT", -4.0),
        ("ET", -5.0),
        ("CST", -6.0),
        ("CDT", -5.0),
        ("CT", -6.0),
        ("MST", -7.0),
        ("MDT", -6.0),
        ("MT", -7.0),
        ("PST", -8.0),
        ("PDT", -7.0),
        ("PT", -8.0),
        ("AKST", -9.0),
        ("AKDT", -8.0),
        ("HST", -10.0),
        ("AST", -4.0),
        ("ADT", -3.0),
        ("NST", -3.5),
        ("NDT", -2.5),
        ("BRT", -3.0),
        ("BST", 1.0),
        ("WEST", 1.0),
        ("IST", 5.5),
        ("CET", 1.0),
        ("MEZ", 1.0),
        ("CEST", 2.0),
        ("MESZ", 2.0),
        ("EET", 2.0),
        ("SAST", 2.0),
        ("CAT", 2.0),
        ("EEST", 3.0),
        ("MSK", 3.0),
        ("EAT", 3.0),
        ("HKT", 8.0),
        ("JST", 9.0),
        ("KST", 9.0),
        ("AEST", 10.0),
        ("AEDT", 11.0),
        ("NZST", 12.0),
    ];
    ZONES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, hours)| *hours)
}

#[derive(Default)]
struct Parts {
    month: Option<u32>,
    /// In the order they stand in.
    numbers: Vec<(u32, usize)>,
    clock: Option<(NaiveTime, i64)>,
    is_afternoon: Option<bool>,
    zone: Option<String>,
}

/// `Sun, 15 Nov 2026 01:02:03 +0100` and its kin: a month by name, and around it a day, a year, a time and a zone in any order.
fn in_words(text: &str) -> Option<DateTime<Utc>> {
    let mut parts = Parts::default();
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '/')).filter(|word| !word.is_empty());
    for word in words.flat_map(without_hyphens).take(PARTS_MAX) {
        parts.take(word);
    }
    let (year, day) = parts.year_and_day()?;
    let date = NaiveDate::from_ymd_opt(year, parts.month?, day)?;
    let (time, days) = match (parts.clock, parts.is_afternoon) {
        (Some((time, _)), Some(is_afternoon)) => (on_a_clock_face(time, is_afternoon)?, 0),
        (Some(clock), None) => clock,
        (None, _) => (NaiveTime::MIN, 0),
    };
    in_zone(date, (time, days), parts.zone.as_deref().unwrap_or_default())
}

/// `15-Nov-2026` is three words; `+0100`, `-0500` and `GMT-5` are one.
fn without_hyphens(word: &str) -> Vec<&str> {
    let pieces: Vec<&str> = word.split('-').collect();
    if pieces.len() >= 3 && pieces.iter().all(|piece| !piece.is_empty()) { pieces } else { vec![word] }
}

fn on_a_clock_face(time: NaiveTime, is_afternoon: bool) -> Option<NaiveTime> {
    use chrono::Timelike;
    let hours = match (time.hour(), is_afternoon) {
        (12, false) => 0,
        (hours @ 1..=11, true) => hours + 12,
        (hours, _) => hours,
    };
    time.with_hour(hours)
}

impl Parts {
    fn take(&mut self, word: &str) {
        let word = word.trim_matches(|c: char| matches!(c, '(' | ')' | ';' | '.' | '\''));
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if word.contains(':') && digits > 0 {
            let clock_end = word.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.'))).unwrap_or(word.len());
            self.clock = clock_of(&word[..clock_end]).or(self.clock);
            if clock_end < word.len() {
                self.take(&word[clock_end..]);
            }
        } else if digits > 0 && digits <= 4 && is_ordinal(&word[digits..]) {
            self.numbers.extend(word[..digits].parse().ok().map(|number| (number, digits)));
        } else if let Some(is_afternoon) = half_of_day(word) {
            self.is_afternoon = Some(is_afternoon);
        } else if let Some(month) = month_of(word).filter(|_| self.month.is_none()) {
            self.month = Some(month);
        } else if zone_of(word).is_some() && (self.clock.is_some() || hours_of_zone(word).is_some()) {
            // "GMT" may be followed by the hours that it is off.
            let is_more = self.zone.as_deref().is_none_or(|known| hours_of_zone(known) == Some(0.0));
            if is_more {
                self.zone = Some(word.to_owned());
            }
        }
    }

    /// The year is the number that can be no day; where both could, it stands last, as in `15 Nov 03`.
    fn year_and_day(&self) -> Option<(i32, u32)> {
        let [first, second, ..] = self.numbers.as_slice() else { return None };
        let is_year = |(number, digits): &(u32, usize)| *digits >= 3 || *number > 31;
        let (year, day) = if is_year(first) { (first, second) } else { (second, first) };
        let full = match year {
            (number, 4) => *number,
            (number, 3) => 1900 + number, // a program that counts from 1900
            (number @ 0..70, _) => 2000 + number,
            (number, _) => 1900 + number,
        };
        Some((i32::try_from(full).ok()?, day.0))
    }
}

/// `1st`, `15th`, `3.`, `1º`.
fn is_ordinal(rest: &str) -> bool {
    matches!(rest.to_ascii_lowercase().as_str(), "" | "st" | "nd" | "rd" | "th" | "er" | "º" | "." | ",")
}

fn half_of_day(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().replace('.', "").as_str() {
        "am" => Some(false),
        "pm" => Some(true),
        _ => None,
    }
}

/// English, Spanish, French, German, Portuguese, Italian and Dutch, short or long.
fn month_of(word: &str) -> Option<u32> {
    const MONTHS: [&[&str]; 12] = [
        &["jan", "ene", "gen", "jän"],
        &["feb", "fév", "fev", "febr"],
        &["mar", "mär", "maa", "mrt"],
        &["apr", "abr", "avr"],
        &["may", "mai", "mag", "mei"],
        &["jun", "juin", "giu"],
        &["jul", "juil", "lug"],
        &["aug", "ago", "aoû", "aou"],
        &["sep", "set"],
        &["oct", "okt", "out", "ott"],
        &["nov"],
        &["dec", "dic", "dez", "déc"],
    ];
    let word = word.trim_end_matches('.').to_lowercase();
    if word.chars().count() < 3 || !word.chars().all(char::is_alphabetic) {
        return None;
    }
    // "mar." and "mart." are March; "mardi", "martes" and "marzo" begin alike, and only the last is one.
    let is_weekday = ["mardi", "martes", "martedì", "martedi", "maandag", "sett"].contains(&word.as_str());
    let of = |names: &&[&str]| names.iter().any(|name| word.starts_with(name));
    MONTHS.iter().position(of).filter(|_| !is_weekday).and_then(|place| u32::try_from(place + 1).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_forms_that_feeds_have_them_in() {
        let expected = "2026-11-15T00:02:03Z";
        for form in [
            "2026-11-15T00:02:03Z",
            "2026-11-15T01:02:03.417+01:00",
            "2026-11-15T01:02:03+0100",
            "2026-11-15 00:02:03",
            "2026-11-15 00:02:03 UTC",
            "20261115T000203Z",
            "Sun, 15 Nov 2026 01:02:03 +0100",
            "Sun, 15 Nov 2026 00:02:03 GMT",
            "15 Nov 26 00:02:03 Z",
            "Sat, 14 Nov 2026 19:02:03 EST",
            "Sun,15 Nov 2026 01:02:03 GMT+1",
            "Sunday, 15-Nov-26 00:02:03 UTC",
            "Sun Nov 15 00:02:03 2026",
            "Sat Nov 14 16:02:03 PST 2026",
            "Nov 15, 2026 12:02:03 AM",
            "November 15th, 2026 00:02:03",
            "15. November 2026 00:02:03",
            "dim., 15 novembre 2026 00:02:03 +0000",
            "1794700923",
            "1794700923000",
        ] {
            assert_eq!(read_date(form), Some(expected.parse().unwrap()), "{form}");
        }
        for (form, expected) in [
            ("2026", "2026-01-01T00:00:00Z"),
            ("2026-11", "2026-11-01T00:00:00Z"),
            ("2026-319", "2026-11-15T00:00:00Z"),
            ("2026/11/15", "2026-11-15T00:00:00Z"),
            ("Sun, 15 Nov 2026", "2026-11-15T00:00:00Z"),
            ("Sun, 15 Nov 2026 24:00:00 GMT", "2026-11-16T00:00:00Z"),
            ("Sun, 15 Nov 2026 23:59:60 GMT", "2026-11-15T23:59:59Z"),
            ("Sun, 15 Nov 2026 1:02 PM", "2026-11-15T13:02:00Z"),
            ("martes, 15 de septiembre de 2026", "2026-09-15T00:00:00Z"),
        ] {
            assert_eq!(read_date(form), Some(expected.parse().unwrap()), "{form}");
        }
    }

    #[test]
    fn what_is_no_date_or_two_is_none() {
        for form in
            ["", "someday", "now", "15", "11/12/2026", "99-99-99", "2026-13-01", "Sun, 31 Feb 2026", "Nov", "0000-00-00 00:00:00", "1e9"]
        {
            assert_eq!(read_date(form), None, "{form}");
        }
    }
}
