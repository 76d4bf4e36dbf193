//! Engines and their settings: entries of settings files, checks for unknown keys and missing programs.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use yane_io::sniff::{Expected, JSON};

use crate::error::{EngineSetupError, ProgramProblem, SettingsError};

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
    #[cfg(feature = "engines")]
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
    #[cfg(feature = "engines")]
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
/// [`EngineSetupError::Program`] names the first that is not.
pub fn check_programs(engines: &[Engine]) -> Result<(), EngineSetupError> {
    for engine in engines.iter().filter(|engine| !engine.is_embedded()) {
        check_program(&engine.path).map_err(|reason| EngineSetupError::Program {
            name: engine.name.clone(),
            reason,
        })?;
    }
    Ok(())
}

/// Checks a program, or the first word of a command.
fn check_program(path: &str) -> Result<(), ProgramProblem> {
    let file = Path::new(path);
    if file.is_file() {
        return check_executable(file);
    }
    if file.is_dir() {
        return Err(ProgramProblem::Folder(path.to_owned()));
    }
    let word = path.split_ascii_whitespace().next().unwrap_or(path);
    let program = Path::new(word);
    let has_folder = program.components().count() > 1;
    if has_folder && program.is_file() {
        return check_executable(program);
    }
    if has_folder {
        return Err(ProgramProblem::NoFile {
            path: path.to_owned(),
            here: env::current_dir().unwrap_or_default(),
        });
    }
    if in_search_path(program).is_some() {
        return Ok(());
    }
    Err(ProgramProblem::NotFound {
        path: path.to_owned(),
        word: word.to_owned(),
    })
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
#[cfg(unix)]
fn check_executable(file: &Path) -> Result<(), ProgramProblem> {
    use std::os::unix::fs::PermissionsExt as _;
    match file.metadata() {
        Ok(data) if data.permissions().mode() & 0o111 == 0 => {
            Err(ProgramProblem::NotExecutable(file.to_owned()))
        }
        _ => Ok(()),
    }
}

/// Any file may be tried here.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
const fn check_executable(_: &Path) -> Result<(), ProgramProblem> {
    Ok(())
}

// Engines in files of settings, and checks for unknown keys.

/// The keys of an engine.
const ENGINE_KEYS: &[&str] = &["path", "name", "multi", "options", "pin"];

/// An engine as it is written: `{path: "…", name: "…", multi: 2, options: {USI_Hash: 64}}`, of which
/// everything but the path may be missing; also `pin`, see [`Engine::pin`].
#[derive(Clone, Debug, Deserialize)]
pub struct EngineEntry {
    path: String,
    name: Option<String>,
    multi: Option<usize>,
    #[serde(default)]
    options: BTreeMap<String, Value>,
    pin: Option<bool>,
}

impl EngineEntry {
    /// The engine. An empty path stands for the one in this process, which has a worker on every processor
    /// by default; others have one.
    ///
    /// # Errors
    /// Names an option with an invalid value.
    pub fn engine(&self) -> Result<Engine, SettingsError> {
        let path = match self.path.trim() {
            "" => Engine::EMBEDDED,
            path => path,
        };
        let text = |(name, value): (&String, &Value)| {
            let value = match value {
                Value::String(text) => text.clone(),
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                _ => {
                    return Err(SettingsError::OptionValue {
                        name: name.clone(),
                        value: value.to_string(),
                    });
                }
            };
            Ok((name.clone(), value))
        };
        Ok(Engine {
            path: path.to_owned(),
            name: self.name.clone().unwrap_or_else(|| path.to_owned()),
            multi: self.multi.unwrap_or(usize::from(path != Engine::EMBEDDED)),
            options: self.options.iter().map(text).collect::<Result<_, _>>()?,
            pin: self.pin,
        })
    }
}

/// Checks that all keys of `value`, which stands at `place`, are `known`.
///
/// # Errors
/// Names the unknown key, and the known one that may be meant.
pub fn check_keys(value: &Value, known: &[&str], place: &str) -> Result<(), SettingsError> {
    let place = || place.to_owned();
    let Value::Object(entries) = value else {
        return Err(SettingsError::NoObject { place: place() });
    };
    let unknown = entries.keys().find(|key| !known.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| {
        let alike = |name: &&&str| strsim::jaro_winkler(&key.to_uppercase(), &name.to_uppercase());
        let best = known.iter().max_by(|a, b| alike(a).total_cmp(&alike(b)));
        let hint = best.filter(|name| alike(name) > 0.8);
        Err(SettingsError::UnknownKey {
            place: place(),
            key: key.clone(),
            hint: hint.map_or_else(
                || format!("expected one of {}", known.join(", ")),
                |name| format!("did you mean {name:?}?"),
            ),
        })
    })
}

/// [`check_keys`] for the engines of the list under `key`, if there is one.
///
/// # Errors
/// See [`check_keys`].
pub fn check_engine_keys(settings: &Value, key: &str) -> Result<(), SettingsError> {
    if let Some(Value::Array(engines)) = settings.get(key) {
        for (number, engine) in engines.iter().enumerate() {
            check_keys(engine, ENGINE_KEYS, &format!("{key}[{number}]: "))?;
        }
    }
    Ok(())
}

/// Reads the engines of a file of settings that has nothing else: `{ENGINE_SETTING: [{path: "…"}, …]}` as
/// JSON5.
///
/// # Errors
/// When it cannot be read, is no JSON5, has an unknown key or an invalid value.
pub fn read_engines(path: &Path) -> Result<Vec<Engine>, yane_io::Error> {
    let expected = Expected {
        accepts: &[JSON],
        ..Expected::text("engines as JSON5")
    };
    let text = yane_io::read_text(path, &expected, yane_io::ReadLimit::Settings)?;
    parse_engines(&String::from_utf8_lossy(&text))
        .map_err(|error| yane_io::Error::file(path, error.to_string()))
}

fn parse_engines(text: &str) -> Result<Vec<Engine>, SettingsError> {
    const KEY: &str = "ENGINE_SETTING";
    let value = parse_json5(text)?;
    check_keys(&value, &[KEY], "")?;
    check_engine_keys(&value, KEY)?;
    let list = value.get(KEY).cloned().unwrap_or(Value::Array(Vec::new()));
    let entries: Vec<EngineEntry> =
        serde_json::from_value(list).map_err(|error| SettingsError::Engines {
            key: KEY.to_owned(),
            reason: error.to_string(),
        })?;
    engines(&entries, KEY)
}

/// Reads JSON5, to a depth of brackets that no settings need: text of brackets alone must not exhaust the stack.
///
/// # Errors
/// Names line and column of the error.
pub fn parse_json5(text: &str) -> Result<Value, SettingsError> {
    const MAX_DEPTH: u32 = 100;
    let mut depth = 0u32;
    for letter in text.chars() {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(SettingsError::TooDeep(MAX_DEPTH));
        }
    }
    json5::from_str(text).map_err(|error| SettingsError::Syntax(error.to_string()))
}

