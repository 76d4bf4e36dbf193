//! The model of a game record: headers, a start position, and a tree of moves with what was written beside them.

use shogi_core::{Color, Move, PieceKind, Position, Square, Undo};

use crate::ending::{GameEnding, GameOutcome};
use crate::foul::Foul;
use crate::start::Handicap;
use shogi_core::Diagram;

/// A game: who played, from where, and the moves with their variations, comments and times.
///
/// The moves are a tree. [`Self::ROOT`] stands for the start; the first child of a node goes on with its line, the
/// others are variations of that move.
///
/// ```
/// use shogi_core::Position;
/// use shogi_kifu::{GameEnding, GameOutcome, RecordBuilder};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut builder = RecordBuilder::new(Position::startpos());
/// builder.play(builder.position().move_from_usi("7g7f")?);
/// builder.end(GameEnding::Resign);
/// let record = builder.finish();
/// assert_eq!(record.moves().count(), 1);
/// assert_eq!(record.outcome(), GameOutcome::Win(shogi_core::Color::Black));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// What is told about the game, in the order of the file.
    pub headers: Headers,
    start: Position,
    nodes: Vec<GameNode>,
}

/// A node of the tree of a [`GameRecord`], by its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameNodeId(u32);

/// A move or an ending, with what is written beside it.
#[derive(Clone, Debug, Default)]
pub struct GameNode {
    /// The move or ending that leads here; `None` for the start.
    step: Option<Step>,
    parent: Option<GameNodeId>,
    children: Children,
    /// Time spent, in milliseconds.
    pub time: Option<u64>,
    /// Lines of comment.
    pub comments: Vec<String>,
    /// Lines that readers of the format pass over: `#` in KIF, `'` in CSA.
    pub remarks: Vec<String>,
    /// The name of a place to come back to (`&` in KIF).
    pub bookmark: Option<String>,
    /// The ending's own word, where it says more than the kind of ending does: `61手詰`.
    pub word: Option<String>,
}

/// The nodes after one: mostly one, for which no memory of its own is needed.
#[derive(Clone, Debug, Default)]
enum Children {
    #[default]
    None,
    One(GameNodeId),
    Many(Vec<GameNodeId>),
}

impl Children {
    fn as_slice(&self) -> &[GameNodeId] {
        match self {
            Self::None => &[],
            Self::One(id) => std::slice::from_ref(id),
            Self::Many(ids) => ids,
        }
    }

    fn push(&mut self, id: GameNodeId) {
        match self {
            Self::None => *self = Self::One(id),
            Self::One(first) => *self = Self::Many(vec![*first, id]),
            Self::Many(ids) => ids.push(id),
        }
    }

    /// Takes the last one away.
    fn pop(&mut self) {
        match self {
            Self::None | Self::One(_) => *self = Self::None,
            Self::Many(ids) => {
                ids.pop();
                if let [only] = ids[..] {
                    *self = Self::One(only);
                }
            }
        }
    }
}

/// A step from one node to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A legal move.
    Move(Move),
    /// A move against the rules, made with a piece that was there. Old games went on after fouls that nobody noticed.
    Illegal(Move),
    /// The end of the line.
    End(GameEnding),
}

impl GameNode {
    /// The move or ending that leads here; `None` for the start.
    pub const fn step(&self) -> Option<&Step> {
        self.step.as_ref()
    }

    /// The legal move that leads here.
    pub const fn legal_move(&self) -> Option<Move> {
        match self.step {
            Some(Step::Move(m)) => Some(m),
            _ => None,
        }
    }

    /// The move that leads here, legal or not.
    pub const fn played_move(&self) -> Option<Move> {
        match self.step {
            Some(Step::Move(m) | Step::Illegal(m)) => Some(m),
            _ => None,
        }
    }

    /// The node before; `None` for the start.
    pub const fn parent(&self) -> Option<GameNodeId> {
        self.parent
    }

    /// The nodes after this one: first the one of the line, then variations.
    pub fn children(&self) -> &[GameNodeId] {
        self.children.as_slice()
    }
}

impl GameRecord {
    /// The node of the start.
    pub const ROOT: GameNodeId = GameNodeId(0);

