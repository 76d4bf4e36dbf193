//! What games of a collection are like: selecting them, and counting.

use std::collections::BTreeMap;

use shogi_core::Color;
use yane_io::archive::{RecordDate, RecordSelection, SelectableRecord};

use crate::ending::{GameEnding, GameOutcome};
use crate::format::KifuFormat;
use crate::record::{GameRecord, Step};

impl GameRecord {
    /// The day of the game, from its headers.
    pub fn date(&self) -> Option<RecordDate> {
        let keys = ["開始日時", "対局日", "終了日時", "日付"];
        keys.into_iter()
            .find_map(|key| parse_date(self.headers.get(key)?))
    }

    /// The rating of a player as floodgate writes it (`'black_rate:NAME:1234.5`).
    pub fn rating(&self, color: Color) -> Option<f64> {
        let word = if color == Color::Black {
            "black_rate:"
        } else {
            "white_rate:"
        };
        self.nodes()
            .flat_map(|node| &node.remarks)
            .find_map(|remark| {
                remark
                    .strip_prefix(word)?
                    .rsplit(':')
                    .next()?
                    .trim()
                    .parse()
                    .ok()
            })
    }

    /// Returns whether the game as it was played has a move against the rules.
    pub fn has_illegal_move(&self) -> bool {
        self.main_line()
            .any(|id| matches!(self.node(id).step(), Some(Step::Illegal(_))))
    }
}

/// A date such as `2024/01/02 10:00`, `20240102` or `2024年1月2日`; the month or day may be missing.
///
/// ```
/// use yane_io::archive::RecordDate;
///
/// let date = RecordDate { year: 2024, month: 1, day: 2 };
/// assert_eq!(shogi_kifu::parse_date("2024/1/2 10:00"), Some(date));
/// assert_eq!(shogi_kifu::parse_date("soon"), None);
/// ```
pub fn parse_date(text: &str) -> Option<RecordDate> {
    let mut parts = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty());
    let first = parts.next()?;
    if first.len() == 8 {
        let number: u32 = first.parse().ok()?;
        return Some(RecordDate {
            year: (number / 10_000) as u16,
            month: (number / 100 % 100) as u8,
            day: (number % 100) as u8,
        });
    }
    let year = first
        .parse()
        .ok()
        .filter(|year| (1000..10000).contains(year))?;
    let mut next = |most: u8| match parts.next().map(str::parse) {
        Some(Ok(part)) if (1..=most).contains(&part) => Some(part),
        _ => None,
    };
    let month = next(12).unwrap_or(0);
    let day = if month == 0 { 0 } else { next(31).unwrap_or(0) };
    Some(RecordDate { year, month, day })
}

/// A selection of games: those that fit everything that is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordFilter {
    /// What may be asked for in every game.
    pub common: RecordSelection<GameOutcome>,
    /// The game ends in one of these.
    pub endings: Vec<GameEnding>,
    /// The game has one of these openings, or a kind of one, by name in Japanese or English
    /// ([`OpeningName::is_called`](shogi_openings::OpeningName::is_called)).
    pub openings: Vec<String>,
}

impl RecordFilter {
    /// Returns whether a game is selected.
    pub fn accepts(&self, record: &GameRecord) -> bool {
        let is_wanted = |ending: &GameEnding| self.endings.contains(ending);
        let is_called = |name: &String| {
            let opening = record.opening();
            opening.is_some_and(|opening| opening.name.is_called(name))
        };
        self.common.accepts(record)
            && (self.endings.is_empty() || record.ending().is_some_and(is_wanted))
            && (self.openings.is_empty() || self.openings.iter().any(is_called))
    }
}

impl SelectableRecord for GameRecord {
    type Outcome = GameOutcome;

    fn players(&self) -> [&str; 2] {
        Color::ALL.map(|color| self.headers.player(color).unwrap_or(""))
    }

    /// As floodgate writes them.
    fn ratings(&self) -> [Option<f64>; 2] {
        Color::ALL.map(|color| self.rating(color))
    }

    fn day(&self) -> Option<RecordDate> {
        self.date()
    }

    fn length(&self) -> usize {
        self.played_moves().count()
    }

    fn result(&self) -> GameOutcome {
        self.outcome()
    }

    fn is_from_start(&self) -> bool {
        *self.start() == shogi_core::Position::startpos()
    }
}

