//! WTHOR, the database of tournament games: a file of games for each year (`.wtb`), and for all of them one of players (`.jou`)
//! and one of tournaments (`.trn`).
//!
//! Each begins with 16 bytes: century, year, month and day of its making, the number of its records (4 bytes, low byte first), a
//! second number (2 bytes), the year of the games (2 bytes), the size of the board (0 or 8), 1 for a file of end games, the depth
//! of the theoretical scores, 0. A game is the numbers of its tournament and its players (2 bytes each), black's discs at the end, the
//! same with best play from some move on, and 60 moves as `10 · rank + file`; 0 ends them, passes are not written.

use std::collections::HashMap;

use othello_core::{Game, Move, Position, Square};

use crate::losses::{RecordLoss, RecordLosses};
use crate::properties::Fault;
use crate::result::{OthelloOutcome, OthelloResult};
use crate::tree::{OthelloRecord, RecordExtra, parse_date};
use crate::{Error, OthelloFormat, ParsedRecord, RecordItem, RecordKind};

const HEADER: usize = 16;
const GAME: usize = 68;
const PLAYER: usize = 20;
const TOURNAMENT: usize = 26;

/// The name that stands for none, the first of both files of names.
const UNKNOWN: &str = "???";

/// What a file of WTHOR holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WthorKind {
    /// Games, `.wtb`.
    Games,
    /// Names of players, `.jou`.
    Players,
    /// Names of tournaments, `.trn`.
    Tournaments,
}

impl WthorKind {
    const fn record(self) -> usize {
        match self {
            Self::Games => GAME,
            Self::Players => PLAYER,
            Self::Tournaments => TOURNAMENT,
        }
    }
}

/// A file of WTHOR.
#[derive(Clone, Copy, Debug)]
pub struct WthorFile<'a> {
    bytes: &'a [u8],
    kind: WthorKind,
    count: usize,
}

/// The names of players and tournaments, which the games have by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WthorNames {
    /// The players.
    pub players: Vec<String>,
    /// The tournaments.
    pub tournaments: Vec<String>,
}

