use super::*;

async fn opened(path: &Path, passphrase: &str) -> OpenedKey {
    OpenedKey::read(path.to_owned(), long(passphrase)).await.unwrap()
}

#[tokio::test]
async fn an_exported_key_is_another_keystores_to_import_and_signs_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (keystore(&folder.path().join("here"), "here"), keystore(&folder.path().join("there"), "there"));
    let address = here.create(&agent("selam")).await.unwrap();
    let path = folder.path().join("selam.json");

    assert_eq!(here.export(&agent("selam"), &path, long("on the way")).await.unwrap(), address);
    let key = opened(&path, "on the way").await;
    assert_eq!(there.import(&agent("selam"), &key).await.unwrap(), address);
    assert_eq!(there.import(&agent("selam"), &key).await.unwrap(), address, "importing is safe to repeat");

    let (one, other) =
        (here.sign(&agent("selam"), &transaction()).await.unwrap(), there.sign(&agent("selam"), &transaction()).await.unwrap());
    assert_eq!(one.raw, other.raw);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(matches!(OpenedKey::read(path, long("here")).await, Err(ExchangeError::File { source: Web3Error::NotOpened, .. })));
    assert_eq!(format!("{key:?}"), format!("OpenedKey({address}, masked)"));
}

#[tokio::test]
async fn an_export_overwrites_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = keystore(folder.path(), "p");
    store.create(&agent("selam")).await.unwrap();
    let path = folder.path().join("there.json");
    fs::write(&path, "mine").unwrap();

    let outcome = store.export(&agent("selam"), &path, long("x")).await;

    assert!(matches!(outcome, Err(ExchangeError::Exists(_))), "{outcome:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    let nobody = store.export(&agent("nobody"), &folder.path().join("new.json"), long("x")).await;
    assert!(matches!(nobody, Err(ExchangeError::Signer(SignerError::NoKey(_)))), "{nobody:?}");
    assert!(!folder.path().join("new.json").exists());
}

#[tokio::test]
async fn an_agent_keeps_the_key_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let store = keystore(folder.path(), "p");
    let (selam, tariku) = (store.create(&agent("selam")).await.unwrap(), store.create(&agent("tariku")).await.unwrap());
    let path = folder.path().join("tariku.json");
    store.export(&agent("tariku"), &path, long("x")).await.unwrap();
    let before = fs::read(store.key_path(&agent("selam"))).unwrap();

    let outcome = store.import(&agent("selam"), &opened(&path, "x").await).await;

    assert!(
        matches!(&outcome, Err(ExchangeError::HasAnother { kept, offered, .. }) if (*kept, *offered) == (selam, tariku)),
        "{outcome:?}"
    );
    assert_eq!(fs::read(store.key_path(&agent("selam"))).unwrap(), before);
}

#[tokio::test]
async fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large.json");
    fs::write(&large, vec![b' '; (64 << 10) + 1]).unwrap();
    for path in [folder.path().join("nowhere.json"), large, folder.path().to_owned()] {
        let error = OpenedKey::read(path.clone(), long("x")).await.unwrap_err();
        assert!(matches!(error, ExchangeError::Io { .. }), "{error:?}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
}
