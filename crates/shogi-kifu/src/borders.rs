//! Where games begin in a text with many.
//!
//! CSA has `/` between games; a KIF or KI2 begins where a header follows moves; JKF comes as objects one after the other or
//! in an array; USI as lines.

use crate::format::KifuFormat;

/// The game in a piece between two borders, and the bytes before it; `None` when there is none.
pub(crate) fn game_text(format: KifuFormat, slice: &[u8]) -> Option<(usize, &[u8])> {
    let is_gap = |byte: &u8| match format {
        KifuFormat::Jkf => byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']'),
        _ => byte.is_ascii_whitespace() || *byte == 0x1a,
    };
    let first = slice.iter().position(|byte| !is_gap(byte))?;
    let last = slice.iter().rposition(|byte| !is_gap(byte))?;
    let end = slice
        .iter()
        .rposition(|byte| !matches!(byte, b'\n' | b'\r' | 0x1a))?;
    // Blanks at the end of a line may belong to a comment.
    let text = &slice[..=end];
    match format {
        KifuFormat::Jkf => Some((first, &slice[first..=last])),
        KifuFormat::Usi => {
            let line = &slice[first..=last];
            (!line.starts_with(b"#") && !line.starts_with(b"//")).then_some((first, line))
        }
        KifuFormat::Csa => {
            // The separator belongs to the game before it.
            let line = memchr::memrchr2(b'\n', b'\r', text).map_or(0, |at| at + 1);
            let text = match text[line..].trim_ascii() {
                b"/" => &text[..line],
                _ => text,
            };
            text.iter().any(|byte| !is_gap(byte)).then_some((0, text))
        }
        KifuFormat::Kif | KifuFormat::Ki2 => Some((0, text)),
    }
}

/// The last place where a piece may begin.
pub(crate) fn last_start((format, is_utf8): (KifuFormat, bool), bytes: &[u8]) -> Option<usize> {
    match format {
        KifuFormat::Csa => {
            behind_last_separator(bytes).or_else(|| csa_starts(bytes).last().copied())
        }
        KifuFormat::Usi => {
            let text = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            Some(memchr::memrchr2(b'\n', b'\r', text)? + 1)
        }
        // Here the last piece begins behind the last whole object.
        _ => game_starts(format, is_utf8, bytes).last().copied(),
    }
}

/// The places where games begin; the first is 0.
pub(crate) fn game_starts(format: KifuFormat, is_utf8: bool, bytes: &[u8]) -> Vec<usize> {
    match format {
        KifuFormat::Jkf => json_starts(bytes),
        KifuFormat::Usi => Lines(bytes, 0).map(|(start, _)| start).collect(),
        KifuFormat::Csa => csa_starts(bytes),
        KifuFormat::Kif | KifuFormat::Ki2 => kif_starts(bytes, is_utf8),
    }
}

/// Lines with the place where they begin: text, and where to begin.
pub(crate) struct Lines<'a>(pub(crate) &'a [u8], pub(crate) usize);

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let Self(bytes, start) = *self;
        let rest = &bytes[start..];
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let after = if rest[end..].starts_with(b"\r\n") {
            2
        } else {
            1
        };
        self.1 = (start + end + after).min(bytes.len());
        Some((start, &rest[..end]))
    }
}

/// The line behind the last line `/` that another one follows.
fn behind_last_separator(bytes: &[u8]) -> Option<usize> {
    memchr::memrchr_iter(b'/', bytes).find_map(|at| {
        let before = bytes[..at]
            .last()
            .is_some_and(|byte| matches!(byte, b'\n' | b'\r'));
        let (_, line) = Lines(bytes, at).next()?;
        let next = Lines(bytes, at).nth(1)?.0;
        (before && line[1..].iter().all(u8::is_ascii_whitespace)).then_some(next)
    })
}

fn csa_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    // No move of the last game stands before this.
    let mut looked = 0;
    for at in memchr::memchr2_iter(b'/', b'V', bytes) {
        let begins_line = at == 0 || matches!(bytes[at - 1], b'\n' | b'\r');
        if !begins_line {
            continue;
        }
        let mut lines = Lines(bytes, at);
        match lines.next() {
            Some((_, [b'/', rest @ ..])) if rest.iter().all(u8::is_ascii_whitespace) => {
                if let Some((start, _)) = lines.next() {
                    starts.push(start);
                    looked = start;
                }
            }
            Some((_, [b'V', b'1'..=b'9', ..])) => {
                let is_move = |(_, line): (usize, &[u8])| matches!(line, [b'+' | b'-' | b'%', ..]);
                let has_moves = Lines(&bytes[..at], looked).any(is_move);
                if has_moves {
                    starts.push(at);
                }
                looked = at;
            }
            _ => {}
        }
    }
    starts
}

/// Headers with which games begin, without which other lines with a colon are remarks of the game before.
const FIRST_KEYS: [&str; 16] = [
    "手合割",
    "先手",
    "後手",
    "下手",
    "上手",
    "開始日時",
    "対局日",
    "棋戦",
    "表題",
    "作品名",
    "作品番号",
    "場所",
    "持ち時間",
    "対局ID",
    "記録ID",
    "後手の持駒",
];