impl<'a> WthorFile<'a> {
    /// Recognises a file by its header and length; `None` if it is something else. A file of games may be cut short.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let header = bytes.first_chunk::<HEADER>()?;
        let [century, year, month, day, ..] = *header;
        let is_date = (18..=21).contains(&century)
            && year < 100
            && (1..=12).contains(&month)
            && (1..=31).contains(&day);
        let is_size = matches!(header[12], 0 | 8 | 10) && header[13] <= 1;
        if !is_date || !is_size {
            return None;
        }
        let count = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        let second = usize::from(u16::from_le_bytes([header[8], header[9]]));
        let length = bytes.len() - HEADER;
        let kinds = [WthorKind::Games, WthorKind::Players, WthorKind::Tournaments];
        for count in [count, second] {
            let fits =
                |kind: &WthorKind| count > 0 && count.checked_mul(kind.record()) == Some(length);
            if let Some(kind) = kinds.into_iter().find(fits) {
                return Some(Self { bytes, kind, count });
            }
        }
        let kind = WthorKind::Games;
        Some(Self { bytes, kind, count })
    }

    /// What it holds.
    pub const fn kind(&self) -> WthorKind {
        self.kind
    }

    /// The year of the games; 0 if the header has none.
    pub fn year(&self) -> u16 {
        u16::from_le_bytes([self.bytes[10], self.bytes[11]])
    }

    /// Adds the names of a file of players or tournaments.
    pub fn add_names(&self, names: &mut WthorNames) {
        let all = self.bytes[HEADER..]
            .chunks_exact(self.kind.record())
            .map(name);
        match self.kind {
            WthorKind::Games => {}
            WthorKind::Players => names.players = all.collect(),
            WthorKind::Tournaments => names.tournaments = all.collect(),
        }
    }

    /// The games, or the byte and the reason why one is none, in order; a file that is cut short ends with an error.
    pub(crate) fn games(
        &self,
        names: &WthorNames,
    ) -> impl Iterator<Item = Result<OthelloRecord, Fault>> {
        let header = self.header_fault();
        let records = if header.is_some() {
            &[]
        } else {
            &self.bytes[HEADER..]
        };
        let whole = records.len() / GAME;
        let games = (0..whole.min(self.count)).map(move |n| {
            let at = HEADER + n * GAME;
            self.game(n + 1, at, &self.bytes[at..at + GAME], names)
        });
        games.chain(header.or_else(|| self.length_fault()).map(Err))
    }

    fn header_fault(&self) -> Option<Fault> {
        let (size, is_of_ends) = (self.bytes[12], self.bytes[13] == 1);
        if size == 10 {
            return Some(Fault::new(
                12,
                "a board of 8 × 8 squares was expected, not of 10",
            ));
        }
        is_of_ends.then(|| Fault::new(13, "games were expected, not end games"))
    }

    fn length_fault(&self) -> Option<Fault> {
        let expected = self
            .count
            .checked_mul(GAME)
            .and_then(|length| length.checked_add(HEADER));
        let found = self.bytes.len();
        (expected != Some(found)).then(|| {
            let count = self.count;
            let at = expected.map_or(found, |expected| found.min(expected));
            Fault::new(
                at,
                format!(
                    "the header says {count} games of {GAME} bytes, but the file has {found} bytes"
                ),
            )
        })
    }

    fn game(
        &self,
        number: usize,
        at: usize,
        record: &[u8],
        names: &WthorNames,
    ) -> Result<OthelloRecord, Fault> {
        let mut game = Game::default();
        for (n, &byte) in record[8..]
            .iter()
            .enumerate()
            .take_while(|&(_, &byte)| byte != 0)
        {
            let wrong = |reason: String| {
                Fault::new(
                    at + 8 + n,
                    format!("game {number}: move {}: {reason}", n + 1),
                )
            };
            let (rank, file) = (byte / 10, byte % 10);
            let is_square = (1..=8).contains(&rank) && (1..=8).contains(&file);
            let square = is_square
                .then(|| Square::new((rank - 1) * 8 + file - 1))
                .flatten();
            let square = square.ok_or_else(|| wrong(format!("{byte} is no square")))?;
            if game.try_play_square(square).is_err() {
                return Err(wrong(format!("{square} is not legal")));
            }
        }
        let score = |byte: usize| {
            let discs = record[byte];
            let wrong = || {
                Fault::new(
                    at + byte,
                    format!(
                        "game {number}: {discs} discs of black, where at most 64 were expected"
                    ),
                )
            };
            if discs <= 64 {
                Ok(i32::from(discs) * 2 - 64)
            } else {
                Err(wrong())
            }
        };
        let mut record_of_game = OthelloRecord::from(&game);
        let number_at =
            |byte: usize| usize::from(u16::from_le_bytes([record[byte], record[byte + 1]]));
        let named = |list: &[String], number: usize| match list.get(number) {
            Some(name) if name == UNKNOWN => String::new(),
            Some(name) => name.clone(),
            // Without the file of names, or beyond it.
            None => format!("#{number}"),
        };
        let info = &mut record_of_game.info;
        info.event = named(&names.tournaments, number_at(0));
        info.black.name = named(&names.players, number_at(2));
        info.white.name = named(&names.players, number_at(4));
        if self.year() > 0 {
            info.date = self.year().to_string();
        }
        let (real, theoretical) = (score(6)?, score(7)?);
        let mut keep = |key: &str, value: u8| {
            info.extras.push(RecordExtra {
                format: OthelloFormat::Wthor,
                key: key.to_owned(),
                value: value.to_string(),
            });
        };
        if theoretical != real {
            keep("theoretical", record[7]);
        }
        if self.bytes[14] > 0 {
            keep("depth", self.bytes[14]);
        }
        record_of_game.set_result(Some(OthelloResult::played(OthelloOutcome::Score(real))));
        Ok(record_of_game)
    }
}

