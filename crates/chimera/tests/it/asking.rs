//! Passphrases that are asked for at a terminal, and those that are too weak to be taken.

use crate::{
    peers::{Peer, program},
    program::{Finished, Folder, SOUL, run},
};
use serde_json::{Value, json};
use tokio::process::Command;

const TYPED: &str = "typed by hand";

/// Runs a program at a terminal of its own; answers the questions, which end with ": ", one after another.
const TERMINAL: &str = r#"
import json, os, pty, sys
answers = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
shown = b""
asked = 0
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
    if answers and len(shown) > asked and shown.endswith(b": "):
        asked = len(shown)
        os.write(terminal, answers.pop(0).encode())
_, status = os.waitpid(pid, 0)
print(json.dumps({"shown": shown.decode(), "code": os.waitstatus_to_exitcode(status), "unasked": answers}))
"#;

/// What a person sees who runs the program with `args` and types `answers`.
async fn at_terminal(folder: &Folder, args: &[&str], answers: &[&str]) -> Option<Value> {
    let mut command = Command::new(program(Peer::Python)?);
    let chimera = folder.command(&[]);
    command.args(["-c", TERMINAL, &json!(answers).to_string(), chimera.as_std().get_program().to_str().unwrap()]).args(args);
    command.current_dir(folder.path()).env_clear().env("PATH", "/usr/bin:/bin").env("TERM", "xterm").env("NO_COLOR", "1");
    let done = run(command, b"").await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let seen: Value = serde_json::from_str(&done.stdout).unwrap();
    assert!(!seen["shown"].as_str().unwrap().contains(TYPED), "what is typed is not shown: {seen:#}");
    Some(seen)
}

#[track_caller]
fn went(seen: &Value, code: i32, parts: &[&str]) {
    assert_eq!(seen["code"], code, "{seen:#}");
    assert_eq!(seen["unasked"], json!([]), "{seen:#}");
    for part in parts {
        assert!(seen["shown"].as_str().unwrap().contains(part), "{part:?} is missing: {seen:#}");
    }
}

async fn without_passphrase(folder: &Folder, args: &[&str]) -> Finished {
    let mut command = folder.command(args);
    command.env_remove("CHIMERA_WALLET_PASSPHRASE");
    run(command, b"").await
}

#[tokio::test]
async fn at_a_terminal_a_passphrase_is_asked_for_unseen_and_twice_where_it_seals() {
    let folder = Folder::new();
    folder.write("soul.md", SOUL);
    let create = ["agent", "create", "--soul", "soul.md"];
    let typed = format!("{TYPED}\r");
    let other = format!("{TYPED} otherwise\r");

    let Some(slip) = at_terminal(&folder, &create, &[&typed, &other, &typed, &typed]).await else { return };
    went(&slip, 0, &["a new passphrase for the keystore", "the same again", "the two are not the same", "created selam"]);

    let export = |out: &'static str| ["wallet", "export", "--agent", "selam", "--out", out];
    let exported = at_terminal(&folder, &export("out.json"), &[&typed, &typed, &typed]).await.unwrap();
    went(&exported, 0, &["the passphrase that the exported file gets", "the passphrase of the keystore in"]);
    let wrong = at_terminal(&folder, &export("other.json"), &[&typed, &typed, &other]).await.unwrap();
    went(&wrong, 1, &["the passphrase does not open the keystore"]);
    let interrupted = at_terminal(&folder, &export("other.json"), &["half of it\u{3}"]).await.unwrap();
    went(&interrupted, 1, &["interrupted"]);
    let server = at_terminal(&folder, &["serve", "--listen", "127.0.0.1:0"], &[&other]).await.unwrap();
    went(&server, 1, &["the passphrase does not open the keystore"]);
    assert!(!folder.path().join("other.json").exists());

    let unasked = at_terminal(&folder, &["agent", "list"], &[]).await.unwrap();
    went(&unasked, 0, &["selam"]);
    let doctor = at_terminal(&folder, &["doctor"], &[]).await.unwrap();
    assert!(!doctor["shown"].as_str().unwrap().contains("the passphrase of the keystore"), "{doctor:#}");
    let mut given = folder.command(&["wallet", "export", "--agent", "selam", "--out", "third.json"]);
    given.env("CHIMERA_WALLET_PASSPHRASE", TYPED).env("CHIMERA_EXPORT_PASSPHRASE", "on its way out");
    assert_eq!(run(given, b"").await.code, Some(0), "what was typed is what a variable would have given");
}

#[tokio::test]
async fn without_a_terminal_the_error_says_which_variable_to_set() {
    let folder = Folder::new();
    folder.write("soul.md", SOUL);
    let create = without_passphrase(&folder, &["agent", "create", "--soul", "soul.md"]).await;
    create.refused(1, &["CHIMERA_WALLET_PASSPHRASE", "CHIMERA_WALLET_PASSPHRASE_FILE"]);

    folder.create_agent().await;
    let export = folder.run(&["wallet", "export", "--agent", "selam", "--out", "out.json"]).await;
    export.refused(2, &["CHIMERA_EXPORT_PASSPHRASE is not set", "CHIMERA_EXPORT_PASSPHRASE_FILE"]);
}

#[tokio::test]
async fn a_weak_passphrase_seals_nothing_and_the_error_says_what_is_wanted() {
    let folder = Folder::new();
    folder.write("soul.md", SOUL);
    for weak in ["x", "short", "aaaaaaaaaaaaaaaa"] {
        let mut create = folder.command(&["agent", "create", "--soul", "soul.md"]);
        create.env("CHIMERA_WALLET_PASSPHRASE", weak);
        run(create, b"").await.refused(1, &["at least 8", "4 of them different", "words that nobody would guess"]);
    }
    assert!(!folder.data().join("keystore/vault.json").exists());

    folder.create_agent().await;
    let mut change = folder.command(&["wallet", "passphrase"]);
    change.env("CHIMERA_NEW_WALLET_PASSPHRASE", "x");
    run(change, b"").await.refused(1, &["at least 8"]);
    let mut export = folder.command(&["wallet", "export", "--agent", "selam", "--out", "out.json"]);
    export.env("CHIMERA_EXPORT_PASSPHRASE", "x");
    run(export, b"").await.refused(1, &["at least 8"]);
    assert!(!folder.path().join("out.json").exists());
}
