//! `settings`: what the engine begins with where no option says otherwise, in a file of the user's.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use othello_book::files::BookInput;
use othello_search::PlayLevel;
use serde_json::{Map, Value, json};
use yane_cli::{Settings, Size, UsageError, print};
use yane_io::{AtomicFile, Error, ReadLimit};

use crate::args::SettingsArgs;

/// The variable that names the file.
const VARIABLE: &str = "OTHELLO_SETTINGS";

/// The settings of the engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EngineSettings {
    /// The file that they are from, if there is one.
    file: Option<PathBuf>,
    /// A book to play from.
    pub(crate) book: Option<PathBuf>,
    /// The level, 0 to 60.
    pub(crate) level: Option<u32>,
    /// The size of the transposition table, as it is written.
    hash: Option<String>,
}

impl EngineSettings {
    /// The settings of the user's file; none if there is no such file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or says something else than settings.
    pub(crate) fn load() -> anyhow::Result<Self> {
        match file() {
            Some(path) if path.exists() => Self::read(&path),
            _ => Ok(Self::default()),
        }
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = ReadLimit::Settings.read_string(path)?;
        let parsed = Self::parse(&text).map_err(|error| Error::file(path, error))?;
        Ok(Self {
            file: Some(path.to_owned()),
            ..parsed
        })
    }

    /// Parses the text of a file: an object (JSON5) with `book`, `level` and `hash`, none of which must be there.
    fn parse(text: &str) -> Result<Self, String> {
        let all: Map<String, Value> = json5::from_str(text).map_err(|error| error.to_string())?;
        let mut settings = Self::default();
        for (name, value) in &all {
            let wrong = |expected: &str| format!("{name}: {expected} was expected, not {value}");
            match name.as_str() {
                "book" => {
                    let path = value.as_str().filter(|path| !path.is_empty());
                    settings.book = Some(path.ok_or_else(|| wrong("the path of a book"))?.into());
                }
                "level" => {
                    let level = value.as_u64().filter(|level| *level <= 60);
                    let level = level.ok_or_else(|| wrong("a number from 0 to 60"))?;
                    settings.level = Some(level as u32);
                }
                "hash" => {
                    let size = value.as_str().filter(|size| size.parse::<Size>().is_ok());
                    let size = size.ok_or_else(|| wrong("a size such as \"256M\""))?;
                    settings.hash = Some(size.to_owned());
                }
                _ => {
                    let text = "is no setting: book, level or hash was expected";
                    return Err(format!("{name} {text}"));
                }
            }
        }
        Ok(settings)
    }

    /// The bytes of the transposition table.
    pub(crate) fn hash(&self) -> Option<u64> {
        let size: Size = self.hash.as_ref()?.parse().ok()?;
        Some(size.bytes())
    }

    /// What an error of the book is told with.
    pub(crate) fn context(&self) -> String {
        let file = self.file.as_ref().map(|file| file.display().to_string());
        format!("the book of {}", file.unwrap_or_default())
    }

    fn json(&self) -> Map<String, Value> {
        let mut all = Map::new();
        if let Some(book) = &self.book {
            all.insert("book".to_owned(), json!(book.to_string_lossy()));
        }
        if let Some(level) = self.level {
            all.insert("level".to_owned(), json!(level));
        }
        if let Some(hash) = &self.hash {
            all.insert("hash".to_owned(), json!(hash));
        }
        all
    }

    fn write(&self, path: &Path) -> anyhow::Result<()> {
        let folder = yane_io::folder_of(path);
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let mut file = AtomicFile::create(path)?;
        file.put(format!("{:#}\n", Value::Object(self.json())).as_bytes())?;
        file.commit()?;
        Ok(())
    }
}

/// The file of the settings; `None` where the system has no folder for such.
fn file() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let variable = |name: &str| {
        let value = std::env::var_os(name).map(PathBuf::from);
        value.filter(|path| path.is_absolute())
    };
    let folder = if cfg!(windows) {
        variable("APPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")))
    };
    Some(folder?.join("yaneura").join("othello.json5"))
}

/// The folder of the settings, where the page keeps its own too; `None` where the system has none.
pub(crate) fn folder() -> Option<PathBuf> {
    file().map(|file| yane_io::folder_of(&file))
}

