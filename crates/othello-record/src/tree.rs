//! Game records: a tree of moves, and what programs note about the game and its moves.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use othello_core::{Game, Move, Position, Side, Square, State};
use yane_io::archive::RecordDate;

use crate::OthelloFormat;
use crate::result::{OthelloEnd, OthelloOutcome, OthelloResult};

/// A game record: a start position, moves with variations, and notes.
///
/// The first child of a node goes on with the line; the others are variations. Forced passes are moves of their own.
#[derive(Clone, Debug)]
pub struct OthelloRecord {
    start: Position,
    nodes: Vec<OthelloNode>,
    /// Players, place, date, result.
    pub info: OthelloInfo,
}

/// A node of a record: a move, and the position behind it.
#[derive(Clone, Debug)]
pub struct OthelloNode {
    parent: Option<OthelloNodeId>,
    children: Vec<OthelloNodeId>,
    mv: Option<Move>,
    position: Position,
    /// What is noted about the move.
    pub note: MoveNote,
}

/// The number of a node in its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OthelloNodeId(u32);

/// What a record says about a game. Texts are empty where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OthelloInfo {
    /// Black's player.
    pub black: OthelloPlayer,
    /// White's player.
    pub white: OthelloPlayer,
    /// The tournament or match.
    pub event: String,
    /// The round of the tournament.
    pub round: String,
    /// The place, such as a town or a server.
    pub place: String,
    /// The date as it is written; see [`parse_date`].
    pub date: String,
    /// The time control as it is written.
    pub time_control: String,
    /// A comment on the game.
    pub comment: String,
    /// The result, unless it is that of the last position; see [`OthelloRecord::result`].
    pub result: Option<OthelloResult>,
    /// The rules; [`GameVariant::Standard`] unless the record says otherwise.
    pub variant: GameVariant,
    /// What only the format of the record knows.
    pub extras: Vec<RecordExtra>,
}

/// The rules of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameVariant {
    /// The usual rules: most discs win.
    #[default]
    Standard,
    /// Anti-othello, type `8a` of GGS: fewest discs win.
    Anti,
}

impl GameVariant {
    /// The name in lists, JSON and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Anti => "anti",
        }
    }

    /// The variant that a record names.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        match name.as_str() {
            "standard" | "normal" | "othello" | "reversi" => Some(Self::Standard),
            "anti" | "anti-othello" | "antiothello" | "reverse" | "misere" => Some(Self::Anti),
            _ => None,
        }
    }
}

/// A player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OthelloPlayer {
    /// The name.
    pub name: String,
    /// The rating as it is written.
    pub rating: String,
}

/// What is noted about a move, or about the start position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveNote {
    /// The value of the position behind the move, for black.
    pub value: Option<DiscValue>,
    /// The level of the search that gave the value.
    pub level: Option<i32>,
    /// The time that the move took.
    pub time: Option<Duration>,
    /// A comment; empty for none.
    pub comment: String,
    /// What only the format of the record knows.
    pub extras: Vec<RecordExtra>,
}

impl MoveNote {
    /// Returns whether nothing is noted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A property that only one format knows, kept for writing it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordExtra {
    /// The format.
    pub format: OthelloFormat,
    /// The name of the property.
    pub key: String,
    /// Its text; in JSON, any value.
    pub value: String,
}

/// A value in hundredths of a disc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiscValue(pub i32);

impl DiscValue {
    /// A whole number of discs.
    pub const fn discs(discs: i32) -> Self {
        Self(discs.saturating_mul(100))
    }

    /// The value for the other side.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self(self.0.saturating_neg())
    }

    /// The value for a side, of one for black.
    #[must_use]
    pub const fn seen_by(self, side: Side) -> Self {
        match side {
            Side::Black => self,
            Side::White => self.negated(),
        }
    }
}

/// Writes `1.50`, `-2.00`.
impl fmt::Display for DiscValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", size / 100, size % 100)
    }
}

/// Parses a number of discs within ±1000, rounded to hundredths.
impl FromStr for DiscValue {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number: f64 = text.trim().parse().map_err(|_| ())?;
        let is_usual = number.abs() <= 1000.0;
        is_usual
            .then_some(Self((number * 100.0).round() as i32))
            .ok_or(())
    }
}

