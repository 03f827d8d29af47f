//! A CDP of our own: it checks both tokens of a request as CDP does, keeps real keys, and really signs, unless it is told to misbehave.

use alloy_consensus::{SignableTransaction, TxEip1559, transaction::RlpEcdsaDecodableTx};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Address, Signature, U256, hex};
use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chimera_core::ports::clock::Clock;
use k256::ecdsa::SigningKey;
use ring::signature::{ECDSA_P256_SHA256_FIXED, ED25519, UnparsedPublicKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::task::JoinSet;
use url::Url;

/// Stops serving when dropped.
pub struct FakeCdp {
    pub url: Url,
    pub state: Arc<Books>,
    _serving: JoinSet<()>,
}

/// What the server knows of its client, and has.
pub struct Books {
    pub api_key_id: String,
    pub api_public_key: PublicKey,
    pub wallet_public_key: Vec<u8>,
    pub clock: Arc<dyn Clock>,
    pub accounts: Mutex<BTreeMap<String, SigningKey>>,
    pub seen: Mutex<Vec<Seen>>,
    pub mood: Mutex<Mood>,
}

pub enum PublicKey {
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub line: String,
    pub idempotency_key: Option<String>,
    pub body: Option<Value>,
}

/// What it does instead of its work.
#[derive(Clone)]
pub enum Mood {
    Honest,
    /// To requests of this method.
    Answers(Method, StatusCode, String),
    /// Creates the account for somebody else first, and then says that there is one.
    Races,
    /// Signs something else.
    Tampers(fn(&mut TxEip1559)),
    SignsWithAnotherKey,
    /// Changes the signed bytes.
    Appends(Vec<u8>),
    /// Malleable: the same transaction under the other form of the same signature.
    SignsHigh,
}

impl FakeCdp {
    pub async fn start(api_key_id: &str, api_public_key: PublicKey, wallet_public_key: &[u8], clock: Arc<dyn Clock>) -> Self {
        let state = Arc::new(Books {
            api_key_id: api_key_id.to_owned(),
            api_public_key,
            wallet_public_key: wallet_public_key.to_vec(),
            clock,
            accounts: Mutex::default(),
            seen: Mutex::default(),
            mood: Mutex::new(Mood::Honest),
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/platform", listener.local_addr().unwrap()).parse().unwrap();
        let app = Router::new().fallback(answer).with_state(state.clone());
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, state, _serving: serving }
    }

    pub fn set_mood(&self, mood: Mood) {
        *self.state.mood.lock().unwrap() = mood;
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().unwrap().clone()
    }

    pub fn address_of(&self, name: &str) -> Address {
        Address::from_public_key(self.state.accounts.lock().unwrap()[name].verifying_key())
    }
}

async fn answer(State(state): State<Arc<Books>>, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let line = format!("{method} {}", uri.path());
    state.seen.lock().unwrap().push(Seen {
        line: line.clone(),
        idempotency_key: text("x-idempotency-key"),
        body: serde_json::from_slice(&body).ok(),
    });
    if let Err(problem) = check_tokens(&state, &method, &uri, &headers, &body) {
        return refusal(StatusCode::UNAUTHORIZED, "unauthorized", &problem);
    }
    let mood = state.mood.lock().unwrap().clone();
    if let Mood::Answers(to, status, text) = &mood
        && *to == method
    {
        return (*status, text.clone()).into_response();
    }
    let path = uri.path().strip_prefix("/platform/v2/evm/accounts").unwrap_or("?");
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    match (method.as_str(), parts.as_slice()) {
        ("GET", ["by-name", name]) => match state.accounts.lock().unwrap().get(*name) {
            Some(key) => Json(account(name, key)).into_response(),
            None => refusal(StatusCode::NOT_FOUND, "not_found", "EVM account not found"),
        },
        ("POST", []) => create(&state, &mood, body["name"].as_str().unwrap()),
        ("POST", [address, "sign", "transaction"]) => sign(&state, &mood, address, body["transaction"].as_str().unwrap()),
        _ => refusal(StatusCode::NOT_FOUND, "not_found", &line),
    }
}

fn create(state: &Books, mood: &Mood, name: &str) -> Response {
    let mut accounts = state.accounts.lock().unwrap();
    let is_late = accounts.contains_key(name) || matches!(mood, Mood::Races);
    let seed = Sha256::digest(name.as_bytes());
    let key = accounts.entry(name.to_owned()).or_insert_with(|| SigningKey::from_slice(&seed).unwrap());
    if is_late {
        return refusal(StatusCode::CONFLICT, "already_exists", "EVM account with the given name already exists.");
    }
    (StatusCode::CREATED, Json(account(name, key))).into_response()
}

fn sign(state: &Books, mood: &Mood, address: &str, transaction: &str) -> Response {
    let bytes = hex::decode(transaction).unwrap();
    assert_eq!(bytes[0], 2, "only EIP-1559 transactions are signed");
    let mut transaction = TxEip1559::rlp_decode(&mut &bytes[1..]).unwrap();
    let accounts = state.accounts.lock().unwrap();
    let owner = accounts.values().find(|key| Address::from_public_key(key.verifying_key()).to_string() == address);
    let Some(owner) = owner else { return refusal(StatusCode::NOT_FOUND, "not_found", "EVM account not found") };
    if let Mood::Tampers(change) = mood {
        change(&mut transaction);
    }
    let another = SigningKey::from_slice(&[7; 32]).unwrap();
    let key = if matches!(mood, Mood::SignsWithAnotherKey) { &another } else { owner };
    let (signature, recovery) = key.sign_prehash_recoverable(transaction.signature_hash().as_slice()).unwrap();
    let mut signature = Signature::from_signature_and_parity(signature, recovery.is_y_odd());
    if matches!(mood, Mood::SignsHigh) {
        let order = U256::from_str_radix("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16).unwrap();
        signature = Signature::new(signature.r(), order - signature.s(), !signature.v());
    }
    let mut raw = transaction.into_signed(signature).encoded_2718();
    if let Mood::Appends(more) = mood {
        raw.extend(more);
    }
    Json(json!({ "signedTransaction": hex::encode_prefixed(raw) })).into_response()
}

fn account(name: &str, key: &SigningKey) -> Value {
    json!({
        "address": Address::from_public_key(key.verifying_key()).to_string(),
        "name": name,
        "policies": ["123e4567-e89b-12d3-a456-426614174000"],
        "createdAt": "2026-11-15T00:00:00Z",
        "updatedAt": "2026-11-15T00:00:00Z",
    })
}

pub fn refusal(status: StatusCode, error_type: &str, message: &str) -> Response {
    (status, error_body(error_type, message)).into_response()
}

/// As CDP writes it.
pub fn error_body(error_type: &str, message: &str) -> String {
    let link = format!("https://docs.cdp.coinbase.com/api-reference/v2/errors#{error_type}");
    json!({ "errorType": error_type, "errorMessage": message, "correlationId": "41deb8d59a9dc9a7-IAD", "errorLink": link }).to_string()
}

fn check_tokens(state: &Books, method: &Method, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Result<(), String> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).ok_or_else(|| format!("no {name}"));
    let resource = format!("{method} {}{}", header("host")?, uri.path());
    let now = state.clock.now().timestamp();

    let bearer = header("authorization")?.strip_prefix("Bearer ").ok_or("no bearer token")?;
    let (protected, claims) = match &state.api_public_key {
        PublicKey::P256(key) => verified(bearer, "ES256", |message, signature| {
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).verify(message, signature).is_ok()
        })?,
        PublicKey::Ed25519(key) => {
            verified(bearer, "EdDSA", |message, signature| UnparsedPublicKey::new(&ED25519, key).verify(message, signature).is_ok())?
        }
    };
    let id = json!(state.api_key_id);
    if protected["kid"] != id || claims["sub"] != id || claims["iss"] != "cdp" {
        return Err("the token names another key".to_owned());
    }
    if protected["nonce"].as_str().is_none_or(|nonce| nonce.len() < 16) {
        return Err("the token has no nonce".to_owned());
    }
    if claims["uris"] != json!([resource]) {
        return Err(format!("the token is for {}, the request is {resource}", claims["uris"]));
    }
    let (from, to) = (claims["nbf"].as_i64().unwrap(), claims["exp"].as_i64().unwrap());
    if !(from..to).contains(&now) || to - from != 120 {
        return Err("the token is not for now".to_owned());
    }
    if method == Method::GET {
        return Ok(());
    }

    let (_, claims) = verified(header("x-wallet-auth")?, "ES256", |message, signature| {
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &state.wallet_public_key).verify(message, signature).is_ok()
    })?;
    if claims["uris"] != json!([resource]) || claims["iat"] != json!(now) || claims["nbf"] != json!(now) {
        return Err("the wallet token is for something else".to_owned());
    }
    if claims["jti"].as_str().is_none_or(|id| id.parse::<uuid::Uuid>().is_err()) {
        return Err("the wallet token has no id".to_owned());
    }
    // Sorted keys, no spaces: the form that is hashed.
    let sorted: BTreeMap<String, Value> = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let hash = hex::encode(Sha256::digest(serde_json::to_string(&sorted).unwrap()));
    if claims["reqHash"] != json!(hash) {
        return Err("the wallet token is for another body".to_owned());
    }
    Ok(())
}

fn verified(token: &str, algorithm: &str, is_good: impl Fn(&[u8], &[u8]) -> bool) -> Result<(Value, Value), String> {
    let (message, signature) = token.rsplit_once('.').ok_or("no token")?;
    let (header, claims) = message.split_once('.').ok_or("no token")?;
    let decoded = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|error| error.to_string());
    if !is_good(message.as_bytes(), &decoded(signature)?) {
        return Err("the signature is wrong".to_owned());
    }
    let parsed = |text: &str| -> Result<Value, String> { serde_json::from_slice(&decoded(text)?).map_err(|error| error.to_string()) };
    let header = parsed(header)?;
    if header["alg"] != algorithm || header["typ"] != "JWT" {
        return Err(format!("the header is {header}"));
    }
    Ok((header, parsed(claims)?))
}
