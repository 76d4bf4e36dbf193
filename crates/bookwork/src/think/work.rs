//! Thinking about one position.

use std::sync::Arc;

use farm::{Desk, Finished, Unfinished, Work};
use shogi_core::movegen::Legal;
use shogi_core::{Game, Move, Move16, MoveText, Position};
use shogi_engine::{ThinkLimits, Thought, ThoughtLine};
use yane_book::BookMove;

use super::{DepthTold, Event, Summary, Think};
use crate::eval::book_eval;

/// Positions by number, to be thought about.
pub(super) struct Thinking<'a> {
    pub(super) positions: &'a [Position],
    pub(super) options: &'a Think,
}

/// A position that was thought about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Thoughts {
    /// Its moves, best first.
    pub(crate) moves: Vec<BookMove>,
    /// Depth of the best line that was reached.
    pub(crate) depth: u32,
    /// Positions visited.
    pub(crate) nodes: u64,
}

impl Work for Thinking<'_> {
    type Unit = u64;
    type Done = Thoughts;

    fn work(&self, &number: &u64, desk: &mut Desk<'_>) -> Result<Finished<Thoughts>, Unfinished> {
        let position = &self.positions[number as usize];
        think(position, self.options, desk).map(Finished::good)
    }
}

impl Thoughts {
    /// What is told of them.
    pub(super) fn event<'a>(
        &'a self,
        seat: Option<usize>,
        position: &'a Position,
        summary: &'a Summary,
    ) -> Event<'a> {
        Event::Position {
            seat,
            position,
            moves: &self.moves,
            depth: self.depth,
            nodes: self.nodes,
            summary,
        }
    }
}

/// Thinks about a position.
pub(super) fn think(
    position: &Position,
    options: &Think,
    desk: &mut Desk<'_>,
) -> Result<Thoughts, Unfinished> {
    if !options.keeps_hash {
        desk.thinker.new_game()?;
    }
    let game = Game::new(position.clone());
    let legal = position.moves::<Legal>();
    let wanted = options.lines.clamp(1, legal.len().max(1));
    let mut found = Found::default();
    loop {
        let others = found.others(&legal);
        let thought = ask(&game, options, wanted - found.lines.len(), others, desk)?;
        if !found.take(thought, wanted) || found.lines.len() >= wanted {
            break;
        }
    }
    let count = options.count;
    let count = count.unwrap_or_else(|| version_count(desk.thinker.name()));
    let depth = found.lines.first().map_or(0, |line| line.depth);
    // The depth that every move gets, if it is the same for all.
    let told = match options.depth_told {
        DepthTold::Asked => Some(options.depth),
        DepthTold::Reached => None,
    };
    let moves = found.moves(count, told);
    if moves.is_empty() {
        let name = desk.thinker.name();
        return Err(Unfinished::Failed(format!(
            "{name} told no line for {}; does it play from a book?",
            position.to_sfen()
        )));
    }
    Ok(Thoughts {
        moves,
        depth,
        nodes: found.nodes,
    })
}

/// Thinks about the position, or about some of its moves.
fn ask(
    game: &Game,
    options: &Think,
    lines: usize,
    search_moves: Vec<Move>,
    desk: &mut Desk<'_>,
) -> Result<Thought, Unfinished> {
    let limits = ThinkLimits {
        depth: Some(options.depth),
        nodes: options.nodes,
        time: options.time,
        lines,
        search_moves,
        stop: Some(Arc::clone(desk.stop)),
        line_moves: Some(2),
    };
    let thought = desk.thinker.think(game, &limits);
    desk.check()?;
    Ok(thought?)
}

/// Lines that were found, a move each.
#[derive(Default)]
struct Found {
    lines: Vec<ThoughtLine>,
    nodes: u64,
}

impl Found {
    /// The moves that are left, if it is not all.
    fn others(&self, legal: &[Move]) -> Vec<Move> {
        if self.lines.is_empty() {
            return Vec::new();
        }
        let is_new = |m: &Move| !self.knows(*m);
        legal.iter().copied().filter(is_new).collect()
    }

    fn knows(&self, m: Move) -> bool {
        self.lines.iter().any(|line| line.pv.first() == Some(&m))
    }

    /// Takes over lines until there are `wanted`; whether there was a new one. Between iterations a move can be
    /// told twice: the better place is the later word about it.
    fn take(&mut self, thought: Thought, wanted: usize) -> bool {
        self.nodes += thought.nodes;
        let before = self.lines.len();
        for line in thought.lines {
            if self.lines.len() < wanted && line.pv.first().is_some_and(|&m| !self.knows(m)) {
                self.lines.push(line);
            }
        }
        self.lines.len() > before
    }

    /// The lines as moves of a book, by value.
    fn moves(&self, count: u64, depth: Option<u32>) -> Vec<BookMove> {
        let code = |m: &Move| Move16::encode(MoveText::from(*m));
        let told = |line: &ThoughtLine| BookMove {
            mv: line.pv.first().map(code),
            ponder: line.pv.get(1).map(code),
            eval: book_eval(line.score),
            depth: depth.unwrap_or(line.depth) as i32,
            count,
        };
        let mut moves: Vec<_> = self.lines.iter().map(told).collect();
        // Their order is that of the engine, but for bounds and what was asked for later.
        moves.sort_by_key(|known| std::cmp::Reverse(known.eval));
        moves
    }
}

/// The version that an engine's name tells, times 100: 761 for 7.61, at least 1.
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
}