/// A name that ends with a zero byte: in UTF-8 if it is valid, else in Latin-1.
fn name(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(bytes.len());
    let bytes = bytes[..end].trim_ascii_end();
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// The bytes of a name, and whether it fits into `size` bytes with a zero behind it.
fn name_bytes(name: &str, size: usize) -> (Vec<u8>, bool) {
    let latin: Option<Vec<u8>> = name
        .chars()
        .map(|c| u8::try_from(u32::from(c)).ok())
        .collect();
    // Latin-1 that would be read as UTF-8 is written as such.
    let latin = latin.filter(|bytes| name.is_ascii() || std::str::from_utf8(bytes).is_err());
    let is_utf8 = latin.is_none();
    let mut bytes = latin.unwrap_or_else(|| name.as_bytes().to_vec());
    let is_short = bytes.len() < size;
    if !is_short {
        let mut end = size - 1;
        while is_utf8 && !name.is_char_boundary(end) {
            end -= 1;
        }
        bytes.truncate(end);
    }
    // Blanks at the end, and what is behind a zero byte, are not read.
    let fits = is_short && name.trim_ascii_end() == name && !name.contains('\0');
    bytes.resize(size, 0);
    (bytes, fits)
}

/// Parses a WTHOR file of games; `None` if the bytes are no such file.
pub fn parse_wthor(bytes: &[u8]) -> Option<Vec<RecordItem>> {
    let file = WthorFile::new(bytes).filter(|file| file.kind == WthorKind::Games)?;
    let names = WthorNames::default();
    let games = file.games(&names).enumerate();
    let items = games.map(|(n, game)| {
        let game = game.map(|record| record.game());
        RecordItem {
            line: n + 1,
            text: game.as_ref().map(Game::to_string).unwrap_or_default(),
            record: match game {
                Ok(game) => Ok(ParsedRecord::of(RecordKind::Wthor, game)),
                Err(fault) => Err(Error::Game {
                    format: "WTHOR",
                    reason: fault.reason,
                }),
            },
        }
    });
    Some(items.collect())
}

/// Writes games with their names, a year of them.
#[derive(Clone, Debug)]
pub struct WthorWriter {
    games: Vec<u8>,
    players: NameList,
    tournaments: NameList,
    year: Option<u16>,
    depth: Option<u8>,
}

/// The three files of games with their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WthorFiles {
    /// The games, `.wtb`.
    pub games: Vec<u8>,
    /// The players, `.jou`.
    pub players: Vec<u8>,
    /// The tournaments, `.trn`.
    pub tournaments: Vec<u8>,
}

/// Names with their numbers.
#[derive(Clone, Debug)]
struct NameList {
    size: usize,
    bytes: Vec<u8>,
    numbers: HashMap<Vec<u8>, u16>,
}

impl NameList {
    fn new(size: usize) -> Self {
        let mut list = Self {
            size,
            bytes: Vec::new(),
            numbers: HashMap::new(),
        };
        list.number(UNKNOWN, &mut RecordLosses::default());
        list
    }

    /// The number of a name; `None` if there is none left.
    fn number(&mut self, name: &str, losses: &mut RecordLosses) -> Option<u16> {
        let (bytes, fits) = name_bytes(if name.is_empty() { UNKNOWN } else { name }, self.size);
        losses.add(RecordLoss::Names, usize::from(!fits));
        if let Some(&number) = self.numbers.get(&bytes) {
            return Some(number);
        }
        let number = u16::try_from(self.numbers.len()).ok()?;
        self.bytes.extend(&bytes);
        self.numbers.insert(bytes, number);
        Some(number)
    }
}

/// The reason why a game cannot be in a WTHOR file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WthorError {
    /// It begins elsewhere.
    #[error("WTHOR has only games from the start position")]
    Start,
    /// Nobody knows the discs at the end.
    #[error("WTHOR needs the discs at the end, which the record does not say")]
    NoScore,
    /// More names than numbers.
    #[error("WTHOR has at most 65,536 names of players or tournaments")]
    Names,
}

impl Default for WthorWriter {
    fn default() -> Self {
        Self {
            games: Vec::new(),
            players: NameList::new(PLAYER),
            tournaments: NameList::new(TOURNAMENT),
            year: None,
            depth: None,
        }
    }
}

