//! The log of a match: JSON lines, first the match, then a line for every game, each with its checksum. A match that was
//! interrupted goes on where its log ends.
//!
//! Other programs read these lines, so that they are what a match resumes from, too. A last line that a crash cut off is cut away.
//! Lines that are damaged are skipped and told, and their games are played again; the damaged file is kept under another name. Logs
//! of earlier versions have no checksums: what is no line of a log is damaged there.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use yane_io::{AtomicFile, Error, ReadLimit, RunLock, keep_damaged};

use crate::engine::EngineSpec;
use crate::error::{Result, TournamentError};
use crate::game::PlayedGame;
use crate::rules::GameName;
use crate::sealed_line::{LineSeal, check_line, seal_line};

/// A line of the log.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LogRecord {
    Tournament(LogHeader),
    /// The first line of logs of two engines in their first form.
    Match(FirstHeader),
    Game(GameLine),
}

/// The settings of all games. Two runs with equal headers play the same match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogHeader {
    /// The game; shogi where none is named.
    #[serde(default)]
    pub game: GameName,
    /// Who meets whom: `match`, `gauntlet`, `round robin`.
    pub pairing: String,
    /// The engines, by their numbers.
    pub engines: Vec<LoggedEngine>,
    /// The limit of moves.
    pub limit: String,
    /// The time that a player may take longer than allowed, in milliseconds.
    pub margin_ms: u64,
    /// The openings.
    pub openings: String,
    /// The checksum of the openings of a file; empty where they are from no file, and in logs of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub opening_contents: String,
    /// Number of plies after which a game is drawn.
    pub max_plies: usize,
    /// The rules for ending games by agreement.
    pub adjudication: String,
}

/// An engine in a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedEngine {
    /// Its name.
    pub name: String,
    /// The program.
    pub program: String,
    /// Its options, as `NAME=VALUE`.
    pub options: Vec<String>,
    /// Multiplier of the limit of its moves.
    #[serde(default = "one")]
    pub scale: f64,
    /// The checksums of its program and of the files that its options name, as far as they are on this machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<String>,
}

const fn one() -> f64 {
    1.0
}

impl LoggedEngine {
    /// The engine of a description, under this name.
    pub fn new(name: &str, spec: &EngineSpec) -> Self {
        Self {
            contents: spec.contents(),
            ..Self::of_settings(name, spec)
        }
    }

    /// The same without the contents of its files.
    pub(crate) fn of_settings(name: &str, spec: &EngineSpec) -> Self {
        Self {
            name: name.to_owned(),
            program: spec.program.clone(),
            options: spec.option_texts(),
            scale: spec.scale,
            contents: Vec::new(),
        }
    }
}

impl LogHeader {
    /// Returns whether both are of the same match. Contents that one of them does not know (a log of an earlier version, an
    /// engine on another machine) do not count.
    fn is_same_match(&self, found: &Self) -> bool {
        let mut found = found.clone();
        for (ours, theirs) in self.engines.iter().zip(&mut found.engines) {
            if ours.contents.is_empty() || theirs.contents.is_empty() {
                theirs.contents.clone_from(&ours.contents);
            }
        }
        if found.opening_contents.is_empty() {
            found.opening_contents.clone_from(&self.opening_contents);
        }
        *self == found
    }
}

/// The first form of the header.
#[derive(Debug, Serialize, Deserialize)]
struct FirstHeader {
    engine_a: String,
    engine_b: String,
    options_a: Vec<String>,
    options_b: Vec<String>,
    limit: String,
    margin_ms: u64,
    openings: String,
    max_plies: usize,
    adjudication: String,
}

impl From<FirstHeader> for LogHeader {
    fn from(first: FirstHeader) -> Self {
        let spec = |program: String, options: &[String]| {
            let mut spec = EngineSpec::new(program);
            for option in options {
                // Without `=` it was refused before it came into the log.
                spec.add_option(option).ok();
            }
            spec
        };
        let specs = [
            spec(first.engine_a, &first.options_a),
            spec(first.engine_b, &first.options_b),
        ];
        let names = crate::engine::labels(&specs).unwrap_or_default();
        let engines = names.iter().zip(&specs);
        Self {
            game: GameName::Shogi,
            pairing: "match".to_owned(),
            engines: engines
                .map(|(name, spec)| LoggedEngine::new(name, spec))
                .collect(),
            limit: first.limit,
            margin_ms: first.margin_ms,
            openings: first.openings,
            opening_contents: String::new(),
            max_plies: first.max_plies,
            adjudication: first.adjudication,
        }
    }
}

