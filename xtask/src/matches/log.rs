//! The log of a match: JSON lines, first the match, then a line for every game. A match that was
//! interrupted goes on where its log ends.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::game::Played;

/// A line of the log.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LogRecord {
    Match(Header),
    Game(Entry),
}

/// The header: the settings of all games. Two runs with equal headers play the same match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) engine_a: String,
    pub(crate) engine_b: String,
    pub(crate) options_a: Vec<String>,
    pub(crate) options_b: Vec<String>,
    pub(crate) limit: String,
    pub(crate) margin_ms: u64,
    pub(crate) openings: String,
    pub(crate) max_plies: usize,
    pub(crate) adjudication: String,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Number of the game, from 0. Games 2n and 2n + 1 are a pair; A is black in even games.
    pub(crate) game: usize,
    #[serde(flatten)]
    pub(crate) played: Played,
}

/// The log that games are written to as they end.
#[derive(Debug)]
pub(crate) struct Log {
    writer: Option<BufWriter<File>>,
}

impl Log {
    /// A log that keeps nothing.
    pub(crate) fn none() -> Self {
        Self { writer: None }
    }

    /// Opens the log at `path` and gives the games that it holds already.
    ///
    /// # Errors
    /// If the file belongs to another match, or cannot be read or written. A last line that is cut
    /// off is removed.
    pub(crate) fn open(path: &Path, header: &Header) -> Result<(Self, Vec<Entry>)> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).context(path.display().to_string()),
        };
        let whole = whole_lines(&text);
        let games = read(whole, header).with_context(|| path.display().to_string())?;
        let mut log = Self::append_after(path, whole.len() as u64)?;
        if whole.is_empty() {
            log.write(&LogRecord::Match(header.clone()))?;
        }
        Ok((log, games))
    }

    fn append_after(path: &Path, length: u64) -> Result<Self> {
        let shown = || path.display().to_string();
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(shown)?;
        file.set_len(length).with_context(shown)?;
        Ok(Self {
            writer: Some(BufWriter::new(file)),
        })
    }

    pub(crate) fn game(&mut self, entry: &Entry) -> Result<()> {
        self.write(&LogRecord::Game(entry.clone()))
    }

    fn write(&mut self, line: &LogRecord) -> Result<()> {
        if let Some(writer) = &mut self.writer {
            serde_json::to_writer(&mut *writer, line)?;
            writer
                .write_all(b"\n")
                .and_then(|()| writer.flush())
                .context("cannot write the log")?;
        }
        Ok(())
    }
}

/// The games in the log at `path`, of whatever match. A last line that is cut off does not count.
///
/// # Errors
/// If it is no log, or cannot be read.
pub(crate) fn games(path: &Path) -> Result<Vec<Entry>> {
    let shown = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(shown)?;
    let (_, games) = parse(whole_lines(&text)).with_context(shown)?;
    Ok(games)
}

/// `text` without a last line that is cut off.
fn whole_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}

/// The games of a log, which must begin with `header`, unless it is empty.
fn read(text: &str, header: &Header) -> Result<Vec<Entry>> {
    let (found, games) = parse(text)?;
    if let Some(found) = found {
        ensure!(
            found == *header,
            "this is the log of another match:\n{found:#?}\ninstead of\n{header:#?}"
        );
    }
    Ok(games)
}

/// The match and the games of a log; nothing of an empty one.
fn parse(text: &str) -> Result<(Option<Header>, Vec<Entry>)> {
    let (mut header, mut games) = (None, Vec::new());
    for (index, text) in text.lines().enumerate() {
        let line = serde_json::from_str(text).with_context(|| format!("line {}", index + 1))?;
        match (index, line) {
            (0, LogRecord::Match(found)) => header = Some(found),
            (1.., LogRecord::Game(entry)) => games.push(entry),
            _ => bail!("line {}: unexpected kind of line", index + 1),
        }
    }
    Ok((header, games))
}

#[cfg(test)]
mod tests {
    use super::super::game::Side;
    use super::super::referee::Reason;
    use super::*;
    use crate::matches::referee::Usage;

    fn header() -> Header {
        Header {
            engine_a: "a".to_owned(),
            engine_b: "b".to_owned(),
            options_a: vec!["Threads=1".to_owned()],
            options_b: Vec::new(),
            limit: "10 ms a move".to_owned(),
            margin_ms: 100,
            openings: "random".to_owned(),
            max_plies: 512,
            adjudication: String::new(),
        }
    }

    fn entry(game: usize) -> Entry {
        let played = Played {
            winner: Some(Side::White),
            reason: Reason::Mate,
            position: "startpos moves 7g7f".to_owned(),
            plies: 1,
            usage: [Usage::default(); 2],
            detail: None,
        };
        Entry { game, played }
    }

    #[test]
    fn a_log_is_read_back_and_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.jsonl");
        let (mut log, games) = Log::open(&path, &header()).expect("a new log");
        assert!(games.is_empty());
        log.game(&entry(0)).expect("written");
        drop(log);
        let (mut log, games) = Log::open(&path, &header()).expect("the log");
        assert_eq!(games, [entry(0)]);
        log.game(&entry(1)).expect("written");
        drop(log);
        let (_, games) = Log::open(&path, &header()).expect("the log");
        assert_eq!(games, [entry(0), entry(1)]);
        assert_eq!(super::games(&path).expect("the log"), games);
    }

    #[test]
    fn a_line_cut_off_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.jsonl");
        let (mut log, _) = Log::open(&path, &header()).expect("a new log");
        log.game(&entry(0)).expect("written");
        log.game(&entry(1)).expect("written");
        drop(log);
        let text = std::fs::read_to_string(&path).expect("the log");
        std::fs::write(&path, &text[..text.len() - 20]).expect("cut");
        let (mut log, games) = Log::open(&path, &header()).expect("the log");
        assert_eq!(games, [entry(0)]);
        log.game(&entry(1)).expect("written");
        drop(log);
        assert_eq!(std::fs::read_to_string(&path).expect("the log"), text);
    }

    #[test]
    fn the_log_of_another_match_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.jsonl");
        Log::open(&path, &header()).expect("a new log");
        let other = Header {
            limit: "20 ms a move".to_owned(),
            ..header()
        };
        let error = Log::open(&path, &other).expect_err("another match");
        assert!(format!("{error:#}").contains("another match"), "{error:#}");
    }
}