impl WthorWriter {
    /// Adds the line of a record that was played, and counts what is left out. The file has the year of its first game with a date.
    ///
    /// # Errors
    ///
    /// A start position of its own, no number of discs at the end, too many names.
    pub fn add(
        &mut self,
        record: &OthelloRecord,
        losses: &mut RecordLosses,
    ) -> Result<(), WthorError> {
        if record.start() != Position::START {
            return Err(WthorError::Start);
        }
        let result = record.result().ok_or(WthorError::NoScore)?;
        let [black, _] = result.discs().ok_or(WthorError::NoScore)?;
        let info = &record.info;
        let mut game = [0u8; GAME];
        let numbers = [
            self.tournaments.number(&info.event, losses),
            self.players.number(&info.black.name, losses),
            self.players.number(&info.white.name, losses),
        ];
        for (bytes, number) in game.chunks_exact_mut(2).zip(numbers) {
            bytes.copy_from_slice(&number.ok_or(WthorError::Names)?.to_le_bytes());
        }
        let own = |key: &str| {
            let mut extras = info
                .extras
                .iter()
                .filter(|extra| extra.format == OthelloFormat::Wthor);
            extras
                .find(|extra| extra.key == key)
                .and_then(|extra| extra.value.parse::<u8>().ok())
        };
        game[6] = black as u8;
        game[7] = own("theoretical").unwrap_or(black as u8);
        let squares = record.game().moves().to_vec();
        let squares = squares.iter().filter_map(|mv| match mv {
            Move::Place(square) => Some(*square),
            Move::Pass => None,
        });
        for (at, square) in game[8..].iter_mut().zip(squares) {
            *at = (square.rank() + 1) * 10 + square.file() + 1;
        }
        self.games.extend(game);
        self.depth = self.depth.or_else(|| own("depth"));
        self.count(record, losses);
        Ok(())
    }

    /// Counts what a game of WTHOR cannot hold.
    fn count(&mut self, record: &OthelloRecord, losses: &mut RecordLosses) {
        let info = &record.info;
        let year = parse_date(&info.date).map(|date| date.year);
        self.year = self.year.or(year);
        let is_told = year == self.year && info.date.trim().len() <= 4;
        losses.add(
            RecordLoss::Dates,
            usize::from(!info.date.is_empty() && !is_told),
        );
        losses.text(RecordLoss::Names, &info.round);
        losses.text(RecordLoss::Names, &info.place);
        losses.text(RecordLoss::Ratings, &info.black.rating);
        losses.text(RecordLoss::Ratings, &info.white.rating);
        losses.text(RecordLoss::TimeControls, &info.time_control);
        losses.variant(info);
        losses.text(RecordLoss::Comments, &info.comment);
        losses.foreign(&info.extras, OthelloFormat::Wthor);
        losses.variations(record);
        if let Some(result) = info.result {
            losses.add(
                RecordLoss::Results,
                usize::from(result != OthelloResult::played(result.outcome)),
            );
        }
        for id in record.ids() {
            let note = &record.node(id).note;
            losses.note(note);
            losses.text(RecordLoss::Comments, &note.comment);
            losses.foreign(&note.extras, OthelloFormat::Wthor);
        }
    }

