use super::*;

async fn opens(folder: &Path, passphrase: &str) -> bool {
    match keystore(folder, passphrase).unlock().await {
        Ok(()) => true,
        Err(SignerError::WrongPassphrase) => false,
        Err(other) => panic!("{other:?}"),
    }
}

async fn change(store: &Keystore, new: &str) -> Result<(), SignerError> {
    store.change_passphrase(long(new)).await
}

#[tokio::test]
async fn after_a_change_only_the_new_passphrase_opens_and_every_key_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store = keystore(folder.path(), "old");
    let address = store.create(&agent("selam")).await.unwrap();
    let key_file = fs::read(store.key_path(&agent("selam"))).unwrap();

    change(&keystore(folder.path(), "old"), "new").await.unwrap();

    assert!(opens(folder.path(), "new").await && !opens(folder.path(), "old").await);
    let reopened = keystore(folder.path(), "new");
    assert_eq!(reopened.create(&agent("selam")).await.unwrap(), address);
    let signed = reopened.sign(&agent("selam"), &transaction()).await.unwrap();
    let before = store.sign(&agent("selam"), &transaction()).await.unwrap();
    assert_eq!(signed, before, "a process that had opened it goes on working");
    assert_eq!(fs::read(store.key_path(&agent("selam"))).unwrap(), key_file);
    let vault = folder.path().join("keystore/vault.json");
    assert_eq!(fs::metadata(vault).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn a_change_that_cannot_be_made_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let nothing_yet = change(&keystore(folder.path(), "old"), "new").await;
    assert!(matches!(nothing_yet, Err(SignerError::Failed(_))), "{nothing_yet:?}");
    assert!(!folder.path().join("keystore/vault.json").exists());

    keystore(folder.path(), "old").unlock().await.unwrap();
    let vault = folder.path().join("keystore/vault.json");
    let before = fs::read(&vault).unwrap();
    assert!(matches!(change(&keystore(folder.path(), "wrong"), "new").await, Err(SignerError::WrongPassphrase)));
    let locked = Keystore::new(folder.path().join("keystore"), None);
    assert!(matches!(change(&locked, "new").await, Err(SignerError::Locked)));
    {
        let _other_process = files::lock(&folder.path().join("keystore/vault.lock")).unwrap().unwrap();
        let meanwhile = change(&keystore(folder.path(), "old"), "new").await;
        assert!(matches!(meanwhile, Err(SignerError::Failed(_))), "{meanwhile:?}");
    }
    assert_eq!(fs::read(&vault).unwrap(), before);
}

/// A crash leaves the draft unwritten, in part or whole, or already in the vault's place.
#[tokio::test]
async fn whatever_a_crash_leaves_the_old_or_the_new_passphrase_opens() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("keystore");
    let store = keystore(folder.path(), "old");
    store.create(&agent("selam")).await.unwrap();
    let old = fs::read(inside.join("vault.json")).unwrap();
    change(&keystore(folder.path(), "old"), "new").await.unwrap();
    let new = fs::read(inside.join("vault.json")).unwrap();

    for draft in [&b""[..], &new[..new.len() / 2], &new] {
        fs::write(inside.join("vault.json"), &old).unwrap();
        fs::write(inside.join("vault.next"), draft).unwrap();
        assert!(opens(folder.path(), "old").await && !opens(folder.path(), "new").await, "{} bytes of a draft", draft.len());
    }
    change(&keystore(folder.path(), "old"), "again").await.unwrap();
    assert!(opens(folder.path(), "again").await && !opens(folder.path(), "old").await, "what was left behind is in nobody's way");
    assert!(!inside.join("vault.next").exists());
}

#[tokio::test]
async fn of_changes_at_once_one_is_made_and_the_others_know_it() {
    let folder = tempfile::tempdir().unwrap();
    keystore(folder.path(), "old").unlock().await.unwrap();
    let (a, b) = (keystore(folder.path(), "old"), keystore(folder.path(), "old"));

    let (first, second) = tokio::join!(change(&a, "a"), change(&b, "b"));

    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    let valid = if first.is_ok() { "a" } else { "b" };
    assert!(opens(folder.path(), valid).await);
}

#[tokio::test]
async fn nothing_new_is_sealed_with_a_weak_passphrase_and_what_was_opens_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("keystore");
    let weak = || Some(Zeroizing::new("x".to_owned()));

    let made = Keystore::new(inside.clone(), weak()).create(&agent("selam")).await;
    assert!(matches!(made, Err(SignerError::WeakPassphrase { .. })), "{made:?}");
    assert!(!Keystore::is_in(&inside));

    // As a keystore from before there was a least.
    vault::make(&inside.join("vault.json"), "x").unwrap();
    let former = Keystore::new(inside.clone(), weak());
    former.create(&agent("selam")).await.unwrap();
    let exported = former.export(&agent("selam"), &folder.path().join("out.json"), Zeroizing::new("x".to_owned())).await;
    assert!(matches!(exported, Err(ExchangeError::Signer(SignerError::WeakPassphrase { .. }))), "{exported:?}");
    assert!(!folder.path().join("out.json").exists());
    let changed = Keystore::new(inside.clone(), weak()).change_passphrase(Zeroizing::new("y".to_owned())).await;
    assert!(matches!(changed, Err(SignerError::WeakPassphrase { .. })), "{changed:?}");
    change(&Keystore::new(inside, weak()), "new").await.unwrap();
    assert!(opens(folder.path(), "new").await);
}

#[tokio::test]
async fn a_passphrase_is_asked_for_when_it_is_needed_and_dropped_once_the_keystore_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("keystore");
    let asked: Arc<Mutex<Vec<Wanted>>> = Arc::default();
    let asking = || {
        let asked = Arc::clone(&asked);
        Keystore::new(inside.clone(), None).asking(move |wanted| {
            asked.lock().unwrap().push(wanted);
            Ok(long("typed"))
        })
    };

    let first = asking();
    assert!(!first.has_passphrase());
    first.create(&agent("selam")).await.unwrap();
    first.sign(&agent("selam"), &transaction()).await.unwrap();
    let second = asking();
    second.create(&agent("selam")).await.unwrap();
    assert_eq!(*asked.lock().unwrap(), [Wanted::ToSeal], "nobody is asked for what is known");
    second.sign(&agent("selam"), &transaction()).await.unwrap();
    assert_eq!(*asked.lock().unwrap(), [Wanted::ToSeal, Wanted::ToOpen]);

    let given = keystore(folder.path(), "typed");
    given.unlock().await.unwrap();
    assert!(locked(&given.passphrase).is_none() && given.has_passphrase());
    let wrong = keystore(folder.path(), "wrong");
    assert!(wrong.unlock().await.is_err());
    assert!(locked(&wrong.passphrase).is_some(), "the vault may be put right");
}
