//! Comments of text books: what people write beside positions and moves.
//!
//! A comment is a line that begins with `#` or `//`, or the text behind the fifth field of a move line. Lines below a
//! `sfen` line belong to the position, lines below a move to that move, as `ShogiHome` has it. Lines before the first
//! position belong to the book; the header and the number of positions (`# NOE:`) are none.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use shogi_core::Move16;
use yane_io::TextFile;

use super::{HEADER, LineEnd, MoveLine, Record, push_move_line};
use crate::book_move::flip_move;
use crate::db::move_line::is_comment;
use crate::{BookError, BookMove, Result};

/// Policy for the comments of a book that is written again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommentPolicy {
    /// They stay with their positions and moves.
    #[default]
    Keep,
    /// They are left out and counted, as the field's tools do without counting.
    LeaveOut,
}

/// Comments of a book that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommentCounts {
    /// Comments written.
    pub kept: u64,
    /// Comments left out: by policy, or since their position or move is not written.
    pub left_out: u64,
}

impl CommentCounts {
    /// Adds the counts of another part.
    pub(crate) const fn add(&mut self, other: Self) {
        self.kept += other.kept;
        self.left_out += other.left_out;
    }

    /// Counts comments of which so many were written.
    pub(crate) const fn count(&mut self, all: u64, written: u64) {
        self.kept += written;
        self.left_out += all.saturating_sub(written);
    }
}

/// What a comment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommentSubject {
    Position,
    /// A move, or the word `none`.
    Move(Option<Move16>),
}

/// The comments of a position and its moves, in their order, encoded one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comments(Vec<u8>);

/// Bytes before the text of an encoded comment: kind, move, length.
const HEAD: usize = 7;

/// Kinds of encoded comments.
mod kind {
    pub(super) const POSITION: u8 = 0;
    pub(super) const BELOW: u8 = 1;
    pub(super) const BEHIND: u8 = 2;
}

impl Comments {
    /// The comments in the lines of a text book's position; `visit` gets the other lines with their offsets, and returns the
    /// move of each, or nothing when it is left out.
    pub(crate) fn read<E>(
        record: &Record<'_>,
        mut visit: impl FnMut(u64, &[u8]) -> std::result::Result<Option<MoveLine>, E>,
    ) -> std::result::Result<Self, E> {
        let mut comments = Self::default();
        let mut subject = CommentSubject::Position;
        for (offset, line) in record.text_lines() {
            if is_comment(line) {
                comments.add_below(subject, line);
            } else if let Some(parsed) = visit(offset, line)? {
                let mv = parsed.book_move.mv;
                subject = CommentSubject::Move(mv);
                if !parsed.canonical {
                    comments.add_behind(mv, MoveLine::comment(line));
                }
            }
        }
        Ok(comments)
    }

    /// Number of comments in the lines of a position.
    pub(crate) fn count_in(record: &Record<'_>) -> u64 {
        let parse = |_, line: &[u8]| Ok::<_, ()>(MoveLine::parse(line).ok());
        Self::read(record, parse).map_or(0, |comments| comments.len())
    }

    /// Returns whether there is none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of comments.
    pub(crate) fn len(&self) -> u64 {
        self.iter().count() as u64
    }

    /// Removes all.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a line below its subject.
    pub(crate) fn add_below(&mut self, subject: CommentSubject, line: &[u8]) {
        match subject {
            CommentSubject::Position => self.push(kind::POSITION, None, line),
            CommentSubject::Move(mv) => self.push(kind::BELOW, mv, line),
        }
    }

    /// Adds the text behind the fields of a move; an empty one is none.
    pub(crate) fn add_behind(&mut self, mv: Option<Move16>, text: &[u8]) {
        if !text.is_empty() {
            self.push(kind::BEHIND, mv, text);
        }
    }

    fn push(&mut self, kind: u8, mv: Option<Move16>, text: &[u8]) {
        self.0.push(kind);
        self.0
            .extend_from_slice(&mv.map_or(0, |mv| mv.0).to_le_bytes());
        self.0.extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.0.extend_from_slice(text);
    }

    /// The comments as bytes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Replaces them with those that [`Self::as_bytes`] gave.
    pub(crate) fn set_bytes(&mut self, bytes: &[u8]) {
        self.0.clear();
        self.0.extend_from_slice(bytes);
    }