/// Records are equal if their trees are, whatever the numbers of the nodes.
impl PartialEq for OthelloRecord {
    fn eq(&self, other: &Self) -> bool {
        let is_same_size = self.nodes.len() == other.nodes.len();
        if !is_same_size || self.start != other.start || self.info != other.info {
            return false;
        }
        let mut open = vec![(Self::ROOT, Self::ROOT)];
        while let Some((mine, yours)) = open.pop() {
            let (mine, yours) = (self.node(mine), other.node(yours));
            let is_same = mine.mv == yours.mv && mine.note == yours.note;
            if !is_same || mine.children.len() != yours.children.len() {
                return false;
            }
            open.extend(
                mine.children
                    .iter()
                    .copied()
                    .zip(yours.children.iter().copied()),
            );
        }
        true
    }
}

impl Eq for OthelloRecord {}

impl Default for OthelloRecord {
    fn default() -> Self {
        Self::new(Position::START)
    }
}

/// The record of a game without notes.
impl From<&Game> for OthelloRecord {
    fn from(game: &Game) -> Self {
        let mut record = Self::new(game.start());
        let mut at = OthelloRecord::ROOT;
        for &mv in game.moves() {
            // The moves of a game are legal.
            if let Some(next) = record.add(at, mv) {
                at = next;
            }
        }
        record
    }
}

impl OthelloRecord {
    /// The node of the start position.
    pub const ROOT: OthelloNodeId = OthelloNodeId(0);

    /// A record without moves.
    pub fn new(start: Position) -> Self {
        Self {
            start,
            nodes: vec![OthelloNode {
                parent: None,
                children: Vec::new(),
                mv: None,
                position: start,
                note: MoveNote::default(),
            }],
            info: OthelloInfo::default(),
        }
    }

    /// The start position.
    pub const fn start(&self) -> Position {
        self.start
    }

    /// The node with a number.
    ///
    /// # Panics
    ///
    /// If it is the number of a node of another record.
    pub fn node(&self, id: OthelloNodeId) -> &OthelloNode {
        &self.nodes[id.0 as usize]
    }

    /// What is noted about a move, to be changed.
    ///
    /// # Panics
    ///
    /// If it is the number of a node of another record.
    pub fn note_mut(&mut self, id: OthelloNodeId) -> &mut MoveNote {
        &mut self.nodes[id.0 as usize].note
    }

    /// All nodes, the start first; children come behind their parents.
    pub fn ids(&self) -> impl Iterator<Item = OthelloNodeId> + use<> {
        (0..self.nodes.len() as u32).map(OthelloNodeId)
    }

    /// Adds a move behind the others of a node; `None` if it is not legal there.
    pub fn add(&mut self, parent: OthelloNodeId, mv: Move) -> Option<OthelloNodeId> {
        let position = self.node(parent).position;
        let board = position.board().after(mv)?;
        let id = OthelloNodeId(u32::try_from(self.nodes.len()).ok()?);
        self.nodes.push(OthelloNode {
            parent: Some(parent),
            children: Vec::new(),
            mv: Some(mv),
            position: Position::new(board, position.side().other()),
            note: MoveNote::default(),
        });
        self.nodes[parent.0 as usize].children.push(id);
        Some(id)
    }

    /// Adds a disc, and before it a forced pass if there is one; `None`, and nothing added, if it is not legal.
    pub fn add_square(&mut self, parent: OthelloNodeId, square: Square) -> Option<OthelloNodeId> {
        let board = self.node(parent).position.board();
        if board.state() == State::Pass {
            board.passed().try_play(square).ok()?;
            let parent = self
                .child(parent, Move::Pass)
                .or_else(|| self.add(parent, Move::Pass))?;
            return self.add(parent, Move::Place(square));
        }
        self.add(parent, Move::Place(square))
    }

    /// The child of a node by a move.
    pub fn child(&self, parent: OthelloNodeId, mv: Move) -> Option<OthelloNodeId> {
        let mut children = self.node(parent).children.iter().copied();
        children.find(|&child| self.node(child).mv == Some(mv))
    }

