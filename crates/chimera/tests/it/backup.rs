//! Backup and restore over the real program: taken under load, checked, put back held; and archives that somebody else made.

use crate::{
    program::{Finished, Folder, Serving},
    wallet_stage::{WALLET, new_task},
};
use chimera::mcp::McpSkillCaller;
use chimera_core::{domain::asset::AssetId, ports::skill_caller::SkillCaller};
use reqwest::Method;
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

const CONFIG: &str = r#"
default_chain = "31337"
[chains.31337]
name = "chimera-devnet"
rpc = ["devnet"]
native = "ETH"
fees_per_day_max_wei = "1000000000000000000000"
[policy]
first_seen_recipient = "allow"
transfers_per_hour_max = 1000000
[[policy.limits]]
chain = "31337"
asset = "ETH"
per_transaction = "5000000"
per_day = "1000000000"
"#;
const RECIPIENT: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

fn eth() -> Value {
    json!({
        "task_id": new_task(),
        "agent_id": "selam",
        "operation": "native_transfer",
        "params": {"asset": "ETH", "to_address": RECIPIENT, "amount_wei_or_units": "1000"},
    })
}

/// A folder whose agent has play money on the embedded chain, being served.
async fn served() -> (Folder, Serving) {
    let folder = Folder::with_config(CONFIG);
    let address = folder.create_agent().await;
    let serving = folder.serve().await;
    let chain = chain_url(&folder);
    rpc(&chain, "devnet_fund", json!([address, "0x3635c9adc5dea00000"])).await;
    (folder, serving)
}

fn chain_url(folder: &Folder) -> String {
    fs::read_to_string(folder.data().join("chain/rpc-url")).unwrap()
}

async fn rpc(url: &str, method: &str, params: Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let _ = rustls::crypto::ring::default_provider().install_default();
    let answer: Value = reqwest::Client::new().post(url).json(&body).send().await.unwrap().json().await.unwrap();
    assert!(answer.get("error").is_none(), "{method}: {answer}");
    answer["result"].clone()
}

async fn received(folder: &Folder) -> String {
    rpc(&chain_url(folder), "eth_getBalance", json!([RECIPIENT, "latest"])).await.to_string()
}

/// The names in a folder, without those that come and go.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// Another project on the same settings, with `data` as its data folder.
async fn restore(folder: &Folder, file: &Path, data: &Path) -> Finished {
    folder.run(&["restore", file.to_str().unwrap(), "--data", data.to_str().unwrap(), "--json"]).await
}

#[tokio::test]
async fn a_backup_taken_under_load_is_restored_whole_and_held_and_pays_nothing() {
    let (folder, serving) = served().await;
    let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
    let first = eth();
    assert_eq!(caller.call(WALLET, &first).await.unwrap()["success"], true);
    let inputs: Vec<Value> = (0..24).map(|_| eth()).collect();

    let paying = futures::future::join_all(inputs.iter().map(|input| caller.call(WALLET, input)));
    let backing_up = async {
        let mut made = Vec::new();
        for name in ["a.tar", "b.tar", "c.tar"] {
            made.push(folder.json(&["backup", name]).await);
        }
        made
    };
    let (paid, made) = tokio::join!(paying, backing_up);

    assert!(paid.iter().all(|answer| answer.as_ref().unwrap()["success"] == true), "{paid:?}");
    caller.close().await;
    assert_eq!(serving.stop().await.code, Some(0));
    for (name, made) in ["a.tar", "b.tar", "c.tar"].iter().zip(&made) {
        let file = folder.path().join(name);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let copy = Folder::with_config(CONFIG);
        let done = restore(&copy, &file, &copy.data()).await;
        assert_eq!(done.code, Some(0), "{done:?}");
        let told: Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!((&told["held"], &told["ledger_entries"]), (&json!(["selam"]), &made["ledger_entries"]), "{told}");
        let verdict = copy.json(&["ledger", "verify"]).await;
        assert_eq!(verdict["ok"], true, "{verdict}");
        assert_eq!(fs::metadata(copy.data()).unwrap().permissions().mode() & 0o777, 0o700);
        is_held(&copy, &first).await;
    }
    assert_eq!(names(folder.path()), ["a.tar", "b.tar", "c.tar", "chimera-data", "chimera.toml", "soul.md"], "nothing else is left");
}

