use super::*;
use std::path::{Path, PathBuf};

fn kept(folder: &Path) -> DevnetConfig {
    DevnetConfig { path: Some(folder.to_owned()), ..config() }
}

fn journal(folder: &Path) -> PathBuf {
    folder.join("devnet.journal")
}

fn open_error(config: DevnetConfig) -> String {
    Devnet::open(config).err().expect("it must not open").to_string()
}

/// Everything that a client could compare before and after a restart.
fn snapshot(devnet: &Devnet, who: Address) -> Value {
    let usdc = json!({ "to": devnet.usdc().to_string(), "data": hex::encode_prefixed(calldata([0x70, 0xa0, 0x82, 0x31], &[word(SHOP)])) });
    json!([
        result(devnet, "eth_getBlockByNumber", json!(["latest", true])),
        result(devnet, "eth_getBlockByNumber", json!(["pending", true])),
        result(devnet, "eth_getLogs", json!([{ "fromBlock": "0x0" }])),
        [balance(devnet, who).to_string(), balance(devnet, SHOP).to_string()],
        [nonce(devnet, who, "latest").to_string(), nonce(devnet, who, "pending").to_string()],
        result(devnet, "eth_call", json!([usdc])),
    ])
}

/// A chain with every kind of entry in its journal.
fn lived_in(devnet: &Devnet) -> Signer {
    let payer = Signer::with_ether(1, devnet);
    devnet.mint_usdc(payer.address(), U256::from(50)).unwrap();
    send(devnet, &payer.transfer(0, 3));
    let data = calldata([0xa9, 0x05, 0x9c, 0xbb], &[word(SHOP), U256::from(20)]);
    send(devnet, &payer.call(1, devnet.usdc(), data));
    devnet.mine().unwrap();
    send(devnet, &payer.transfer(4, 1));
    payer
}

#[test]
fn a_reopened_chain_is_the_same_chain() {
    let folder = tempfile::tempdir().unwrap();
    let devnet = Devnet::open(kept(folder.path())).unwrap();
    let payer = lived_in(&devnet);
    let before = snapshot(&devnet, payer.address());
    drop(devnet);

    let devnet = Devnet::open(kept(folder.path())).unwrap();

    assert_eq!(snapshot(&devnet, payer.address()), before);
    send(&devnet, &payer.transfer(3, 0));
    send(&devnet, &payer.transfer(2, 0));
    assert_eq!(nonce(&devnet, payer.address(), "latest"), 5, "the gapped one was kept and is mined");
}

#[test]
fn waiting_and_replaced_transactions_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let block_time = Some(std::time::Duration::from_secs(3600));
    let config = DevnetConfig { block_time, ..kept(folder.path()) };
    let devnet = Devnet::open(config.clone()).unwrap();
    let payer = Signer::with_ether(1, &devnet);
    send(&devnet, &payer.transfer(0, 1));
    let dearer = TxEip1559 { max_fee_per_gas: 4 * GWEI, max_priority_fee_per_gas: 2 * GWEI, value: U256::from(5), ..dynamic(0) };
    let kept_hash = send(&devnet, &payer.sign(dearer));
    drop(devnet);

    let devnet = Devnet::open(config).unwrap();
    assert_eq!(block_number(&devnet), 0);
    devnet.mine().unwrap();

    assert_eq!(receipt(&devnet, &kept_hash)["status"], "0x1");
    assert_eq!(balance(&devnet, SHOP), 5);
}

