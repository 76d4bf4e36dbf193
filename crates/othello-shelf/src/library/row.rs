//! A row of a list of games: what is told about a game before it is loaded.

use othello_record::{EgaroucidRow, OthelloRecord};
use serde_json::{Value, json};

use super::names::FolderName;

/// Characters of a memo that a list shows.
const MEMO: usize = 40;

/// What a list tells about a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The name of the game in its folder: that of the file without its extension, or its number in a file of several.
    pub(super) name: Box<str>,
    pub(super) black: Box<str>,
    pub(super) white: Box<str>,
    pub(super) event: Box<str>,
    /// The beginning of the memo, in one line.
    pub(super) memo: Box<str>,
    pub(super) date: Box<str>,
    /// The discs of both at the end, if they are known.
    pub(super) discs: Option<[u8; 2]>,
    /// All texts in small letters, in lines: the players first.
    folded: Box<str>,
}

impl Row {
    /// The row of a record.
    pub(super) fn of(name: &str, record: &OthelloRecord) -> Self {
        let row = EgaroucidRow::of(name, record);
        let memo = &record.info.comment;
        Self::new(row, &record.info.event, Some(memo))
    }

    /// The row of a game that the table of its folder tells about.
    pub(super) fn of_table(row: EgaroucidRow) -> Self {
        Self::new(row, "", None)
    }

    /// A row of which only the name is known.
    pub(super) fn unknown(name: &str) -> Self {
        let row = EgaroucidRow {
            stem: name.to_owned(),
            ..EgaroucidRow::default()
        };
        Self::of_table(row)
    }

    fn new(row: EgaroucidRow, event: &str, memo: Option<&str>) -> Self {
        let long = memo.unwrap_or(&row.memo).replace('\n', " ");
        let texts = [&row.black, &row.white, event, &long, &row.date, &row.stem];
        let texts = texts.map(|text| text.to_lowercase());
        let memo: String = row.memo.chars().take(MEMO).collect();
        Self {
            folded: texts.join("\n").into(),
            name: row.stem.into(),
            black: row.black.into(),
            white: row.white.into(),
            event: event.into(),
            memo: memo.into(),
            date: row.date.into(),
            discs: row.discs,
        }
    }

    /// The same row, with what only the file tells: the tournament, and all of the memo for searches.
    pub(super) fn with_texts_of(self, read: Self) -> Self {
        Self {
            event: read.event,
            folded: read.folded,
            ..self
        }
    }

    /// The same row under another name.
    pub(super) fn renamed(self, name: &str) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    /// The row as the table of a folder has it.
    pub(super) fn table(&self) -> EgaroucidRow {
        EgaroucidRow {
            stem: self.name.to_string(),
            black: self.black.to_string(),
            white: self.white.to_string(),
            memo: self.memo.to_string(),
            discs: self.discs,
            date: self.date.to_string(),
        }
    }

    /// Returns whether a text in small letters is part of any of the texts.
    pub(super) fn has_text(&self, text: &str) -> bool {
        self.folded.contains(text)
    }

    /// Returns whether a text in small letters is part of the name of a player.
    pub(super) fn has_player(&self, text: &str) -> bool {
        self.folded.lines().take(2).any(|name| name.contains(text))
    }

    /// The year of the date, else that of the name of the file; `None` if neither has one.
    pub(super) fn year(&self) -> Option<u16> {
        let year = |text: &str| text.get(..4)?.parse().ok();
        year(&self.date).or_else(|| year(&self.name).filter(|_| self.name.len() > 4))
    }

    /// The order of lists: the latest first.
    pub(super) fn order(&self) -> impl Ord + '_ {
        std::cmp::Reverse((&self.date, &self.name))
    }

    /// The row in a message.
    pub(super) fn message(&self, folder: &FolderName) -> Value {
        json!({
            "game": &*self.name,
            "folder": folder.as_str(),
            "date": &*self.date,
            "black": &*self.black,
            "white": &*self.white,
            "event": &*self.event,
            "memo": &*self.memo,
            "black_discs": self.discs.map(|discs| discs[0]),
            "white_discs": self.discs.map(|discs| discs[1]),
        })
    }
}
