//! Move lines: `<move> <ponder> <eval> <depth> <count>`.

use super::{LineEnd, LineProblem, excerpt};
use crate::book_move::{BookMove, move_from_usi, push_move};

/// A move line that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveLine {
    /// The move with its fields.
    pub book_move: BookMove,
    /// True if [`push_move_line`] writes exactly this line again.
    pub canonical: bool,
}

impl MoveLine {
    /// Reads a line without its line end. Fields that are missing take their defaults; a field that begins with `#` or
    /// `//`, or the sixth, begins a comment.
    ///
    /// # Errors
    /// When a move is no move or a number no number.
    #[inline]
    pub fn parse(line: &[u8]) -> Result<Self, LineProblem> {
        Self::read(line).map(|(line, _)| line)
    }

    /// The comment behind the fields of a line; empty when there is none, or the line is wrong.
    pub(crate) fn comment(line: &[u8]) -> &[u8] {
        Self::read(line).map_or(&[], |(_, comment)| comment)
    }

    /// Reads a line, and the comment behind its fields.
    #[inline]
    fn read(line: &[u8]) -> Result<(Self, &[u8]), LineProblem> {
        let mut fields = MoveFields {
            rest: line,
            comment: &[],
            canonical: true,
        };
        let mv = fields.mv()?;
        let ponder = fields.mv()?;
        let eval = fields.number("eval", 0)?;
        let depth = fields.number("depth", 0)?;
        let count = fields.count()?;
        let line = Self {
            book_move: BookMove {
                mv,
                ponder,
                eval,
                depth,
                count,
            },
            canonical: fields.canonical && fields.rest.is_empty(),
        };
        let comment = if fields.comment.is_empty() {
            fields.rest
        } else {
            fields.comment
        };
        Ok((line, comment.trim_ascii_start()))
    }
}

/// Appends the `sfen` line of a position, with its line end. `position` is the SFEN without ply.
#[inline]
pub fn push_position_line(out: &mut Vec<u8>, position: &[u8], ply: u32, line_end: LineEnd) {
    out.extend_from_slice(b"sfen ");
    out.extend_from_slice(position);
    out.push(b' ');
    push_number(out, ply.into(), false);
    out.extend_from_slice(line_end.bytes());
}

/// Appends the line for `book_move`, without line end.
pub fn push_move_line(out: &mut Vec<u8>, book_move: &BookMove) {
    push_move(out, book_move.mv);
    out.push(b' ');
    push_move(out, book_move.ponder);
    for number in [i64::from(book_move.eval), i64::from(book_move.depth)] {
        out.push(b' ');
        push_number(out, number.unsigned_abs(), number < 0);
    }
    out.push(b' ');
    push_number(out, book_move.count, false);
}

/// Appends a number in decimal.
pub(crate) fn push_number(out: &mut Vec<u8>, mut number: u64, negative: bool) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    if negative {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[start..]);
}

/// The fields that have not been read yet.
struct MoveFields<'a> {
    rest: &'a [u8],
    /// The comment, if a field began it.
    comment: &'a [u8],
    /// True if the input equals the canonical output.
    canonical: bool,
}

impl<'a> MoveFields<'a> {
    /// The next field; empty when there is none.
    #[inline(always)]
    fn next(&mut self) -> &'a [u8] {
        let end = self
            .rest
            .iter()
            .position(|&byte| byte == b' ' || byte == b'\t')
            .unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(end);
        self.canonical &= !field.is_empty() && rest.first() != Some(&b'\t');
        self.rest = rest.get(1..).unwrap_or_default();
        if field.is_empty() && !self.rest.is_empty() {
            return self.next();
        }
        field
    }

    /// Returns whether `field`, which was the next one of `before`, begins a comment. All that follows belongs to it.
    #[cold]
    fn begins_comment(&mut self, field: &[u8], before: &'a [u8]) -> bool {
        let found = is_comment(field);
        if found {
            self.comment = before;
            self.rest = &[];
        }
        found
    }

    #[inline(always)]
    fn mv(&mut self) -> Result<Option<shogi_core::Move16>, LineProblem> {
        let before = self.rest;
        let field = self.next();
        if let Some(mv) = move_from_usi(field) {
            return Ok(Some(mv));
        }
        match field {
            b"none" => Ok(None),
            b"" | b"None" | b"resign" => {
                self.canonical = false;
                Ok(None)
            }
            _ if self.begins_comment(field, before) => Ok(None),
            _ => Err(LineProblem::Move(excerpt(field))),
        }
    }

    #[inline(always)]
    fn number(&mut self, name: &'static str, default: i32) -> Result<i32, LineProblem> {
        let before = self.rest;
        let field = self.next();
        let (negative, digits) = match field {
            [b'-', digits @ ..] => (true, digits),
            _ => (false, field),
        };
        if let Some(number) = plain_number(digits)
            && !(negative && number == 0)
        {
            let number = number as i32;
            return Ok(if negative { -number } else { number });
        }
        self.canonical = false;
        if self.begins_comment(field, before) {
            return Ok(default);
        }
        odd_number(field, name).map(|number| {
            number.map_or(default, |number| {
                number.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
            })
        })
    }

    #[inline(always)]
    fn count(&mut self) -> Result<u64, LineProblem> {
        let before = self.rest;
        let field = self.next();
        if let Some(number) = plain_number(field) {
            return Ok(number);
        }
        self.canonical = false;
        if self.begins_comment(field, before) {
            return Ok(1);
        }
        let count = odd_number(field, "count")?.unwrap_or(1);
        Ok(count.max(0) as u64)
    }
}

