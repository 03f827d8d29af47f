//! The data folder is its owner's alone: made so, and made so again where it was not.

use crate::program::Folder;
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

/// Everything in `folder`, with its mode.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let mut found = vec![(folder.display().to_string(), mode(folder))];
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(modes(&entry.path()));
        } else {
            found.push((entry.path().display().to_string(), mode(&entry.path())));
        }
    }
    found
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[track_caller]
fn is_private(folder: &Path) -> Vec<String> {
    let found = modes(folder);
    let expected = |path: &str| if Path::new(path).is_dir() { 0o700 } else { 0o600 };
    let wide: Vec<_> =
        found.iter().filter(|(path, mode)| *mode != expected(path)).map(|(path, mode)| format!("{path} {mode:04o}")).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    found.into_iter().map(|(path, _)| path).collect()
}

#[tokio::test]
async fn whatever_runs_leaves_nothing_that_another_user_may_read() {
    let folder = Folder::new();
    let mut demo = folder.command(&["demo", "--once", "--json"]);
    demo.env_remove("CHIMERA_WALLET_PASSPHRASE");
    assert_eq!(crate::program::run(demo, b"").await.code, Some(0));
    let mut serve = folder.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    serve.env_remove("CHIMERA_WALLET_PASSPHRASE");
    let serving = folder.serving(serve).await;
    let card = serde_json::json!({
        "task_id": "00000000-0000-4000-8000-000000000001", "agent_id": "selam", "campaign_id": "spring", "content_type": "image",
        "platform": "twitter", "goal_context": "show what makers build",
    });
    let _ = folder.run_with_input(&["call", "skill_content_generator", "--server", &serving.url], card.to_string().as_bytes()).await;
    let while_serving = is_private(&folder.data());
    serving.stop().await;

    let after = is_private(&folder.data());
    let all = [while_serving, after].concat();
    for name in [
        "chimera.db",
        "chimera.db-wal",
        "chimera.db-shm",
        "token",
        "passphrase",
        "serve.lock",
        "ledger.head",
        "ledger.lock",
        "node.key",
        "node.pub",
        "keystore/vault.json",
        "keystore/keys/selam.json",
        "chain/rpc-url",
        "demo/chimera.toml",
    ] {
        assert!(all.iter().any(|path| path.ends_with(name)), "{name} is not there: {all:#?}");
    }
}

#[tokio::test]
async fn a_folder_that_others_could_read_is_closed_with_a_word_on_it() {
    let folder = Folder::new();
    folder.create_agent().await;
    let data = folder.data();
    for (path, wide) in
        [(data.clone(), 0o755), (data.join("chimera.db"), 0o644), (data.join("keystore"), 0o755), (data.join("keystore/vault.json"), 0o644)]
    {
        fs::set_permissions(path, fs::Permissions::from_mode(wide)).unwrap();
    }

    let listed = folder.run(&["agent", "list"]).await;

    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(listed.stderr.contains("others could read the data folder") && listed.stderr.contains("0755"), "{listed:?}");
    is_private(&data);
    let again = folder.run(&["agent", "list"]).await;
    assert_eq!(again.stderr, "", "said once");
}

#[tokio::test]
async fn a_folder_that_is_shared_with_others_is_refused_and_left_as_it_is() {
    let folder = Folder::new();
    folder.write("shared/of-somebody-else", "x");
    fs::set_permissions(folder.path().join("shared"), fs::Permissions::from_mode(0o755)).unwrap();

    for args in [
        &["agent", "list", "--data", "shared"][..],
        &["serve", "--listen", "127.0.0.1:0", "--data", "shared"],
        &["demo", "--once", "--data", "shared"],
    ] {
        folder.run(args).await.refused(1, &["shared", "--data", "chmod 700"]);
    }

    assert_eq!(mode(&folder.path().join("shared")), 0o755);
    assert_eq!(fs::read_dir(folder.path().join("shared")).unwrap().count(), 1);
}
