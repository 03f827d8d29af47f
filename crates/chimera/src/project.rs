//! The files of a project: what `chimera init` makes for a person, and `chimera demo` for itself.

use anyhow::{Context, Result};
use chimera_adapters::feeds::sample::{DateFormat, render_sample};
use chrono::{DateTime, Utc};
use std::{fs, path::Path};

const CONFIG: &str = include_str!("../assets/project/chimera.toml");
/// Name, text with dates relative to now, and the form of its dates.
const FEEDS: [(&str, &str, DateFormat); 3] = [
    ("sample-wire.xml", include_str!("../assets/demo/feeds/sample-wire.xml"), DateFormat::Rfc2822),
    ("sample-gazette.xml", include_str!("../assets/demo/feeds/sample-gazette.xml"), DateFormat::Rfc3339),
    ("sample-post.json", include_str!("../assets/demo/feeds/sample-post.json"), DateFormat::Rfc3339),
];
const PRICE: (&str, &str) = ("sample-price-eth.json", include_str!("../assets/demo/feeds/sample-price-eth.json"));
/// Two personas to start from.
pub const SOULS: [(&str, &str); 2] =
    [("selam.md", include_str!("../assets/demo/souls/selam.md")), ("tariku.md", include_str!("../assets/demo/souls/tariku.md"))];

pub struct Project<'a> {
    pub heading: &'a str,
    /// In `news://{region}/technology/latest`.
    pub region: &'a str,
    pub auto_approve_embedded: bool,
    /// Recipients that the policy knows.
    pub allow: &'a [&'a str],
    pub usdc: String,
}

impl Project<'_> {
    /// Writes chimera.toml and feeds/ below `folder`, over what is there.
    pub fn write(&self, folder: &Path, now: DateTime<Utc>) -> Result<()> {
        let feeds = folder.join("feeds");
        fs::create_dir_all(&feeds).with_context(|| format!("cannot make {}", feeds.display()))?;
        for (name, template, format) in FEEDS {
            write(&feeds.join(name), &render_sample(template, now, format)?)?;
        }
        write(&feeds.join(PRICE.0), PRICE.1)?;
        write(&folder.join("chimera.toml"), &self.config())
    }

    fn config(&self) -> String {
        let quoted = |texts: &[&str]| texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(", ");
        let feeds: Vec<String> = FEEDS.iter().map(|(name, ..)| format!("file:feeds/{name}")).collect();
        let feeds: Vec<&str> = feeds.iter().map(String::as_str).collect();
        CONFIG
            .replace("{{heading}}", self.heading)
            .replace("{{region}}", self.region)
            .replace("{{auto_approve_embedded}}", &self.auto_approve_embedded.to_string())
            .replace("{{feeds}}", &quoted(&feeds))
            .replace("{{allow}}", &quoted(self.allow))
            .replace("{{usdc}}", &self.usdc)
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