#[test]
fn a_torn_last_line_is_cut_off_at_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let devnet = Devnet::open(kept(folder.path())).unwrap();
    let payer = lived_in(&devnet);
    send(&devnet, &payer.transfer(2, 9));
    let whole_snapshot = snapshot(&devnet, payer.address());
    drop(devnet);
    let whole = std::fs::read(journal(folder.path())).unwrap();
    let last_line_start = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;

    let mut torn_snapshot = None;
    for kept_bytes in last_line_start..=whole.len() {
        std::fs::write(journal(folder.path()), &whole[..kept_bytes]).unwrap();
        let devnet = Devnet::open(kept(folder.path())).unwrap();
        let now = snapshot(&devnet, payer.address());
        if kept_bytes == whole.len() {
            assert_eq!(now, whole_snapshot);
        } else {
            assert_eq!(&now, torn_snapshot.get_or_insert(now.clone()), "{kept_bytes}");
            assert_eq!(nonce(&devnet, payer.address(), "latest"), 2, "{kept_bytes}");
            send(&devnet, &payer.transfer(2, 9));
            drop(devnet);
            let devnet = Devnet::open(kept(folder.path())).unwrap();
            assert_eq!(nonce(&devnet, payer.address(), "latest"), 3, "{kept_bytes}");
        }
    }
}

#[test]
fn a_chain_torn_before_its_first_line_was_finished_starts_anew() {
    let folder = tempfile::tempdir().unwrap();
    drop(Devnet::open(kept(folder.path())).unwrap());
    let whole = std::fs::read(journal(folder.path())).unwrap();

    for kept_bytes in 0..whole.len() {
        std::fs::write(journal(folder.path()), &whole[..kept_bytes]).unwrap();
        let devnet = Devnet::open(kept(folder.path())).unwrap();
        assert_eq!(block_number(&devnet), 0, "{kept_bytes}");
    }
    assert_eq!(std::fs::read(journal(folder.path())).unwrap(), whole);
}

#[test]
fn damage_before_the_end_is_an_error_that_names_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let devnet = Devnet::open(kept(folder.path())).unwrap();
    lived_in(&devnet);
    drop(devnet);
    let whole = std::fs::read(journal(folder.path())).unwrap();

    // Every 7th byte keeps the test short and still meets every field of every line.
    for position in (0..whole.len() - 1).step_by(7) {
        let mut damaged = whole.clone();
        damaged[position] ^= 1;
        std::fs::write(journal(folder.path()), &damaged).unwrap();
        let line = whole[..position].iter().filter(|byte| **byte == b'\n').count() + 1;
        let message = open_error(kept(folder.path()));
        assert!(message.contains(&format!("is damaged at line {line}: ")), "byte {position}: {message}");
        assert_eq!(std::fs::read(journal(folder.path())).unwrap(), damaged, "nothing is cut or repaired");
    }
}

#[test]
fn a_journal_with_a_missing_line_does_not_open() {
    let folder = tempfile::tempdir().unwrap();
    let devnet = Devnet::open(kept(folder.path())).unwrap();
    lived_in(&devnet);
    drop(devnet);
    let whole = std::fs::read_to_string(journal(folder.path())).unwrap();
    // Without the funding line, the payer's first transfer cannot have been mined.
    let without: String = whole.split_inclusive('\n').filter(|line| !line.contains("\"fund\"")).collect();
    std::fs::write(journal(folder.path()), without).unwrap();

    let message = open_error(kept(folder.path()));

    assert!(message.contains("is damaged at line 3: replay made block"), "{message}");
}

#[test]
fn another_chain_id_another_process_and_an_unusable_folder_are_clear_errors() {
    let folder = tempfile::tempdir().unwrap();
    let devnet = Devnet::open(kept(folder.path())).unwrap();

    assert!(open_error(kept(folder.path())).contains("is in use by another process"));
    drop(devnet);
    let other_chain = open_error(DevnetConfig { chain_id: 5555, ..kept(folder.path()) });
    assert!(other_chain.contains("holds chain 31337, not 5555"), "{other_chain}");
    let file = folder.path().join("a-file");
    std::fs::write(&file, "").unwrap();
    assert!(open_error(kept(&file)).starts_with("cannot use "));

    assert!(Devnet::open(kept(folder.path())).is_ok());
}
