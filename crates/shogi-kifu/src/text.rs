//! Text: encodings, lines, numbers.

use std::borrow::Cow;

use yane_io::{decode_euc_jp, decode_shift_jis, encode_shift_jis};

use crate::error::{KifuError, KifuProblem, LossKind, Losses};
use crate::record::GameRecord;

/// The encoding of records that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Charset {
    /// UTF-8 without a byte order mark.
    #[default]
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Bom,
    /// `Shift_JIS` as Windows has it.
    ShiftJis,
}

/// The ends of lines that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineEnds {
    /// LF.
    #[default]
    Lf,
    /// CR LF.
    CrLf,
}

/// A text that goes into one line: its line ends become blanks, which is counted.
pub(crate) fn one_line<'a>(text: &'a str, kind: LossKind, losses: &mut Losses) -> Cow<'a, str> {
    if text.contains(['\n', '\r']) {
        losses.add(kind, 1);
        Cow::Owned(text.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text of `bytes`: UTF-8 or UTF-16 with or without a byte order mark, `Shift_JIS`, or EUC-JP.
///
/// # Errors
/// When it is none of them.
pub fn decode_record(bytes: &[u8]) -> Result<Cow<'_, str>, KifuError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains('\0')
    {
        return Ok(Cow::Borrowed(text));
    }
    for decode in [decode_shift_jis, decode_euc_jp] {
        if let Some(text) = decode(bytes).filter(|text| !text.contains('\0')) {
            return Ok(text);
        }
    }
    if let Ok(text) = String::from_utf8(yane_io::decode_text(bytes))
        && !text.contains('\0')
    {
        return Ok(Cow::Owned(text));
    }
    Err(KifuError::new(1, KifuProblem::Encoding))
}

/// The bytes of a text; characters that `Shift_JIS` does not have become `〓` and are counted. A first line that names the
/// encoding names the right one.
pub fn encode_record(text: &str, charset: Charset, ends: LineEnds) -> (Vec<u8>, Losses) {
    let mut text = match ends {
        LineEnds::Lf => Cow::Borrowed(text),
        LineEnds::CrLf => Cow::Owned(text.replace('\n', "\r\n")),
    };
    let names_it = text.starts_with("#KIF version") || text.starts_with("'CSA encoding=");
    if charset == Charset::ShiftJis && names_it {
        text = Cow::Owned(text.replacen("encoding=UTF-8", "encoding=SHIFT_JIS", 1));
    }
    let mut losses = Losses::default();
    let bytes = match charset {
        Charset::Utf8 => text.into_owned().into_bytes(),
        Charset::Utf8Bom => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        Charset::ShiftJis => {
            let (bytes, lossy) = encode_shift_jis(&text);
            if lossy {
                let mut replaced = 0;
                let mut piece = [0; 4];
                let fits = |c: char, piece: &mut [u8; 4]| !encode_shift_jis(c.encode_utf8(piece)).1;
                let text: String = text
                    .chars()
                    .map(|c| {
                        if c.is_ascii() || fits(c, &mut piece) {
                            c
                        } else {
                            replaced += 1;
                            '〓'
                        }
                    })
                    .collect();
                losses.add(LossKind::Characters, replaced);
                encode_shift_jis(&text).0.into_owned()
            } else {
                bytes.into_owned()
            }
        }
    };
    (bytes, losses)
}

/// Reads one game up to the line that has its move number `plies`. `depth` tells the moves made so far, once the start is known; `line`
/// takes the next line; `finish` makes the game.
///
/// # Errors
/// With the line, and what was expected there.
pub(crate) fn read_lines<R>(
    text: &str,
    plies: usize,
    mut reader: R,
    depth: fn(&R) -> Option<usize>,
    line: fn(&mut R, &str) -> Result<(), KifuProblem>,
    finish: fn(R) -> Result<GameRecord, KifuProblem>,
) -> Result<GameRecord, KifuError> {
    let mut last = 1;
    for (number, text) in numbered_lines(text) {
        if depth(&reader).is_some_and(|depth| depth >= plies) {
            break;
        }
        last = number;
        line(&mut reader, text).map_err(|problem| KifuError::new(number, problem))?;
    }
    finish(reader).map_err(|problem| KifuError::new(last, problem))
}

/// The lines with their numbers from 1; they end with LF, CR LF or CR.
pub(crate) fn numbered_lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut rest = Some(text);
    let mut number = 0;
    std::iter::from_fn(move || {
        let here = rest.filter(|here| !here.is_empty())?;
        number += 1;
        let bytes = here.as_bytes();
        let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
            rest = None;
            return Some((number, here));
        };
        let next = if bytes[end..].starts_with(b"\r\n") {
            end + 2
        } else {
            end + 1
        };
        rest = Some(&here[next..]);
        Some((number, &here[..end]))
    })
}

/// The digits behind a decimal point of seconds as milliseconds, cut after the third.
pub(crate) fn milliseconds(digits: &str) -> Option<u64> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value = |index: usize| {
        digits
            .as_bytes()
            .get(index)
            .map_or(0, |byte| u64::from(byte - b'0'))
    };
    Some(value(0) * 100 + value(1) * 10 + value(2))
}
