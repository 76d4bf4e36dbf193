//! The search of one position, and its result as a message.

use std::sync::Arc;

use farm::WorkError;
use shogi_core::movegen::Legal;
use shogi_core::{Game, Move, Move16, MoveText, Position};
use shogi_engine::{ThinkLimits, Thought, ThoughtLine};
use shogi_farm::WorkerContext;
use yane_book::BookMove;
use yane_book::db::{MoveLine, push_move_line};

use super::{DepthSource, Think};
use crate::search::{Searched, book_eval};

/// Searches a position.
pub(super) fn search(
    position: &Position,
    options: &Think,
    context: &mut WorkerContext<'_>,
) -> Result<Searched, WorkError> {
    if !options.keeps_hash {
        context.new_game()?;
    }
    let game = Game::new(position.clone());
    let legal = position.moves::<Legal>();
    let wanted = options.lines.clamp(1, legal.len().max(1));
    let mut found = FoundLines::default();
    find_best(&game, &legal, wanted, options, &mut found, context)?;
    let count = options.count;
    let count = count.unwrap_or_else(|| version_count(context.engine.name()));
    let depth = found.depth();
    // The depth that every move gets, if it is the same for all.
    let fixed_depth = match options.depth_source {
        DepthSource::Asked => Some(options.depth),
        DepthSource::Reached => None,
    };
    let moves = found.moves(count, fixed_depth);
    if moves.is_empty() {
        return Err(no_line(position, context));
    }
    Ok(Searched {
        moves,
        depth,
        nodes: found.nodes(),
    })
}

/// The failure of an engine that tells nothing about a position.
pub(crate) fn no_line(position: &Position, context: &WorkerContext<'_>) -> WorkError {
    let name = context.engine.name();
    WorkError::Failed(format!(
        "{name} reported no line for {}; does it play from a book?",
        position.to_sfen()
    ))
}

/// Searches until there are `wanted` lines, or nothing new is found.
pub(crate) fn find_best(
    game: &Game,
    legal: &[Move],
    wanted: usize,
    options: &Think,
    found: &mut FoundLines,
    context: &mut WorkerContext<'_>,
) -> Result<(), WorkError> {
    loop {
        let others = found.others(legal);
        let thought = ask(game, options, wanted - found.lines.len(), others, context)?;
        if !found.take(thought, wanted) || found.lines.len() >= wanted {
            return Ok(());
        }
    }
}

/// Searches the position, or some of its moves.
pub(crate) fn ask(
    game: &Game,
    options: &Think,
    lines: usize,
    search_moves: Vec<Move>,
    context: &mut WorkerContext<'_>,
) -> Result<Thought, WorkError> {
    let limits = ThinkLimits {
        depth: Some(options.depth),
        nodes: options.nodes,
        time: options.time,
        lines,
        search_moves,
        stop: Some(Arc::clone(context.stop.flag())),
        line_moves: Some(2),
    };
    context.think(game, &limits)
}

/// The lines found so far, a move each.
#[derive(Default)]
pub(crate) struct FoundLines {
    lines: Vec<ThoughtLine>,
    nodes: u64,
}

impl FoundLines {
    /// The moves without a line, if some have one.
    fn others(&self, legal: &[Move]) -> Vec<Move> {
        if self.lines.is_empty() {
            return Vec::new();
        }
        let is_new = |m: &Move| !self.knows(*m);
        legal.iter().copied().filter(is_new).collect()
    }

    /// Returns whether a move has a line.
    pub(crate) fn knows(&self, m: Move) -> bool {
        self.lines.iter().any(|line| line.pv.first() == Some(&m))
    }

    /// Adds lines until there are `wanted`; whether there was a new one. Between iterations a move can be reported
    /// twice: the better rank is the later report.
    pub(crate) fn take(&mut self, thought: Thought, wanted: usize) -> bool {
        self.nodes += thought.nodes;
        let before = self.lines.len();
        for line in thought.lines {
            if self.lines.len() < wanted && line.pv.first().is_some_and(|&m| !self.knows(m)) {
                self.lines.push(line);
            }
        }
        self.lines.len() > before
    }

    /// Adds the line of a move.
    pub(crate) fn push(&mut self, line: ThoughtLine) {
        self.lines.push(line);
    }