/// Neither a new transfer nor one that the original has made meanwhile is paid by the copy.
async fn is_held(copy: &Folder, known: &Value) {
    let serving = copy.serve().await;
    let before = received(copy).await;
    let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
    let again = caller.call(WALLET, known).await.unwrap();
    let new = caller.call(WALLET, &eth()).await.unwrap();

    assert_eq!(again["success"], true, "what the book knows it still tells: {again}");
    assert_eq!((&new["error_code"], &new["details"]["rule"]), (&json!("not_approved"), &json!("wallet_held")), "{new}");
    assert!(new["message"].as_str().unwrap().contains("chimera wallet reconcile"), "{new}");
    assert_eq!(received(copy).await, before);
    caller.close().await;
    assert_eq!(serving.stop().await.code, Some(0));
}

async fn reconciled(folder: &Folder) -> Finished {
    folder.run(&["wallet", "reconcile", "--agent", "selam", "--json"]).await
}

async fn says_that_it_is_held(folder: &Folder) -> bool {
    folder.json(&["wallet", "show", "--agent", "selam"]).await["held"] == true
}

/// A chain that was taken out of the settings may have been sent on since.
#[tokio::test]
async fn a_restored_wallet_is_let_go_only_when_every_chain_that_it_has_sent_on_can_be_read() {
    let (folder, serving) = served().await;
    let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
    assert_eq!(caller.call(WALLET, &eth()).await.unwrap()["success"], true);
    caller.close().await;
    serving.stop().await;
    folder.json(&["backup", "one.tar"]).await;
    let copy = Folder::with_config("");
    assert_eq!(restore(&copy, &folder.path().join("one.tar"), &copy.data()).await.code, Some(0));

    reconciled(&copy).await.refused(1, &["31337", "no node is configured"]);
    assert!(says_that_it_is_held(&copy).await);
    copy.write("chimera.toml", CONFIG);
    let read = reconciled(&copy).await;

    assert_eq!(read.code, Some(0), "{read:?}");
    assert!(!says_that_it_is_held(&copy).await);
}

/// Somebody whose agents only post has no chain, and would wait for ever.
/// One request to the API with somebody's key: the status, and what was said.
async fn ask(serving: &Serving, key: &str, method: Method, path: &str) -> (u16, Value) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = serving.url.replace("/mcp", path);
    let answer = reqwest::Client::new().request(method, url).bearer_auth(key).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