    /// A game without moves.
    pub fn new(start: Position) -> Self {
        Self {
            headers: Headers::default(),
            start,
            nodes: vec![GameNode::default()],
        }
    }

    /// The start position.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The even game or the handicap that the start position is; `None` for any other position.
    pub fn handicap(&self) -> Option<Handicap> {
        Handicap::of(&self.start)
    }

    /// Number of nodes, the start among them.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The node of this number.
    ///
    /// # Panics
    /// When it is of a larger record.
    pub fn node(&self, id: GameNodeId) -> &GameNode {
        &self.nodes[id.0 as usize]
    }

    /// The node of this number, to write beside it.
    ///
    /// # Panics
    /// When it is of a larger record.
    pub fn node_mut(&mut self, id: GameNodeId) -> &mut GameNode {
        &mut self.nodes[id.0 as usize]
    }

    /// The nodes of the line that `first` begins: it, its first child, and so on.
    pub fn line_from(&self, first: GameNodeId) -> impl Iterator<Item = GameNodeId> {
        std::iter::successors(Some(first), |&id| self.node(id).children().first().copied())
    }

    /// The nodes of the game as it was played, without the start.
    pub fn main_line(&self) -> impl Iterator<Item = GameNodeId> {
        self.line_from(Self::ROOT).skip(1)
    }

    /// The legal moves of the game as it was played, up to the first move against the rules.
    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.main_line().map_while(|id| self.node(id).legal_move())
    }

    /// All moves of the game as it was played, those against the rules among them.
    pub fn played_moves(&self) -> impl Iterator<Item = Move> {
        self.main_line().map_while(|id| self.node(id).played_move())
    }

    /// The moves against the rules of the game as it was played: the number of each, from 1, and the rule that it breaks.
    pub fn fouls(&self) -> Vec<(usize, Move, Foul)> {
        let illegal = |&id: &GameNodeId| matches!(self.node(id).step, Some(Step::Illegal(_)));
        if !self.main_line().any(|id| illegal(&id)) {
            return Vec::new();
        }
        let mut position = self.start.clone();
        let mut found = Vec::new();
        for (number, id) in (1..).zip(self.main_line()) {
            let Some(step) = &self.node(id).step else {
                continue;
            };
            if let Step::Illegal(m) = step {
                // A move that was made on a board that nobody knows any more breaks no rule that can be named.
                let foul = Foul::of(&position, *m).unwrap_or(Foul::NotItsMove);
                found.push((number, *m, foul));
            }
            advance(&mut position, step);
        }
        found
    }

    /// Number of nodes that begin a variation.
    pub fn variations(&self) -> usize {
        let others = |node: &GameNode| node.children().len().saturating_sub(1);
        self.nodes.iter().map(others).sum()
    }

    /// Number of moves and endings between the start and a node.
    pub fn depth(&self, id: GameNodeId) -> usize {
        std::iter::successors(self.node(id).parent, |&id| self.node(id).parent).count()
    }

    /// The player to move after `depth` moves.
    pub fn side_at(&self, depth: usize) -> Color {
        let first = self.start.side_to_move();
        if depth.is_multiple_of(2) {
            first
        } else {
            first.flip()
        }
    }

    /// The ending of the game as it was played.
    pub fn ending(&self) -> Option<&GameEnding> {
        let last = self.line_from(Self::ROOT).last()?;
        match &self.node(last).step {
            Some(Step::End(ending)) => Some(ending),
            _ => None,
        }
    }

    /// The winner: as the server has it, when the game was played on one ([`Self::server_summary`]), else by the ending.
    pub fn outcome(&self) -> GameOutcome {
        if let Some(summary) = self.server_summary()
            && summary.outcome != GameOutcome::Undecided
            && summary.reason != "abnormal"
        {
            return summary.outcome;
        }
        let Some(last) = self.line_from(Self::ROOT).last() else {
            return GameOutcome::Undecided;
        };
        let depth = self.depth(last);
        match &self.node(last).step {
            Some(Step::End(ending)) => ending.outcome(self.side_at(depth - 1)),
            Some(Step::Illegal(m)) => GameOutcome::Win(m.color().flip()),
            Some(Step::Move(_)) | None => GameOutcome::Undecided,
        }
    }

    /// The position after the first `ply` moves of the game as it was played, or after all when there are fewer, and the
    /// move that led to it. After a move against the rules it may be one that no game reaches.
    pub fn position_at(&self, ply: usize) -> (Position, Option<Move>) {
        let mut position = self.start.clone();
        let mut last = None;
        for id in self.main_line().take(ply) {
            let node = self.node(id);
            if let (Some(step), Some(m)) = (&node.step, node.played_move()) {
                advance(&mut position, step);
                last = Some(m);
            }
        }
        (position, last)
    }

    /// All nodes, in no particular order but the start first.
    pub fn nodes(&self) -> impl Iterator<Item = &GameNode> {
        self.nodes.iter()
    }

    pub(crate) fn push(&mut self, parent: GameNodeId, step: Step) -> GameNodeId {
        let id = GameNodeId(u32::try_from(self.nodes.len()).expect("fewer nodes than bytes read"));
        self.nodes.push(GameNode {
            step: Some(step),
            parent: Some(parent),
            ..GameNode::default()
        });
        self.nodes[parent.0 as usize].children.push(id);
        id
    }

    /// Takes away the node that was pushed last; `None` when `id` is another one.
    fn pop(&mut self, id: GameNodeId) -> Option<GameNode> {
        if id.0 as usize + 1 != self.nodes.len() || id == Self::ROOT {
            return None;
        }
        let node = self.nodes.pop()?;
        if let Some(parent) = node.parent {
            self.nodes[parent.0 as usize].children.pop();
        }
        Some(node)
    }
}

