mod fake_cdp;
mod whole_transfer;

use super::*;
use alloy_primitives::U256;
use alloy_primitives::{Bytes, TxKind};
use axum::http::{Method, StatusCode};
use base64::{Engine, engine::general_purpose::STANDARD};
use chimera_core::{
    domain::money::ChainId,
    ports::agents::AgentRecord,
    testing::{fake_agents::FakeAgents, fake_clock::ManualClock},
};
use fake_cdp::{FakeCdp, Mood, PublicKey, error_body};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair},
};

const API_KEY_ID: &str = "organizations/0cbd1f8a-0000-4000-8000-000000000001/apiKeys/0cbd1f8a-0000-4000-8000-000000000002";

/// Keys as CDP hands them out, and their public halves as CDP keeps them.
struct Keys {
    api_secret: String,
    api_public: PublicKey,
    wallet_secret: String,
    wallet_public: Vec<u8>,
}

fn new_p256() -> (Vec<u8>, Vec<u8>) {
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &SystemRandom::new()).unwrap();
    (pkcs8.as_ref().to_vec(), key.public_key().as_ref().to_vec())
}

fn pem(label: &str, der: &[u8]) -> String {
    let encoded = STANDARD.encode(der);
    let lines: Vec<&str> = encoded.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

impl Keys {
    fn with_api_key(api_secret: String, api_public: PublicKey) -> Self {
        let (pkcs8, wallet_public) = new_p256();
        Self { api_secret, api_public, wallet_secret: STANDARD.encode(pkcs8), wallet_public }
    }

    fn ed25519() -> Self {
        let seed = [42; 32];
        let key = Ed25519KeyPair::from_seed_unchecked(&seed).unwrap();
        let public = key.public_key().as_ref().to_vec();
        Self::with_api_key(STANDARD.encode([seed.as_slice(), &public].concat()), PublicKey::Ed25519(public))
    }
}

struct Stage {
    cdp: FakeCdp,
    api_secret: String,
    wallet_secret: String,
    signer: CdpSigner,
    agents: Arc<FakeAgents>,
    clock: Arc<ManualClock>,
}

impl Stage {
    async fn set(keys: Keys) -> Self {
        let clock = Arc::new(ManualClock::at("2026-11-15T12:00:00Z"));
        let cdp = FakeCdp::start(API_KEY_ID, keys.api_public, &keys.wallet_public, clock.clone()).await;
        let credentials = CdpCredentials::parse(API_KEY_ID, &keys.api_secret, &keys.wallet_secret).unwrap();
        let agents = Arc::new(FakeAgents::default());
        let signer = CdpSigner::new(cdp.url.clone(), credentials, agents.clone(), clock.clone()).unwrap();
        Self { cdp, api_secret: keys.api_secret, wallet_secret: keys.wallet_secret, signer, agents, clock }
    }

    /// With an agent `selam` whose wallet is there.
    async fn with_agent() -> Self {
        let stage = Self::set(Keys::ed25519()).await;
        let address = stage.signer.create(&agent("selam")).await.unwrap();
        stage.record(address).await;
        stage
    }

    async fn record(&self, address: Address) {
        let record = AgentRecord {
            id: agent("selam"),
            soul_source: String::new(),
            soul_version: String::new(),
            address,
            created_at: self.clock.now(),
        };
        self.agents.create(&record).await.unwrap();
    }

    async fn sign(&self) -> Result<SignedTransaction, SignerError> {
        self.signer.sign(&agent("selam"), &transaction()).await
    }

    async fn reason(&self) -> String {
        match self.sign().await {
            Err(SignerError::Remote { reason } | SignerError::RateLimited { reason }) => reason,
            other => panic!("{other:?}"),
        }
    }
}

fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

fn transaction() -> UnsignedTransaction {
    UnsignedTransaction {
        chain: ChainId(8453),
        nonce: 7,
        to: Address::repeat_byte(0x11),
        value_wei: U256::from(5),
        data: vec![1, 2, 3],
        gas_limit: 60_000,
        max_fee_per_gas_wei: 2_000_000_000,
        max_priority_fee_per_gas_wei: 1_000_000,
    }
}

#[tokio::test]
async fn an_account_is_made_once_and_signs_for_its_address() {
    let stage = Stage::set(Keys::ed25519()).await;

    let address = stage.signer.create(&agent("selam")).await.unwrap();
    let again = stage.signer.create(&agent("selam")).await.unwrap();
    stage.record(address).await;
    let signed = stage.sign().await.unwrap();
    let repeated = stage.sign().await.unwrap();

    assert_eq!((address, again), (stage.cdp.address_of("selam"), address));
    let envelope = TxEnvelope::decode_2718(&mut signed.raw.as_slice()).unwrap();
    assert_eq!((envelope.recover_signer().unwrap(), *envelope.tx_hash()), (address, signed.tx_hash));
    assert_eq!(repeated, signed);
    let seen = stage.cdp.seen();
    let lines: Vec<&str> = seen.iter().map(|seen| seen.line.as_str()).collect();
    let sign_line = format!("POST /platform/v2/evm/accounts/{address}/sign/transaction");
    let by_name = "GET /platform/v2/evm/accounts/by-name/selam";
    assert_eq!(lines, [by_name, "POST /platform/v2/evm/accounts", by_name, &sign_line, &sign_line]);
    assert!(seen[1].idempotency_key.is_some() && seen[3].idempotency_key.is_some(), "{seen:?}");
    assert_eq!(seen[3], seen[4], "the same request has the same key");
    assert_ne!(seen[1].idempotency_key, seen[3].idempotency_key);
}

#[tokio::test]
async fn every_form_of_api_key_that_cdp_hands_out_opens_its_door() {
    let (pkcs8, public) = new_p256();
    // Where PKCS #8 keeps the older form of a P-256 key.
    let sec1 = pem("EC PRIVATE KEY", &pkcs8[29..]);
    let forms = [
        Keys::ed25519(),
        Keys::with_api_key(pem("PRIVATE KEY", &pkcs8), PublicKey::P256(public.clone())),
        Keys::with_api_key(sec1.clone(), PublicKey::P256(public.clone())),
        Keys::with_api_key(sec1.replace('\n', "\\n"), PublicKey::P256(public)),
    ];
    for keys in forms {
        let stage = Stage::set(keys).await;
        let address = stage.signer.create(&agent("selam")).await.unwrap();
        assert_eq!(address, stage.cdp.address_of("selam"));
    }
}

#[test]
fn malformed_secrets_are_refused_by_the_name_of_their_variable() {
    let good = Keys::ed25519();
    let short = STANDARD.encode([1; 63]);
    let no_pair = STANDARD.encode([9; 64]);
    for secret in [
        "",
        "no base64!",
        &short,
        &no_pair,
        "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----",
        &pem("RSA PRIVATE KEY", &[1]),
    ] {
        let error = CdpCredentials::parse(API_KEY_ID, secret, &good.wallet_secret).unwrap_err();
        assert_eq!(error, CdpCredentialsError::ApiKeySecret, "{secret:?}");
    }
    for secret in ["", "AAAA", &good.api_secret] {
        let error = CdpCredentials::parse(API_KEY_ID, &good.api_secret, secret).unwrap_err();
        assert_eq!(error, CdpCredentialsError::WalletSecret, "{secret:?}");
    }
    for id in ["", "a b", "a\n"] {
        assert_eq!(CdpCredentials::parse(id, &good.api_secret, &good.wallet_secret).unwrap_err(), CdpCredentialsError::ApiKeyId);
    }
    let shown = format!("{:?}", CdpCredentials::parse(API_KEY_ID, &good.api_secret, &good.wallet_secret).unwrap());
    assert_eq!(shown, "CdpCredentials(masked)");
}

#[tokio::test]
async fn a_wrong_key_or_a_wrong_clock_is_unauthorized_and_says_what_to_check() {
    let stage = Stage::with_agent().await;
    let (api_secret, wallet_secret) = (stage.api_secret.as_str(), stage.wallet_secret.as_str());
    let (pkcs8, _) = new_p256();
    let (another_key, another_wallet) = (pem("PRIVATE KEY", &pkcs8), STANDARD.encode(pkcs8));
    // Two minutes behind CDP's clock: the token is over when it arrives.
    let slow = Arc::new(ManualClock::at("2026-11-15T11:58:00Z"));

    for (id, api_secret, wallet_secret, clock) in [
        ("another", api_secret, wallet_secret, stage.clock.clone()),
        (API_KEY_ID, another_key.as_str(), wallet_secret, stage.clock.clone()),
        (API_KEY_ID, api_secret, another_wallet.as_str(), stage.clock.clone()),
        (API_KEY_ID, api_secret, wallet_secret, slow),
    ] {
        let credentials = CdpCredentials::parse(id, api_secret, wallet_secret).unwrap();
        let signer = CdpSigner::new(stage.cdp.url.clone(), credentials, stage.agents.clone(), clock).unwrap();
        let error = signer.sign(&agent("selam"), &transaction()).await.unwrap_err().to_string();
        assert!(error.contains("CDP refuses our keys") && error.contains("CDP_WALLET_SECRET"), "{error}");
    }
    assert!(stage.sign().await.is_ok());
}

#[tokio::test]
async fn each_failure_of_cdp_is_told_for_what_it_is() {
    let stage = Stage::with_agent().await;
    let link_free = |text: &str| assert!(!text.contains("://"), "{text}");
    let table = [
        (StatusCode::UNAUTHORIZED, error_body("unauthorized", "Unauthorized."), "CDP refuses our keys (unauthorized Unauthorized.)"),
        (
            StatusCode::PAYMENT_REQUIRED,
            error_body("payment_method_required", "A valid payment method is required to complete this operation."),
            "wants to be paid first",
        ),
        (StatusCode::NOT_FOUND, error_body("not_found", "EVM account not found"), "no such account"),
        (
            StatusCode::CONFLICT,
            error_body("idempotency_error", "Idempotency key was already used with a different request payload."),
            "clashes with another request",
        ),
        (
            StatusCode::FORBIDDEN,
            error_body("policy_violation", "The transaction violates a policy."),
            "refused with 403: policy_violation The transaction",
        ),
        (StatusCode::UNPROCESSABLE_ENTITY, error_body("idempotency_error", "x\ny"), "refused with 422: idempotency_error x y"),
        (StatusCode::TOO_MANY_REQUESTS, error_body("rate_limit_exceeded", "Rate limit exceeded."), "fewer requests"),
        (StatusCode::INTERNAL_SERVER_ERROR, error_body("internal_server_error", "An internal server error occurred."), "try again later"),
        (StatusCode::BAD_GATEWAY, "<html>bad gateway</html>".to_owned(), "502 Bad Gateway"),
        (StatusCode::SERVICE_UNAVAILABLE, String::new(), "503 Service Unavailable"),
        (StatusCode::FOUND, String::new(), "refused with 302"),
        (StatusCode::OK, "not json".to_owned(), "cannot be used: it is 200 OK and no JSON"),
        (StatusCode::OK, "{}".to_owned(), "no signedTransaction"),
        (StatusCode::OK, "{\"signedTransaction\":\"zz\"}".to_owned(), "not hex"),
        (StatusCode::OK, "{\"signedTransaction\":\"0x02c0\"}".to_owned(), "not a transaction"),
        (StatusCode::OK, "x".repeat((1 << 20) + 1), "larger than"),
    ];
    for (status, body, expected) in table {
        stage.cdp.set_mood(Mood::Answers(Method::POST, status, body));
        let error = stage.sign().await.unwrap_err();
        assert_eq!(matches!(error, SignerError::RateLimited { .. }), status == StatusCode::TOO_MANY_REQUESTS, "{error}");
        let told = error.to_string();
        assert!(told.contains(expected), "{status}: {told}");
        link_free(&told);
    }
    stage.cdp.set_mood(Mood::Honest);
    assert!(stage.sign().await.is_ok(), "no failure is remembered");
}

#[tokio::test]
async fn a_cdp_that_is_not_there_is_unavailable_and_its_address_is_not_told() {
    let stage = Stage::with_agent().await;
    let credentials = CdpCredentials::parse(API_KEY_ID, &stage.api_secret, &stage.wallet_secret).unwrap();
    let nowhere =
        CdpSigner::new("http://127.0.0.1:9/platform".parse().unwrap(), credentials, stage.agents.clone(), stage.clock.clone()).unwrap();

    let error = nowhere.sign(&agent("selam"), &transaction()).await.unwrap_err().to_string();

    assert!(error.contains("cannot be reached"), "{error}");
    assert!(!error.contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn a_signed_transaction_that_is_not_the_asked_one_is_refused() {
    let stage = Stage::with_agent().await;
    let table: [(Mood, &str); 13] = [
        (Mood::Tampers(|tx| tx.chain_id = 1), "another chain"),
        (Mood::Tampers(|tx| tx.nonce += 1), "another nonce"),
        (Mood::Tampers(|tx| tx.to = TxKind::Call(Address::repeat_byte(0x66))), "another recipient"),
        (Mood::Tampers(|tx| tx.to = TxKind::Create), "another recipient"),
        (Mood::Tampers(|tx| tx.value += U256::from(1)), "another value"),
        (Mood::Tampers(|tx| tx.input = Bytes::from_static(&[1, 2, 4])), "another data"),
        (Mood::Tampers(|tx| tx.gas_limit += 1), "another gas limit"),
        (Mood::Tampers(|tx| tx.max_fee_per_gas += 1), "another maximum fee"),
        (Mood::Tampers(|tx| tx.max_priority_fee_per_gas += 1), "another priority fee"),
        (Mood::Tampers(|tx| tx.access_list.0.push(Default::default())), "another access list"),
        (Mood::SignsWithAnotherKey, "and the agent's wallet is"),
        (Mood::Appends(vec![0]), "more than the transaction"),
        (Mood::SignsHigh, "its signature is none"),
    ];
    for (mood, expected) in table {
        stage.cdp.set_mood(mood);
        let told = stage.reason().await;
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

#[tokio::test]
async fn an_account_that_another_process_made_first_is_the_agents() {
    let stage = Stage::set(Keys::ed25519()).await;
    stage.cdp.set_mood(Mood::Races);

    let address = stage.signer.create(&agent("selam")).await.unwrap();

    assert_eq!(address, stage.cdp.address_of("selam"));
}

#[tokio::test]
async fn an_account_under_another_name_is_not_the_agents() {
    let stage = Stage::set(Keys::ed25519()).await;
    for body in [
        r#"{"address":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed","name":"somebody"}"#,
        r#"{"address":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}"#,
        r#"{"address":"0x1234","name":"selam"}"#,
        r#"{"name":"selam"}"#,
        "[]",
    ] {
        stage.cdp.set_mood(Mood::Answers(Method::GET, StatusCode::OK, body.to_owned()));
        let error = stage.signer.create(&agent("selam")).await.unwrap_err();
        assert!(error.to_string().contains("cannot be used"), "{body}: {error}");
    }
}

#[tokio::test]
async fn only_the_wallet_on_record_signs_for_an_agent() {
    let stage = Stage::set(Keys::ed25519()).await;
    stage.signer.create(&agent("selam")).await.unwrap();
    assert!(matches!(stage.sign().await, Err(SignerError::NoKey(_))), "an agent that is not on record");

    stage.record(Address::repeat_byte(0x22)).await;

    assert!(stage.reason().await.contains("no such account"), "its account at CDP is another one");
}

#[test]
fn every_agent_has_an_account_name_of_its_own_that_cdp_accepts() {
    let long = "x".repeat(64);
    let names: Vec<String> = ["selam", "a", "a-b", "a_b", "ab-", "agent-1", &"y".repeat(36), &"y".repeat(37), &long]
        .iter()
        .map(|id| account_name(&agent(id)))
        .collect();

    assert_eq!(names[0], "selam");
    for name in &names {
        let plain = |c: char| c.is_ascii_alphanumeric();
        assert!((2..=36).contains(&name.len()) && name.chars().all(|c| plain(c) || c == '-'), "{name}");
        assert!(name.starts_with(plain) && name.ends_with(plain), "{name}");
    }
    let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
}
