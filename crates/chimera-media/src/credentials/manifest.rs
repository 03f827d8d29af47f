//! A C2PA manifest (specification 2.2): what is said of a file, bound to its bytes and signed.

use super::{cbor::Cbor, identity::Identity, jumbf::Superbox, jumbf::plain_box};
use sha2::{Digest, Sha256};

/// What a manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub agent_id: String,
    pub task_id: String,
    /// That an AI made this, as people read it.
    pub label: String,
    pub origin: Origin,
}

/// How the picture came to be, in the words of IPTC's vocabulary, which C2PA uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// By code alone, without a trained model.
    Algorithm,
    /// Drawn by code, with words that a trained model wrote.
    AlgorithmWithModelWords,
    /// By a trained model.
    Model,
}

impl Origin {
    fn source_type(self) -> String {
        let name = match self {
            Self::Algorithm => "algorithmicMedia",
            Self::AlgorithmWithModelWords => "compositeWithTrainedAlgorithmicMedia",
            Self::Model => "trainedAlgorithmicMedia",
        };
        format!("http://cv.iptc.org/newscodes/digitalsourcetype/{name}")
    }
}

/// How a file's bytes are bound: the assertion's label and contents.
pub struct Binding {
    pub label: &'static str,
    pub contents: Cbor,
}

/// The whole file but for the part from `start`, `length` bytes long.
pub fn binding_without(hash: &[u8; 32], start: usize, length: usize) -> Binding {
    let excluded = Cbor::map([("start", Cbor::Unsigned(start as u64)), ("length", Cbor::Unsigned(length as u64))]);
    let contents = Cbor::map([
        ("exclusions", Cbor::List(vec![excluded])),
        ("name", Cbor::text("the file without its manifest")),
        ("alg", Cbor::text("sha256")),
        ("hash", Cbor::Bytes(hash.to_vec())),
        ("pad", Cbor::Bytes(Vec::new())),
    ]);
    Binding { label: "c2pa.hash.data", contents }
}

const ACTIONS: &str = "c2pa.actions.v2";
const AGENT: &str = "org.chimera.agent";
/// COSE's numbers for its algorithm and certificate headers, EdDSA, and a signature by one signer.
const COSE_ALGORITHM: u64 = 1;
const COSE_CERTIFICATES: u64 = 33;
const COSE_EDDSA: Cbor = Cbor::Negative(7);
const COSE_SIGN1: u64 = 18;

/// The whole manifest store, ready to be put into a file. `unbound` is the file without it: its hash names the manifest.
/// Everything in it follows from the arguments: the same file and statement give the same bytes.
pub fn manifest_store(identity: &Identity, statement: &Statement, unbound_hash: &[u8; 32], binding: &Binding) -> Vec<u8> {
    let uuid = uuid_of(unbound_hash, statement);
    let label = format!("urn:c2pa:{uuid}");
    let assertions =
        [assertion(ACTIONS, &actions(statement)), assertion(AGENT, &agent(statement)), assertion(binding.label, &binding.contents)];
    let references = [ACTIONS, AGENT, binding.label].into_iter().zip(&assertions).map(|(label, assertion)| reference(label, assertion));
    let claim = Cbor::map([
        ("instanceID", Cbor::text(format!("xmp:iid:{uuid}"))),
        ("claim_generator_info", generator()),
        ("signature", Cbor::text(format!("self#jumbf=/c2pa/{label}/c2pa.signature"))),
        ("created_assertions", Cbor::List(references.collect())),
        ("alg", Cbor::text("sha256")),
    ])
    .to_bytes();
    let signature = sign(identity, &claim);
    let store = Superbox::new(b"c2as", "c2pa.assertions", &assertions.map(Superbox::into_bytes));
    let manifest = Superbox::new(
        b"c2ma",
        &label,
        &[
            store.into_bytes(),
            Superbox::new(b"c2cl", "c2pa.claim.v2", &[plain_box(b"cbor", &claim)]).into_bytes(),
            Superbox::new(b"c2cs", "c2pa.signature", &[plain_box(b"cbor", &signature)]).into_bytes(),
        ],
    );
    Superbox::new(b"c2pa", "c2pa", &[manifest.into_bytes()]).into_bytes()
}

fn generator() -> Cbor {
    Cbor::map([("name", Cbor::text("Chimera")), ("version", Cbor::text(env!("CARGO_PKG_VERSION")))])
}

fn actions(statement: &Statement) -> Cbor {
    let created = Cbor::map([
        ("action", Cbor::text("c2pa.created")),
        ("digitalSourceType", Cbor::text(statement.origin.source_type())),
        ("softwareAgent", generator()),
        ("description", Cbor::text(statement.label.as_str())),
    ]);
    Cbor::map([("actions", Cbor::List(vec![created])), ("allActionsIncluded", Cbor::True)])
}

/// Who it was; an assertion of our own, for those who know us.
fn agent(statement: &Statement) -> Cbor {
    Cbor::map([
        ("agent_id", Cbor::text(statement.agent_id.as_str())),
        ("task_id", Cbor::text(statement.task_id.as_str())),
        ("ai_generated", Cbor::True),
        ("label", Cbor::text(statement.label.as_str())),
    ])
}

fn assertion(label: &str, contents: &Cbor) -> Superbox {
    Superbox::new(b"cbor", label, &[plain_box(b"cbor", &contents.to_bytes())])
}

fn reference(label: &str, assertion: &Superbox) -> Cbor {
    Cbor::map([
        ("url", Cbor::text(format!("self#jumbf=c2pa.assertions/{label}"))),
        ("hash", Cbor::Bytes(Sha256::digest(assertion.hashed_part()).to_vec())),
    ])
}

/// COSE_Sign1 (RFC 9052) over the claim, which is not repeated in it.
fn sign(identity: &Identity, claim: &[u8]) -> Vec<u8> {
    let protected = Cbor::Map(vec![
        (Cbor::Unsigned(COSE_ALGORITHM), COSE_EDDSA),
        (Cbor::Unsigned(COSE_CERTIFICATES), Cbor::Bytes(identity.certificate.clone())),
    ])
    .to_bytes();
    let signed =
        Cbor::List(vec![Cbor::text("Signature1"), Cbor::Bytes(protected.clone()), Cbor::Bytes(Vec::new()), Cbor::Bytes(claim.to_vec())]);
    let signature = identity.key.sign(&signed.to_bytes()).as_ref().to_vec();
    let parts = vec![Cbor::Bytes(protected), Cbor::Map(Vec::new()), Cbor::Null, Cbor::Bytes(signature)];
    Cbor::Tagged(COSE_SIGN1, Box::new(Cbor::List(parts))).to_bytes()
}

/// In the form of a random one, and always the same for one file and task.
fn uuid_of(unbound_hash: &[u8; 32], statement: &Statement) -> String {
    let mut hasher = Sha256::new();
    hasher.update(unbound_hash);
    hasher.update(statement.task_id.as_bytes());
    let mut bytes: [u8; 32] = hasher.finalize().into();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
