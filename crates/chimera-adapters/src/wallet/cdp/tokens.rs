//! The two tokens of a request to CDP: who asks, and, for one that moves keys, that the wallet's owner asks for exactly this.

use super::credentials::{ApiKey, CdpCredentials};
use alloy_primitives::hex;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// A token that leaks is worth nothing after this.
const VALID_SECONDS: i64 = 120;

#[derive(Debug)]
pub struct NotSigned;

/// Says that the project's API key asks for `resource`, a method and an address without its scheme.
pub fn bearer(credentials: &CdpCredentials, resource: &str, now: DateTime<Utc>) -> Result<String, NotSigned> {
    let id = credentials.api_key_id();
    let algorithm = match credentials.api_key() {
        ApiKey::P256(_) => "ES256",
        ApiKey::Ed25519(_) => "EdDSA",
    };
    let header = json!({ "alg": algorithm, "kid": id, "typ": "JWT", "nonce": Uuid::new_v4().simple().to_string() });
    let now = now.timestamp();
    let claims = json!({ "sub": id, "iss": "cdp", "nbf": now, "exp": now + VALID_SECONDS, "uris": [resource] });
    signed(&header, &claims, |message| match credentials.api_key() {
        ApiKey::P256(key) => key.sign(&SystemRandom::new(), message).map_err(|_| NotSigned),
        ApiKey::Ed25519(key) => Ok(key.sign(message)),
    })
}

/// Says that the owner of the project's wallets asks for `resource` with this very body.
/// CDP hashes the body with its keys sorted; ours have one key each.
pub fn wallet(credentials: &CdpCredentials, resource: &str, body: &str, now: DateTime<Utc>) -> Result<String, NotSigned> {
    let now = now.timestamp();
    let claims = json!({
        "uris": [resource],
        "iat": now,
        "nbf": now,
        "jti": Uuid::new_v4().to_string(),
        "reqHash": hex::encode(Sha256::digest(body.as_bytes())),
    });
    let key = credentials.wallet_key();
    signed(&json!({ "alg": "ES256", "typ": "JWT" }), &claims, |message| key.sign(&SystemRandom::new(), message).map_err(|_| NotSigned))
}

fn signed(
    header: &Value,
    claims: &Value,
    sign: impl FnOnce(&[u8]) -> Result<ring::signature::Signature, NotSigned>,
) -> Result<String, NotSigned> {
    let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims.to_string()));
    let signature = sign(message.as_bytes())?;
    Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
}
