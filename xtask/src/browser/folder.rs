//! The folder of the pages: files of `crates/serve/ui` and of `crates/browser/page`, the modules, and a service worker that keeps them all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sha2::{Digest as _, Sha256};
use yane_io::AtomicFile;

use super::endings::has_ending;
use super::variants::Game;
use crate::workspace;

/// The files of the folder, by name.
pub(super) struct Folder {
    path: PathBuf,
    files: BTreeMap<String, Vec<u8>>,
    /// Bytes of the others together.
    beside: usize,
}

/// What a page of a server has in its head, and what a page with an engine has in its place.
const HEAD: &str = "<link rel=\"icon\" href=\"data:,\">";

/// Where the page of a game may get things from, and no other.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; \
     connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";

impl Folder {
    /// An empty folder: one that is there is made anew, if it is such a folder.
    pub(super) fn create(path: &Path) -> Result<Self> {
        if path.exists() {
            let is_ours = path.join("sw.js").is_file() || path.read_dir()?.next().is_none();
            ensure!(
                is_ours,
                "{}: has other files; name a folder that is empty or not there",
                path.display()
            );
            std::fs::remove_dir_all(path).with_context(|| path.display().to_string())?;
        }
        std::fs::create_dir_all(path).with_context(|| path.display().to_string())?;
        Ok(Self {
            path: path.to_owned(),
            files: BTreeMap::new(),
            beside: 0,
        })
    }

    /// The number of files.
    pub(super) fn len(&self) -> usize {
        self.files.len() + self.beside
    }

    /// The bytes of a file that was put there.
    pub(super) fn get(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }

    /// The files, by name.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }

    /// Writes a file that the service worker keeps.
    pub(super) fn put(&mut self, name: &str, bytes: Vec<u8>) -> Result<()> {
        self.write(name, &bytes)?;
        self.files.insert(name.to_owned(), bytes);
        Ok(())
    }

    /// Writes a file that it does not keep.
    pub(super) fn put_beside(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.beside += 1;
        self.write(name, bytes)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.path.join(name);
        let parent = path.parent().context("a file of a folder")?;
        std::fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        let mut file = AtomicFile::create(&path)?;
        file.put(bytes)?;
        Ok(file.commit()?)
    }

    /// The pages and all that they load.
    pub(super) fn put_pages(&mut self, games: &[Game]) -> Result<()> {
        let ui = workspace::root().join("crates/serve/ui");
        for name in served_files(&ui)? {
            let of_other = Game::ALL.iter().any(|game| {
                !games.contains(game) && name.starts_with(&format!("{}/", game.name()))
            });
            if of_other {
                continue;
            }
            let path = ui.join(&name);
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            let game = Game::ALL
                .iter()
                .find(|game| name == format!("{}/index.html", game.name()));
            match game {
                Some(_) => self.put(&name, page_with_engine(&bytes)?)?,
                None => self.put(&name, bytes)?,
            }
        }
        let root = workspace::root();
        let own = root.join("crates/browser/page");
        for name in [
            "index.html",
            "start.css",
            "icon.svg",
            "manifest.webmanifest",
        ] {
            let path = own.join(name);
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            self.put(name, bytes)?;
        }
        // The folder is a package for scripts, too. Its licences are those of the workspace.
        for path in [
            own.join("package.json"),
            root.join("LICENSE-MIT"),
            root.join("LICENSE-APACHE"),
        ] {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            self.put_beside(&name, &bytes)?;
        }
        Ok(())
    }

    /// The service worker with the names and hashes of all files.
    pub(super) fn put_worker(&mut self) -> Result<()> {
        let path = workspace::root().join("crates/browser/page/sw.js");
        let script = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let script = with_table(&script, &self.table())?;
        self.put_beside("sw.js", script.as_bytes())
    }

    /// The names of all files with beginnings of their hashes.
    fn table(&self) -> BTreeMap<&str, String> {
        let hash = |bytes: &[u8]| yane_io::hexadecimal(&Sha256::digest(bytes)[..8]);
        self.files()
            .map(|(name, bytes)| (name, hash(bytes)))
            .collect()
    }

    /// The build: what the hashes of all files together have as theirs.
    pub(super) fn build(&self) -> String {
        let mut hash = Sha256::new();
        for (name, of_file) in self.table() {
            hash.update(format!("{name} {of_file}\n"));
        }
        yane_io::hexadecimal(&hash.finalize()[..8])
    }
}

/// The files of the pages that a server serves: no tests, samples and notes.
fn served_files(ui: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut folders = vec![ui.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(ui)?.to_string_lossy().replace('\\', "/");
            let is_served = name.contains('/')
                && !name.ends_with(".test.js")
                && !name.ends_with(".d.ts")
                && !has_ending(&name, "md")
                && !name.ends_with("SUMS");
            if is_served {
                names.push(name);
            }
        }
    }
    names.sort();
    Ok(names)
}

/// A page of a server as one with an engine: addresses are relative to it, and it says where the engine is.
fn page_with_engine(page: &[u8]) -> Result<Vec<u8>> {
    let page = std::str::from_utf8(page)?;
    ensure!(page.contains(HEAD), "the page has no line {HEAD}");
    let head = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"engine\" content=\"../engine/\">\n\
         <link rel=\"manifest\" href=\"../manifest.webmanifest\">\n\
         <link rel=\"icon\" href=\"../icon.svg\">"
    );
    let page = page.replace("=\"/", "=\"../").replacen(HEAD, &head, 1);
    Ok(page.into_bytes())
}

/// The service worker with its table filled in.
fn with_table(script: &str, table: &BTreeMap<&str, String>) -> Result<String> {
    const EMPTY: &str = "const FILES = {};";
    ensure!(script.contains(EMPTY), "sw.js has no line {EMPTY}");
    let table = serde_json::to_string_pretty(table)?;
    Ok(script.replacen(EMPTY, &format!("const FILES = {table};"), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_get_relative_addresses_and_an_engine() {
        for game in Game::ALL {
            let name = format!("crates/serve/ui/{}/index.html", game.name());
            let page = std::fs::read(workspace::root().join(name)).unwrap();
            let page = String::from_utf8(page_with_engine(&page).unwrap()).unwrap();
            assert!(page.contains("<meta name=\"engine\""));
            assert!(!page.contains("=\"/"), "an absolute address");
            let body = format!("<body data-game=\"{}\">", game.name());
            assert!(page.contains(&body));
        }
        assert!(page_with_engine(b"<html>").is_err());
    }

    #[test]
    fn the_service_worker_has_a_place_for_its_table() {
        let script = workspace::root().join("crates/browser/page/sw.js");
        let script = std::fs::read_to_string(script).unwrap();
        let table = BTreeMap::from([("a.js", "00ff".to_owned())]);
        let script = with_table(&script, &table).unwrap();
        assert!(script.contains("\"a.js\": \"00ff\""));
    }

    #[test]
    fn served_files_are_those_of_the_server() {
        let ui = workspace::root().join("crates/serve/ui");
        let names = served_files(&ui).unwrap();
        assert!(names.contains(&"common/link.js".to_owned()));
        assert!(names.contains(&"lang/shogi/ja.json".to_owned()));
        assert!(names.iter().all(|name| !name.contains(".test.")));
    }
}