    /// Depth of the first line.
    pub(crate) fn depth(&self) -> u32 {
        self.lines.first().map_or(0, |line| line.depth)
    }

    /// Nodes searched.
    pub(crate) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Counts nodes of another search.
    pub(crate) const fn add_nodes(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// The lines as moves of a book, by value.
    pub(crate) fn moves(&self, count: u64, depth: Option<u32>) -> Vec<BookMove> {
        let code = |m: &Move| Move16::encode(MoveText::from(*m));
        let book_move = |line: &ThoughtLine| BookMove {
            mv: line.pv.first().map(code),
            ponder: line.pv.get(1).map(code),
            eval: book_eval(line.score),
            depth: depth.unwrap_or(line.depth) as i32,
            count,
        };
        let mut moves: Vec<_> = self.lines.iter().map(book_move).collect();
        // The order of the engine, but for bounds and moves searched later.
        moves.sort_by_key(|known| std::cmp::Reverse(known.eval));
        moves
    }
}

/// The version in an engine's name, times 100: 761 for 7.61, at least 1.
fn version_count(name: &str) -> u64 {
    let words = name.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    let version = words.filter(|word| word.contains('.')).find_map(|word| {
        let mut parts = word.split('.');
        let (major, minor) = (parts.next()?, parts.next()?);
        let major: u64 = major.parse().ok()?;
        let hundredths: String = minor.chars().chain("00".chars()).take(2).collect();
        let hundredths: u64 = hundredths.parse().ok()?;
        Some(major.saturating_mul(100).saturating_add(hundredths))
    });
    version.unwrap_or(1).max(1)
}

/// The message of a result: depth, nodes, and the lines of the moves.
pub(crate) fn encode(searched: &Searched) -> Vec<u8> {
    let mut bytes = searched.depth.to_le_bytes().to_vec();
    bytes.extend(searched.nodes.to_le_bytes());
    for known in &searched.moves {
        push_move_line(&mut bytes, known);
        bytes.push(b'\n');
    }
    bytes
}

/// Why a result is refused.
pub(crate) const NO_ENTRY: &str = "it is no book entry of this position";

/// Reads the message of [`encode`]; `None` when it is no entry of a book at `position`.
pub(crate) fn decode(bytes: &[u8], position: &Position) -> Option<Searched> {
    let (depth, bytes) = bytes.split_first_chunk()?;
    let (nodes, bytes) = bytes.split_first_chunk()?;
    let mut moves = Vec::new();
    for line in bytes.strip_suffix(b"\n")?.split(|&byte| byte == b'\n') {
        let known = MoveLine::parse(line).ok()?.book_move;
        let m = position.move_from_16(known.mv?)?;
        if !position.is_legal(m) {
            return None;
        }
        moves.push(known);
    }
    Some(Searched {
        moves,
        depth: u32::from_le_bytes(*depth),
        nodes: u64::from_le_bytes(*nodes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_counts() {
        for (name, count) in [
            ("YaneuraOu NNUE 7.61 64AVX2", 761),
            ("YaneuraOu 9.3 git", 930),
            ("yaneura 0.1.0", 10),
            ("engine V3.21beta", 321),
            ("engine", 1),
            ("engine 0.0.3", 1),
            ("engine . 12", 1),
        ] {
            assert_eq!(version_count(name), count, "{name}");
        }
    }

    #[test]
    fn messages_of_results_round_trip() {
        let position = Position::startpos();
        let code = |text: &str| {
            let m = position.move_from_usi(text).unwrap();
            Some(Move16::encode(MoveText::from(m)))
        };
        let best = BookMove {
            ponder: code("2g2f"),
            eval: -31_990,
            depth: 12,
            count: 761,
            ..BookMove::new(code("7g7f"))
        };
        let searched = Searched {
            moves: vec![best, BookMove::new(code("2g2f"))],
            depth: 13,
            nodes: 1 << 40,
        };
        let bytes = encode(&searched);
        assert_eq!(decode(&bytes, &position), Some(searched));
        // Cut short, given up, or not legal there.
        for bytes in [&bytes[..bytes.len() - 1], &bytes[..12], &bytes[..5], b""] {
            assert_eq!(decode(bytes, &position), None);
        }
        let mut after = position.clone();
        let _ = after.do_move_unchecked(position.move_from_usi("7g7f").unwrap());
        assert_eq!(decode(&bytes, &after), None);
    }
}
