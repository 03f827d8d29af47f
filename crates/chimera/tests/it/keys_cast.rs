//! Foundry's real `cast` and our keystore read each other's files.

use crate::{
    keys::{ADDRESS, KEY, run_with},
    peers::{self, Peer},
    program::{Finished, Folder, SOUL, run},
};
use std::path::Path;
use tokio::process::Command;

const ON_THE_WAY: &str = "correct horse on the way";

async fn cast(program: &Path, folder: &Folder, args: &[&str]) -> Finished {
    let mut command = Command::new(program);
    // Its settings and caches are nobody's business here.
    command.args(args).current_dir(folder.path()).env("HOME", folder.path());
    run(command, b"").await
}

#[tokio::test]
async fn cast_and_chimera_read_each_others_key_files() {
    let Some(program) = peers::program(Peer::Cast) else { return };
    let folder = Folder::new();
    folder.write("soul.md", SOUL);
    let prefixed = format!("0x{KEY}");
    let made = cast(
        &program,
        &folder,
        &["wallet", "import", "theirs", "--keystore-dir", ".", "--private-key", &prefixed, "--unsafe-password", ON_THE_WAY],
    )
    .await;
    assert_eq!(made.code, Some(0), "{made:?}");

    let args = ["agent", "create", "--soul", "soul.md", "--import", "theirs", "--json"];
    let imported = run_with(&folder, &[("CHIMERA_IMPORT_PASSPHRASE", ON_THE_WAY)], &args).await;
    assert!(imported.code == Some(0) && imported.stdout.contains(ADDRESS), "{imported:?}");
    let args = ["wallet", "export", "--agent", "selam", "--out", "ours"];
    let exported = run_with(&folder, &[("CHIMERA_EXPORT_PASSPHRASE", "back again")], &args).await;
    assert_eq!(exported.code, Some(0), "{exported:?}");

    let address = cast(&program, &folder, &["wallet", "address", "--keystore", "ours", "--password", "back again"]).await;
    assert_eq!((address.code, address.stdout.trim()), (Some(0), ADDRESS), "{address:?}");
    let opened =
        cast(&program, &folder, &["wallet", "decrypt-keystore", "ours", "--keystore-dir", ".", "--unsafe-password", "back again"]).await;
    assert!(opened.code == Some(0) && opened.stdout.contains(&prefixed), "{opened:?}");
    let wrong = cast(&program, &folder, &["wallet", "decrypt-keystore", "ours", "--keystore-dir", ".", "--unsafe-password", "wrong"]).await;
    assert_ne!(wrong.code, Some(0), "{wrong:?}");
}