/// The words that tell where games in KIF and KI2 begin, in the bytes of a text.
struct KifWords {
    variation: Vec<u8>,
    sentence: Vec<u8>,
    same: Vec<u8>,
    colon: Vec<u8>,
    keys: Vec<Vec<u8>>,
    is_utf8: bool,
}

impl KifWords {
    fn new(is_utf8: bool) -> Self {
        let bytes = |word: &str| {
            if is_utf8 {
                word.as_bytes().to_vec()
            } else {
                yane_io::encode_shift_jis(word).0.into_owned()
            }
        };
        Self {
            variation: bytes("変化"),
            sentence: bytes("まで"),
            same: bytes("同"),
            colon: bytes("："),
            keys: FIRST_KEYS.iter().map(|key| bytes(key)).collect(),
            is_utf8,
        }
    }

    /// Returns whether a line is a header with which games begin.
    fn is_first_header(&self, line: &[u8]) -> bool {
        self.keys.iter().any(|key| {
            line.strip_prefix(&key[..])
                .is_some_and(|rest| rest.starts_with(&self.colon) || rest.starts_with(b":"))
        })
    }

    /// Returns whether a line begins with a move without its number, as `７六歩(77)` and `同　歩`.
    fn is_bare_move(&self, line: &[u8]) -> bool {
        let digit = |bytes: &[u8]| {
            if self.is_utf8 {
                matches!(bytes, [0xEF, 0xBC, 0x90..=0x99, ..])
            } else {
                matches!(bytes, [0x82, 0x4F..=0x58, ..])
            }
        };
        let width = if self.is_utf8 { 3 } else { 2 };
        // Above boards digits stand alone.
        let wide: &[u8] = if self.is_utf8 {
            b"\xe3\x80\x80"
        } else {
            b"\x81\x40"
        };
        let blank = |rest: &[u8]| {
            rest.first()
                .is_none_or(|&byte| byte == b' ' || byte == b'\t')
                || rest.starts_with(wide)
        };
        let stands_alone = line.get(width..).is_none_or(blank);
        line.starts_with(&self.same) || (digit(line) && !stands_alone)
    }
}

fn kif_starts(bytes: &[u8], is_utf8: bool) -> Vec<usize> {
    let words = KifWords::new(is_utf8);
    let mut starts = vec![0];
    let mut has_moves = false;
    // A line with a colon behind moves: the first header of the next game, or a remark.
    let mut maybe = None;
    for (start, line) in Lines(bytes, 0) {
        let mut bare = line;
        while let Some(rest) = bare.strip_prefix(b" ").or_else(|| bare.strip_prefix(b"\t")) {
            bare = rest;
        }
        let is_head = match bare.first() {
            None | Some(b'*' | b'&') => continue,
            Some(b'#') => {
                line.starts_with(b"#KIF")
                    || line.starts_with(b"# KIF")
                    || line.starts_with(b"# ----")
            }
            Some(_) if bare.starts_with(&words.variation) => continue,
            Some(first)
                if first.is_ascii_digit()
                    || bare.starts_with(&words.sentence)
                    || is_mark(bare, is_utf8)
                    || words.is_bare_move(bare) =>
            {
                (has_moves, maybe) = (true, None);
                continue;
            }
            Some(_) => {
                let header = words.is_first_header(bare);
                if !header && has_moves && memchr::memmem::find(bare, &words.colon).is_some() {
                    maybe.get_or_insert(start);
                }
                header
            }
        };
        if is_head && has_moves {
            starts.push(maybe.take().unwrap_or(start));
            has_moves = false;
        }
    }
    starts
}

/// Returns whether a line begins with the mark of a player.
fn is_mark(line: &[u8], is_utf8: bool) -> bool {
    if is_utf8 {
        matches!(
            line,
            [0xE2, 0x96, 0xB2 | 0xB3 | 0xBC | 0xBD, ..] | [0xE2, 0x98, 0x96 | 0x97, ..]
        )
    } else {
        matches!(line, [0x81, 0xA2..=0xA5, ..])
    }
}

/// 0, and the places behind objects that are not in another one.
fn json_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (at, &byte) in bytes.iter().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    starts.push(at + 1);
                }
            }
            _ => {}
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What [`csa_starts`] says, line by line.
    fn starts_by_lines(bytes: &[u8]) -> Vec<usize> {
        let mut starts = vec![0];
        let (mut has_moves, mut separated) = (false, false);
        for (start, line) in Lines(bytes, 0) {
            let is_version = matches!(line, [b'V', b'1'..=b'9', ..]);
            if separated || (is_version && has_moves) {
                starts.push(start);
                (separated, has_moves) = (false, false);
            }
            match line {
                [b'/', rest @ ..] if rest.iter().all(u8::is_ascii_whitespace) => separated = true,
                [b'+' | b'-' | b'%', ..] => has_moves = true,
                _ => {}
            }
        }
        starts
    }

    proptest! {
        #[test]
        fn csa_games_begin_behind_separators_and_at_versions(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "/", "V2.2", "V3", "V", "+", "-3334FU", "%", "'", " ", "a/V2", "\n", "\r\n", "\r", "\n", "\n",
                ]),
                0..40,
            )
        ) {
            let text = parts.concat();
            prop_assert_eq!(csa_starts(text.as_bytes()), starts_by_lines(text.as_bytes()));
        }
    }
}
