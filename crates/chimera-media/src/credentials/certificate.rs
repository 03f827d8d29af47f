//! The node's certificate: made at first use, issued by a root that signs this one thing and is then forgotten.

use super::der::{bit_string, boolean_true, explicit, flags, integer, name, octets, oid, sequence, time, value};
use chrono::{DateTime, TimeDelta, Utc};
use ring::signature::{Ed25519KeyPair, KeyPair};
use sha2::{Digest, Sha256};

const ED25519: &[u32] = &[1, 3, 101, 112];
const ORGANISATION: &[u32] = &[2, 5, 4, 10];
const COMMON_NAME: &[u32] = &[2, 5, 4, 3];
const SUBJECT_KEY: &[u32] = &[2, 5, 29, 14];
const KEY_USAGE: &[u32] = &[2, 5, 29, 15];
const BASIC_CONSTRAINTS: &[u32] = &[2, 5, 29, 19];
const AUTHORITY_KEY: &[u32] = &[2, 5, 29, 35];
const EXTENDED_KEY_USAGE: &[u32] = &[2, 5, 29, 37];
/// What C2PA lets a signer's certificate be for: e-mail protection, and its own purpose.
const PURPOSES: [&[u32]; 2] = [&[1, 3, 6, 1, 5, 5, 7, 3, 4], &[1, 3, 6, 1, 4, 1, 62_558, 2, 1]];

const VALID_DAYS: i64 = 3_650;
/// Clocks of verifiers may be behind ours.
const BACKDATED_DAYS: i64 = 1;

/// A signer's certificate and the root that issued it, as DER.
pub struct Chain {
    pub signer: Vec<u8>,
    pub root: Vec<u8>,
}

pub fn issue(signer: &Ed25519KeyPair, root: &Ed25519KeyPair, now: DateTime<Utc>) -> Chain {
    let node: String = Sha256::digest(signer.public_key()).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let organisation = format!("Chimera node {node}");
    let root_name = name(&[(ORGANISATION, &organisation), (COMMON_NAME, "Chimera content root")]);
    let signer_name = name(&[(ORGANISATION, &organisation), (COMMON_NAME, "Chimera content credentials")]);
    let of_root = [
        extension(BASIC_CONSTRAINTS, true, &sequence(&[boolean_true()])),
        extension(KEY_USAGE, true, &flags(1, &[0x06])),
        extension(SUBJECT_KEY, false, &octets(&key_id(root))),
    ];
    let of_signer = [
        extension(BASIC_CONSTRAINTS, true, &sequence(&[])),
        extension(KEY_USAGE, true, &flags(7, &[0x80])),
        extension(EXTENDED_KEY_USAGE, false, &sequence(&PURPOSES.map(oid))),
        extension(SUBJECT_KEY, false, &octets(&key_id(signer))),
        extension(AUTHORITY_KEY, false, &sequence(&[value(0x80, &key_id(root))])),
    ];
    Chain {
        signer: certificate(&root_name, root, &signer_name, signer, &of_signer, now),
        root: certificate(&root_name, root, &root_name, root, &of_root, now),
    }
}

fn certificate(
    issuer: &[u8],
    issuer_key: &Ed25519KeyPair,
    subject: &[u8],
    subject_key: &Ed25519KeyPair,
    extensions: &[Vec<u8>],
    now: DateTime<Utc>,
) -> Vec<u8> {
    let algorithm = sequence(&[oid(ED25519)]);
    let moment = |days: i64| time(&(now + TimeDelta::days(days)).format("%Y%m%d%H%M%SZ").to_string());
    // From the key: nobody else's certificate by this issuer has it.
    let serial = Sha256::digest([subject_key.public_key().as_ref(), subject].concat());
    let signed = sequence(&[
        explicit(0, &integer(&[2])),
        integer(&serial[..16]),
        algorithm.clone(),
        issuer.to_vec(),
        sequence(&[moment(-BACKDATED_DAYS), moment(VALID_DAYS)]),
        subject.to_vec(),
        sequence(&[algorithm.clone(), bit_string(subject_key.public_key().as_ref())]),
        explicit(3, &sequence(extensions)),
    ]);
    let signature = bit_string(issuer_key.sign(&signed).as_ref());
    sequence(&[signed, algorithm, signature])
}

fn extension(id: &[u32], critical: bool, contents: &[u8]) -> Vec<u8> {
    let mut parts = vec![oid(id)];
    if critical {
        parts.push(boolean_true());
    }
    parts.push(octets(contents));
    sequence(&parts)
}

fn key_id(key: &Ed25519KeyPair) -> Vec<u8> {
    Sha256::digest(key.public_key())[..20].to_vec()
}
