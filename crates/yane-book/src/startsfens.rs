//! Start positions of games: the positions after the moves of a book (`startsfens`, also known as
//! `yanebook2startsfen`).
//!
//! Every move of every position of the book is played. Each position reached is written once, in the
//! order in which positions are first reached: as SFEN with the smallest move number at which it is
//! reached, and a blank at the end of the line, as readers of such lists are used to. A position and
//! the same one seen from the other side of the board are one; the orientation met first is written.
//!
//! Game records are read as the book of their moves.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, Write};
use std::ops::Range;
use std::path::Path;

use hashbrown::{HashSet, HashTable};
use shogi_core::{Move16, Position};
use yane_io::{AtomicFile, Chunk, Overwrite, TempFolder};

use crate::book_move::push_move;
use crate::db::BadLines;
use crate::db::{LineEnd, LineProblem, MoveLine, Records};
use crate::entries::{BookChunk, BookFile};
use crate::records::{
    FileProblems, PendingProblems, Problems, RecordPiece, RecordPlace, Replay, Variations,
    for_each_position_chunk, for_each_record_piece, has_records, legal_move,
};
use crate::ybb::Ybb;
use crate::{BookError, Format, Job, Result, Unit};

/// Options: positions to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartSfens {
    /// Leave out positions that are in the book themselves, in either orientation and at whatever
    /// move number: what remains are the tips of the book.
    pub tips_only: bool,
    /// Choice of the lines of records.
    pub variations: Variations,
    /// Policy for positions that are none and moves that cannot be played.
    pub bad_lines: BadLines,
    /// Line ends.
    pub line_end: LineEnd,
    /// Choice whether the output may be the book.
    pub overwrite: Overwrite,
}

impl Default for StartSfens {
    fn default() -> Self {
        Self {
            tips_only: false,
            variations: Variations::default(),
            bad_lines: BadLines::Skip,
            line_end: LineEnd::Lf,
            overwrite: Overwrite::default(),
        }
    }
}

/// Summary of the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartSfensReport {
    /// Positions of the book, or positions of the games in which a move was played.
    pub positions: u64,
    /// Moves of the book or of the games that were played.
    pub moves: u64,
    /// Lines with `none` instead of a move; nothing was played there.
    pub no_moves: u64,
    /// Positions written.
    pub written: u64,
    /// Positions left out because they are in the book.
    pub in_book: u64,
    /// Variations of records left out.
    pub variations_left_out: u64,
    /// Lines that could not be used.
    pub problems: Problems,
}

/// Writes the positions that the moves of `input` lead to: a `.db` or `.ybb` book, or game records (a file in any format, or a
/// folder).
///
/// Memory: some 30 bytes for each of them (and 20 for each position of the book with `tips_only`);
/// their texts wait in a temporary file.
///
/// # Errors
/// When a file cannot be read or written, when `output` is `input`, or at the first problem if that is
/// the policy. The output is untouched then.
pub fn start_sfens(
    input: &Path,
    output: &Path,
    options: &StartSfens,
    job: &Job,
) -> Result<StartSfensReport> {
    let _claim = options.overwrite.claim(output, &[input])?;
    let mut file = AtomicFile::create(output)?;
    let report = for_each_start(input, output, options, job, |line| {
        line.extend_from_slice(options.line_end.bytes());
        Ok(file.put(line)?)
    })?;
    if report.written == 0 {
        return Err(BookError::nothing(output, nothing(input, &report)));
    }
    file.commit()?;
    Ok(report)
}

