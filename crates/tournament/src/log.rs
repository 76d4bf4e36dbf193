//! The log of a match: JSON lines, first the match, then a line for every game. A match that was
//! interrupted goes on where its log ends.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use yane_io::{Error, RunLock};

use crate::engine::EngineSpec;
use crate::error::Result;
use crate::game::PlayedGame;
use crate::rules::GameName;

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
            name: name.to_owned(),
            program: spec.program.clone(),
            options: spec.option_texts(),
            scale: spec.scale,
            contents: spec.contents(),
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

    /// Opens the log at `path` and gives the games that it holds already.
    ///
    /// # Errors
    /// If the file belongs to another match, another process writes it, or it cannot be read or written. A last line
    /// that is cut off is removed.
    pub fn open(path: &Path, header: &LogHeader) -> Result<(Self, Vec<LoggedGame>)> {
        let lock = RunLock::file(path)?;
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::io(path)(error).into()),
        };
        let whole = whole_lines(&text);
        let (found, games) = parse(path, whole)?;
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
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(Error::io(path))?;
        file.set_len(whole.len() as u64).map_err(Error::io(path))?;
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
    bytes.push(b'\n');
    let written = file.write_all(&bytes).and_then(|()| file.flush());
    Ok(written.map_err(Error::write(path, 0))?)
}

/// The match and the games in the log at `path`. A last line that is cut off does not count.
///
/// # Errors
/// If it is no log, or cannot be read.
pub fn read_log(path: &Path) -> Result<(LogHeader, Vec<LoggedGame>)> {
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    let (header, games) = parse(path, whole_lines(&text))?;
    let header = header.ok_or_else(|| Error::file(path, "this is no log of a match"))?;
    Ok((header, games))
}

/// `text` without a last line that is cut off.
fn whole_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}