impl PartialEq for GameRecord {
    /// The same headers, start and tree; in which order the nodes were made does not matter.
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = vec![(Self::ROOT, Self::ROOT)];
        while let Some((a, b)) = pairs.pop() {
            let (a, b) = (self.node(a), other.node(b));
            let beside = a.time == b.time
                && a.comments == b.comments
                && a.remarks == b.remarks
                && a.bookmark == b.bookmark
                && a.word == b.word;
            if !beside || a.step != b.step || a.children().len() != b.children().len() {
                return false;
            }
            pairs.extend(
                a.children()
                    .iter()
                    .copied()
                    .zip(b.children().iter().copied()),
            );
        }
        self.headers == other.headers && self.start == other.start
    }
}

impl Eq for GameRecord {}

/// Builds a record move by move; the place where the next move goes can be moved back.
#[derive(Clone, Debug)]
pub struct RecordBuilder {
    record: GameRecord,
    position: Position,
    /// The line to the current node, without the root.
    path: Vec<(GameNodeId, Taken)>,
    /// Moves against the rules in the path.
    fouls: usize,
}

/// What takes a step of the current line back.
#[derive(Clone, Debug)]
enum Taken {
    /// The move is taken back.
    Move(Move, Undo),
    /// The board before a move against the rules is put up again.
    Board(Box<Position>),
    /// The board did not change.
    Nothing,
}

impl RecordBuilder {
    /// A game from `start`.
    pub fn new(start: Position) -> Self {
        Self {
            position: start.clone(),
            record: GameRecord::new(start),
            path: Vec::new(),
            fouls: 0,
        }
    }

    /// Makes room for so many more moves.
    pub(crate) fn reserve(&mut self, moves: usize) {
        self.record.nodes.reserve(moves);
        self.path.reserve(moves);
    }

    /// The position after the moves of the current line. After one against the rules it may be one that no game reaches.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The record so far.
    pub const fn record(&self) -> &GameRecord {
        &self.record
    }

    /// The record so far, for headers.
    pub const fn headers(&mut self) -> &mut Headers {
        &mut self.record.headers
    }

    /// The current node.
    pub fn node(&self) -> GameNodeId {
        self.path.last().map_or(GameRecord::ROOT, |&(id, _)| id)
    }

    /// The current node, to write beside it.
    pub fn node_mut(&mut self) -> &mut GameNode {
        let id = self.node();
        self.record.node_mut(id)
    }

    /// Number of moves and endings of the current line.
    pub fn depth(&self) -> usize {
        self.path.len()
    }