/// Calls `put` with the line of each of these positions, without line end. Temporary files lie beside `beside`, or in the job's
/// folder.
///
/// # Errors
/// When a file cannot be read, `put` fails, or at the first problem if that is the policy.
pub fn for_each_start(
    input: &Path,
    beside: &Path,
    options: &StartSfens,
    job: &Job,
    mut put: impl FnMut(&mut Vec<u8>) -> Result<()>,
) -> Result<StartSfensReport> {
    let temp = job.temp_for(beside);
    let mut texts = BufWriter::with_capacity(1 << 20, temp.file()?);
    let mut texts_len = 0;
    let mut report = StartSfensReport::default();
    let mut problems = FileProblems::new(&mut report.problems);
    let mut games = 0;
    let mut children = Children::default();
    let mut book = HashSet::<u128>::new();
    let owned = *options;
    let take = |path: &Path, part: StartsChunk| {
        report.positions += part.positions;
        report.moves += part.moves;
        report.no_moves += part.no_moves;
        report.variations_left_out += part.variations;
        book.extend(&part.in_book);
        let mut start = 0;
        for (number, &end) in part.ends.iter().enumerate() {
            if children.add(part.children.keys[number], part.children.plies[number]) {
                let text = &part.texts[start..end];
                texts.write_all(text).map_err(temp.error(texts_len))?;
                texts_len += text.len() as u64;
            }
            start = end;
        }
        problems.append(path, part.problems, games)?;
        games += part.games;
        Ok(())
    };
    if has_records(input)? {
        let work =
            move |piece: &RecordPiece<'_>, path: &Path| StartsChunk::of_games(piece, path, owned);
        for_each_record_piece(input, job, work, take)?;
    } else if let Ok(Format::Ybb) = Format::of_path(input) {
        let (path, mut take) = (input.to_owned(), take);
        let book = BookFile::open(input, options.bad_lines)?;
        let work = move |piece: &BookChunk<'_>| match piece {
            BookChunk::Binary(book, range) => {
                StartsChunk::read_binary(book, range.clone(), &path, owned)
            }
            BookChunk::Text(_) => Ok(StartsChunk::default()),
        };
        book.pieces("read", job, work, |part| take(input, part))?;
    } else {
        let (path, mut take) = (input.to_owned(), take);
        let work = move |chunk: &Chunk| StartsChunk::read(chunk, &path, owned);
        for_each_position_chunk(input, job, work, |part| take(input, part))?;
    }
    problems.flush()?;
    let texts = texts
        .into_inner()
        .map_err(|error| temp.error(texts_len)(error.into_error()))?;
    job.progress
        .stage("writing", Some(children.keys.len() as u64), Unit::Positions);
    children.write(texts, &temp, job, |number, line| {
        if book.contains(&children.keys[number]) {
            report.in_book += 1;
            return Ok(());
        }
        report.written += 1;
        put(line)
    })?;
    Ok(report)
}

/// Returns the reason why no position is written.
fn nothing(input: &Path, report: &StartSfensReport) -> String {
    let (input, summary) = (input.display(), report.problems.summary());
    if report.positions == 0 {
        format!("no position is in {input}{summary}")
    } else if report.in_book == 0 {
        format!("no move can be played in {input}{summary}")
    } else {
        format!("every move in {input} leads to a position of the book")
    }
}

/// Positions reached, in the order in which they were first reached.
#[derive(Default)]
struct Children {
    numbers: HashTable<u32>,
    keys: Vec<u128>,
    /// The smallest move number of each.
    plies: Vec<u32>,
}

impl Children {
    /// Adds a position or lowers its move number; whether it is new.
    fn add(&mut self, key: u128, ply: u32) -> bool {
        let same = |&number: &u32| self.keys[number as usize] == key;
        if let Some(&number) = self.numbers.find(key as u64, same) {
            let known = &mut self.plies[number as usize];
            *known = ply.min(*known);
            return false;
        }
        let keys = &self.keys;
        self.numbers
            .insert_unique(key as u64, keys.len() as u32, |&number| {
                keys[number as usize] as u64
            });
        self.keys.push(key);
        self.plies.push(ply);
        true
    }

    /// Calls `put` with the number and the line, without line end, of every position, whose SFENs
    /// stand in `texts`.
    fn write(
        &self,
        mut texts: File,
        temp: &TempFolder,
        job: &Job,
        mut put: impl FnMut(usize, &mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        texts.rewind().map_err(temp.error(0))?;
        let mut reader = BufReader::with_capacity(1 << 20, texts);
        let mut line = Vec::new();
        for (number, ply) in self.plies.iter().enumerate() {
            line.clear();
            reader.read_until(b'\n', &mut line).map_err(temp.error(0))?;
            if line.pop().is_none() {
                let lost = std::io::Error::other("a temporary file has changed");
                return Err(temp.error(0)(lost).into());
            }
            line.extend_from_slice(format!(" {ply} ").as_bytes());
            put(number, &mut line)?;
            if number % (1 << 16) == 0 {
                job.check()?;
                job.progress.advance(1 << 16);
            }
        }
        Ok(())
    }
}

/// Children of the positions of a piece of a book or of records.
#[derive(Default)]
struct StartsChunk {
    children: Children,
    /// Place where the line of each child ends in `texts`.
    ends: Vec<usize>,
    /// SFENs without move numbers, each with LF.
    texts: Vec<u8>,
    /// Keys of the positions of the book, if they are wanted.
    in_book: Vec<u128>,
    positions: u64,
    moves: u64,
    no_moves: u64,
    /// Games of records.
    games: u64,
    /// Variations of records left out.
    variations: u64,
    problems: PendingProblems,
}

impl StartsChunk {
    fn of_games(piece: &RecordPiece<'_>, path: &Path, options: StartSfens) -> Result<Self> {
        let mut part = Self::default();
        let left_out = piece.for_each_game(usize::MAX, options.variations, |place, game| {
            part.games += u64::from(!game.as_ref().is_ok_and(Replay::is_variation));
            let played = game.and_then(|game| part.game(game, options.tips_only));
            played.or_else(|problem| {
                let policy = options.bad_lines;
                part.problems
                    .note(policy, path, &place, part.games, problem)
            })
        })?;
        part.variations = left_out;
        Ok(part)
    }

