//! Kinds of text that are known by their words.

use memchr::memmem;

use super::{FileKind, Head};

const PAGE: &str = "it may be the error page of a failed download; download the file again";

/// A web page.
pub const HTML: FileKind = FileKind::new("an HTML page").with_advice(PAGE);
/// XML.
pub const XML: FileKind = FileKind::new("an XML file");
/// JSON.
pub const JSON: FileKind = FileKind::new("a JSON file");
/// A record of a game, KIF.
pub const KIF: FileKind = FileKind::new("a game record in the KIF format")
    .with_advice("convert it to USI moves (startpos moves ...) first");
/// A record of a game, KI2.
pub const KI2: FileKind = FileKind::new("a game record in the KI2 format")
    .with_advice("convert it to USI moves (startpos moves ...) first");
/// A record of a game, CSA.
pub const CSA: FileKind = FileKind::new("a game record in the CSA format")
    .with_advice("convert it to USI moves (startpos moves ...) first");
/// An opening book, `.db`.
pub const DB: FileKind = FileKind::new("a text book in the .db format");
/// A book of the policy of a deep engine.
pub const POLICY_DB: FileKind = FileKind::new("a policy book (policy_book.db)");

/// The kind that the words of a text tell.
pub(super) fn known(head: &Head) -> Option<FileKind> {
    if !head.is_text() {
        return None;
    }
    let text = head.text();
    let text = text.trim_ascii_start();
    markup(text).or_else(|| book(text)).or_else(|| record(text))
}

fn markup(text: &[u8]) -> Option<FileKind> {
    let begins = |word: &str| {
        text.get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    let json = || {
        let inside = text
            .strip_prefix(b"[")
            .map_or(text, <[u8]>::trim_ascii_start);
        inside
            .strip_prefix(b"{")
            .is_some_and(|rest| matches!(rest.trim_ascii_start().first(), Some(b'"' | b'}')))
    };
    let page = ["<!doctype html", "<html", "<head", "<body"]
        .into_iter()
        .any(begins);
    match () {
        () if page => Some(HTML),
        () if begins("<?xml") && contains(text, "<html") => Some(HTML),
        () if begins("<?xml") => Some(XML),
        () if json() => Some(JSON),
        () => None,
    }
}

fn book(text: &[u8]) -> Option<FileKind> {
    let begins = |word: &str| text.starts_with(word.as_bytes());
    match () {
        () if begins("#YANEURAOU-DB") => Some(DB),
        () if begins("#YANEURAOU-POLICY-DB") => Some(POLICY_DB),
        () => None,
    }
}

/// Words of KIF and KI2 files in UTF-8 and in Shift JIS.
mod words {
    /// Of the head of the moves of KIF.
    pub(super) const MOVES: [&[u8]; 2] = [
        "手数----指手".as_bytes(),
        b"\x8e\xe8\x90\x94----\x8e\x77\x8e\xe8",
    ];
    /// `手合割`, the handicap.
    pub(super) const HANDICAP: [&[u8]; 2] =
        ["手合割：".as_bytes(), b"\x8e\xe8\x8d\x87\x8a\x84\x81\x46"];
    /// `先手：`, `後手：`: the players.
    pub(super) const PLAYERS: [&[u8]; 4] = [
        "先手：".as_bytes(),
        "後手：".as_bytes(),
        b"\x90\xe6\x8e\xe8\x81\x46",
        b"\x8c\xe3\x8e\xe8\x81\x46",
    ];
    /// `▲`, `△`, `☗`, `☖`: what stands before every move of KI2.
    pub(super) const MARKS: [&[u8]; 6] = [
        "▲".as_bytes(),
        "△".as_bytes(),
        "☗".as_bytes(),
        "☖".as_bytes(),
        b"\x81\xa3",
        b"\x81\xa2",
    ];
}

fn record(text: &[u8]) -> Option<FileKind> {
    let any = |words: &[&[u8]]| words.iter().any(|word| memmem::find(text, word).is_some());
    let first = lines(text).find(|line| !line.starts_with(b"'"))?;
    let kif_comment = ["#KIF", "# KIF", "# ---- Kifu", "# ----  Kifu"]
        .into_iter()
        .any(|word| text.starts_with(word.as_bytes()));
    match () {
        () if is_csa(first) => Some(CSA),
        () if kif_comment || any(&words::MOVES) => Some(KIF),
        () if text.starts_with(b"#KI2") => Some(KI2),
        () if any(&words::HANDICAP) || any(&words::PLAYERS) => {
            Some(if any(&words::MARKS) { KI2 } else { KIF })
        }
        () if words::MARKS
            .iter()
            .any(|mark| first.trim_ascii_start().starts_with(mark)) =>
        {
            Some(KI2)
        }
        () if lines(text).take(3).filter(|line| is_kif_move(line)).count() > 1 => Some(KIF),
        () => None,
    }
}

/// Returns whether a CSA record begins with this line.
fn is_csa(line: &[u8]) -> bool {
    let version =
        matches!(line, [b'V', b'1'..=b'3', rest @ ..] if rest.is_empty() || rest[0] == b'.');
    let player = matches!(line, [b'N', b'+' | b'-', ..]);
    let board = line == b"PI"
        || line.starts_with(b"PI,")
        || line.starts_with(b"P1-KY")
        || line.starts_with(b"P1 *");
    version || player || board || line.starts_with(b"CSA encoding=") || line.starts_with(b"$EVENT:")
}

/// Returns whether this is a move of KIF: its number, and a Japanese character behind it.
fn is_kif_move(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &line[digits..];
    (1..=3).contains(&digits)
        && rest.first() == Some(&b' ')
        && rest
            .trim_ascii_start()
            .first()
            .is_some_and(|&byte| byte >= 0x80)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n' || byte == b'\r')
        .map(<[u8]>::trim_ascii_end)
        .filter(|line| !line.is_empty())
}

fn contains(text: &[u8], word: &str) -> bool {
    memmem::find(text, word.as_bytes()).is_some()
}
