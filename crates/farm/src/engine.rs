//! An engine as settings describe it.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use crate::{FarmError, Result};

/// An engine and how often it works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// The program (`path`), with arguments where it is no file; `ssh host command` runs one elsewhere,
    /// and `embedded` is the engine in this process.
    pub path: String,
    /// The name (`name`).
    pub name: String,
    /// The number of workers (`multi`); 0 stands for as many as there are processors.
    pub multi: usize,
    /// USI options to set (`options`).
    pub options: BTreeMap<String, String>,
    /// Pins each worker to one processor together with its process (`pin`); `None`: see
    /// [`EnginePool::new`](crate::EnginePool::new).
    pub pin: Option<bool>,
}

impl Engine {
    /// The [`Self::path`] of the engine in this process.
    pub const EMBEDDED: &str = "embedded";

    /// The engine in this process, with a worker on every processor.
    pub fn embedded() -> Self {
        Self {
            multi: 0,
            ..Self::program(Self::EMBEDDED)
        }
    }

    /// A program, or a command with arguments, with one worker.
    pub fn program(path: impl Into<String>) -> Self {
        let path = path.into();
        Self {
            name: path.clone(),
            path,
            multi: 1,
            options: BTreeMap::new(),
            pin: None,
        }
    }

    /// True for a program on this machine, as far as can be seen.
    pub(crate) fn is_local_program(&self) -> bool {
        let program = self
            .path
            .split_ascii_whitespace()
            .next()
            .unwrap_or_default();
        let name = Path::new(program).file_stem().unwrap_or_default();
        !self.is_embedded() && !name.eq_ignore_ascii_case("ssh")
    }

    /// True if its options set several threads.
    pub(crate) fn has_threads(&self) -> bool {
        let is_threads = |name: &str| name.eq_ignore_ascii_case("Threads");
        let mut options = self.options.iter();
        options.any(|(name, value)| is_threads(name) && value.trim() != "1")
    }

    /// True for the engine in this process.
    pub fn is_embedded(&self) -> bool {
        self.path == Self::EMBEDDED
    }
}

/// Checks that the programs of `engines` are there, before anything is started.
///
/// # Errors
/// [`FarmError::Program`] names the first that is not.
pub fn check_programs(engines: &[Engine]) -> Result<()> {
    for engine in engines.iter().filter(|engine| !engine.is_embedded()) {
        check_program(&engine.path).map_err(|reason| FarmError::Program {
            name: engine.name.clone(),
            reason,
        })?;
    }
    Ok(())
}

/// Checks a program, or the first word of a command.
fn check_program(path: &str) -> std::result::Result<(), String> {
    let file = Path::new(path);
    if file.is_file() {
        return check_executable(file);
    }
    if file.is_dir() {
        return Err(format!("{path} is a folder, expected a program"));
    }
    let word = path.split_ascii_whitespace().next().unwrap_or(path);
    let program = Path::new(word);
    let has_folder = program.components().count() > 1;
    if has_folder && program.is_file() {
        return check_executable(program);
    }
    if has_folder {
        let here = env::current_dir().unwrap_or_default();
        return Err(format!(
            "{path}: there is no such file (relative to {})",
            here.display()
        ));
    }
    if in_search_path(program).is_some() {
        return Ok(());
    }
    Err(format!(
        "{path}: there is no such file, and no program {word} in PATH"
    ))
}

/// The file that the system finds under a program's name alone.
fn in_search_path(program: &Path) -> Option<PathBuf> {
    let extensions: &[&str] = if cfg!(windows) {
        &["", ".exe", ".bat", ".cmd", ".com"]
    } else {
        &[""]
    };
    let folders = env::var_os("PATH").unwrap_or_default();
    // Windows looks beside this program too.
    let beside = env::current_exe().ok().filter(|_| cfg!(windows));
    let beside = beside.and_then(|file| file.parent().map(Path::to_owned));
    env::split_paths(&folders).chain(beside).find_map(|folder| {
        let mut files = extensions.iter().map(|extension| {
            let mut file = folder.join(program).into_os_string();
            file.push(extension);
            PathBuf::from(file)
        });
        files.find(|file| file.is_file())
    })
}

/// Checks that the file may be executed.
fn check_executable(file: &Path) -> std::result::Result<(), String> {
    #[cfg(unix)]
    if let Ok(data) = file.metadata() {
        use std::os::unix::fs::PermissionsExt as _;
        if data.permissions().mode() & 0o111 == 0 {
            let file = file.display();
            return Err(format!(
                "{file} is not executable (chmod +x {file} makes it so)"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn missing_programs_are_named() {
        let folder = TestFolder::new();
        let path = |name: &str| folder.path(name).to_str().unwrap().to_owned();
        folder.write("plain", "");
        for (program, reason) in [
            (path("none"), "there is no such file"),
            (format!("{} --flag", path("none")), "there is no such file"),
            (
                "no-such-engine --flag".to_owned(),
                "no program no-such-engine in PATH",
            ),
            (path("."), "is a folder"),
        ] {
            let mut engine = Engine::program(program.clone());
            engine.name = "far".to_owned();
            let error = check_programs(&[Engine::embedded(), engine]).unwrap_err();
            let error = error.to_string();
            assert!(error.starts_with("engine far: "), "{error}");
            assert!(
                error.contains(reason) && error.contains(&program),
                "{error}"
            );
        }
        if cfg!(unix) {
            let error = check_programs(&[Engine::program(path("plain"))]).unwrap_err();
            assert!(error.to_string().contains("not executable"), "{error}");
            check_programs(&[Engine::program("sh -c true"), Engine::program("/bin/sh")]).unwrap();
        }
        check_programs(&[Engine::embedded()]).unwrap();
    }
}
