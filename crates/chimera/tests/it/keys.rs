//! Keys in and out of the program, and the passphrase of its keystore, as a person does it.

use crate::program::{Finished, Folder, PASSPHRASE, SOUL, run};
use serde_json::Value;
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

/// A published example of the format, with its passphrase, key and address.
pub(crate) const KEY_FILE: &str = r#"{
  "crypto": {
    "cipher": "aes-128-ctr",
    "cipherparams": { "iv": "6087dab2f9fdbbfaddc31a909735c1e6" },
    "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
    "kdf": "pbkdf2",
    "kdfparams": {
      "c": 262144, "dklen": 32, "prf": "hmac-sha256",
      "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"
    },
    "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"
  },
  "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6",
  "version": 3
}"#;
pub(crate) const KEY_FILE_PASSPHRASE: &str = "testpassword";
pub(crate) const KEY: &str = "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";
pub(crate) const ADDRESS: &str = "0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b";

/// Runs with these variables beside the passphrase.
pub(crate) async fn run_with(folder: &Folder, variables: &[(&str, &str)], args: &[&str]) -> Finished {
    let mut command = folder.command(args);
    command.envs(variables.iter().copied());
    run(command, b"").await
}

async fn json_with(folder: &Folder, variables: &[(&str, &str)], args: &[&str]) -> Value {
    let done = run_with(folder, variables, &[args, &["--json"]].concat()).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    serde_json::from_str(&done.stdout).unwrap()
}

const IMPORT: (&str, &str) = ("CHIMERA_IMPORT_PASSPHRASE", KEY_FILE_PASSPHRASE);
const EXPORT: (&str, &str) = ("CHIMERA_EXPORT_PASSPHRASE", "on the way");

async fn create_imported(folder: &Folder) -> Value {
    folder.write("soul.md", SOUL);
    folder.write("key.json", KEY_FILE);
    json_with(folder, &[IMPORT], &["agent", "create", "--soul", "soul.md", "--import", "key.json"]).await
}

fn key_path(folder: &Folder) -> std::path::PathBuf {
    folder.data().join("keystore/keys/selam.json")
}

#[tokio::test]
async fn an_agent_can_start_with_a_key_that_its_owner_has() {
    let folder = Folder::new();

    let made = create_imported(&folder).await;

    assert_eq!((&made["agent_id"], made["address"].as_str()), (&"selam".into(), Some(ADDRESS)));
    let second = folder.write("second.md", SOUL.replace("id: selam", "id: tariku"));
    let args = ["agent", "create", "--soul", second.to_str().unwrap(), "--import", "key.json"];
    run_with(&folder, &[IMPORT], &args).await.refused(1, &[ADDRESS, "is the wallet of agent selam already"]);
    run_with(&folder, &[("CHIMERA_IMPORT_PASSPHRASE", "wrong")], &args)
        .await
        .refused(1, &["key.json cannot be imported", "the passphrase does not open it"]);
    folder.run(&args).await.refused(2, &["CHIMERA_IMPORT_PASSPHRASE is not set", "CHIMERA_IMPORT_PASSPHRASE_FILE"]);
    assert_eq!(folder.json(&["agent", "list"]).await["agents"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_lost_key_file_is_brought_back_from_an_export_and_no_other_key_is_taken() {
    let folder = Folder::new();
    let address = folder.create_agent().await;
    let exported = json_with(&folder, &[EXPORT], &["wallet", "export", "--agent", "selam", "--out", "selam.json"]).await;
    assert_eq!((exported["address"].as_str(), &exported["file"]), (Some(address.as_str()), &"selam.json".into()));
    let path = folder.path().join("selam.json");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let before = fs::read(&path).unwrap();
    run_with(&folder, &[EXPORT], &["wallet", "export", "--agent", "selam", "--out", "selam.json"])
        .await
        .refused(1, &["selam.json is there already"]);
    assert_eq!(fs::read(&path).unwrap(), before);
    folder.run(&["wallet", "export", "--agent", "selam", "--out", "x.json"]).await.refused(2, &["CHIMERA_EXPORT_PASSPHRASE is not set"]);

    fs::remove_file(key_path(&folder)).unwrap();
    folder.write("key.json", KEY_FILE);
    let other = run_with(&folder, &[IMPORT], &["wallet", "import", "--agent", "selam", "--file", "key.json"]).await;
    other.refused(1, &[&address, ADDRESS, "for good"]);
    assert!(!key_path(&folder).exists());

    let passphrase = folder.write("pass", "on the way\n");
    let variable = ("CHIMERA_IMPORT_PASSPHRASE_FILE", passphrase.to_str().unwrap());
    for _ in 0..2 {
        let back = json_with(&folder, &[variable], &["wallet", "import", "--agent", "selam", "--file", "selam.json"]).await;
        assert_eq!(back["address"].as_str(), Some(address.as_str()), "and again, as it is safe to repeat");
    }
    assert!(key_path(&folder).exists());
    let nobody = run_with(&folder, &[IMPORT], &["wallet", "import", "--agent", "nobody", "--file", "key.json"]).await;
    nobody.refused(1, &["there is no agent nobody"]);
}

#[tokio::test]
async fn the_passphrase_is_changed_for_the_whole_keystore() {
    let folder = Folder::new();
    folder.create_agent().await;
    let export = |out: &'static str| ["wallet", "export", "--agent", "selam", "--out", out];
    folder.run(&["wallet", "passphrase"]).await.refused(2, &["CHIMERA_NEW_WALLET_PASSPHRASE is not set"]);
    let mut without_old = folder.command(&["wallet", "passphrase"]);
    without_old.env_remove("CHIMERA_WALLET_PASSPHRASE").env("CHIMERA_NEW_WALLET_PASSPHRASE", "new");
    run(without_old, b"").await.refused(2, &["CHIMERA_WALLET_PASSPHRASE is not set"]);

    let changed = json_with(&folder, &[("CHIMERA_NEW_WALLET_PASSPHRASE", "new words")], &["wallet", "passphrase"]).await;

    assert_eq!(changed["changed"], true);
    run_with(&folder, &[EXPORT], &export("old.json")).await.refused(1, &["the passphrase does not open the keystore"]);
    json_with(&folder, &[EXPORT, ("CHIMERA_WALLET_PASSPHRASE", "new words")], &export("new.json")).await;
    let back = [("CHIMERA_WALLET_PASSPHRASE", "new words"), ("CHIMERA_NEW_WALLET_PASSPHRASE", PASSPHRASE)];
    json_with(&folder, &back, &["wallet", "passphrase"]).await;
    json_with(&folder, &[EXPORT], &export("back.json")).await;
    assert!(!Path::new(&folder.path().join("old.json")).exists());
}