/// The games of an opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedOpeningCount {
    /// The name in English.
    pub en: &'static str,
    /// Games.
    pub games: u64,
    /// Games that black won.
    pub black_wins: u64,
    /// Games that white won.
    pub white_wins: u64,
}

/// Counts of a collection of games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordStats {
    /// Games.
    pub games: u64,
    /// Moves of the games as they were played.
    pub moves: u64,
    /// Variations.
    pub variations: u64,
    /// Lines of comment.
    pub comments: u64,
    /// Games with a move against the rules.
    pub illegal: u64,
    /// Games of each format.
    pub formats: BTreeMap<&'static str, u64>,
    /// Games by outcome: `black`, `white`, `draw`, `undecided`.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Games by the word of their ending; the empty word stands for none.
    pub endings: BTreeMap<String, u64>,
    /// Games by start: the name of the handicap, or `その他`.
    pub starts: BTreeMap<&'static str, u64>,
    /// Games by length, in steps of ten moves.
    pub lengths: BTreeMap<usize, u64>,
    /// Games by their first moves in USI.
    pub openings: BTreeMap<String, u64>,
    /// Games by the name of their opening in Japanese; the empty name for those without one.
    pub named_openings: BTreeMap<&'static str, NamedOpeningCount>,
    /// Games by the castle that each player had last, in Japanese.
    pub castles: BTreeMap<&'static str, u64>,
    /// Games, wins and losses of each player.
    pub players: BTreeMap<String, [u64; 3]>,
    /// Moves of the games as they were played with an evaluation in their comments, by the program whose form it has.
    pub evaluations: BTreeMap<&'static str, u64>,
}

impl RecordStats {
    /// Moves that make an opening.
    pub const OPENING: usize = 4;

    /// Counts a game.
    pub fn add(&mut self, record: &GameRecord, format: KifuFormat) {
        let moves = record.played_moves().count();
        let outcome = record.outcome();
        self.games += 1;
        for id in record.main_line() {
            if let Some(eval) = record.node(id).evaluations().first() {
                *self.evaluations.entry(eval.writer.name()).or_default() += 1;
            }
        }
        self.moves += moves as u64;
        self.variations += record.variations() as u64;
        self.comments += record
            .nodes()
            .map(|node| node.comments.len() as u64)
            .sum::<u64>();
        self.illegal += u64::from(record.has_illegal_move());
        *self.formats.entry(format.name()).or_default() += 1;
        *self.outcomes.entry(outcome.name()).or_default() += 1;
        let ending = record.ending().map(ToString::to_string).unwrap_or_default();
        *self.endings.entry(ending).or_default() += 1;
        let start = record
            .handicap()
            .map_or("その他", |handicap| handicap.kif());
        *self.starts.entry(start).or_default() += 1;
        *self.lengths.entry(moves / 10 * 10).or_default() += 1;
        if *record.start() == shogi_core::Position::startpos() && moves >= Self::OPENING {
            let first: Vec<String> = record
                .moves()
                .take(Self::OPENING)
                .map(|m| m.to_string())
                .collect();
            *self.openings.entry(first.join(" ")).or_default() += 1;
        }
        self.add_names(record, outcome);
        for color in Color::ALL {
            if let Some(name) = record.headers.player(color) {
                let counts = self.players.entry(name.to_owned()).or_default();
                counts[0] += 1;
                counts[1] += u64::from(outcome == GameOutcome::Win(color));
                counts[2] += u64::from(outcome == GameOutcome::Win(color.flip()));
            }
        }
    }

    fn add_names(&mut self, record: &GameRecord, outcome: GameOutcome) {
        let observer = record.observe_opening();
        let names = observer
            .opening()
            .map(|opening| (opening.name.ja, opening.name.en));
        let (ja, en) = names.unwrap_or_default();
        let count = self.named_openings.entry(ja).or_default();
        count.en = en;
        count.games += 1;
        count.black_wins += u64::from(outcome == GameOutcome::Win(Color::Black));
        count.white_wins += u64::from(outcome == GameOutcome::Win(Color::White));
        let castles = observer.castles();
        for castle in Color::ALL
            .into_iter()
            .filter_map(|color| castles[color].last())
        {
            *self.castles.entry(castle.name.ja).or_default() += 1;
        }
    }
}
