//! Logos that a SOUL names: PNG files below one folder.

use std::{
    fs,
    path::{Component, Path, PathBuf},
    sync::Arc,
};
use tiny_skia::Pixmap;

/// A logo is drawn a few hundred pixels wide; anything larger is a mistake.
const LOGO_BYTES_MAX: u64 = 4 * 1024 * 1024;

pub struct Logos {
    folder: PathBuf,
}

impl Logos {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// `None` with a warning when it cannot be read: the initials of the name stand in for it.
    pub fn find(&self, name: &str) -> Option<Arc<Pixmap>> {
        match self.read(name) {
            Ok(logo) => Some(Arc::new(logo)),
            Err(problem) => {
                tracing::warn!(logo = name, "brand.logo {name:?} cannot be used, the initials stand in for it: {problem}");
                None
            }
        }
    }

    fn read(&self, name: &str) -> Result<Pixmap, String> {
        let relative = Path::new(name);
        let inside = relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !inside {
            return Err("it must be a PNG file below the configuration's folder".to_owned());
        }
        let path = self.folder.join(relative);
        let bytes = fs::metadata(&path).map_err(|error| error.to_string())?.len();
        if bytes > LOGO_BYTES_MAX {
            return Err(format!("it has {bytes} bytes, may have at most {LOGO_BYTES_MAX}"));
        }
        let file = fs::read(&path).map_err(|error| error.to_string())?;
        Pixmap::decode_png(&file).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logo_is_a_png_below_the_folder_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let logo = Pixmap::new(8, 4).unwrap();
        logo.save_png(folder.path().join("logo.png")).unwrap();
        fs::write(folder.path().join("text.png"), "no picture").unwrap();
        let logos = Logos::new(folder.path().join("."));

        assert_eq!(logos.find("./logo.png").map(|found| (found.width(), found.height())), Some((8, 4)));
        let outside = format!("{}/logo.png", folder.path().display());
        for name in ["text.png", "missing.png", "../logo.png", outside.as_str(), ""] {
            assert!(logos.find(name).is_none(), "{name:?}");
        }
    }
}