    /// The player to move, also after a move against the rules.
    pub fn side(&self) -> Color {
        self.record.side_at(self.path.len())
    }

    /// Returns whether the last move was against the rules.
    pub fn is_illegal(&self) -> bool {
        matches!(self.record.node(self.node()).step, Some(Step::Illegal(_)))
    }

    /// Returns whether the line has its ending.
    pub fn is_ended(&self) -> bool {
        matches!(self.record.node(self.node()).step, Some(Step::End(_)))
    }

    /// The ending of the line, when it has one.
    pub fn ending(&self) -> Option<&GameEnding> {
        match &self.record.node(self.node()).step {
            Some(Step::End(ending)) => Some(ending),
            _ => None,
        }
    }

    /// The square that the last move went to.
    pub fn last_to(&self) -> Option<Square> {
        match self.record.node(self.node()).step {
            Some(Step::Move(m) | Step::Illegal(m)) => Some(m.to()),
            _ => None,
        }
    }

    /// Plays `m` after the current node, as [`Step::Illegal`] when the rules forbid it; false when the line has ended or its last
    /// move was against the rules, so that no move can follow.
    pub fn play(&mut self, m: Move) -> bool {
        !self.is_illegal() && self.play_on(m)
    }

    /// Plays `m` as [`Self::play`] does, also behind a move against the rules that nobody noticed; false when the line has ended.
    pub fn play_on(&mut self, m: Move) -> bool {
        if self.is_ended() {
            return false;
        }
        let parent = self.node();
        let target = self.position.piece_on(m.to());
        let takes_king = target.is_some_and(|piece| piece.kind() == PieceKind::King);
        if self.position.is_legal(m) && !takes_king {
            let id = self.record.push(parent, Step::Move(m));
            let undo = if self.fouls == 0 {
                self.position.do_move_unchecked(m)
            } else {
                self.position.do_move_from_diagram_unchecked(m)
            };
            self.path.push((id, Taken::Move(m, undo)));
        } else {
            let id = self.record.push(parent, Step::Illegal(m));
            self.fouls += 1;
            let taken = self.foul(m);
            self.path.push((id, taken));
        }
        true
    }

    /// Opens a line that has ended, so that moves can follow: they go on with the game where the ending decided nothing (中断,
    /// 封じ手 …), which becomes a remark beside the move before it; else they are a variation beside the ending.
    /// Returns the ending's node where it stays.
    pub(crate) fn reopen(&mut self) -> Option<GameNodeId> {
        let id = self.node();
        let Some(Step::End(ending)) = self.record.node(id).step.clone() else {
            return None;
        };
        self.back_to(self.path.len() - 1);
        let is_open =
            ending.outcome(self.side()) == GameOutcome::Undecided && ending != GameEnding::NoMate;
        if !is_open {
            return Some(id);
        }
        if let Some(node) = self.record.pop(id) {
            let word = node.word.as_deref().unwrap_or(ending.kif()).to_owned();
            let before = self.node_mut();
            before.remarks.push(word);
            before.comments.extend(node.comments);
            before.remarks.extend(node.remarks);
        }
        None
    }

    /// Ends the current line; false when it has ended already.
    pub fn end(&mut self, ending: GameEnding) -> bool {
        if self.is_ended() {
            return false;
        }
        let parent = self.node();
        let id = self.record.push(parent, Step::End(ending));
        self.path.push((id, Taken::Nothing));
        true
    }

    /// Goes to a node of the record, on whatever line it is.
    pub fn go_to(&mut self, id: GameNodeId) {
        // The part of its line that is also in the current one stays.
        let mut ids: Vec<GameNodeId> =
            std::iter::successors(Some(id), |&id| self.record.node(id).parent).collect();
        ids.pop();
        ids.reverse();
        let common = (self.path.iter().zip(&ids)).take_while(|((id, _), other)| id == *other);
        let common = common.count();
        self.back_to(common);
        for &id in &ids[common..] {
            let taken = match self.record.node(id).step {
                Some(Step::Move(m)) => {
                    let undo = if self.fouls == 0 {
                        self.position.do_move_unchecked(m)
                    } else {
                        self.position.do_move_from_diagram_unchecked(m)
                    };
                    Taken::Move(m, undo)
                }
                Some(Step::Illegal(m)) => {
                    self.fouls += 1;
                    self.foul(m)
                }
                Some(Step::End(_)) | None => Taken::Nothing,
            };
            self.path.push((id, taken));
        }
    }