/// A number written in an unusual way; `None` when the field is missing or `none`.
#[cold]
fn odd_number(field: &[u8], name: &'static str) -> Result<Option<i64>, LineProblem> {
    if matches!(field, b"" | b"none" | b"None") {
        return Ok(None);
    }
    let bad = || LineProblem::Number {
        field: name,
        found: excerpt(field),
    };
    let text = std::str::from_utf8(field).map_err(|_| bad())?;
    text.parse().map(Some).map_err(|_| bad())
}

/// A number of at most nine digits as it would be written: no sign, no leading zero.
#[inline(always)]
fn plain_number(digits: &[u8]) -> Option<u64> {
    let plain = match digits {
        [] => false,
        [b'0', rest @ ..] => rest.is_empty(),
        _ => digits.len() <= 9,
    };
    if !plain {
        return None;
    }
    let mut number = 0;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    Some(number)
}

/// Returns whether a line of a book is a comment.
#[inline]
pub(crate) fn is_comment(line: &[u8]) -> bool {
    line.first() == Some(&b'#') || line.starts_with(b"//")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(line: &str) -> (String, bool) {
        let parsed = MoveLine::parse(line.as_bytes()).unwrap();
        let mut out = Vec::new();
        push_move_line(&mut out, &parsed.book_move);
        (String::from_utf8(out).unwrap(), parsed.canonical)
    }

    #[test]
    fn fields_have_defaults() {
        for (line, expected) in [
            ("7g7f", "7g7f none 0 0 1"),
            ("7g7f 3c3d", "7g7f 3c3d 0 0 1"),
            ("7g7f none 12", "7g7f none 12 0 1"),
            ("7g7f resign -12 7", "7g7f none -12 7 1"),
            ("none None none none", "none none 0 0 1"),
            ("P*5e  3c3d\t+5 007", "P*5e 3c3d 5 7 1"),
            ("8h2b+ 3a2b 1 2 3 a comment", "8h2b+ 3a2b 1 2 3"),
            ("7g7f 3c3d -0 0 0", "7g7f 3c3d 0 0 0"),
            ("7g7f none 1 2 -4", "7g7f none 1 2 0"),
            ("7g7f #good", "7g7f none 0 0 1"),
            ("7g7f 3c3d 5 // 12 moves", "7g7f 3c3d 5 0 1"),
            ("7g7f 3c3d 5 2 #", "7g7f 3c3d 5 2 1"),
        ] {
            assert_eq!(written(line), (expected.to_owned(), false), "{line}");
        }
    }

    #[test]
    fn a_comment_stands_behind_the_fields() {
        for (line, comment) in [
            ("7g7f none 1 2 3", ""),
            ("7g7f none 1 2 3  a comment", "a comment"),
            ("7g7f none 1 2 3 # a", "# a"),
            ("7g7f # a b", "# a b"),
            ("7g7f 3c3d  //x", "//x"),
            ("7g7f 3c3d none #x 3", "#x 3"),
            ("7g7f 3c3d 1 2 #x", "#x"),
            ("nonsense", ""),
        ] {
            assert_eq!(
                MoveLine::comment(line.as_bytes()),
                comment.as_bytes(),
                "{line}"
            );
        }
    }

    #[test]
    fn what_is_written_is_canonical() {
        for line in [
            "7g7f 3c3d -2147 32 1",
            "none none 0 0 1",
            "B*5e+ 3c3d 0 0 0",
            "P*5e 4a5b+ 999999999 0 123456789",
        ] {
            match MoveLine::parse(line.as_bytes()) {
                Ok(_) => assert_eq!(written(line), (line.to_owned(), true)),
                Err(problem) => assert_eq!(problem, LineProblem::Move("B*5e+".to_owned())),
            }
        }
        // Valid, but too long for the quick path: written the same, merely not known to be.
        assert_eq!(
            written("7g7f none -2147483648 0 12345678901"),
            ("7g7f none -2147483648 0 12345678901".to_owned(), false)
        );
    }

    #[test]
    fn garbage_is_an_error() {
        for line in [
            "hello",
            "7g7f x",
            "7g7f none 1x",
            "7g7f none 1 2 3,5",
            "7g7f none \u{ff11}",
        ] {
            assert!(MoveLine::parse(line.as_bytes()).is_err(), "{line}");
        }
    }
}
