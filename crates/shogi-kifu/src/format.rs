//! The formats as one: recognised by content, read and written.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use yane_io::archive::WrittenFormat;

use crate::csa::{CsaVersion, read_csa, read_csa_opening};
use crate::csa_write::write_csa;
use crate::error::{KifuError, Losses};
use crate::jkf::{read_jkf, write_jkf};
use crate::kif::{read_kif, read_kif_opening};
use crate::kif_write::{write_ki2, write_kif};
use crate::record::GameRecord;
use crate::text::numbered_lines;
use crate::usi::{read_usi, write_usi};
use crate::words::{is_blank, player_of_mark, take_move};

/// A format of game records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KifuFormat {
    /// KIF: moves with numbers and times. Boards alone (BOD) are read as a KIF without moves.
    Kif,
    /// KI2: moves as they are printed.
    Ki2,
    /// CSA.
    Csa,
    /// JKF, JSON.
    Jkf,
    /// USI's `position` lines, one game a line.
    Usi,
}

impl KifuFormat {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Kif, Self::Ki2, Self::Csa, Self::Jkf, Self::Usi];

    /// The name: `kif`, `ki2`, `csa`, `jkf`, `usi`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kif => "kif",
            Self::Ki2 => "ki2",
            Self::Csa => "csa",
            Self::Jkf => "jkf",
            Self::Usi => "usi",
        }
    }

    /// The extension of its files, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Usi => "sfen",
            _ => self.name(),
        }
    }

    /// The format of files with this extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "kif" | "kifu" | "bod" => Some(Self::Kif),
            "ki2" | "ki2u" => Some(Self::Ki2),
            "csa" => Some(Self::Csa),
            "jkf" | "json" | "jsonl" => Some(Self::Jkf),
            "usi" | "sfen" => Some(Self::Usi),
            _ => None,
        }
    }

    /// The format of `text`, the beginning of a file; `None` when it is none of them.
    ///
    /// ```
    /// use shogi_kifu::KifuFormat;
    /// assert_eq!(KifuFormat::detect("V2.2\nPI\n+\n+7776FU"), Some(KifuFormat::Csa));
    /// assert_eq!(KifuFormat::detect("手合割：平手\n▲７六歩"), Some(KifuFormat::Ki2));
    /// assert_eq!(KifuFormat::detect("dear reader"), None);
    /// ```
    pub fn detect(text: &str) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with(['{', '[']) {
            let known = text.contains("\"moves\"")
                || text.contains("\"header\"")
                || text.contains("\"initial\"");
            return known.then_some(Self::Jkf);
        }
        let mut found = None;
        for (_, line) in numbered_lines(text).take(400) {
            let bare = line.trim_matches(is_blank);
            let Some(first) = bare.chars().next() else {
                continue;
            };
            if bare.starts_with("#KIF") || bare.starts_with("# KIF") || bare.starts_with("手数--")
            {
                return Some(Self::Kif);
            }
            if matches!(first, '*' | '#' | '&') {
                continue;
            }
            if is_csa(bare) {
                return Some(Self::Csa);
            }
            if first == '\'' {
                found.get_or_insert(Self::Csa);
                continue;
            }
            if is_usi(bare) {
                return Some(Self::Usi);
            }
            if is_numbered_move(bare) || is_bare_move(bare) {
                return Some(Self::Kif);
            }
            if player_of_mark(first).is_some() {
                return Some(Self::Ki2);
            }
            if found == Some(Self::Kif) && has_marked_move(bare) {
                return Some(Self::Ki2);
            }
            if is_japanese_head(bare) {
                found = Some(Self::Kif);
            }
        }
        found
    }

    /// Reads the one game that `text` is; an error when it is another format.
    ///
    /// # Errors
    /// With the line, and what was expected there.
    pub fn read(self, text: &str) -> Result<GameRecord, KifuError> {
        match self {
            Self::Kif | Self::Ki2 => read_kif(text),
            Self::Csa => read_csa(text),
            Self::Jkf => read_jkf(text),
            Self::Usi => read_usi(text),
        }
    }

    /// Reads the game of which only the first `plies` moves are wanted; what is behind them may not be looked at.
    ///
    /// # Errors
    /// With the line, and what was expected there.
    pub fn read_opening(self, text: &str, plies: usize) -> Result<GameRecord, KifuError> {
        match self {
            Self::Kif | Self::Ki2 => read_kif_opening(text, plies),
            Self::Csa => read_csa_opening(text, plies),
            Self::Jkf | Self::Usi => self.read(text),
        }
    }

    /// Writes a game in UTF-8 with LF line ends, with what the format cannot hold.
    pub fn write(self, record: &GameRecord, csa: CsaVersion) -> (String, Losses) {
        match self {
            Self::Kif => write_kif(record),
            Self::Ki2 => write_ki2(record),
            Self::Csa => write_csa(record, csa),
            Self::Jkf => write_jkf(record),
            Self::Usi => write_usi(record),
        }
    }

    /// The line between two games of a file.
    pub const fn separator(self) -> &'static str {
        match self {
            Self::Csa => "/\n",
            Self::Kif | Self::Ki2 => "\n",
            Self::Jkf | Self::Usi => "",
        }
    }
}

