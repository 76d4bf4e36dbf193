//! A row of a list of games: what is told about a game before it is loaded.

use memchr::memmem::Finder;
use othello_record::{EgaroucidRow, OthelloRecord};
use serde_json::{Value, json};

use super::names::FolderName;

/// Characters of a memo that a list shows.
const MEMO: usize = 40;

/// What a list tells about a game. There are many: all texts stand in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The texts, in the order of [`Text`], without line ends, in lines.
    texts: Box<str>,
    /// The same in small letters, with all of the memo if it is known; the players are the first two.
    folded: Box<str>,
    /// The bytes of the players in `folded`.
    players: u32,
    /// The year of the date, else that of the name of the file.
    year: Option<u16>,
    /// The discs of both at the end, if they are known.
    discs: Option<[u8; 2]>,
}

/// The texts of a row.
#[derive(Clone, Copy, Debug)]
enum Text {
    Black,
    White,
    Event,
    Memo,
    Date,
    Name,
}

impl Row {
    /// The row of a record.
    pub(super) fn of(name: &str, record: &OthelloRecord) -> Self {
        let row = EgaroucidRow::of(name, record);
        let memo = &record.info.comment;
        Self::new(&row, &record.info.event, Some(memo))
    }

    /// The row of a game that the table of its folder tells about.
    pub(super) fn of_table(row: &EgaroucidRow) -> Self {
        Self::new(row, "", None)
    }

    /// A row of which only the name is known.
    pub(super) fn unknown(name: &str) -> Self {
        let row = EgaroucidRow {
            stem: name.to_owned(),
            ..EgaroucidRow::default()
        };
        Self::of_table(&row)
    }

    fn new(row: &EgaroucidRow, event: &str, memo: Option<&str>) -> Self {
        let long = memo.unwrap_or(&row.memo);
        let short: String = row.memo.chars().take(MEMO).collect();
        let joined = |memo: &str| {
            let texts = [&row.black, &row.white, event, memo, &row.date, &row.stem];
            texts.map(|text| text.replace(['\n', '\r'], " ")).join("\n")
        };
        let folded = joined(long).to_lowercase();
        let ends = folded.match_indices('\n').map(|(at, _)| at);
        Self {
            texts: joined(&short).into(),
            players: { ends }.nth(1).unwrap_or_default() as u32,
            folded: folded.into(),
            year: year(&row.date).or_else(|| year(&row.stem).filter(|_| row.stem.len() > 4)),
            discs: row.discs,
        }
    }

    fn text(&self, which: Text) -> &str {
        self.texts
            .split('\n')
            .nth(which as usize)
            .unwrap_or_default()
    }

    /// The name of the game in its folder: that of the file without its extension, or its number in a file of several.
    pub(super) fn name(&self) -> &str {
        // The last: found without a look at the others.
        self.texts.rsplit('\n').next().unwrap_or_default()
    }

    /// The same row, with what only the file tells: the tournament, and all of the memo for searches.
    pub(super) fn with_texts_of(&self, read: &Self) -> Self {
        let row = Self::new(&self.table(), read.text(Text::Event), None);
        Self {
            folded: read.folded.clone(),
            players: read.players,
            ..row
        }
    }

    /// The same row under another name.
    pub(super) fn renamed(&self, name: &str) -> Self {
        let row = EgaroucidRow {
            stem: name.to_owned(),
            ..self.table()
        };
        Self::new(&row, self.text(Text::Event), None)
    }

    /// The row as the table of a folder has it.
    pub(super) fn table(&self) -> EgaroucidRow {
        let text = |which| self.text(which).to_owned();
        EgaroucidRow {
            stem: text(Text::Name),
            black: text(Text::Black),
            white: text(Text::White),
            memo: text(Text::Memo),
            discs: self.discs,
            date: text(Text::Date),
        }
    }

    /// Returns whether a text in small letters is part of any of the texts.
    pub(super) fn has_text(&self, text: &Finder<'_>) -> bool {
        text.find(self.folded.as_bytes()).is_some()
    }

    /// Returns whether a text in small letters is part of the name of a player.
    pub(super) fn has_player(&self, text: &Finder<'_>) -> bool {
        let players = &self.folded.as_bytes()[..self.players as usize];
        text.find(players).is_some()
    }

    /// The year of the date, else that of the name of the file; `None` if neither has one.
    pub(super) const fn year(&self) -> Option<u16> {
        self.year
    }

    /// The order of lists: the latest first.
    pub(super) fn order(&self) -> impl Ord + '_ {
        std::cmp::Reverse((self.text(Text::Date), self.name()))
    }

    /// The row in a message.
    pub(super) fn message(&self, folder: &FolderName) -> Value {
        json!({
            "game": self.name(),
            "folder": folder.as_str(),
            "date": self.text(Text::Date),
            "black": self.text(Text::Black),
            "white": self.text(Text::White),
            "event": self.text(Text::Event),
            "memo": self.text(Text::Memo),
            "black_discs": self.discs.map(|discs| discs[0]),
            "white_discs": self.discs.map(|discs| discs[1]),
        })
    }
}

/// The year that a text begins with.
fn year(text: &str) -> Option<u16> {
    text.get(..4)?.parse().ok()
}
