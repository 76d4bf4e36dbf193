//! A row of a list of games: what is told about a game before it is loaded.

use othello_record::{EgaroucidRow, OthelloRecord};
use page_shelf::library::{FolderName, GameTexts};
use serde_json::{Value, json};

/// Characters of a memo that a list shows.
const MEMO: usize = 40;

/// What a list tells about a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The texts, shown in the order of [`Text`]; all of the memo is searched if it is known.
    pub(super) texts: GameTexts,
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
        let searched = [&row.black, &row.white, event, long, &row.date, &row.stem];
        let shown = [&row.black, &row.white, event, &short, &row.date, &row.stem];
        let year = year(&row.date).or_else(|| year(&row.stem).filter(|_| row.stem.len() > 4));
        Self {
            texts: GameTexts::new(&shown, &searched, folded, year),
            discs: row.discs,
        }
    }

    fn text(&self, which: Text) -> &str {
        self.texts.shown(which as usize)
    }

    /// The name of the game in its folder: that of the file without its extension, or its number in a file of several.
    pub(super) fn name(&self) -> &str {
        self.texts.last()
    }

    /// The same row, with what only the file tells: the tournament, and all of the memo for searches.
    pub(super) fn with_texts_of(&self, read: &Self) -> Self {
        let row = Self::new(&self.table(), read.text(Text::Event), None);
        Self {
            texts: row.texts.searched_as(&read.texts),
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

/// The form in which texts are compared: small letters.
pub(super) fn folded(text: &str) -> String {
    text.to_lowercase()
}

/// The year that a text begins with.
fn year(text: &str) -> Option<u16> {
    text.get(..4)?.parse().ok()
}