    /// The files; their headers say that they were made on a day: year, month and day.
    pub fn finish(self, [year, month, day]: [u16; 3]) -> WthorFiles {
        let file = |records: &[u8], size: usize, of_games: bool| {
            let count = (records.len() / size) as u32;
            let mut bytes = vec![
                (year / 100) as u8,
                (year % 100) as u8,
                month as u8,
                day as u8,
            ];
            bytes.extend(count.to_le_bytes());
            bytes.extend([0; 8]);
            if of_games {
                bytes[10..12].copy_from_slice(&self.year.unwrap_or(0).to_le_bytes());
                bytes[12] = 8;
                bytes[14] = self.depth.unwrap_or(0);
            }
            bytes.extend(records);
            bytes
        };
        WthorFiles {
            games: file(&self.games, GAME, true),
            players: file(&self.players.bytes, PLAYER, false),
            tournaments: file(&self.tournaments.bytes, TOURNAMENT, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of games that are lists of moves.
    fn file(games: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![20, 1, 6, 30];
        bytes.extend((games.len() as u32).to_le_bytes());
        bytes.extend([0; 8]);
        for moves in games {
            let mut record = [0; GAME];
            record[8..8 + moves.len()].copy_from_slice(moves);
            bytes.extend(record);
        }
        bytes
    }

    #[test]
    fn games_are_parsed_and_errors_have_their_byte() {
        let bytes = file(&[&[56, 64, 33], &[56, 56], &[90]]);
        let names = WthorNames::default();
        let games: Vec<_> = WthorFile::new(&bytes).unwrap().games(&names).collect();
        assert_eq!(games[0].as_ref().unwrap().game().to_string(), "f5d6c3");
        for (game, at, reason) in [
            (&games[1], 16 + 68 + 9, "game 2: move 2: f5 is not legal"),
            (
                &games[2],
                16 + 2 * 68 + 8,
                "game 3: move 1: 90 is no square",
            ),
        ] {
            assert_eq!(game.as_ref().unwrap_err(), &Fault::new(at, reason));
        }
        assert!(WthorFile::new(b"f5d6c3d3c4f4c5b3c2").is_none());
        assert!(WthorFile::new(&[]).is_none());
    }

    #[test]
    fn damaged_files_are_one_error() {
        let whole = file(&[&[56], &[56]]);
        let names = WthorNames::default();
        let last = |bytes: &[u8]| {
            WthorFile::new(bytes)
                .unwrap()
                .games(&names)
                .last()
                .unwrap()
                .unwrap_err()
        };
        assert_eq!(last(&whole[..100]).at, 100);
        assert_eq!(last(&[&whole[..], &[0; 5]].concat()).at, whole.len());
        let with = |at: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            last(&bytes)
        };
        assert!(with(12, 10).reason.contains("not of 10"));
        assert!(with(13, 1).reason.contains("end games"));
        assert!(with(16 + 68 + 6, 65).reason.contains("65 discs"));
        assert!(with(7, 255).reason.contains("4278190082 games"));
    }

    #[test]
    fn games_are_read_as_they_are_written() {
        let mut writer = WthorWriter::default();
        let mut losses = RecordLosses::default();
        let mut records = Vec::new();
        for (moves, black, event, score) in [
            ("f5d6c3d3c4", "Žižka", "Ünïcode Cup", 10),
            ("e6f4e3f6g5d6e7f5c5", "", "Ünïcode Cup", 64),
            ("f5", "Ã©", "名人戦", 0),
        ] {
            let mut record = OthelloRecord::from(&moves.parse::<Game>().unwrap());
            record.info.black.name = black.to_owned();
            record.info.event = event.to_owned();
            record.info.date = "1999".to_owned();
            record.set_result(Some(OthelloResult::played(OthelloOutcome::Score(score))));
            writer.add(&record, &mut losses).unwrap();
            records.push(record);
        }
        assert!(losses.is_empty(), "{losses}");
        let files = writer.clone().finish([2026, 11, 26]);
        let mut names = WthorNames::default();
        for bytes in [&files.players, &files.tournaments] {
            WthorFile::new(bytes).unwrap().add_names(&mut names);
        }
        assert_eq!(names.players.len(), 3);
        let games = WthorFile::new(&files.games).unwrap();
        assert_eq!((games.kind(), games.year()), (WthorKind::Games, 1999));
        let read: Result<Vec<_>, _> = games.games(&names).collect();
        assert_eq!(read.as_ref(), Ok(&records));
        let mut long = records[0].clone();
        long.info.black.name = "é".repeat(30);
        long.info.date = "2001-02-03".to_owned();
        writer.add(&long, &mut losses).unwrap();
        assert_eq!(
            (
                losses.count(RecordLoss::Names),
                losses.count(RecordLoss::Dates)
            ),
            (1, 1)
        );
        let unfinished = OthelloRecord::from(&"f5".parse::<Game>().unwrap());
        assert_eq!(
            writer.add(&unfinished, &mut losses),
            Err(WthorError::NoScore)
        );
        let elsewhere = OthelloRecord::new(Position::START.passed());
        assert_eq!(writer.add(&elsewhere, &mut losses), Err(WthorError::Start));
    }
}