/// The engines of the list under `key`.
///
/// # Errors
/// When it is empty, or an engine is wrong.
pub fn engines(entries: &[EngineEntry], key: &str) -> Result<Vec<Engine>, SettingsError> {
    if entries.is_empty() {
        let key = key.to_owned();
        return Err(SettingsError::NoEngines { key });
    }
    entries.iter().map(EngineEntry::engine).collect()
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

    #[test]
    fn engines_of_a_file() {
        let text = "{ENGINE_SETTING: [{path: 'embedded', multi: 2}, {path: 'ssh far engine', \
                name: 'far', options: {USI_Hash: 64}, pin: true}]}";
        let found = parse_engines(text).unwrap();
        assert_eq!((found[0].is_embedded(), found[0].multi), (true, 2));
        assert_eq!((found[1].name.as_str(), found[1].multi), ("far", 1));
        assert_eq!(found[1].options["USI_Hash"], "64");
        assert_eq!((found[0].pin, found[1].pin), (None, Some(true)));
        for (text, reason) in [
            ("{}", "at least one engine"),
            ("{ENGINE_SETTINGS: []}", "did you mean \"ENGINE_SETTING\"?"),
            ("{ENGINE_SETTING: [{multi: 2}]}", "missing field `path`"),
            ("{ENGINE_SETTING: 5}", "ENGINE_SETTING: "),
            ("[", "EOF"),
            ("{ENGINE_SETTING: [\n{path: }]}", "line 2 column 8"),
        ] {
            let error = parse_engines(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
        let deep = "[".repeat(200_000);
        let error = parse_engines(&deep).unwrap_err();
        assert!(error.to_string().contains("brackets"), "{error}");
    }
}