/// A finished game as a line has it.
#[derive(Debug, Serialize, Deserialize)]
struct GameLine {
    game: u64,
    /// Black and white; in the first form engine 0 is black in even games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    players: Option<[usize; 2]>,
    #[serde(flatten)]
    played: PlayedGame,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedGame {
    /// Number of the game, from 0. Games 2n and 2n + 1 are a pair.
    pub number: u64,
    /// The numbers of the engines that were black and white.
    pub players: [usize; 2],
    /// The record.
    pub played: PlayedGame,
}

impl From<GameLine> for LoggedGame {
    fn from(line: GameLine) -> Self {
        let usual = if line.game.is_multiple_of(2) {
            [0, 1]
        } else {
            [1, 0]
        };
        Self {
            number: line.game,
            players: line.players.unwrap_or(usual),
            played: line.played,
        }
    }
}

/// The log that games are written to as they end.
#[derive(Debug)]
pub struct GameLog {
    file: Option<LogFile>,
}

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    writer: BufWriter<File>,
    /// Another match that wrote the same log would make of both one that never was.
    _lock: RunLock,
}

impl GameLog {
    /// A log that keeps nothing.
    pub const fn none() -> Self {
        Self { file: None }
    }

    /// Opens the log at `path` and gives the games that it holds already. `note` gets a sentence about each loss: a last line that
    /// was cut off, and damaged lines.
    ///
    /// # Errors
    /// If the file belongs to another match or is no log, the line about the match is damaged, another process writes it, or it cannot
    /// be read or written. It is as before then.
    pub fn open(
        path: &Path,
        header: &LogHeader,
        note: &mut dyn FnMut(&str),
    ) -> Result<(Self, Vec<LoggedGame>)> {
        let lock = RunLock::file(path)?;
        let bytes = ReadLimit::Records.read_if_there(path)?.unwrap_or_default();
        let whole = whole_lines(&bytes);
        let ReadLog {
            header: found,
            games,
            damaged,
        } = parse(path, whole)?;
        let torn = bytes.len() - whole.len();
        let is_beginning = bytes.starts_with(BEGINNING) || BEGINNING.starts_with(&bytes);
        if found.is_none() && !is_beginning {
            return Err(Error::file(path, NO_LOG).into());
        }
        if let Some(found) = found.filter(|found| !header.is_same_match(found)) {
            let json = |header: &LogHeader| serde_json::to_string(header).unwrap_or_default();
            return Err(Error::file(
                path,
                format!(
                    "this is the log of another match:\n{}\ninstead of\n{}\nchoose another log, or the settings of this one",
                    json(&found),
                    json(header)
                ),
            )
            .into());
        }
        if torn > 0 {
            note(&format!(
                "{}: cut {torn} bytes at the end: a line that was being written when the last run was interrupted",
                path.display()
            ));
        }
        let mut len = whole.len();
        if !damaged.is_empty() {
            let copy = keep_damaged(path)?;
            let mut file = AtomicFile::create(path)?;
            len = 0;
            for (number, line) in numbered(whole) {
                if damaged.binary_search(&number).is_err() {
                    file.put(line)?;
                    len += line.len();
                }
            }
            file.commit()?;
            note(&format!(
                "{}; their games are played again; the damaged file is kept as {}",
                skipped(path, &damaged),
                copy.display()
            ));
        }
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(Error::io(path))?;
        file.set_len(len as u64).map_err(Error::io(path))?;
        if whole.is_empty() {
            let line = LogRecord::Tournament(header.clone());
            write_line(path, &mut file, &line)?;
        }
        let file = LogFile {
            path: path.to_owned(),
            writer: BufWriter::new(file),
            _lock: lock,
        };
        Ok((Self { file: Some(file) }, games))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&mut self, game: &LoggedGame) -> Result<()> {
        if let Some(LogFile { path, writer, .. }) = &mut self.file {
            let line = LogRecord::Game(GameLine {
                game: game.number,
                players: Some(game.players),
                played: game.played.clone(),
            });
            write_line(path, writer, &line)?;
        }
        Ok(())
    }
}

/// Writes a line, to the system if not yet to the disk: a line that a crash of the machine cuts off is found when the
/// log is opened.
fn write_line(path: &Path, file: &mut impl Write, line: &LogRecord) -> Result<()> {
    let mut bytes =
        serde_json::to_vec(line).map_err(|error| Error::file(path, error.to_string()))?;
    seal_line(&mut bytes);
    bytes.push(b'\n');
    let written = file.write_all(&bytes).and_then(|()| file.flush());
    Ok(written.map_err(Error::write(path, 0))?)
}

