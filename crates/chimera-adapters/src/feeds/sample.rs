//! Sample feeds that are always fresh: templates whose dates are written as minutes before now.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

/// How a feed format writes its dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateFormat {
    /// RSS.
    Rfc2822,
    /// Atom and JSON Feed.
    Rfc3339,
}

/// A template that we ship is broken; found by its test, never by a user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("placeholder {placeholder:?} is not of the form {{{{minutes_ago:N}}}}")]
pub struct BadPlaceholder {
    placeholder: String,
}

/// Fills every `{{minutes_ago:N}}` with the time `N` minutes before `now`.
pub fn render_sample(template: &str, now: DateTime<Utc>, format: DateFormat) -> Result<String, BadPlaceholder> {
    let mut rendered = String::with_capacity(template.len() + template.len() / 8);
    let mut rest = template;
    while let Some((before, opened)) = rest.split_once("{{") {
        let (placeholder, after) = opened.split_once("}}").ok_or_else(|| bad(opened))?;
        let minutes: u32 = placeholder.strip_prefix("minutes_ago:").and_then(|n| n.parse().ok()).ok_or_else(|| bad(placeholder))?;
        let time = now - TimeDelta::minutes(minutes.into());
        rendered.push_str(before);
        rendered.push_str(&match format {
            DateFormat::Rfc2822 => time.to_rfc2822(),
            DateFormat::Rfc3339 => time.to_rfc3339_opts(SecondsFormat::Secs, true),
        });
        rest = after;
    }
    rendered.push_str(rest);
    Ok(rendered)
}

fn bad(placeholder: &str) -> BadPlaceholder {
    BadPlaceholder { placeholder: placeholder.chars().take(40).collect() }
}