    /// Kind, move and text of each.
    fn iter(&self) -> impl Iterator<Item = (u8, Option<Move16>, &[u8])> {
        let mut rest = &self.0[..];
        std::iter::from_fn(move || {
            let (&[kind, a, b, c, d, e, f], tail) = rest.split_first_chunk::<HEAD>()?;
            let mv = u16::from_le_bytes([a, b]);
            let (text, tail) = tail.split_at_checked(u32::from_le_bytes([c, d, e, f]) as usize)?;
            rest = tail;
            Some((kind, (mv != 0).then_some(Move16(mv)), text))
        })
    }

    /// Adds those of another entry of the position that are not there yet.
    pub(crate) fn join(&mut self, other: &Self) {
        if self.is_empty() {
            self.set_bytes(&other.0);
            return;
        }
        for (kind, mv, text) in other.iter() {
            let is_known = self.iter().any(|(other, known, known_text)| {
                let same_subject = (other == kind::POSITION) == (kind == kind::POSITION);
                same_subject && known == mv && known_text == text
            });
            if !is_known {
                self.push(kind, mv, text);
            }
        }
    }

    /// The text about `subject`, lines parted by `\n`, without what begins comments.
    pub(crate) fn text(&self, subject: CommentSubject) -> String {
        let about = self.iter().filter(|&(kind, mv, _)| match subject {
            CommentSubject::Position => kind == kind::POSITION,
            CommentSubject::Move(known) => kind != kind::POSITION && mv == known,
        });
        let text = |(_, _, text): (u8, Option<Move16>, &[u8])| {
            let bare = text
                .strip_prefix(b"//")
                .or_else(|| text.strip_prefix(b"#"))
                .unwrap_or(text);
            String::from_utf8_lossy(bare.strip_prefix(b" ").unwrap_or(bare)).into_owned()
        };
        about.map(text).collect::<Vec<_>>().join("\n")
    }

    /// The comments of the position turned by 180 degrees.
    pub(crate) fn flip(&self) -> Self {
        let mut flipped = Self::default();
        for (kind, mv, text) in self.iter() {
            let mv = mv.map(|mv| mv.decode().map_or(mv, |_| flip_move(mv)));
            flipped.push(kind, mv, text);
        }
        flipped
    }

    /// Ends the line of `subject` in `out`, with the comments about it behind and below. Returns how many there are.
    pub(crate) fn end_line(
        &self,
        subject: CommentSubject,
        out: &mut Vec<u8>,
        line_end: LineEnd,
    ) -> u64 {
        let mut written = 0;
        let about = |&(kind, mv, _): &(u8, Option<Move16>, &[u8])| match subject {
            CommentSubject::Position => kind == kind::POSITION,
            CommentSubject::Move(known) => kind != kind::POSITION && mv == known,
        };
        let mut behind = self
            .iter()
            .filter(about)
            .filter(|found| found.0 == kind::BEHIND);
        if let Some((_, _, text)) = behind.next() {
            out.push(b' ');
            out.extend_from_slice(text);
            written += 1;
        }
        out.extend_from_slice(line_end.bytes());
        // Of several lines about one move only one can have its text behind it.
        let below = self
            .iter()
            .filter(about)
            .filter(|found| found.0 != kind::BEHIND);
        for (_, _, text) in behind.chain(below) {
            if !is_comment(text) {
                out.push(b'#');
            }
            out.extend_from_slice(text);
            out.extend_from_slice(line_end.bytes());
            written += 1;
        }
        written
    }

    /// Appends a position with its moves and comments; the SFEN has its ply. Returns how many comments were written.
    pub(crate) fn push_entry(
        &self,
        out: &mut Vec<u8>,
        sfen: &[u8],
        moves: &[BookMove],
        line_end: LineEnd,
    ) -> u64 {
        out.extend_from_slice(b"sfen ");
        out.extend_from_slice(sfen);
        let mut written = self.end_line(CommentSubject::Position, out, line_end);
        written += self.push_moves(out, moves, line_end);
        written
    }

