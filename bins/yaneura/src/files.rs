//! Files beside the program: `startup_info.txt`, `engine_name.txt`, `engine_options.txt`,
//! `engine_option_profile.txt`, `startup.txt`; `eval_options.txt` beside the evaluation; files of commands,
//! and logs.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use shogi_engine::{Profile, Session};
use yane_cli::program_folder;

use crate::error::LineError;

/// The lines of an optional file in the program's folder, and its path; `None` without the file.
pub(crate) fn beside_program(name: &str) -> Option<(PathBuf, Vec<String>)> {
    let path = program_folder().join(name);
    let text = fs::read(&path).ok()?;
    Some((path, lines(&text)))
}

/// The lines of `eval_options.txt` in the folder of the evaluation, and its path; `None` without the
/// file, or when the evaluation comes from no folder.
pub(crate) fn beside_evaluation(session: &Session) -> Option<(PathBuf, Vec<String>)> {
    let place = session.eval_place()?;
    let folder = if place.is_file() {
        place.parent()?
    } else {
        &place
    };
    let path = folder.join("eval_options.txt");
    let text = fs::read(&path).ok()?;
    Some((path, lines(&text)))
}

/// The lines of `engine_name.txt`: in the working directory, which GUIs set to the engine's folder as a rule,
/// else beside the program.
pub(crate) fn engine_name() -> Vec<String> {
    const NAME: &str = "engine_name.txt";
    fs::read(NAME)
        .map(|text| lines(&text))
        .or_else(|_| beside_program(NAME).map(|(_, lines)| lines).ok_or(()))
        .unwrap_or_default()
}

/// Opens a log, to be written at its end. A relative name is one in the program's folder.
pub(crate) fn open_log(name: &str) -> Result<File, LineError> {
    let path = program_folder().join(name);
    let opened = File::options().create(true).append(true).open(&path);
    opened.map_err(|source: io::Error| LineError::Log { path, source })
}

/// The set of options about books, as `engine_option_profile.txt` says.
pub(crate) fn book_profile() -> Profile {
    let lines =
        beside_program("engine_option_profile.txt").map_or_else(Vec::new, |(_, lines)| lines);
    let says_v2 = |line: &String| {
        let line: String = line.split_ascii_whitespace().collect();
        ["BOOK_OPTIONS=V2", "BOOK_OPTIONS_V2"].contains(&line.as_str())
    };
    if lines.iter().any(says_v2) {
        Profile::V2
    } else {
        Profile::Classic
    }
}

/// The commands in a file, looked for in the working directory, then in the program's folder. Blank
/// lines and lines that begin with `#` are left out.
pub(crate) fn commands(name: &str) -> Result<Vec<String>, LineError> {
    let text = fs::read(name)
        .or_else(|error| fs::read(program_folder().join(name)).map_err(|_| error))
        .map_err(|source| LineError::File {
            path: name.to_owned(),
            source,
        })?;
    Ok(lines(&text)
        .into_iter()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect())
}

/// Lines without surrounding blanks, of text in UTF-8 or UTF-16. A byte order mark is skipped.
fn lines(text: &[u8]) -> Vec<String> {
    let text = yane_io::decode_text(text);
    let text = String::from_utf8_lossy(&text);
    text.lines().map(|line| line.trim().to_owned()).collect()
}