/// The match and the games in the log at `path`. A last line that is cut off does not count, nor do damaged ones: `note` gets a
/// sentence about them.
///
/// # Errors
/// If it is no log, the line about the match is damaged, or it cannot be read.
pub fn read_log(path: &Path, note: &mut dyn FnMut(&str)) -> Result<(LogHeader, Vec<LoggedGame>)> {
    let bytes = ReadLimit::Records.read(path)?;
    let whole = whole_lines(&bytes);
    let log = parse(path, whole)?;
    let header = log.header.ok_or_else(|| Error::file(path, NO_LOG))?;
    if whole.len() < bytes.len() {
        note(&format!(
            "{}: the last line is cut off and left out",
            path.display()
        ));
    }
    if !log.damaged.is_empty() {
        note(&skipped(path, &log.damaged));
    }
    Ok((header, log.games))
}

/// The beginning of every log that is written today.
const BEGINNING: &[u8] = b"{\"tournament\":";
/// The problem of a file that is none.
const NO_LOG: &str = "this is no log of a match";
/// Damaged lines that are told one by one.
const TOLD: usize = 10;

/// `path: 2 lines are damaged and skipped (5, 9)`.
fn skipped(path: &Path, damaged: &[usize]) -> String {
    let numbers: Vec<_> = damaged.iter().take(TOLD).map(usize::to_string).collect();
    let count = damaged.len();
    let (plural, word) = if count == 1 {
        ("line is", "line")
    } else {
        ("lines are", "lines")
    };
    format!(
        "{}: {count} {plural} damaged and skipped ({word} {}{})",
        path.display(),
        numbers.join(", "),
        if count > TOLD { ", …" } else { "" }
    )
}

/// `bytes` without a last line that is cut off.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    &bytes[..end.map_or(0, |end| end + 1)]
}

/// What is read of a log.
#[derive(Debug, Default)]
struct ReadLog {
    /// The match; `None` in an empty log.
    header: Option<LogHeader>,
    games: Vec<LoggedGame>,
    /// The numbers of the lines that are damaged, from 1, in order.
    damaged: Vec<usize>,
}

/// The lines of a log with their ends, numbered from 1.
fn numbered(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n'))
}

/// The error of line `number` of the log at `path`.
fn wrong(path: &Path, number: usize, reason: &str) -> TournamentError {
    Error::file(path, format!("line {number}: {reason}")).into()
}

/// Reads a log of whole lines.
fn parse(path: &Path, bytes: &[u8]) -> Result<ReadLog> {
    let mut lines = numbered(bytes);
    let Some((_, first)) = lines.next() else {
        return Ok(ReadLog::default());
    };
    let (header, header_seal) = parse_header(path, trimmed(first))?;
    let engines = header.engines.len();
    let mut log = ReadLog {
        header: Some(header),
        ..ReadLog::default()
    };
    for (number, line) in lines {
        let line = trimmed(line);
        let seal = check_line(line);
        // Either all lines have checksums or none has.
        let is_damaged = match seal {
            LineSeal::Whole => false,
            LineSeal::Absent => header_seal == LineSeal::Whole,
            LineSeal::Broken => true,
        };
        match serde_json::from_slice(line) {
            Ok(LogRecord::Game(line)) if !is_damaged => {
                let game = LoggedGame::from(line);
                if game.players.iter().all(|&player| player < engines) {
                    log.games.push(game);
                } else if seal == LineSeal::Whole {
                    let reason = format!("there are no engines {:?}", game.players);
                    return Err(wrong(path, number, &reason));
                } else {
                    log.damaged.push(number);
                }
            }
            Ok(_) if !is_damaged => return Err(wrong(path, number, "expected a game")),
            _ => log.damaged.push(number),
        }
    }
    Ok(log)
}

/// The settings of the match in the first line of a log, and its checksum.
fn parse_header(path: &Path, line: &[u8]) -> Result<(LogHeader, LineSeal)> {
    let wrong = |reason: &str| wrong(path, 1, reason);
    let seal = check_line(line);
    if seal == LineSeal::Broken {
        return Err(wrong(
            "the settings of the match are damaged: they have another checksum",
        ));
    }
    let header = match serde_json::from_slice(line) {
        Ok(LogRecord::Tournament(found)) => found,
        Ok(LogRecord::Match(found)) => found.into(),
        Ok(LogRecord::Game(_)) => return Err(wrong("expected the settings of the match")),
        Err(error) => {
            let reason = format!("{error}; expected a line of the log of a match");
            return Err(wrong(&reason));
        }
    };
    Ok((header, seal))
}

/// A line without its end.
fn trimmed(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

#[cfg(test)]
mod tests;