    /// Appends moves with the comments about them. A move that is there twice has them once.
    pub(crate) fn push_moves(
        &self,
        out: &mut Vec<u8>,
        moves: &[BookMove],
        line_end: LineEnd,
    ) -> u64 {
        let mut written = 0;
        for (place, known) in moves.iter().enumerate() {
            push_move_line(out, known);
            if self.is_empty() || moves[..place].iter().any(|other| other.mv == known.mv) {
                out.extend_from_slice(line_end.bytes());
            } else {
                written += self.end_line(CommentSubject::Move(known.mv), out, line_end);
            }
        }
        written
    }
}

/// The comments before the first position of the text book at `path`, without the header and the number of positions.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn book_comments(path: &Path) -> Result<Vec<Vec<u8>>> {
    let mut reader = BufReader::new(TextFile::open_any(path)?);
    let mut comments = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(BookError::io(path))?;
        if read == 0 {
            return Ok(comments);
        }
        // Old files may end lines with CR alone.
        for line in line.split(|&byte| byte == b'\r' || byte == b'\n') {
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            if line.starts_with(b"sfen ") {
                return Ok(comments);
            }
            let is_header = line.trim_ascii_end() == HEADER.as_bytes();
            let is_number = line.starts_with(b"# NOE:") || line.starts_with(b"#NOE:");
            if is_comment(line) && !is_header && !is_number {
                comments.push(line.trim_ascii_end().to_vec());
            }
        }
    }
}

/// Bytes of a line that are looked at at once.
const LONGEST_LINE: u64 = 1 << 20;

/// The comments of several books, each once.
pub(crate) fn comments_of_books<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
) -> Result<Vec<Vec<u8>>> {
    let mut all: Vec<Vec<u8>> = Vec::new();
    for path in paths {
        for comment in book_comments(path)? {
            if !all.contains(&comment) {
                all.push(comment);
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;
    use crate::db::Records;

    const TEXT: &str = "sfen 9/9/9/9/9/9/9/9/9 b - 1\n\
        # about the position\n// and more\n\
        7g7f 3c3d 1 2 3 # behind\n#below\n\
        2g2f\n\
        7g7f none 0 0 1 again\n";

    fn read(text: &str) -> (Comments, Vec<BookMove>) {
        let record = Records::new(text.as_bytes(), 0).next().unwrap();
        let mut moves = Vec::new();
        let comments = Comments::read(&record, |_, line| {
            let line = MoveLine::parse(line)?;
            moves.push(line.book_move);
            Ok::<_, crate::db::LineProblem>(Some(line))
        });
        (comments.unwrap(), moves)
    }

    #[test]
    fn comments_are_written_where_they_were_read() {
        let (comments, mut moves) = read(TEXT);
        assert_eq!(comments.len(), 5);
        moves.truncate(2);
        let mut out = Vec::new();
        let written = comments.push_entry(&mut out, b"x", &moves, LineEnd::Lf);
        assert_eq!(written, 5);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "sfen x\n# about the position\n// and more\n\
             7g7f 3c3d 1 2 3 # behind\n#again\n#below\n2g2f none 0 0 1\n"
        );
        // Without the move its comments are not written.
        let written = comments.push_entry(&mut Vec::new(), b"x", &moves[1..], LineEnd::Lf);
        assert_eq!(written, 2);
    }

    #[test]
    fn a_comment_is_joined_once_and_turns_with_its_move() {
        let (comments, _) = read(TEXT);
        let mut joined = comments.clone();
        joined.join(&comments);
        assert_eq!(joined, comments);
        let (other, _) = read("sfen 9/9/9/9/9/9/9/9/9 b - 1\n#new\n7g7f none 0 0 1 # behind\n");
        joined.join(&other);
        assert_eq!(joined.len(), comments.len() + 1);
        let there_and_back = joined.flip().flip();
        assert_eq!(there_and_back, joined);
        assert_ne!(joined.flip(), joined);
        let mut copy = Comments::default();
        copy.set_bytes(joined.as_bytes());
        assert_eq!(copy, joined);
    }

    #[test]
    fn comments_of_a_book_stand_before_its_first_position() {
        let folder = TestFolder::new();
        let path = folder.path("book.db");
        let text = "\u{feff}#YANEURAOU-DB2016 1.00\r\n# NOE:3\r\n// mine\r\n\r\n# yours \r\nsfen x\r\n#not me\r\n";
        std::fs::write(&path, text).unwrap();
        let found = comments_of_books([path.as_path(), path.as_path()]).unwrap();
        assert_eq!(found, [b"// mine".to_vec(), b"# yours".to_vec()]);
    }
}
