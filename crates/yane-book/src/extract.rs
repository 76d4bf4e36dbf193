//! Lists of positions taken out of books and records (`makebook extract_sfen_from_db`,
//! `extract_sfen_from_sfen`).

use std::path::Path;

use hashbrown::HashSet;
use shogi_core::Position;
use yane_io::{AtomicFile, Chunk, Overwrite};

use crate::db::BadLines;
use crate::db::{LineEnd, LineProblem};
use crate::records::{
    FileProblems, PendingProblems, Problems, RecordPiece, Replay, Variations, for_each_chunk,
    for_each_record_piece,
};
use crate::sniff::SFEN_LINES;
use crate::{BookError, Job, Result};

/// Options: how to write a list of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extract {
    /// Choice of the lines of records.
    pub variations: Variations,
    /// Policy for lines that are no games and for moves that cannot be played. The positions
    /// before such a move are used in either case. Says nothing about books, whose lines are copied
    /// unread.
    pub bad_lines: BadLines,
    /// Line ends.
    pub line_end: LineEnd,
    /// Overwriting: whether the output may be the input.
    pub overwrite: Overwrite,
}

impl Default for Extract {
    fn default() -> Self {
        Self {
            variations: Variations::default(),
            bad_lines: BadLines::Skip,
            line_end: LineEnd::default(),
            overwrite: Overwrite::default(),
        }
    }
}

/// Summary of the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractReport {
    /// Games read; 0 when the input is a book.
    pub games: u64,
    /// Positions written.
    pub positions: u64,
    /// Variations left out.
    pub variations_left_out: u64,
    /// Lines that are no games, and games with a move that cannot be played.
    pub problems: Problems,
}

/// Copies every line of the book `input` that begins with the word `sfen`, blanks at its end
/// included.
///
/// # Errors
/// When a file cannot be read or written, or `output` is `input`. The output is untouched then.
pub fn extract_sfen_from_db(
    input: &Path,
    output: &Path,
    options: &Extract,
    job: &Job,
) -> Result<ExtractReport> {
    let _claim = options.overwrite.claim(output, &[input])?;
    let mut report = ExtractReport::default();
    let mut file = AtomicFile::create(output)?;
    let end = options.line_end;
    let work = move |chunk: &Chunk| Ok(sfen_lines(chunk, end));
    for_each_chunk(input, &SFEN_LINES, job, work, |(lines, text)| {
        report.positions += lines;
        Ok(file.put(&text)?)
    })?;
    if report.positions == 0 {
        let reason = format!("no line of {} begins with \"sfen\"", input.display());
        return Err(BookError::nothing(output, reason));
    }
    file.commit()?;
    Ok(report)
}

/// The number of `sfen` lines, and the lines.
fn sfen_lines(chunk: &Chunk, end: LineEnd) -> (u64, Vec<u8>) {
    let text = &chunk.bytes[..];
    let mut out = Vec::new();
    let mut count = 0;
    for line in text.split(|&byte| byte == b'\n' || byte == b'\r') {
        if line.starts_with(b"sfen ") {
            count += 1;
            out.extend_from_slice(line);
            out.extend_from_slice(end.bytes());
        }
    }
    (count, out)
}

/// Writes every position of every game in `input`, from its start to its end, each once (positions
/// with another move number are other positions), in the order in which they first appear and
/// without the word `sfen`. Needs some 40 bytes of memory for each of them.
///
/// # Errors
/// When a file cannot be read or written, when `output` is `input`, or at the first problem if that is
/// the policy. The output is untouched then.
pub fn extract_sfen_from_sfen(
    input: &Path,
    output: &Path,
    options: &Extract,
    job: &Job,
) -> Result<ExtractReport> {
    let _claim = options.overwrite.claim(output, &[input])?;
    let mut report = ExtractReport::default();
    let mut problems = FileProblems::new(&mut report.problems);
    let mut known = HashSet::new();
    let mut file = AtomicFile::create(output)?;
    let owned = *options;
    let work = move |piece: &RecordPiece<'_>, path: &Path| ExtractedChunk::read(piece, path, owned);
    for_each_record_piece(input, job, work, |path, part: ExtractedChunk| {
        problems.append(path, part.problems, report.games)?;
        report.games += part.games;
        report.variations_left_out += part.variations;
        let mut start = 0;
        for (key, end) in part.positions {
            if known.insert(key) {
                report.positions += 1;
                file.put(&part.texts[start..end])?;
            }
            start = end;
        }
        Ok(())
    })?;
    problems.flush()?;
    if report.positions == 0 {
        let summary = report.problems.summary();
        let reason = format!("no game is in {}{summary}", input.display());
        return Err(BookError::nothing(output, reason));
    }
    file.commit()?;
    Ok(report)
}

/// The positions of a piece of a record file, each once.
struct ExtractedChunk {
    /// Key, and where the line in `texts` ends.
    positions: Vec<(u128, usize)>,
    texts: Vec<u8>,
    games: u64,
    /// Variations left out.
    variations: u64,
    problems: PendingProblems,
}

impl ExtractedChunk {
    fn read(piece: &RecordPiece<'_>, path: &Path, options: Extract) -> Result<Self> {
        let mut part = Self {
            positions: Vec::new(),
            texts: Vec::new(),
            games: 0,
            variations: 0,
            problems: PendingProblems::default(),
        };
        let mut known = HashSet::new();
        let left_out = piece.for_each_game(usize::MAX, options.variations, |place, game| {
            part.games += u64::from(!game.as_ref().is_ok_and(Replay::is_variation));
            let add = |position: &Position| {
                let key = key_with_ply(position);
                if known.insert(key) {
                    part.texts.extend_from_slice(position.to_sfen().as_bytes());
                    part.texts.extend_from_slice(options.line_end.bytes());
                    part.positions.push((key, part.texts.len()));
                }
            };
            game.and_then(|game| replay(game, add)).or_else(|problem| {
                let policy = options.bad_lines;
                part.problems
                    .note(policy, path, &place, part.games, problem)
            })
        })?;
        part.variations = left_out;
        Ok(part)
    }
}

fn replay(
    mut game: Replay<'_>,
    mut add: impl FnMut(&Position),
) -> std::result::Result<(), LineProblem> {
    loop {
        add(game.position());
        if game.play_next()?.is_none() {
            return Ok(());
        }
    }
}

/// A key of a position with its move number.
pub(crate) fn key_with_ply(position: &Position) -> u128 {
    key_at_ply(position.key128(), position.ply())
}

/// The same from the position's key: a number times an odd constant changes half of the bits, and
/// Zobrist keys know nothing of it.
pub(crate) const fn key_at_ply(key: u128, ply: u32) -> u128 {
    const SPREAD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    key ^ (ply as u128).wrapping_mul(SPREAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_book_are_copied_as_they_are() {
        let text = b"sfen a b - 1 \t\r\n# sfen x\n sfen y\nsfenz\r7g7f\rsfen c".to_vec();
        let chunk = Chunk {
            bytes: text,
            offset: 0,
        };
        let expected = b"sfen a b - 1 \t\nsfen c\n".to_vec();
        assert_eq!(sfen_lines(&chunk, LineEnd::Lf), (2, expected));
    }

    #[test]
    fn move_numbers_tell_positions_apart() {
        let position = Position::startpos();
        let keys: HashSet<_> = (0..1000)
            .map(|ply| key_with_ply(&position.clone().with_ply(ply)))
            .collect();
        assert_eq!(keys.len(), 1000);
    }
}
