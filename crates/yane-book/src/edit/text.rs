//! Entries of text books: read with the lines they stand in, and written with those that were not changed.

use super::entry::{EditableEntry, EditableMove};
use crate::book_move::push_move;
use crate::db::{MoveLine, is_comment, push_number};

/// Reads the records of one position: usually one, whose lines are kept.
pub(super) fn read_entry(records: &[&[u8]], position: &str, ply: u32) -> EditableEntry {
    let mut entry = EditableEntry {
        position: position.to_owned(),
        ply: Some(ply),
        ..EditableEntry::default()
    };
    for record in records {
        // Comments below the line of a later record belong to the position.
        let mut is_below_move = false;
        for (number, line) in RawLines(record).enumerate() {
            if number > 0 {
                is_below_move |= add_line(&mut entry, line, is_below_move);
            } else if entry.head.is_empty() {
                entry.head = line.to_vec();
            }
        }
    }
    entry.comment = comment_of(b"", &entry.notes);
    for known in &mut entry.moves {
        let behind = MoveLine::comment(trimmed(&known.line));
        known.comment = comment_of(behind, &known.tail);
    }
    join_repeated(&mut entry.moves);
    entry
}

/// Adds a line. Returns whether it is a move.
fn add_line(entry: &mut EditableEntry, line: &[u8], is_below_move: bool) -> bool {
    let text = trimmed(line);
    if !text.is_empty() && !is_comment(text) {
        match MoveLine::parse(text) {
            Ok(parsed) => {
                entry.moves.push(read_move(line, parsed.book_move));
                return true;
            }
            Err(problem) => {
                entry.problem.get_or_insert(problem);
            }
        }
    }
    let tail = match entry.moves.last_mut().filter(|_| is_below_move) {
        Some(last) => &mut last.tail,
        None => &mut entry.notes,
    };
    tail.extend_from_slice(line);
    false
}

fn read_move(line: &[u8], read: crate::BookMove) -> EditableMove {
    // Numbers that are missing, or `none`, say nothing.
    let mut says = [false; 5];
    let mut fields = 0;
    for (word, says) in words(trimmed(line)).zip(&mut says) {
        *says = !matches!(word, b"none" | b"None");
        fields += 1;
    }
    EditableMove {
        mv: read.mv,
        reply: read.ponder,
        score: says[2].then_some(read.eval),
        depth: says[3].then_some(read.depth),
        count: says[4].then_some(read.count),
        line: line.to_vec(),
        fields,
        ..EditableMove::default()
    }
}

/// The words of a line in front of its comment.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = line.split(|byte| matches!(byte, b' ' | b'\t'));
    words
        .filter(|word| !word.is_empty())
        .take_while(|word| !is_comment(word))
}

/// Joins moves that are there again, as when books are read: the later line counts, and counts add up.
fn join_repeated(moves: &mut Vec<EditableMove>) {
    let mut at = 1;
    while at < moves.len() {
        let Some(first) = moves[..at]
            .iter()
            .position(|known| known.mv == moves[at].mv)
        else {
            at += 1;
            continue;
        };
        let later = moves.remove(at);
        let known = &mut moves[first];
        let counts = known.count.is_some() || later.count.is_some();
        let sum = known
            .count
            .unwrap_or(1)
            .saturating_add(later.count.unwrap_or(1));
        let comments = [std::mem::take(&mut known.comment), later.comment];
        let comments = comments.into_iter().filter(|comment| !comment.is_empty());
        *known = EditableMove {
            count: counts.then_some(sum),
            comment: comments.collect::<Vec<_>>().join("\n"),
            line: Vec::new(),
            tail: Vec::new(),
            ..later
        };
    }
}

/// The text of comments: behind the fields of a line, and below it.
fn comment_of(behind: &[u8], tail: &[u8]) -> String {
    if behind.is_empty() && tail.is_empty() {
        return String::new();
    }
    let below = RawLines(tail).map(trimmed).filter(|line| is_comment(line));
    let lines = std::iter::once(behind).chain(below);
    let texts = lines.filter(|line| !line.is_empty()).map(|line| {
        let text = line.strip_prefix(b"//").or_else(|| line.strip_prefix(b"#"));
        let text = text.unwrap_or(line);
        String::from_utf8_lossy(text.strip_prefix(b" ").unwrap_or(text)).into_owned()
    });
    texts.collect::<Vec<_>>().join("\n")
}

