//! Style and script, as files of this crate. A debug build reads them from the disk, so that they can be changed while it runs; their
//! address holds a hash of them all, so that browsers may keep them for good.

use axum::{
    Router,
    extract::Path,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

struct Asset {
    name: &'static str,
    content: &'static str,
}

macro_rules! asset {
    ($name:literal) => {
        Asset { name: $name, content: include_str!(concat!("../../assets/", $name)) }
    };
}

const ASSETS: [Asset; 24] = [
    asset!("mission.css"),
    asset!("review.css"),
    asset!("screens.css"),
    asset!("theme.js"),
    asset!("mission.js"),
    asset!("acts.js"),
    asset!("fragment.js"),
    asset!("freeze.js"),
    asset!("keys.js"),
    asset!("live.js"),
    asset!("login.js"),
    asset!("review.js"),
    asset!("time.js"),
    asset!("agents.js"),
    asset!("amounts.js"),
    asset!("calendar.js"),
    asset!("campaigns.js"),
    asset!("fleet.js"),
    asset!("hindsight.js"),
    asset!("money.js"),
    asset!("settings.js"),
    asset!("soul.js"),
    asset!("stops.js"),
    asset!("icon.svg"),
];

pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/static/{name}", get(serve))
}

/// Where a page finds the asset.
pub(crate) fn address(name: &str) -> String {
    format!("/static/{name}?v={}", version())
}

/// Changes with any of them: modules name each other.
pub(crate) fn version() -> String {
    #[cfg(not(debug_assertions))]
    {
        static VERSION: std::sync::LazyLock<String> = std::sync::LazyLock::new(hash);
        VERSION.clone()
    }
    #[cfg(debug_assertions)]
    hash()
}

fn hash() -> String {
    let mut hasher = Sha256::new();
    for asset in &ASSETS {
        hasher.update(asset.name);
        hasher.update(asset.read().as_bytes());
    }
    hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// Of all scripts, as they are served.
#[cfg(test)]
pub(crate) fn scripts() -> String {
    ASSETS.iter().filter(|asset| asset.name.ends_with(".js")).map(Asset::served).collect()
}

impl Asset {
    fn read(&self) -> Cow<'static, str> {
        #[cfg(debug_assertions)]
        if let Ok(text) = std::fs::read_to_string(format!("{}/assets/{}", env!("CARGO_MANIFEST_DIR"), self.name)) {
            return Cow::Owned(text);
        }
        Cow::Borrowed(self.content)
    }

    fn media_type(&self) -> &'static str {
        match self.name.rsplit_once('.') {
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => "text/javascript; charset=utf-8",
        }
    }

    /// As it is served: without indentation and whole lines of comment, a tenth of its weight. What a module imports has the same hash in
    /// its address.
    fn served(&self) -> String {
        let text = self.read();
        let lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
        let light: String = lines.flat_map(|line| [line, "\n"]).collect();
        light.replace(".js\";", &format!(".js?v={}\";", version()))
    }
}

async fn serve(Path(name): Path<String>) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return (StatusCode::NOT_FOUND, "there is no such file").into_response();
    };
    let kept = if cfg!(debug_assertions) { "no-cache" } else { "public, max-age=31536000, immutable" };
    let headers = [
        (header::CONTENT_TYPE, asset.media_type()),
        (header::CACHE_CONTROL, kept),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    (headers, asset.served()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_import_names_an_asset_and_carries_the_hash() {
        for asset in &ASSETS {
            let served = asset.served();
            for line in served.lines().filter(|line| line.starts_with("import ") || line.starts_with("} from ")) {
                let named = line.split('"').nth(1).expect("an import names a file in double quotes");
                let (name, _) = named.trim_start_matches("./").split_once("?v=").unwrap_or_else(|| panic!("{line} has no hash"));
                assert!(ASSETS.iter().any(|other| other.name == name), "{line}");
            }
        }
    }

    #[test]
    fn no_script_evaluates_text_asks_another_host_or_writes_markup_but_in_one_place() {
        for asset in ASSETS.iter().filter(|asset| asset.name.ends_with(".js")) {
            for word in ["eval(", "new Function", "http://", "https://", "document.write", ".outerHTML =", "insertAdjacentHTML", ".style."]
            {
                assert!(!asset.content.contains(word), "{} has {word}", asset.name);
            }
            assert_eq!(asset.content.contains("innerHTML"), asset.name == "fragment.js", "{}", asset.name);
        }
    }
}
