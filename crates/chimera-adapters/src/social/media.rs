//! A picture or a film that goes with a post, handed over as a `data:` address: this program reads nobody's files.

use super::errors::SocialError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Before decoding. Mastodon takes 16 MiB of a picture, and no platform that we serve takes more.
const DATA_CHARS_MAX: usize = 24 * 1024 * 1024;
pub(super) const ALT_TEXT_CHARS_MAX: usize = 1_500;

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Media {
    pub kind: MediaKind,
    pub bytes: Vec<u8>,
    /// What it shows, for people who cannot see it.
    pub alt_text: String,
}

impl std::fmt::Debug for Media {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Media({:?}, {} bytes)", self.kind, self.bytes.len())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MediaKind {
    Png,
    Jpeg,
    Webp,
    Gif,
    Mp4,
}

impl MediaKind {
    const ALL: [Self; 5] = [Self::Png, Self::Jpeg, Self::Webp, Self::Gif, Self::Mp4];

    pub(super) fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Gif => "image/gif",
            Self::Mp4 => "video/mp4",
        }
    }

    pub(super) fn file_name(self) -> &'static str {
        match self {
            Self::Png => "media.png",
            Self::Jpeg => "media.jpg",
            Self::Webp => "media.webp",
            Self::Gif => "media.gif",
            Self::Mp4 => "media.mp4",
        }
    }

    pub(super) fn is_image(self) -> bool {
        self != Self::Mp4
    }
}

impl Media {
    /// `data:{type};base64,{bytes}`, and nothing else.
    pub(super) fn parse(media_uri: &str, alt_text: Option<String>) -> Result<Self, SocialError> {
        let Some(rest) = media_uri.strip_prefix("data:") else {
            let shown: String = media_uri.chars().take(80).collect();
            return Err(SocialError::Unsupported(format!(
                "media_uri {shown:?} cannot be read from here; hand the bytes over as data:…;base64,…"
            )));
        };
        if rest.len() > DATA_CHARS_MAX {
            return Err(SocialError::InvalidInput(format!("media_uri has more than {DATA_CHARS_MAX} characters")));
        }
        let malformed = || SocialError::InvalidInput("media_uri is not data:{type};base64,{bytes}".to_owned());
        let (head, data) = rest.split_once(',').ok_or_else(malformed)?;
        let named = head.strip_suffix(";base64").ok_or_else(malformed)?;
        let kind = MediaKind::ALL.into_iter().find(|kind| kind.mime_type() == named).ok_or_else(|| unknown_kind(named))?;
        let bytes = STANDARD.decode(data).map_err(|_| malformed())?;
        if bytes.is_empty() {
            return Err(malformed());
        }
        Ok(Self { kind, bytes, alt_text: alt_text.unwrap_or_default() })
    }
}

fn unknown_kind(named: &str) -> SocialError {
    let shown: String = named.chars().take(80).collect();
    let known = MediaKind::ALL.map(MediaKind::mime_type).join(", ");
    SocialError::Unsupported(format!("media of the type {shown:?} is not published; known are {known}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_come_as_bytes_of_a_known_type() {
        let media = Media::parse("data:image/png;base64,aGVsbG8=", Some("a bus".to_owned())).unwrap();
        assert_eq!(media, Media { kind: MediaKind::Png, bytes: b"hello".to_vec(), alt_text: "a bus".to_owned() });
        assert_eq!(format!("{media:?}"), "Media(Png, 5 bytes)");
    }

    #[test]
    fn what_is_not_such_is_refused() {
        let table = [
            ("chimera://assets/1", "unsupported: media_uri"),
            ("https://a.example/x.png", "unsupported: media_uri"),
            ("file:///etc/passwd", "unsupported: media_uri"),
            ("data:text/html;base64,aGVsbG8=", "unsupported: media of the type"),
            ("data:image/svg+xml;base64,aGVsbG8=", "unsupported: media of the type"),
            ("data:image/png,aGVsbG8=", "invalid_input: media_uri"),
            ("data:image/png;base64", "invalid_input: media_uri"),
            ("data:image/png;base64,", "invalid_input: media_uri"),
            ("data:image/png;base64,a b", "invalid_input: media_uri"),
            ("data:", "invalid_input: media_uri"),
        ];
        for (given, expected) in table {
            let error = Media::parse(given, None).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{given}: {error}");
        }
    }
}
