//! Pictures and videos over HTTP at `/assets/{asset_id}`. Who may see them is asked before. Their bytes never change, so they may be kept.

use axum::{
    Json, Router,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use chimera_core::{
    domain::asset::AssetId,
    ports::{
        StoreError,
        assets::{AssetRecord, Assets},
    },
};
use serde_json::json;
use std::{ops::Range, sync::Arc};

pub fn assets_router(assets: Arc<dyn Assets>) -> Router {
    Router::new().route("/assets/{asset_id}", get(serve_asset)).with_state(assets)
}

async fn serve_asset(State(assets): State<Arc<dyn Assets>>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    let Ok(id) = id.parse::<AssetId>() else { return missing() };
    match find(assets.as_ref(), &id).await {
        Ok(Some((record, bytes))) => answer(&record, bytes, &headers),
        Ok(None) => missing(),
        Err(error) => {
            tracing::error!(asset = %id, %error, "asset {id} cannot be read: {error}");
            let body = Json(json!({"error": "internal_error", "message": "the asset cannot be read; the server's log has the cause"}));
            (StatusCode::INTERNAL_SERVER_ERROR, body).into_response()
        }
    }
}

async fn find(assets: &dyn Assets, id: &AssetId) -> Result<Option<(AssetRecord, Vec<u8>)>, StoreError> {
    let Some(record) = assets.find(id).await? else { return Ok(None) };
    Ok(assets.read(id).await?.map(|bytes| (record, bytes)))
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, Json(json!({"error": "not_found", "message": "there is no such asset"}))).into_response()
}

fn answer(record: &AssetRecord, bytes: Vec<u8>, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", record.id);
    let mut kept = HeaderMap::new();
    let text = |text: &str| HeaderValue::from_str(text).expect("hex digits and fixed words");
    kept.insert(header::ETAG, text(&tag));
    kept.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    kept.insert(header::CONTENT_TYPE, HeaderValue::from_static(record.media_type.mime()));
    kept.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    kept.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    // Players ask for parts of a video, and Safari plays nothing else.
    match headers.get(header::RANGE).and_then(|range| range.to_str().ok()).and_then(|range| part_of(range, bytes.len())) {
        None => (kept, bytes).into_response(),
        Some(None) => {
            kept.insert(header::CONTENT_RANGE, text(&format!("bytes */{}", bytes.len())));
            (StatusCode::RANGE_NOT_SATISFIABLE, kept).into_response()
        }
        Some(Some(part)) => {
            kept.insert(header::CONTENT_RANGE, text(&format!("bytes {}-{}/{}", part.start, part.end - 1, bytes.len())));
            (StatusCode::PARTIAL_CONTENT, kept, bytes[part].to_vec()).into_response()
        }
    }
}

/// `None` for what is no single range of bytes, which is answered with the whole; `Some(None)` for one outside of `length`.
fn part_of(range: &str, length: usize) -> Option<Option<Range<usize>>> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<usize>().ok()).flatten();
    let part = match (first, last) {
        ("", "") => return None,
        ("", last) => length.saturating_sub(number(last)?)..length,
        (first, "") => number(first)?..length,
        (first, last) => number(first)?..number(last)?.saturating_add(1).min(length),
    };
    Some((part.start < part.end && part.end <= length).then_some(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_http_says() {
        for (range, expected) in [
            ("bytes=0-3", Some(Some(0..4))),
            ("bytes=4-", Some(Some(4..10))),
            ("bytes=-3", Some(Some(7..10))),
            ("bytes=-30", Some(Some(0..10))),
            ("bytes=8-99", Some(Some(8..10))),
            ("bytes=10-", Some(None)),
            ("bytes=5-4", Some(None)),
            ("bytes=-0", Some(None)),
            ("bytes=-", None),
            ("bytes=0-1,3-4", None),
            ("bytes=+1-2", None),
            ("items=0-3", None),
            ("", None),
        ] {
            assert_eq!(part_of(range, 10), expected, "{range}");
        }
    }
}