    /// The nodes of the line that is played, the start first.
    pub fn main_line(&self) -> impl Iterator<Item = OthelloNodeId> + '_ {
        let next = |id: &OthelloNodeId| self.node(*id).children.first().copied();
        std::iter::successors(Some(Self::ROOT), next)
    }

    /// The last node of the line that is played.
    pub fn last(&self) -> OthelloNodeId {
        self.main_line().last().unwrap_or(Self::ROOT)
    }

    /// The line that is played.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        for mv in self.main_line().filter_map(|id| self.node(id).mv) {
            // Legal, as it was when it was added.
            game.play_unchecked(mv);
        }
        game
    }

    /// The number of discs that were placed in the line that is played.
    pub fn discs_placed(&self) -> u32 {
        self.node(self.last()).position.board().discs() - self.start.board().discs()
    }

    /// The number of variations: of moves besides the first one of each node.
    pub fn variations(&self) -> usize {
        let more = |node: &OthelloNode| node.children.len().saturating_sub(1);
        self.nodes.iter().map(more).sum()
    }

    /// The result: the stated one, or that of a finished game's board; `None` if it is not known.
    pub fn result(&self) -> Option<OthelloResult> {
        self.info.result.or_else(|| self.result_on_board())
    }

    /// The result of the last position if the game is over there.
    fn result_on_board(&self) -> Option<OthelloResult> {
        let position = self.node(self.last()).position;
        let score = position
            .board()
            .is_over()
            .then(|| position.board().score())?;
        let black = if position.side() == Side::Black {
            score
        } else {
            -score
        };
        Some(OthelloResult::played(OthelloOutcome::Score(black)))
    }

    /// The stated result and that of the board, if the game is over and the two are not the same: empty squares are the winner's, and who
    /// has resigned or run out of time has lost whatever the board is.
    pub fn contradiction(&self) -> Option<(OthelloResult, OthelloResult)> {
        let (stated, board) = (self.info.result?, self.result_on_board()?);
        let is_same = match stated.outcome {
            OthelloOutcome::Score(_) => stated.score() == board.score(),
            OthelloOutcome::Win(_) => stated.winner() == board.winner(),
        };
        let is_forfeit = matches!(stated.end, OthelloEnd::Resigned | OthelloEnd::Time);
        (!is_same && !is_forfeit).then_some((stated, board))
    }

    /// Sets the stated result; the result of the board need not be stated.
    pub fn set_result(&mut self, result: Option<OthelloResult>) {
        self.info.result = result.filter(|_| result != self.result_on_board());
    }

    /// Adds the lines of a record that begins at the same position as variations; moves in common are kept once. Notes are taken
    /// where there are none. Returns false, and changes nothing, if it begins elsewhere.
    pub fn merge(&mut self, other: &Self) -> bool {
        if other.start != self.start {
            return false;
        }
        let mut mine: HashMap<OthelloNodeId, OthelloNodeId> = HashMap::new();
        for id in other.ids() {
            let node = other.node(id);
            let here = match (
                node.parent.and_then(|parent| mine.get(&parent).copied()),
                node.mv,
            ) {
                (Some(parent), Some(mv)) => {
                    let known = self.child(parent, mv);
                    known.or_else(|| self.add(parent, mv))
                }
                _ => Some(Self::ROOT),
            };
            let Some(here) = here else { continue };
            mine.insert(id, here);
            let note = self.note_mut(here);
            if note.is_empty() {
                note.clone_from(&node.note);
            }
        }
        true
    }
}

impl OthelloNode {
    /// The node before; `None` for the start.
    pub const fn parent(&self) -> Option<OthelloNodeId> {
        self.parent
    }

    /// The nodes behind: the line first, then variations.
    pub fn children(&self) -> &[OthelloNodeId] {
        &self.children
    }

    /// The move that leads here; `None` for the start.
    pub const fn mv(&self) -> Option<Move> {
        self.mv
    }

    /// The position behind the move.
    pub const fn position(&self) -> Position {
        self.position
    }
}

