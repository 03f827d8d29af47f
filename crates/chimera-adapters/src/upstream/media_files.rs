//! The `MediaFiles` port: pictures and videos that upstream tools point at.

use super::host::Host;
use crate::{
    http_client,
    network_guard::{PublicOnly, names_private_host},
};
use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_STANDARD};
use chimera_core::ports::media::{MediaFileError, MediaFiles};
use futures::StreamExt;
use std::time::Duration;
use url::Url;

/// A minute of video; anything larger is no post.
const FILE_BYTES_MAX: usize = 64 * 1024 * 1024;

#[async_trait]
impl MediaFiles for Host {
    async fn fetch(&self, server: &str, uri: &str, within: Duration) -> Result<Vec<u8>, MediaFileError> {
        let fetching = async {
            if let Some(data) = uri.strip_prefix("data:") {
                return decoded(data);
            }
            match Url::parse(uri) {
                Ok(url) if url.scheme() == "https" => download(url).await,
                Ok(url) if url.scheme() == "http" => Err("http: is refused; answer with https:, data: or a resource".to_owned()),
                Ok(_) => self.read_bytes(server, uri).await,
                Err(_) => Err("it is no URI".to_owned()),
            }
        };
        let timed_out = || Err(format!("no answer within {} ms", within.as_millis()));
        tokio::time::timeout(within, fetching).await.unwrap_or_else(|_| timed_out()).map_err(MediaFileError)
    }
}

/// What follows `data:`.
fn decoded(data: &str) -> Result<Vec<u8>, String> {
    let (kind, body) = data.split_once(',').ok_or("the data: URI has no data")?;
    if !kind.ends_with(";base64") {
        return Err("the data: URI is not base64".to_owned());
    }
    BASE64_STANDARD.decode(body.trim()).map_err(|_| "the data: URI is not base64".to_owned())
}

/// From public addresses alone: a tool must not make us fetch from inside the operator's network.
async fn download(url: Url) -> Result<Vec<u8>, String> {
    const PRIVATE: &str = "it leads into a private network, which is refused; answer with data: or a resource";
    if names_private_host(&url) {
        return Err(PRIVATE.to_owned());
    }
    // Redirects would need the same check at each step; media tools link to the file itself.
    let client = http_client::builder().redirect(reqwest::redirect::Policy::none()).dns_resolver(PublicOnly).build();
    let response = client.map_err(http_client::reason)?.get(url).send().await.map_err(http_client::reason)?;
    if !response.status().is_success() {
        return Err(format!("the server answered {}", response.status().as_u16()));
    }
    let mut file = Vec::new();
    let mut body = response.bytes_stream();
    while let Some(part) = body.next().await {
        file.extend_from_slice(&part.map_err(http_client::reason)?);
        if file.len() > FILE_BYTES_MAX {
            return Err(format!("it is larger than {FILE_BYTES_MAX} bytes"));
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::HostLimits;

    #[tokio::test]
    async fn what_is_no_media_file_is_refused_with_its_reason() {
        let host = Host::start(Vec::new(), None, HostLimits::default()).unwrap();
        for (uri, part) in [
            ("data:image/png", "no data"),
            ("data:image/png,abc", "not base64"),
            ("data:image/png;base64,?", "not base64"),
            ("http://media.example/1.png", "https"),
            ("https://127.0.0.1/1.png", "private network"),
            ("https://localhost/1.png", "private network"),
            ("https://[::1]/1.png", "private network"),
            ("https://169.254.169.254/latest", "private network"),
            ("images://1", "\"images\""),
            ("file:///etc/passwd", "\"images\""),
            ("picture.png", "no URI"),
        ] {
            let refused = host.fetch("images", uri, Duration::from_secs(5)).await.unwrap_err();
            assert!(refused.to_string().contains(part), "{uri}: {refused}");
        }
        assert_eq!(host.fetch("images", "data:image/png;base64,aGk=", Duration::from_secs(5)).await.unwrap(), b"hi");
    }
}
