//! Values that look the same in every contract: times, ids, and the two constants `true` and `false`.

use chrono::{DateTime, SecondsFormat, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, fmt, str::FromStr};
use uuid::Uuid;

/// A moment in UTC, on the wire as RFC 3339 with milliseconds and `Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcTime(pub DateTime<Utc>);

impl fmt::Display for UtcTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl FromStr for UtcTime {
    type Err = chrono::ParseError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DateTime::parse_from_rfc3339(text).map(|time| Self(time.with_timezone(&Utc)))
    }
}

impl Serialize for UtcTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UtcTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for UtcTime {
    fn schema_name() -> Cow<'static, str> {
        "UtcTime".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// A random (version 4) UUID. Other versions are refused on the way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UuidV4(Uuid);

impl UuidV4 {
    pub fn random() -> Self {
        Self(Uuid::new_v4())
    }

    /// Always the same for the same parts: the form of a version 4 id, its 122 free bits taken from a sha-256 instead of chance.
    /// What is derived twice from one cause then has one id, and storing it twice changes nothing.
    pub fn named(parts: &[&str]) -> Self {
        Self(uuid::Builder::from_random_bytes(digest(parts)).into_uuid())
    }

    /// As `named`, with the first four bytes from `family` alone: ids of one family stand next to each other in an index, where those
    /// of one moment are then written to few pages, however many ids there are.
    pub fn named_in(family: &str, parts: &[&str]) -> Self {
        let mut bytes = digest(parts);
        bytes[..4].copy_from_slice(&digest(&[family])[..4]);
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// The first and the last id, as text, that those named in the same family can have.
    pub fn family(&self) -> (String, String) {
        let text = self.to_string();
        let shared = &text[..8];
        (format!("{shared}-0000-0000-0000-000000000000"), format!("{shared}-ffff-ffff-ffff-ffffffffffff"))
    }
}

/// The first half of a sha-256 over the parts and their lengths.
fn digest(parts: &[&str]) -> [u8; 16] {
    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    let digest = hasher.finalize();
    std::array::from_fn(|index| digest[index])
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a version 4 uuid")]
pub struct NotUuidV4(String);

impl FromStr for UuidV4 {
    type Err = NotUuidV4;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // `Uuid::parse_str` also reads the braced, urn and bare-hex forms; the contract has one form.
        match Uuid::try_parse(text) {
            Ok(uuid) if text.len() == 36 && uuid.get_version_num() == 4 => Ok(Self(uuid)),
            _ => Err(NotUuidV4(text.chars().take(64).collect())),
        }
    }
}

impl fmt::Display for UuidV4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for UuidV4 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UuidV4 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for UuidV4 {
    fn schema_name() -> Cow<'static, str> {
        "UuidV4".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "uuid" })
    }
}

/// The JSON constant `true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct True;
/// The JSON constant `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct False;

macro_rules! json_constant {
    ($name:ident, $value:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bool($value)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match bool::deserialize(deserializer)? {
                    $value => Ok(Self),
                    _ => Err(D::Error::custom(concat!("expected ", stringify!($value)))),
                }
            }
        }
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "boolean" })
            }
        }
    };
}
json_constant!(True, true);
json_constant!(False, false);