#[tokio::test]
async fn an_operator_reconciles_a_restored_wallet_and_clears_its_memory_without_a_command_line() {
    let (folder, serving) = served().await;
    let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
    assert_eq!(caller.call(WALLET, &eth()).await.unwrap()["success"], true);
    caller.close().await;
    serving.stop().await;
    folder.json(&["backup", "one.tar"]).await;
    let copy = Folder::with_config(CONFIG);
    assert_eq!(restore(&copy, &folder.path().join("one.tar"), &copy.data()).await.code, Some(0));
    let person = async |role: &str| copy.json(&["access", "add", role, "--role", role]).await["key"].as_str().unwrap().to_owned();
    let (reviewer, operator) = (person("reviewer").await, person("operator").await);
    let serving = copy.serve().await;

    let path = "/api/agents/selam/reconcile";
    assert_eq!(ask(&serving, &reviewer, Method::POST, path).await.0, 403);
    assert_eq!(ask(&serving, &operator, Method::POST, "/api/agents/nobody/reconcile").await.0, 404);
    let (status, told) = ask(&serving, &operator, Method::POST, path).await;
    assert_eq!((status, &told["was_held"], &told["held"]), (200, &json!(true), &json!(false)), "{told}");
    assert!(told["told"].as_str().unwrap().starts_with("selam is no longer held: "), "{told}");
    assert!(!says_that_it_is_held(&copy).await);
    let entries = copy.json(&["ledger", "list"]).await;
    assert!(entries.to_string().contains("operator"), "who did it is on the ledger: {entries}");
    let (status, problem) = ask(&serving, &operator, Method::POST, &format!("/api/transfers/{}/cancel", new_task())).await;
    assert_eq!(status, 404, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("no transfer under way"), "{problem}");

    let (status, remembered) = ask(&serving, &reviewer, Method::GET, "/api/agents/selam/memories").await;
    assert_eq!((status, &remembered["items"]), (200, &json!([])), "{remembered}");
    let unknown = format!("/api/agents/selam/memories/{}", new_task());
    assert_eq!(ask(&serving, &reviewer, Method::DELETE, &unknown).await.0, 403);
    assert_eq!(ask(&serving, &operator, Method::DELETE, &unknown).await.0, 404);
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn a_restored_agent_that_never_sent_money_is_let_go_without_any_chain() {
    let folder = Folder::with_config("");
    folder.create_agent().await;
    folder.json(&["backup", "one.tar"]).await;
    let copy = Folder::with_config("");
    assert_eq!(restore(&copy, &folder.path().join("one.tar"), &copy.data()).await.code, Some(0));
    assert!(says_that_it_is_held(&copy).await);

    let told: Value = serde_json::from_str(&reconciled(&copy).await.stdout).unwrap();

    assert_eq!((&told["was_held"], &told["held"], &told["chains"]), (&json!(true), &json!(false), &json!([])), "{told}");
    assert!(!says_that_it_is_held(&copy).await);
}

#[tokio::test]
async fn a_backup_holds_what_a_folder_needs_and_neither_passphrase_nor_token() {
    let (folder, serving) = served().await;
    folder.write("chimera-data/passphrase", "correct horse battery staple");
    let token = fs::read_to_string(folder.data().join("token")).unwrap();

    folder.json(&["backup", "one.tar"]).await;

    let bytes = fs::read(folder.path().join("one.tar")).unwrap();
    let contains = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    for part in [
        "manifest.json",
        "chimera.db",
        "ledger.head",
        "node.key",
        "keystore/vault.json",
        "keystore/keys/selam.json",
        "chain/devnet.journal",
    ] {
        assert!(contains(part.as_bytes()), "{part}");
    }
    assert!(!contains(token.trim().as_bytes()) && !contains(b"correct horse"));
    folder.run(&["backup", "one.tar"]).await.refused(1, &["one.tar", "overwrites nothing"]);
    assert_eq!(fs::read(folder.path().join("one.tar")).unwrap(), bytes);
    folder.run(&["backup", "nowhere/one.tar"]).await.refused(1, &["nowhere/one.tar"]);
    folder.run(&["backup", "two.tar", "--data", "nothing-here"]).await.refused(2, &["nothing-here", "--data"]);
    assert!(!folder.path().join("nothing-here").exists());
    serving.kill().await;
}

#[tokio::test]
async fn a_folder_that_is_contradicted_is_not_backed_up() {
    let (folder, serving) = served().await;
    serving.stop().await;
    fs::remove_file(folder.data().join("ledger.head")).unwrap();

    folder.run(&["backup", "one.tar"]).await.refused(1, &["ledger.head", "missing", "ledger adopt"]);

    assert!(!names(folder.path()).iter().any(|name| name.contains("one.tar")), "{:?}", names(folder.path()));
}

#[tokio::test]
async fn a_restore_changes_nothing_that_is_there() {
    let (folder, serving) = served().await;
    folder.json(&["backup", "one.tar"]).await;
    let file = folder.path().join("one.tar");
    let copy = Folder::with_config(CONFIG);

    restore(&folder, &file, &folder.data()).await.refused(1, &["is not empty", "--data"]);
    let kept = copy.write("taken/something", "of mine");
    restore(&copy, &file, &copy.path().join("taken")).await.refused(1, &["is not empty"]);
    let plain = copy.write("plain-file", "of mine");
    restore(&copy, &file, &plain).await.refused(1, &["plain-file"]);
    restore(&copy, &copy.path().join("missing.tar"), &copy.path().join("fresh")).await.refused(1, &["missing.tar"]);

    assert_eq!(fs::read_to_string(kept).unwrap(), "of mine");
    assert_eq!(names(copy.path()), ["chimera.toml", "plain-file", "taken"]);
    fs::create_dir(copy.path().join("empty")).unwrap();
    assert_eq!(restore(&copy, &file, &copy.path().join("empty")).await.code, Some(0), "an empty folder will do");
    assert_eq!(restore(&copy, &file, &copy.path().join("deep/down/below")).await.code, Some(0));
    serving.kill().await;
}

/// One entry of a tar archive, as POSIX has it. What is odd about it is the caller's.
fn entry(name: &str, kind: u8, size: u64, content: &[u8]) -> Vec<u8> {
    let mut header = vec![0_u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..107].copy_from_slice(b"0000600");
    header[108..115].copy_from_slice(b"0000000");
    header[116..123].copy_from_slice(b"0000000");
    header[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    header[136..147].copy_from_slice(b"00000000000");
    header[156] = kind;
    if kind == b'2' || kind == b'1' {
        header[157..168].copy_from_slice(b"/etc/passwd");
    }
    header[257..263].copy_from_slice(b"ustar\0");
    header[263..265].copy_from_slice(b"00");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header.extend_from_slice(content);
    header.resize(header.len().next_multiple_of(512), 0);
    header
}

fn manifest(version: u64, files: &Value) -> Vec<u8> {
    let text = json!({
        "format": "chimera-backup", "version": version, "chimera": "0.1.0", "created_at": "2026-01-01T00:00:00Z",
        "ledger_entries": 0, "ledger_hash": "", "files": files,
    })
    .to_string();
    entry("manifest.json", b'0', text.len() as u64, text.as_bytes())
}

fn listed(path: &str, content: &[u8]) -> Value {
    json!({"path": path, "bytes": content.len(), "sha256": AssetId::of(content).as_str()})
}

#[tokio::test]
async fn damaged_and_hostile_archives_are_refused_and_leave_nothing_behind() {
    let (folder, serving) = served().await;
    folder.json(&["backup", "good.tar"]).await;
    serving.kill().await;
    let good = fs::read(folder.path().join("good.tar")).unwrap();
    let damaged = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    let of = |name: &str| good.windows(name.len()).rposition(|window| window == name.as_bytes()).unwrap();
    let with =
        |listed_as: &str, entries: &[Vec<u8>]| [vec![manifest(1, &json!([listed(listed_as, b"boo")]))], entries.to_vec()].concat().concat();
    let file = |name: &str| entry(name, b'0', 3, b"boo");
    let archives: Vec<(&str, Vec<u8>, &[&str])> = vec![
        ("empty", Vec::new(), &["not a backup"]),
        ("text", b"dear diary, nothing happened today".repeat(40), &["not a backup"]),
        ("zeros", vec![0; 4096], &["not a backup"]),
        ("another tar", entry("readme", b'0', 2, b"hi"), &["not a backup", "manifest.json"]),
        ("cut in the middle", good[..good.len() / 2].to_vec(), &["cut off"]),
        ("cut at its beginning", good[..700].to_vec(), &["not a backup"]),
        ("cut at its end", good[..of("devnet.journal") + 600].to_vec(), &["cut off"]),
        ("a bit in the database", damaged(of("chimera.db") + 8192), &["damaged", "chimera.db"]),
        ("a bit in a key", damaged(of("keystore/keys/selam.json") + 600), &["damaged", "selam.json"]),
        ("a newer format", manifest(2, &json!([])), &["version 2", "version 1"]),
        ("no version", manifest(1, &json!([])).into_iter().map(|byte| if byte == b'1' { b'x' } else { byte }).collect(), &["not a backup"]),
        ("nothing in it", manifest(1, &json!([])), &["lacks chimera.db"]),
        ("a path upwards", with("../escaped", &[file("../escaped")]), &["../escaped", "does not belong"]),
        ("a path from the root", with("/tmp/escaped", &[file("/tmp/escaped")]), &["/tmp/escaped", "does not belong"]),
        ("a path through a folder", with("assets/../../escaped", &[file("assets/../../escaped")]), &["does not belong"]),
        ("a configuration", with("chimera.toml", &[file("chimera.toml")]), &["chimera.toml", "does not belong"]),
        ("a hidden file", with("assets/.bashrc", &[file("assets/.bashrc")]), &["does not belong"]),
        ("a token", with("token", &[file("token")]), &["does not belong"]),
        ("a file that is not listed", with("node.pub", &[file("node.key")]), &["node.key", "does not belong"]),
        ("a file twice", with("node.pub", &[file("node.pub"), file("node.pub")]), &["node.pub", "twice"]),
        (
            "a file listed twice",
            [manifest(1, &json!([listed("node.pub", b"boo"), listed("node.pub", b"boo")])), file("node.pub")].concat(),
            &["twice"],
        ),
        ("a symbolic link", with("node.key", &[entry("node.key", b'2', 0, b"")]), &["no plain file"]),
        ("a hard link", with("node.key", &[entry("node.key", b'1', 0, b"")]), &["no plain file"]),
        ("a device", with("node.key", &[entry("node.key", b'3', 0, b"")]), &["no plain file"]),
        ("a folder", with("node.key", &[entry("assets/", b'5', 0, b"")]), &["no plain file"]),
        ("a long name", with("node.key", &[entry("././@LongLink", b'L', 3, b"boo"), file("node.key")]), &["no plain file"]),
        ("a pax header", with("node.key", &[entry("pax", b'x', 3, b"boo"), file("node.key")]), &["no plain file"]),
        ("a file with holes", with("node.key", &[entry("node.key", b'S', 3, b"boo")]), &["no plain file"]),
        ("a huge size", with("node.key", &[entry("node.key", b'0', 0o77_777_777_777, b"boo")]), &["damaged"]),
        (
            "a huge size that is listed",
            [
                manifest(1, &json!([{"path": "node.key", "bytes": 0o77_777_777_777_u64, "sha256": ""}])),
                entry("node.key", b'0', 0o77_777_777_777, b"boo"),
            ]
            .concat(),
            &["cut off"],
        ),
        ("a huge list", entry("manifest.json", b'0', 0o77_777_777_777, b"{}"), &["not a backup", "bytes"]),
    ];

    for (what, bytes, parts) in archives {
        let copy = Folder::new();
        let archive = copy.write("archive.tar", bytes);
        let done = restore(&copy, &archive, &copy.path().join("below/data")).await;
        assert_eq!(done.code, Some(1), "{what}: {done:?}");
        done.refused(1, parts);
        assert_eq!(names(&copy.path().join("below")), [""; 0], "{what}");
        assert_eq!(names(copy.path()), ["archive.tar", "below"], "{what}");
    }
}

/// The archive is whole, and what is in it is not a folder of this program.
#[tokio::test]
async fn an_archive_whose_parts_do_not_fit_each_other_is_refused() {
    let (folder, serving) = served().await;
    serving.stop().await;
    let other = Folder::with_config(CONFIG);
    other.create_agent().await;
    folder.json(&["backup", "good.tar"]).await;
    let read = |folder: &Folder, name: &str| fs::read(folder.data().join(name)).unwrap();
    let (database, head, key) = (read(&folder, "chimera.db"), read(&folder, "ledger.head"), read(&folder, "node.key"));
    let changed = {
        let path = folder.write("changed.db", &database);
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(
            "PRAGMA journal_mode = DELETE; \
             INSERT INTO budget_days (kind, name, chain_id, asset, day, spent_units, reserved_units) VALUES ('fees', '', '1', '', '2026-01-01', '7', '0')",
        )
        .unwrap();
        drop(db);
        fs::read(path).unwrap()
    };
    let newer = {
        let path = folder.write("newer.db", &database);
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA user_version = 9999").unwrap();
        drop(db);
        fs::read(path).unwrap()
    };
    for (what, files, part) in [
        (
            "another's key",
            [("chimera.db", &database), ("ledger.head", &head), ("node.key", &read(&other, "node.key"))],
            "not signed by this node",
        ),
        (
            "another's head",
            [("chimera.db", &database), ("ledger.head", &read(&other, "ledger.head")), ("node.key", &key)],
            "not signed by this node",
        ),
        ("no database", [("chimera.db", &b"nothing".to_vec()), ("ledger.head", &head), ("node.key", &key)], "not a database"),
        ("a budget of nobody", [("chimera.db", &changed), ("ledger.head", &head), ("node.key", &key)], "fees on chain 1"),
        ("a newer schema", [("chimera.db", &newer), ("ledger.head", &head), ("node.key", &key)], "newer chimera"),
    ] {
        let list: Vec<Value> = files.iter().map(|(name, content)| listed(name, content)).collect();
        let entries = files.iter().flat_map(|(name, content)| entry(name, b'0', content.len() as u64, content));
        let archive = folder.write("made.tar", [manifest(1, &json!(list)), entries.collect()].concat());

        let done = restore(&folder, &archive, &folder.path().join("below/data")).await;

        assert_eq!(done.code, Some(1), "{what}: {done:?}");
        assert!(done.stderr.contains(part), "{what}: {done:?}");
        done.calm();
        assert_eq!(names(&folder.path().join("below")), [""; 0], "{what}");
    }
}

#[tokio::test]
async fn a_restored_folder_has_its_own_agents_campaigns_and_keys() {
    let (folder, serving) = served().await;
    let agents = folder.json(&["agent", "list"]).await;
    let exported = folder.json(&["ledger", "export"]).await;
    folder.json(&["backup", "one.tar"]).await;
    serving.kill().await;
    let copy = Folder::with_config(CONFIG);

    assert_eq!(restore(&copy, &folder.path().join("one.tar"), &copy.data()).await.code, Some(0));

    assert_eq!(copy.json(&["agent", "list"]).await, agents);
    let told = copy.json(&["ledger", "export"]).await;
    let (before, after) = (exported["entries"].as_array().unwrap(), told["entries"].as_array().unwrap());
    assert_eq!(&after[..before.len()], before.as_slice(), "every entry is as it was");
    assert_eq!(after.len(), before.len() + 1, "and one says that the wallet is held");
    let doctor: Value = serde_json::from_str(&copy.run(&["doctor", "--json"]).await.stdout).unwrap();
    let keystore = doctor["checks"].as_array().unwrap().iter().find(|check| check["check"] == "keystore").unwrap();
    assert_eq!(keystore["ok"], true, "the passphrase opens the restored keystore: {keystore}");
}
