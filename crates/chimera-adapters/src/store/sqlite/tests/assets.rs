//! What the port cannot see: the files.

use super::super::{SqliteStore, assets::AssetFolder};
use chimera_core::{
    ports::assets::Assets,
    testing::suites::{self, assets::image},
};
use std::fs;
use tempfile::TempDir;

fn fresh() -> (TempDir, AssetFolder) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("chimera.db")).unwrap();
    let assets = AssetFolder::new(store, folder.path().join("assets"));
    (folder, assets)
}

#[tokio::test]
async fn assets_hold_to_the_port() {
    suites::assets::all(fresh).await;
}

#[tokio::test]
async fn a_file_is_named_by_what_it_holds_and_no_draft_is_left() {
    let (folder, assets) = fresh();
    let asset = image(b"picture");

    let saves = (0..8).map(|_| assets.save(&asset, b"picture".to_vec()));
    futures::future::try_join_all(saves).await.unwrap();

    let names: Vec<_> = fs::read_dir(folder.path().join("assets")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [asset.id.as_str()]);
}

#[tokio::test]
async fn bytes_that_are_not_the_assets_are_neither_saved_nor_given_out() {
    let (folder, assets) = fresh();
    let asset = image(b"picture");
    assert!(assets.save(&asset, b"another".to_vec()).await.is_err());
    assert_eq!(assets.find(&asset.id).await.unwrap(), None);
    assets.save(&asset, b"picture".to_vec()).await.unwrap();

    fs::write(folder.path().join("assets").join(asset.id.as_str()), b"pictura").unwrap();

    assert!(assets.read(&asset.id).await.is_err());
    assets.save(&asset, b"picture".to_vec()).await.unwrap();
    assert_eq!(assets.read(&asset.id).await.unwrap().as_deref(), Some(&b"picture"[..]), "saving again mends the file");
}
