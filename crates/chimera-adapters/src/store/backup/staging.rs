//! A folder that is there while something is being made in it, and gone when that fails.

use std::{
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

pub(super) struct Staging {
    path: PathBuf,
}

impl Staging {
    /// Beside `target`, on the same disk, for the owner's eyes only.
    pub(super) fn beside(target: &Path) -> io::Result<Self> {
        let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it has no name"))?;
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let path = parent.join(format!(".{}.unfinished-{}", name.to_string_lossy(), std::process::id()));
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file of this name is to be; its folder is there.
    pub(super) fn place(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        if let Some(folder) = path.parent() {
            fs::DirBuilder::new().mode(0o700).recursive(true).create(folder)?;
        }
        Ok(path)
    }

    /// Durable when it returns, once its folder is synced.
    pub(super) fn write(&self, name: &str, content: &mut dyn Read) -> io::Result<PathBuf> {
        let path = self.place(name)?;
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        io::copy(content, &mut file)?;
        file.sync_all()?;
        Ok(path)
    }

    /// It is `target` from now on, which is an empty folder or nothing yet.
    pub(super) fn become_folder(mut self, target: &Path) -> io::Result<()> {
        sync_folders(&self.path)?;
        fs::rename(&self.path, target)?;
        self.path = PathBuf::new();
        File::open(target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")))?.sync_all()
    }
}

fn sync_folders(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    File::open(folder)?.sync_all()
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.path.as_os_str().is_empty() {
            return;
        }
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!("{} could not be removed: {error}", self.path.display());
        }
    }
}