    /// Adds the positions of a game after its start.
    fn game(
        &mut self,
        mut game: Replay<'_>,
        tips_only: bool,
    ) -> std::result::Result<(), LineProblem> {
        loop {
            let before = key_of_both_sides(game.position());
            if game.play_next()?.is_none() {
                return Ok(());
            }
            self.positions += 1;
            if tips_only {
                self.in_book.push(before);
            }
            self.add(Some(game.position().clone()));
        }
    }

    /// Adds what the moves of positions of a binary book lead to.
    ///
    /// # Errors
    /// When a move cannot be played, whatever the policy: such a book is damaged.
    fn read_binary(
        book: &Ybb,
        range: Range<u64>,
        path: &Path,
        options: StartSfens,
    ) -> Result<Self> {
        let mut part = Self::default();
        for at in range {
            let Some(entry) = book.get(at)? else {
                break;
            };
            part.positions += 1;
            let wrong = |reason: String| BookError::byte(path, entry.offset(), reason);
            let position = entry.position().map_err(|error| wrong(error.to_string()))?;
            if options.tips_only {
                part.in_book.push(key_of_both_sides(&position));
            }
            for known in entry.moves() {
                let child = child_after(&position, known.mv);
                part.add(child.map_err(|problem| wrong(problem.to_string()))?);
            }
        }
        Ok(part)
    }

    fn read(chunk: &Chunk, path: &Path, options: StartSfens) -> Result<Self> {
        let mut part = Self::default();
        for record in Records::new(&chunk.bytes, chunk.offset) {
            part.positions += 1;
            let mut note = |(offset, line), problem| {
                let place = RecordPlace::of_line(offset, line);
                part.problems
                    .note(options.bad_lines, path, &place, part.positions, problem)
            };
            let position = match record.position() {
                Ok(position) => position,
                Err(problem) => {
                    note((record.offset, record.sfen), problem)?;
                    continue;
                }
            };
            let mut played = Vec::new();
            for line in record.lines() {
                match child(&position, line.1) {
                    Ok(child) => played.push(child),
                    Err(problem) => note(line, problem)?,
                }
            }
            if options.tips_only {
                part.in_book.push(key_of_both_sides(&position));
            }
            for child in played {
                part.add(child);
            }
        }
        Ok(part)
    }

    /// Adds the position after the move of a line.
    fn add(&mut self, child: Option<Position>) {
        let Some(child) = child else {
            self.no_moves += 1;
            return;
        };
        self.moves += 1;
        if self.children.add(key_of_both_sides(&child), child.ply()) {
            self.texts
                .extend_from_slice(child.to_sfen_without_ply().as_bytes());
            self.texts.push(b'\n');
            self.ends.push(self.texts.len());
        }
    }
}

/// Returns what the move of a line leads to; `None` when the line says that there is no move.
fn child(position: &Position, line: &[u8]) -> std::result::Result<Option<Position>, LineProblem> {
    child_after(position, MoveLine::parse(line)?.book_move.mv)
}

/// Returns what a move leads to; `None` when there is none.
fn child_after(
    position: &Position,
    mv: Option<Move16>,
) -> std::result::Result<Option<Position>, LineProblem> {
    let Some(mv) = mv else {
        return Ok(None);
    };
    let m = legal_move(position, mv).ok_or_else(|| {
        let mut text = Vec::new();
        push_move(&mut text, Some(mv));
        LineProblem::Illegal(String::from_utf8_lossy(&text).into_owned())
    })?;
    // Move number 0 stands in some books for "unknown".
    let mut child = position.clone().with_ply(position.ply().max(1));
    let _ = child.do_move_unchecked(m);
    Ok(Some(child))
}

/// A key that a position shares with the same position seen from the other side of the board.
pub(crate) fn key_of_both_sides(position: &Position) -> u128 {
    position.key128().min(position.flip().key128())
}
