//! Where learning begins: games and boards, from arguments, from files of any size, and by chance.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use othello_book::store::{GrowingBook, PositionLookup as _};
use othello_core::{Board, Game, Move};
use othello_record::{LineMode, ParsedRecord, RecordItem};
use yane_base::random::SplitMix64;
use yane_io::{BoundedLines, Error, LineError, Progress};

use crate::error::{BookGrowthError, Result};
use crate::links::{after_pass, links, searched};
use crate::recipe::RandomStarts;

/// The start of a text that is looked at to tell what it is.
const HEAD: usize = 4096;

/// Games, one after the other.
pub(crate) struct Starts {
    texts: std::vec::IntoIter<String>,
    file: Option<GameFile>,
    bad: u64,
}

enum GameFile {
    /// A transcript a line, read as needed.
    Lines {
        name: String,
        lines: BoundedLines<BufReader<File>>,
    },
    /// Records of any other form.
    Items {
        name: String,
        items: std::vec::IntoIter<RecordItem>,
    },
}

impl Starts {
    /// The games of texts, then those of a file.
    pub(crate) fn open(texts: Vec<String>, file: Option<&Path>) -> Result<Self> {
        Ok(Self {
            texts: texts.into_iter(),
            file: file.map(GameFile::open).transpose()?,
            bad: 0,
        })
    }

    /// The next game. Bad lines of the file go to `on_bad`.
    pub(crate) fn next(&mut self, on_bad: &dyn Progress) -> Result<Option<Game>> {
        if let Some(text) = self.texts.next() {
            return game(&text).map(Some);
        }
        match &mut self.file {
            Some(file) => file.next(on_bad, &mut self.bad),
            None => Ok(None),
        }
    }

    /// The lines of the file so far that are no games.
    pub(crate) const fn bad(&self) -> u64 {
        self.bad
    }
}

/// The game of a text; of the empty one, that without moves.
pub(crate) fn game(text: &str) -> Result<Game> {
    if text.trim().is_empty() {
        return Ok(Game::default());
    }
    let record = othello_record::parse(text).map_err(|error| BookGrowthError::Start {
        start: text.to_owned(),
        reason: error.to_string(),
    })?;
    Ok(record.game)
}

impl GameFile {
    fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(Error::io(path))?;
        let mut lines = BufReader::with_capacity(HEAD.max(1 << 16), file);
        let head = lines.fill_buf().map_err(Error::io(path))?;
        let head = String::from_utf8_lossy(&head[..head.len().min(HEAD)]);
        let mut first = head.lines().map(str::trim).filter(|line| !line.is_empty());
        let is_transcript = |line: &str| {
            let parsed = othello_record::parse(line);
            parsed.is_ok_and(|record| record.kind == othello_record::RecordKind::Transcript)
        };
        if first.any(is_transcript) {
            return Ok(Self::Lines {
                name,
                lines: BoundedLines::new(lines),
            });
        }
        let items = othello_record::read_file(path, LineMode::PerLine)?.into_iter();
        Ok(Self::Items { name, items })
    }

    fn next(&mut self, on_bad: &dyn Progress, bad: &mut u64) -> Result<Option<Game>> {
        loop {
            let (record, line) = match self {
                Self::Lines { name, lines } => {
                    let read = lines.next().map_err(LineError::into_io);
                    let Some(bytes) = read.map_err(Error::io(Path::new(name)))? else {
                        return Ok(None);
                    };
                    let text = String::from_utf8_lossy(bytes).into_owned();
                    let text = text.trim_start_matches('\u{feff}').trim();
                    if text.is_empty() {
                        continue;
                    }
                    (othello_record::parse(text), lines.number() as usize)
                }
                Self::Items { items, .. } => match items.next() {
                    Some(item) => (item.record, item.line),
                    None => return Ok(None),
                },
            };
            match record {
                Ok(ParsedRecord { game, .. }) => return Ok(Some(game)),
                Err(error) => {
                    *bad += 1;
                    let (Self::Lines { name, .. } | Self::Items { name, .. }) = self;
                    on_bad.note(&format!("{name}: line {line}: {error}"));
                }
            }
        }
    }
}

/// The game of walk `n`: moves of the book that lose little, by chance.
pub(crate) fn random_walk(book: &GrowingBook, rule: RandomStarts, seed: u64, n: u64) -> Game {
    let mut random = SplitMix64::new(SplitMix64::nth(seed, n));
    let mut game = Game::default();
    for _ in 0..rule.plies {
        let board = game.position().board();
        let after = after_pass(board);
        if after != board {
            game.play_unchecked(Move::Pass);
        }
        let links = links(book, after);
        let best = links.iter().map(|link| link.value).max();
        let good: Vec<_> = links
            .iter()
            .filter(|link| best.is_some_and(|best| best - link.value <= rule.loss.min(128) as i32))
            .filter(|link| link.number.is_some())
            .collect();
        if good.is_empty() {
            break;
        }
        game.play_unchecked(Move::Place(good[random.index(good.len())].square));
    }
    game
}

/// The boards of a game from its start, after forced passes, with true for those where the first player moves.
pub(crate) fn boards(game: &Game) -> Vec<(Board, bool)> {
    let mut position = game.start();
    let mut boards = vec![position];
    for &mv in game.moves() {
        let next = match mv {
            Move::Place(square) => position.try_play(square).ok(),
            Move::Pass => Some(position.passed()),
        };
        position = next.unwrap_or(position);
        boards.push(position);
    }
    let first = game.start().after_forced_pass().side();
    let boards = boards
        .into_iter()
        .map(othello_core::Position::after_forced_pass);
    let mut boards: Vec<_> = boards
        .map(|position| (position.board(), position.side() == first))
        .collect();
    boards.dedup();
    boards
}

/// A game as text that [`game`] reads.
pub(crate) fn text_of(game: &Game) -> String {
    let squares = game.moves().iter().filter_map(|mv| match mv {
        Move::Place(square) => Some(square.to_string()),
        Move::Pass => None,
    });
    squares.collect()
}

/// Registers the positions before the last one that the book lacks, with the value of the last one that it has.
pub(crate) fn register_way(book: &mut GrowingBook, way: &[(Board, bool)]) {
    let mut value = 0;
    let Some((_, before)) = way.split_last() else {
        return;
    };
    for &(board, is_first) in before {
        let sign = if is_first { 1 } else { -1 };
        match book
            .look_up(board)
            .filter(othello_book::store::PositionData::has_value)
        {
            Some(known) => value = sign * known.value,
            None => {
                book.put(board, searched(sign * value, -1, false));
            }
        }
    }
}
