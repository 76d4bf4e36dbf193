//! One opening: random play with an engine that says which moves are good.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, ensure};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use shogi_core::{Game, Move, MoveText, Position};
use shogi_usi::client::EngineProcess;
use shogi_usi::{BestMove, GoCommand, Info, PvItem};

use super::Args;
use crate::matches::openings::rng;
use crate::matches::player::centipawns;
use crate::matches::usi_player::Engine;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(300);

/// What became of an attempt.
#[derive(Debug)]
pub(super) enum Attempt {
    Found(Candidate),
    /// The game was over before it was long enough, or its last position is a check.
    Unfinished,
    /// One side is ahead.
    Unbalanced,
}

/// An opening that is balanced.
#[derive(Debug)]
pub(super) struct Candidate {
    /// What follows the word `position`.
    pub(super) line: String,
    /// Key of the last position: equal where moves transpose.
    pub(super) key: u128,
}

/// Makes openings with a process of its own.
pub(super) struct Maker<'a> {
    process: EngineProcess,
    args: &'a Args,
}

impl<'a> Maker<'a> {
    pub(super) fn start(engine: &Engine, args: &'a Args) -> Result<Self> {
        let process = engine.start()?;
        ensure!(
            process.has_option("MultiPV"),
            "{} has no option MultiPV",
            process.name()
        );
        Ok(Self { process, args })
    }

    /// Makes the attempt with the given number.
    pub(super) fn attempt(&mut self, number: usize) -> Result<Attempt> {
        let mut rng = rng(self.args.seed, number);
        let plies = rng.random_range(self.args.plies.from..=self.args.plies.to);
        self.process
            .set_option("MultiPV", &self.args.lines.to_string())?;
        // The engine forgets the last attempt, so that each depends on nothing but its number.
        self.process.get_ready(TIMEOUT)?;
        self.process.new_game()?;
        let mut game = Game::new(Position::startpos());
        let mut line = "startpos".to_owned();
        for ply in 0..plies {
            let Some(m) = self.choose(&game, &line, &mut rng)? else {
                return Ok(Attempt::Unfinished);
            };
            line += if ply == 0 { " moves " } else { " " };
            line += &m.to_string();
            game.play(m);
        }
        self.judge(game.position(), line)
    }

    /// One of the good moves; `None` when the engine plays none.
    fn choose(
        &mut self,
        game: &Game,
        line: &str,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<Option<Move>> {
        let mut lines = Lines::default();
        let best = self.think(line, self.args.move_nodes, |info| lines.hear(info))?;
        if !matches!(best, BestMove::Move { .. }) {
            return Ok(None);
        }
        let good = lines.good(self.args.spread);
        Ok(good
            .choose(rng)
            .and_then(|&text| game.position().move_from_text(text)))
    }

    /// Whether the position after `line` is balanced.
    fn judge(&mut self, position: &Position, line: String) -> Result<Attempt> {
        if position.in_check() {
            return Ok(Attempt::Unfinished);
        }
        self.process.set_option("MultiPV", "1")?;
        let mut lines = Lines::default();
        self.think(&line, self.args.nodes, |info| lines.hear(info))?;
        let Some(score) = lines.best_score() else {
            return Ok(Attempt::Unfinished);
        };
        if score.abs() > self.args.max_cp {
            return Ok(Attempt::Unbalanced);
        }
        let key = position.key128();
        Ok(Attempt::Found(Candidate { line, key }))
    }

    fn think(&mut self, line: &str, nodes: u64, on_info: impl FnMut(&Info)) -> Result<BestMove> {
        let go = GoCommand {
            nodes: Some(nodes),
            ..GoCommand::default()
        };
        self.process.send_line(&format!("position {line}"))?;
        self.process.start(&go)?;
        Ok(self.process.wait(TIMEOUT, on_info)?.best)
    }
}

/// The lines of a search with several of them, each as it was told last.
#[derive(Debug, Default)]
struct Lines {
    /// Score in centipawns and first move by number of the line.
    lines: BTreeMap<u32, (i64, MoveText)>,
}

impl Lines {
    fn hear(&mut self, info: &Info) {
        let (Some(score), Some(PvItem::Move(first)), None) =
            (info.score, info.pv.first(), info.bound)
        else {
            return;
        };
        let line = (centipawns(score), *first);
        self.lines.insert(info.multi_pv.unwrap_or(1), line);
    }

    fn best_score(&self) -> Option<i64> {
        self.lines.values().map(|&(score, _)| score).max()
    }

    /// The moves at most `spread` worse than the best, each once.
    fn good(&self, spread: i64) -> Vec<MoveText> {
        let best = self.best_score().unwrap_or(0);
        let mut good: Vec<MoveText> = Vec::new();
        for &(score, first) in self.lines.values() {
            // A search that was interrupted may have named a move under two numbers.
            if score >= best - spread && !good.contains(&first) {
                good.push(first);
            }
        }
        good
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hear(lines: &mut Lines, text: &str) {
        lines.hear(&Info::parse(text));
    }

    #[test]
    fn the_last_word_on_every_line_counts() {
        let mut lines = Lines::default();
        for text in [
            "depth 1 multipv 1 score cp 10 pv 7g7f",
            "depth 1 multipv 2 score cp 9 pv 2g2f",
            "depth 2 multipv 1 score cp 200 lowerbound pv 1g1f",
            "depth 2 multipv 1 score cp 50 pv 2g2f 8c8d",
            "depth 2 multipv 2 score cp -49 pv 7g7f",
            "depth 2 multipv 3 score cp -51 pv 9g9f",
            "depth 2 multipv 4 score cp 3 pv 7g7f",
            "depth 2 currmove 5g5f",
        ] {
            hear(&mut lines, text);
        }
        assert_eq!(lines.best_score(), Some(50));
        let good: Vec<String> = lines.good(100).iter().map(MoveText::to_string).collect();
        assert_eq!(good, ["2g2f", "7g7f"]);
    }

    #[test]
    fn nothing_heard_nothing_good() {
        assert!(Lines::default().good(100).is_empty());
        assert_eq!(Lines::default().best_score(), None);
    }
}