/// The match and the games of a log; nothing of an empty one.
fn parse(path: &Path, text: &str) -> Result<(Option<LogHeader>, Vec<LoggedGame>)> {
    let (mut header, mut games) = (None, Vec::new());
    for (index, line) in text.lines().enumerate() {
        let wrong = |reason: String| Error::file(path, format!("line {}: {reason}", index + 1));
        let record = serde_json::from_str(line)
            .map_err(|error| wrong(format!("{error}; expected a line of the log of a match")))?;
        match (index, record) {
            (0, LogRecord::Tournament(found)) => header = Some(found),
            (0, LogRecord::Match(found)) => header = Some(found.into()),
            (1.., LogRecord::Game(line)) => {
                let game = LoggedGame::from(line);
                let engines = header.as_ref().map_or(0, |header| header.engines.len());
                if game.players.iter().any(|&player| player >= engines) {
                    return Err(wrong(format!("there are no engines {:?}", game.players)).into());
                }
                games.push(game);
            }
            (0, LogRecord::Game(_)) => {
                return Err(wrong("expected the settings of the match".to_owned()).into());
            }
            _ => return Err(wrong("expected a game".to_owned()).into()),
        }
    }
    Ok((header, games))
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;
    use crate::player::TimeUsage;
    use crate::rules::{EndOfGame, PlayerColor};

    fn header() -> LogHeader {
        let spec: EngineSpec = "bin/a,Threads=1".parse().unwrap();
        LogHeader {
            game: GameName::Shogi,
            pairing: "match".to_owned(),
            engines: vec![
                LoggedEngine::new("a", &spec),
                LoggedEngine::new("b", &EngineSpec::new("bin/b")),
            ],
            limit: "10 ms a move".to_owned(),
            margin_ms: 100,
            openings: "random".to_owned(),
            opening_contents: String::new(),
            max_plies: 512,
            adjudication: String::new(),
        }
    }

    fn game(number: u64) -> LoggedGame {
        LoggedGame {
            number,
            players: [1, 0],
            played: PlayedGame {
                winner: Some(PlayerColor::White),
                reason: EndOfGame::Mate,
                position: "startpos moves 7g7f".to_owned(),
                plies: 1,
                lead: None,
                usage: [TimeUsage::default(); 2],
                detail: None,
                thoughts: Vec::new(),
            },
        }
    }

    #[test]
    fn one_match_writes_a_log() {
        let folder = TestFolder::new();
        let path = folder.path("log.jsonl");
        let (log, _) = GameLog::open(&path, &header()).unwrap();
        let error = GameLog::open(&path, &header()).unwrap_err().to_string();
        assert!(error.contains("is in use by another process"), "{error}");
        drop(log);
        GameLog::open(&path, &header()).unwrap();
    }

    #[test]
    fn an_engine_with_other_contents_is_another() {
        let folder = TestFolder::new();
        let path = folder.path("log.jsonl");
        folder.write("engine", "first");
        let header = || {
            let spec = EngineSpec::new(folder.path("engine").to_string_lossy());
            let mut header = header();
            header.engines[0] = LoggedEngine::new("a", &spec);
            header
        };
        GameLog::open(&path, &header()).unwrap();
        GameLog::open(&path, &header()).unwrap();
        folder.write("engine", "second");
        let error = GameLog::open(&path, &header()).unwrap_err().to_string();
        assert!(error.contains("another match"), "{error}");
        // It is not here, so nothing is known of it.
        std::fs::remove_file(folder.path("engine")).unwrap();
        GameLog::open(&path, &header()).unwrap();
    }

    #[test]
    fn other_openings_of_the_same_name_make_another_match() {
        let folder = TestFolder::new();
        let path = folder.path("log.jsonl");
        let with = |contents: &str| LogHeader {
            opening_contents: contents.to_owned(),
            ..header()
        };
        drop(GameLog::open(&path, &with("first")).unwrap());
        drop(GameLog::open(&path, &with("first")).unwrap());
        let error = GameLog::open(&path, &with("second")).unwrap_err();
        assert!(error.to_string().contains("another match"), "{error}");
        // A log of an earlier version says nothing of them.
        let old = folder.path("old.jsonl");
        drop(GameLog::open(&old, &header()).unwrap());
        GameLog::open(&old, &with("first")).unwrap();
    }

    #[test]
    fn a_log_is_read_back_and_goes_on() {
        let folder = TestFolder::new();
        let path = folder.path("log.jsonl");
        let (mut log, games) = GameLog::open(&path, &header()).unwrap();
        assert!(games.is_empty());
        log.append(&game(0)).unwrap();
        drop(log);
        let (mut log, games) = GameLog::open(&path, &header()).unwrap();
        assert_eq!(games, [game(0)]);
        log.append(&game(1)).unwrap();
        drop(log);
        let (found, games) = read_log(&path).unwrap();
        assert_eq!((found, games), (header(), vec![game(0), game(1)]));
    }

    #[test]
    fn a_line_cut_off_is_dropped() {
        let folder = TestFolder::new();
        let path = folder.path("log.jsonl");
        let (mut log, _) = GameLog::open(&path, &header()).unwrap();
        log.append(&game(0)).unwrap();
        log.append(&game(1)).unwrap();
        drop(log);
        let text = folder.read("log.jsonl");
        folder.write("log.jsonl", &text[..text.len() - 20]);
        let (mut log, games) = GameLog::open(&path, &header()).unwrap();
        assert_eq!(games, [game(0)]);
        log.append(&game(1)).unwrap();
        drop(log);
        assert_eq!(folder.read("log.jsonl"), text);
    }

    #[test]
    fn the_log_of_another_match_is_refused() {
        let folder = TestFolder::new();
        let path = folder.path("log.jsonl");
        GameLog::open(&path, &header()).unwrap();
        let other = LogHeader {
            limit: "20 ms a move".to_owned(),
            ..header()
        };
        let error = GameLog::open(&path, &other).unwrap_err().to_string();
        assert!(error.contains("another match"), "{error}");
    }

    #[test]
    fn logs_in_their_first_form_are_read() {
        let folder = TestFolder::new();
        let usage =
            r#"{"moves":1,"total_ms":2,"slowest_ms":2,"least_left_ms":null,"nodes":3,"depths":4}"#;
        let game = |game: u32, winner: &str| {
            format!(
                r#"{{"game":{{"game":{game},"winner":{winner},"reason":"mate","position":"startpos","plies":1,"usage":[{usage},{usage}]}}}}"#
            )
        };
        let header = r#"{"match":{"engine_a":"new/e","engine_b":"old/e","options_a":["X=1"],"options_b":[],"limit":"l","margin_ms":1,"openings":"o","max_plies":2,"adjudication":"a"}}"#;
        let text = format!("{header}\n{}\n{}\n", game(0, r#""black""#), game(1, "null"));
        folder.write("old.jsonl", text);
        let (header, games) = read_log(&folder.path("old.jsonl")).unwrap();
        assert_eq!(header.engines[0].name, "new/e");
        assert_eq!(header.engines[0].options, ["X=1"]);
        assert_eq!(games[0].players, [0, 1]);
        assert_eq!(games[1].players, [1, 0]);
    }

    #[test]
    fn damage_has_a_line() {
        let folder = TestFolder::new();
        for (text, expected) in [
            ("{}\n", "line 1: "),
            ("{\"game\":{}}\n", "line 1: "),
            ("", "no log"),
        ] {
            folder.write("log.jsonl", text);
            let error = read_log(&folder.path("log.jsonl")).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