impl WrittenFormat for KifuFormat {
    fn extension(self) -> &'static str {
        self.extension()
    }

    fn of_extension(extension: &str) -> Option<Self> {
        Self::of_extension(extension)
    }
}

impl fmt::Display for KifuFormat {
    /// The name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that is not the name of a format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected kif, ki2, csa, jkf or usi, found {0:?}")]
pub struct UnknownKifuFormat(pub String);

impl FromStr for KifuFormat {
    type Err = UnknownKifuFormat;

    fn from_str(name: &str) -> Result<Self, UnknownKifuFormat> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownKifuFormat(name.to_owned()))
    }
}

/// Lines that only CSA has.
fn is_csa(line: &str) -> bool {
    let is_head = matches!(
        line.as_bytes(),
        [b'P', b'I' | b'1'..=b'9', ..] | [b'P' | b'N', b'+' | b'-', ..] | [b'V', b'1'..=b'9', ..]
    );
    let is_move = match line.split(',').next().unwrap_or(line).as_bytes() {
        [b'+' | b'-', digits @ .., a, b] if digits.len() == 4 => {
            digits.iter().all(u8::is_ascii_digit)
                && a.is_ascii_uppercase()
                && b.is_ascii_uppercase()
        }
        [b'%', sign, ..] => sign.is_ascii_uppercase() || matches!(sign, b'+' | b'-'),
        [b'$', letter, ..] => letter.is_ascii_uppercase() && line.contains(':'),
        _ => line.starts_with("'CSA encoding="),
    };
    is_head || is_move
}

/// Lines of USI.
fn is_usi(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else {
        return false;
    };
    let is_move = |word: &str| {
        shogi_core::MoveText::from_usi(&word.to_ascii_lowercase()).is_some()
            || shogi_core::MoveText::from_usi(word).is_some()
    };
    let is_board = first.split('/').count() == 9 && first.is_ascii();
    ["position", "startpos", "sfen", "moves"]
        .iter()
        .any(|word| first.eq_ignore_ascii_case(word))
        || is_board
        || is_move(first)
}

/// `1 ７六歩(77)`, `1 投了`.
fn is_numbered_move(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = digits.trim_start_matches(is_blank);
    if digits.len() == line.len() || rest.len() == digits.len() {
        return false;
    }
    let bare = rest.trim_start_matches(|c| player_of_mark(c).is_some());
    let word = rest.split(is_blank).next().unwrap_or(rest);
    take_move(&mut { bare }).is_some() || crate::ending::GameEnding::is_kif_word(word)
}

/// `７六歩(77)` without its number.
fn is_bare_move(line: &str) -> bool {
    let mut rest = line;
    let is_move = take_move(&mut rest).is_some_and(|m| m.to.is_some());
    let rest = rest.trim_start_matches(is_blank);
    is_move && (rest.is_empty() || rest.starts_with(['(', '（']))
}

/// Text and then the move of a player: a line of KI2 with something before its first mark.
fn has_marked_move(line: &str) -> bool {
    let mark = line.find(|c| player_of_mark(c).is_some());
    let Some((before, marked)) = mark.map(|at| line.split_at(at)) else {
        return false;
    };
    let mut rest = marked.trim_start_matches(|c| player_of_mark(c).is_some());
    !before.contains(['：', ':']) && take_move(&mut rest).is_some()
}

/// Headers and boards of KIF and KI2.
fn is_japanese_head(line: &str) -> bool {
    const KEYS: [&str; 20] = [
        "対局ID",
        "記録ID",
        "戦型",
        "場所",
        "作品番号",
        "作者",
        "秒読み",
        "掲載",
        "手合割",
        "先手",
        "後手",
        "下手",
        "上手",
        "開始日時",
        "終了日時",
        "棋戦",
        "対局日",
        "表題",
        "作品名",
        "持ち時間",
    ];
    let key = line.split(['：', ':']).next().unwrap_or(line);
    let has_colon = key.len() < line.len();
    (has_colon && KEYS.iter().any(|known| key.starts_with(known))) || line.starts_with("+-----")
}