/// A date as records write it: `2024-01-31`, `2003.12.15_13:24`, `2024/1`, `2024`.
pub fn parse_date(text: &str) -> Option<RecordDate> {
    let mut date = [0u16; 3];
    let mut rest = text.trim();
    for (n, part) in date.iter_mut().enumerate() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            break;
        }
        let is_usual = if n == 0 { digits == 4 } else { digits <= 2 };
        if !is_usual {
            return (n > 0).then(|| record_date(date));
        }
        *part = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        match rest.strip_prefix(['-', '.', '/', '年', '月']) {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    let [year, month, day] = date;
    (year > 0 && month <= 12 && day <= 31).then(|| record_date(date))
}

/// The date of numbers below 100, but for the year.
const fn record_date([year, month, day]: [u16; 3]) -> RecordDate {
    RecordDate {
        year,
        month: month as u8,
        day: day as u8,
    }
}

/// A date as `2024-01-31`, `2024-01` or `2024`.
pub(crate) fn iso_date(text: &str) -> Option<String> {
    let RecordDate { year, month, day } = parse_date(text)?;
    Some(match (month, day) {
        (0, _) => format!("{year:04}"),
        (_, 0) => format!("{year:04}-{month:02}"),
        _ => format!("{year:04}-{month:02}-{day:02}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(moves: &str) -> OthelloRecord {
        OthelloRecord::from(&moves.parse::<Game>().unwrap())
    }

    #[test]
    fn records_become_one_tree() {
        let mut tree = record("f5d6c3d3c4");
        assert!(tree.merge(&record("f5d6c3g5")));
        assert!(tree.merge(&record("f5f6")));
        assert_eq!((tree.ids().count(), tree.variations()), (8, 2));
        assert_eq!(tree.game().to_string(), "f5d6c3d3c4");
        let before = tree.clone();
        assert!(tree.merge(&before.clone()));
        assert_eq!(tree, before);
        assert!(!tree.merge(&OthelloRecord::new(Position::START.passed())));
    }

    #[test]
    fn results_need_not_be_stated_for_finished_games() {
        let finished = "f5d6c3g5c6c5c4b6f6f4e6d7c7g6d8"; // Not finished: the result is stated.
        let mut unfinished = record(finished);
        let draw = OthelloResult::played(OthelloOutcome::Score(0));
        assert_eq!(unfinished.result(), None);
        unfinished.set_result(Some(draw));
        assert_eq!(
            (unfinished.result(), unfinished.info.result),
            (Some(draw), Some(draw))
        );
        // The shortest game: black takes all in nine moves.
        let mut won = record("e6f4e3f6g5d6e7f5c5");
        let all = OthelloResult::played(OthelloOutcome::Score(64));
        assert_eq!(won.result(), Some(all));
        won.set_result(Some(all));
        assert_eq!((won.info.result, won.contradiction()), (None, None));
        let other = OthelloResult::played(OthelloOutcome::Score(60));
        won.set_result(Some(other));
        assert_eq!(won.contradiction(), Some((other, all)));
        won.set_result(Some(OthelloResult {
            outcome: OthelloOutcome::Score(-2),
            end: OthelloEnd::Time,
        }));
        assert_eq!(won.contradiction(), None);
        unfinished.set_result(Some(other));
        assert_eq!(unfinished.contradiction(), None);
    }

    #[test]
    fn dates_are_read_in_their_spellings() {
        for (text, iso) in [
            ("2024-01-31", Some("2024-01-31")),
            ("2003.12.15_13:24:03.MST", Some("2003-12-15")),
            ("2024/1/5", Some("2024-01-05")),
            ("2024年1月5日", Some("2024-01-05")),
            ("1999", Some("1999")),
            ("2024-13-01", None),
            ("yesterday", None),
            ("1071523443", None),
        ] {
            assert_eq!(iso_date(text).as_deref(), iso, "{text}");
        }
    }

    #[test]
    fn values_are_written_in_hundredths() {
        for (text, value, written) in [
            ("1.5", 150, "1.50"),
            ("-0.25", -25, "-0.25"),
            ("+64", 6400, "64.00"),
        ] {
            assert_eq!(text.parse(), Ok(DiscValue(value)));
            assert_eq!(DiscValue(value).to_string(), written);
        }
        assert!("1e9".parse::<DiscValue>().is_err() && "nan".parse::<DiscValue>().is_err());
    }
}