    /// Puts up the board after a move against the rules.
    fn foul(&mut self, m: Move) -> Taken {
        match after_foul(&self.position, m) {
            Some(after) => Taken::Board(Box::new(std::mem::replace(&mut self.position, after))),
            None => Taken::Nothing,
        }
    }

    /// Goes back in the current line to the node after its first `depth` moves; false when it is shorter.
    pub fn back_to(&mut self, depth: usize) -> bool {
        if depth > self.path.len() {
            return false;
        }
        while self.path.len() > depth {
            let Some((id, taken)) = self.path.pop() else {
                break;
            };
            if matches!(self.record.node(id).step, Some(Step::Illegal(_))) {
                self.fouls -= 1;
            }
            match taken {
                Taken::Move(m, undo) => self.position.undo_move(m, &undo),
                Taken::Board(before) => self.position = *before,
                Taken::Nothing => {}
            }
        }
        true
    }

    /// The record.
    pub fn finish(self) -> GameRecord {
        self.record
    }
}

/// What is told about a game, in the order of the file, by the names that KIF files use (`先手`, `棋戦`).
///
/// CSA's `N+` is `先手`, `$EVENT` is `棋戦` and so on; a keyword of CSA without such a name keeps its own (`$X`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// The names of black's player in even and handicap games.
    pub const BLACK: [&'static str; 2] = ["先手", "下手"];
    /// The names of white's player in even and handicap games.
    pub const WHITE: [&'static str; 2] = ["後手", "上手"];

    /// The value of a header.
    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }

    /// Sets a header: in its place when it is there, else at the end.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<String>) {
        let (key, value) = (key.into(), value.into());
        match self.0.iter_mut().find(|(name, _)| *name == key) {
            Some(entry) => entry.1 = value,
            None => self.0.push((key, value)),
        }
    }

    /// The name of a player.
    pub fn player(&self, color: Color) -> Option<&str> {
        let keys = match color {
            Color::Black => Self::BLACK,
            Color::White => Self::WHITE,
        };
        keys.into_iter().find_map(|key| self.get(key))
    }

    /// The headers in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Plays a step of a record: a legal move, or one against the rules as far as a board is left.
pub(crate) fn advance(position: &mut Position, step: &crate::record::Step) {
    use crate::record::Step;
    match step {
        Step::Move(m) => {
            let _ = position.do_move_from_diagram_unchecked(*m);
        }
        Step::Illegal(m) => {
            if let Some(after) = after_foul(position, *m) {
                *position = after;
            }
        }
        Step::End(_) => {}
    }
}

/// The board after a move against the rules: the piece stands where it went, and what stood there goes to the mover's hand
/// when it was an enemy's piece, else away. Whoever is not to move may be in check, so that only
/// [`Position::do_move_from_diagram_unchecked`] plays on from there. `None`: no board is left.
pub(crate) fn after_foul(position: &Position, m: Move) -> Option<Position> {
    let us = m.color();
    let mut setup = position.to_setup();
    if let Some(from) = m.from() {
        setup.board[from.index()] = None;
    }
    if let Some(kind) = m.dropped() {
        let left = setup.hands[us].count(kind).checked_sub(1)?;
        setup.hands[us] = setup.hands[us].with_count(kind, left)?;
    }
    let taken = setup.board[m.to().index()].filter(|piece| piece.color() != us);
    if let Some(kind) = taken.and_then(|piece| piece.kind().hand_kind()) {
        let more = setup.hands[us].count(kind) + 1;
        setup.hands[us] = setup.hands[us].with_count(kind, more)?;
    }
    setup.board[m.to().index()] = Some(m.piece_after());
    setup.side = us.flip();
    setup.ply = setup.ply.saturating_add(1);
    let diagram = Diagram::from_setup(&setup).ok()?;
    Some(diagram.pieces().clone())
}