/// Shows the settings, after they were changed if that is wanted.
pub(crate) fn run(args: &SettingsArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let path =
        file().with_context(|| format!("there is no folder for settings: set {VARIABLE}"))?;
    let mut own = EngineSettings::load()?;
    let before = own.clone();
    for name in &args.unset {
        match name.as_str() {
            "book" => own.book = None,
            "level" => own.level = None,
            _ => own.hash = None,
        }
    }
    if let Some(book) = &args.book {
        // What is no book would be found out in the middle of a game.
        BookInput::open(book)?;
        own.book = Some(std::fs::canonicalize(book).map_err(Error::io(book))?);
    }
    own.level = args.level.or(own.level);
    if let Some(size) = args.hash {
        crate::settings::hash_bytes(size.bytes())?;
        own.hash = Some(text_of(size));
    }
    let is_same = (&own.book, own.level, &own.hash) == (&before.book, before.level, &before.hash);
    let is_asked = args.book.is_some() || args.level.is_some() || args.hash.is_some();
    if is_asked && !args.unset.is_empty() {
        let both = args.unset.iter().find(|name| match name.as_str() {
            "book" => args.book.is_some(),
            "level" => args.level.is_some(),
            _ => args.hash.is_some(),
        });
        if let Some(name) = both {
            return Err(UsageError(format!("--{name} and --unset {name} contradict")).into());
        }
    }
    if !is_same {
        own.write(&path)?;
    }
    if settings.json {
        let mut all = own.json();
        all.insert("file".to_owned(), json!(path.to_string_lossy()));
        print::json(&Value::Object(all))?;
        return Ok(ExitCode::SUCCESS);
    }
    let level = own.level.unwrap_or(PlayLevel::default().number());
    let text = |value: Option<String>, default: &str| value.unwrap_or_else(|| default.to_owned());
    let book = own.book.as_ref().map(|book| book.display().to_string());
    let is_there = if path.exists() {
        ""
    } else {
        " (not there yet)"
    };
    print::lines([
        format!("file: {}{is_there}", path.display()),
        format!("book: {}", text(book, "none")),
        format!("level: {level}"),
        format!("hash: {}", text(own.hash.clone(), "256M")),
    ])?;
    Ok(ExitCode::SUCCESS)
}

/// A size in the largest unit that it is a multiple of.
fn text_of(size: Size) -> String {
    let bytes = size.bytes();
    let units = [(30, "G"), (20, "M"), (10, "K")];
    let unit = units
        .iter()
        .find(|(shift, _)| bytes.is_multiple_of(1 << shift));
    unit.map_or_else(
        || bytes.to_string(),
        |(shift, name)| format!("{}{name}", bytes >> shift),
    )
}

/// The bytes of a transposition table, if the machine has so many.
pub(crate) fn hash_bytes(bytes: u64) -> Result<usize, UsageError> {
    #[cfg(target_os = "linux")]
    let most = yane_base::memory::total_memory().unwrap_or(u64::MAX);
    #[cfg(not(target_os = "linux"))]
    let most = isize::MAX as u64;
    let addressed = usize::try_from(bytes).ok().filter(|_| bytes <= most);
    addressed.ok_or_else(|| {
        UsageError(format!(
            "--hash: {} MiB are more than the {} MiB that this machine has",
            bytes >> 20,
            most >> 20
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_parsed() {
        let parsed = EngineSettings::parse("{ book: 'a.egbk3', level: 17, hash: \"1G\" } // mine");
        let parsed = parsed.unwrap();
        assert_eq!(parsed.book.as_deref(), Some(Path::new("a.egbk3")));
        assert_eq!((parsed.level, parsed.hash()), (Some(17), Some(1 << 30)));
        assert_eq!(
            EngineSettings::parse("{}").unwrap(),
            EngineSettings::default()
        );
        for (text, told) in [
            (
                "{ level: 61 }",
                "level: a number from 0 to 60 was expected, not 61",
            ),
            ("{ hash: 256 }", "hash: a size"),
            ("{ book: \"\" }", "book: the path"),
            ("{ books: \"a\" }", "books is no setting"),
            ("[]", "expected"),
        ] {
            let error = EngineSettings::parse(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn sizes_are_written_as_people_do() {
        for (text, expected) in [("1024M", "1G"), ("96M", "96M"), ("1000", "1000")] {
            assert_eq!(text_of(text.parse().unwrap()), expected);
        }
    }
}
