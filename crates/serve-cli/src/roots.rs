//! The folders whose files a page may see.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serve::FileRoots;

/// The folders that the command line names; without any the working folder and those of `usual` that are there.
///
/// # Errors
///
/// A folder that is none.
///
/// ```
/// let named = [std::env::temp_dir()];
/// serve_cli::file_roots(&named, &[])?;
/// assert!(serve_cli::file_roots(&["/no/such/folder".into()], &[]).is_err());
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn file_roots(named: &[PathBuf], usual: &[PathBuf]) -> anyhow::Result<FileRoots> {
    let mut roots = FileRoots::default();
    for folder in named {
        roots.add(folder)?;
    }
    if named.is_empty() {
        roots.add(&std::env::current_dir().context("there is no working folder")?)?;
        let there = usual
            .iter()
            .map(PathBuf::as_path)
            .filter(|folder| folder.is_dir());
        add_all(&mut roots, there)?;
    }
    Ok(roots)
}

fn add_all<'a>(
    roots: &mut FileRoots,
    folders: impl Iterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    for folder in folders {
        roots.add(folder)?;
    }
    Ok(())
}

/// The folder for the settings of a page: what an environment variable names, or a folder below that of the user's configuration;
/// `None` where the system has none.
pub fn config_folder(variable: &str, page: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).filter(|named| !named.is_empty());
    named.map(PathBuf::from).or_else(|| {
        let folder = user_config()?;
        Some(folder.join("yaneura").join(page))
    })
}

/// The folder of the user's configuration.
fn user_config() -> Option<PathBuf> {
    let variable = |name: &str| {
        let value = std::env::var_os(name).map(PathBuf::from);
        value.filter(|path| path.is_absolute())
    };
    if cfg!(windows) {
        variable("APPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")))
    }
}
