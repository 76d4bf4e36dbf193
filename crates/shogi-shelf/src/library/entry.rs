//! What the index knows of a game.

use page_shelf::library::{FolderName, GameTexts};
use serde_json::{Value, json};
use shogi_core::Color;
use shogi_kifu::{GameOutcome, GameRecord, parse_date};
use shogi_openings::{CastleName, OpeningName, OpeningObserver};
use yane_io::archive::RecordDate;

use super::fold::fold;
use super::keys::PositionKeys;

/// Characters of the comment at the start that are searched.
const COMMENT: usize = 1_000;

/// What the index knows of a game.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The texts, shown in the order of [`Text`].
    pub(super) texts: GameTexts,
    /// The date as a number, `20261129`, that of the name of the file where the record has none; 0 if neither has one.
    pub(super) day: u32,
    pub(super) opening: Option<&'static OpeningName>,
    pub(super) castles: Box<[&'static CastleName]>,
    plies: u32,
    winner: Option<Color>,
    /// The positions of the game as it was played.
    pub(super) keys: PositionKeys,
}

/// The texts that are shown.
#[derive(Clone, Copy, Debug)]
enum Text {
    Black,
    White,
    Event,
    Date,
    End,
}

impl Entry {
    /// What is known of a game in a file.
    pub(super) fn of(record: &GameRecord, file: &str) -> Self {
        let headers = &record.headers;
        let player = |color| headers.player(color).unwrap_or_default();
        let (black, white) = (player(Color::Black), player(Color::White));
        let event = headers.get("棋戦").unwrap_or_default();
        let date = record.date();
        let day = date.or_else(|| parse_date(file).filter(|date| is_likely(*date)));
        let written = headers.get("開始日時").unwrap_or_default().to_owned();
        let shown_date = date.map_or(written, text_of);
        let more: Vec<&str> = headers.iter().map(|(_, value)| value).collect();
        let comment = record.node(GameRecord::ROOT).comments.join(" ");
        let comment: String = comment.chars().take(COMMENT).collect();
        let shown = [black, white, event, &shown_date, &end_of(record)];
        let more = more.join(" / ");
        let searched = [black, white, event, &more, &comment, file];
        let (opening, castles, keys) = observed(record);
        Self {
            texts: GameTexts::new(&shown, &searched, fold, day.map(|date| date.year)),
            day: day.map_or(0, number_of),
            opening,
            castles,
            plies: record.played_moves().count() as u32,
            winner: match record.outcome() {
                GameOutcome::Win(color) => Some(color),
                _ => None,
            },
            keys,
        }
    }

    fn text(&self, which: Text) -> &str {
        self.texts.shown(which as usize)
    }

    /// The entry of a list.
    pub(super) fn message(&self, folder: &FolderName, name: &str) -> Value {
        let end = Some(self.text(Text::End)).filter(|end| !end.is_empty());
        let opening = self.opening;
        json!({
            "game": name,
            "folder": folder.as_str(),
            "date": self.text(Text::Date),
            "black": self.text(Text::Black),
            "white": self.text(Text::White),
            "event": self.text(Text::Event),
            "opening": opening.map(|one| json!({ "ja": one.ja, "en": one.en })),
            "plies": self.plies,
            "end": end,
            "winner": self.winner.map(|winner| GameOutcome::Win(winner).name()),
        })
    }
}

/// The entry of a game that has not been read.
pub(super) fn unread_message(folder: &FolderName, name: &str) -> Value {
    json!({
        "game": name,
        "folder": folder.as_str(),
        "date": "",
        "black": "",
        "white": "",
        "event": "",
        "opening": null,
        "plies": null,
        "end": null,
        "winner": null,
    })
}

/// A date as lists show it; without the day or month where they are not known.
fn text_of(date: RecordDate) -> String {
    match (date.month, date.day) {
        (0, _) => format!("{:04}", date.year),
        (month, 0) => format!("{:04}-{month:02}", date.year),
        (month, day) => format!("{:04}-{month:02}-{day:02}", date.year),
    }
}

fn number_of(date: RecordDate) -> u32 {
    u32::from(date.year) * 10_000 + u32::from(date.month) * 100 + u32::from(date.day)
}

/// Returns whether numbers in the name of a file are a date.
fn is_likely(date: RecordDate) -> bool {
    (1500..2500).contains(&date.year) && date.month <= 12 && date.day <= 31
}

/// The word for the end of a game, as records in messages have it; empty if there is none.
fn end_of(record: &GameRecord) -> String {
    let Some(ending) = record.ending() else {
        return String::new();
    };
    let moves = record.played_moves().count();
    let word = ending.csa(record.side_at(moves)).unwrap_or(ending.kif());
    word.to_owned()
}

/// The opening and the castles of a game, and a number for each of its positions.
fn observed(
    record: &GameRecord,
) -> (
    Option<&'static OpeningName>,
    Box<[&'static CastleName]>,
    PositionKeys,
) {
    let mut position = record.start().clone();
    let mut observer = OpeningObserver::new(&position);
    let mut keys = vec![position.key()];
    for m in record.moves() {
        observer.play(m);
        // Its own undo is not needed.
        let _undo = position.do_move_unchecked(m);
        keys.push(position.key());
    }
    let opening = observer.opening().map(|found| found.name);
    let found = observer.castles().0.iter().flatten();
    let castles = found.map(|castle| castle.name).collect();
    (opening, castles, PositionKeys::of(&keys))
}