impl EditableMove {
    /// Lets the line be written anew, with the comments that it has.
    pub(super) fn rewrite_line(&mut self) {
        let behind = MoveLine::comment(trimmed(&self.line));
        if !behind.is_empty() {
            self.behind = behind.to_vec();
        }
        self.line.clear();
    }

    /// Sets the comment, of which nothing is kept if it is another one.
    pub(super) fn set_comment(&mut self, comment: &str) {
        self.rewrite_line();
        if self.comment != comment {
            comment.clone_into(&mut self.comment);
            self.behind.clear();
            self.tail.clear();
        }
    }
}

/// Appends an entry to the text of a book.
pub(super) fn push_entry(out: &mut Vec<u8>, entry: &EditableEntry, line_end: &[u8]) {
    if entry.head.is_empty() {
        out.extend_from_slice(b"sfen ");
        out.extend_from_slice(entry.sfen().as_bytes());
    } else {
        out.extend_from_slice(&entry.head);
    }
    end_line(out, line_end);
    push_below(out, &entry.notes, &entry.comment, line_end);
    for known in &entry.moves {
        if !known.line.is_empty() {
            out.extend_from_slice(&known.line);
            end_line(out, line_end);
            out.extend_from_slice(&known.tail);
            end_line(out, line_end);
            continue;
        }
        push_line(out, known);
        if known.behind.is_empty() {
            out.extend_from_slice(line_end);
            push_below(out, &known.tail, &known.comment, line_end);
        } else {
            out.push(b' ');
            out.extend_from_slice(&known.behind);
            out.extend_from_slice(line_end);
            push_below(out, &known.tail, "", line_end);
        }
    }
}

/// Appends the lines below another as they stand, or else the comment that is to stand there.
fn push_below(out: &mut Vec<u8>, lines: &[u8], comment: &str, line_end: &[u8]) {
    out.extend_from_slice(lines);
    end_line(out, line_end);
    if lines.is_empty() {
        for line in comment.lines().filter(|line| !line.trim().is_empty()) {
            out.push(b'#');
            out.extend_from_slice(line.trim_end().as_bytes());
            out.extend_from_slice(line_end);
        }
    }
}

/// Appends the fields of a move: as many as say something, but not fewer than its line had.
fn push_line(out: &mut Vec<u8>, known: &EditableMove) {
    push_move(out, known.mv);
    out.push(b' ');
    push_move(out, known.reply);
    let signed = |field: Option<i32>| field.map(|n| (u64::from(n.unsigned_abs()), n < 0));
    let numbers = [
        signed(known.score),
        signed(known.depth),
        known.count.map(|count| (count, false)),
    ];
    let last = numbers.iter().rposition(Option::is_some);
    let said = last
        .map_or(0, |at| at + 1)
        .max(known.fields.saturating_sub(2));
    for field in &numbers[..said.min(numbers.len())] {
        out.push(b' ');
        match *field {
            Some((number, is_negative)) => push_number(out, number, is_negative),
            None => out.extend_from_slice(b"none"),
        }
    }
}

/// Ends a line that has no end yet.
pub(super) fn end_line(out: &mut Vec<u8>, line_end: &[u8]) {
    if !matches!(out.last(), None | Some(b'\n' | b'\r')) {
        out.extend_from_slice(line_end);
    }
}

/// A line without its end and the blanks before it.
fn trimmed(line: &[u8]) -> &[u8] {
    line.trim_ascii_end()
}

/// Lines with their ends: LF, CR LF or CR.
struct RawLines<'a>(&'a [u8]);

impl<'a> Iterator for RawLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let end = memchr::memchr2(b'\n', b'\r', self.0);
        let end = end.map_or(self.0.len(), |end| {
            let is_pair = self.0[end..].starts_with(b"\r\n");
            end + if is_pair { 2 } else { 1 }
        });
        let (line, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(line)
    }
}
