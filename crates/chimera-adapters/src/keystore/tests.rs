use super::*;
use alloy_consensus::{TxEnvelope, transaction::SignerRecoverable};
use alloy_eips::eip2718::Decodable2718;
use alloy_primitives::U256;
use chimera_core::domain::money::ChainId;
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

fn keystore(folder: &Path, passphrase: &str) -> Keystore {
    Keystore::new(folder.join("keystore"), Some(long(passphrase)))
}

/// Long enough to be a passphrase, and as different as `word` is.
fn long(word: &str) -> Zeroizing<String> {
    Zeroizing::new(format!("{word} opens the door"))
}

fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

fn transaction() -> UnsignedTransaction {
    UnsignedTransaction {
        chain: ChainId(31337),
        nonce: 7,
        to: Address::repeat_byte(0x11),
        value_wei: U256::from(5),
        data: vec![1, 2, 3],
        gas_limit: 21_000,
        max_fee_per_gas_wei: 2_000_000_000,
        max_priority_fee_per_gas_wei: 1,
    }
}

#[tokio::test]
async fn a_key_is_made_once_survives_reopening_and_signs_for_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let first = keystore(folder.path(), "correct horse");
    let address = first.create(&agent("selam")).await.unwrap();
    assert_eq!(first.create(&agent("selam")).await.unwrap(), address);
    assert_ne!(first.create(&agent("tariku")).await.unwrap(), address);

    let reopened = keystore(folder.path(), "correct horse");
    let signed = reopened.sign(&agent("selam"), &transaction()).await.unwrap();

    let envelope = TxEnvelope::decode_2718(&mut signed.raw.as_slice()).unwrap();
    assert_eq!(envelope.recover_signer().unwrap(), address);
    assert_eq!(*envelope.tx_hash(), signed.tx_hash);
}

#[tokio::test]
async fn without_the_right_passphrase_nothing_is_made_or_signed() {
    let folder = tempfile::tempdir().unwrap();
    let address = keystore(folder.path(), "right").create(&agent("selam")).await.unwrap();
    let locked = Keystore::new(folder.path().join("keystore"), None);
    let wrong = keystore(folder.path(), "wrong");

    assert_eq!(locked.create(&agent("selam")).await.unwrap(), address, "an address is not a secret");
    assert!(matches!(locked.create(&agent("other")).await, Err(SignerError::Locked)));
    assert!(matches!(locked.sign(&agent("selam"), &transaction()).await, Err(SignerError::Locked)));
    assert!(matches!(wrong.sign(&agent("selam"), &transaction()).await, Err(SignerError::WrongPassphrase)));
    assert!(matches!(wrong.create(&agent("other")).await, Err(SignerError::WrongPassphrase)));
}

#[tokio::test]
async fn files_are_for_the_owner_and_hold_no_key_in_the_clear() {
    let folder = tempfile::tempdir().unwrap();
    let store = keystore(folder.path(), "secret words");
    store.create(&agent("selam")).await.unwrap();
    let secret = *store.secret_of(&agent("selam")).await.unwrap().bytes();
    let path = store.key_path(&agent("selam"));

    let text = fs::read_to_string(&path).unwrap();

    assert!(!text.contains(&alloy_primitives::hex::encode(secret)));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn a_key_file_of_another_agent_or_a_changed_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = keystore(folder.path(), "p");
    store.create(&agent("selam")).await.unwrap();
    let text = fs::read_to_string(store.key_path(&agent("selam"))).unwrap();

    fs::write(store.key_path(&agent("thief")), &text).unwrap();
    assert!(store.sign(&agent("thief"), &transaction()).await.is_err(), "a copied file");
    fs::write(store.key_path(&agent("thief")), text.replace("\"selam\"", "\"thief\"")).unwrap();
    assert!(store.sign(&agent("thief"), &transaction()).await.is_err(), "a copied and relabelled file");
    fs::write(store.key_path(&agent("selam")), "{}").unwrap();
    assert!(store.sign(&agent("selam"), &transaction()).await.is_err(), "an emptied file");
    assert!(matches!(store.sign(&agent("nobody"), &transaction()).await, Err(SignerError::NoKey(_))));
}

mod exchange;
mod passphrase;
