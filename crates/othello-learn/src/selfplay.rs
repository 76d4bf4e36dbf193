//! Labelled positions from games of an evaluation against itself.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use farm::{Stop, WorkError, Worker, Workers, threads};
use othello_core::{Board, Square, State};
use othello_eval::Weights;
use yane_base::random::SplitMix64;
use yane_io::{Checksum, Flush, Job, Journal, Overwrite, RunIdentity, Unit};

use crate::error::OthelloLearnError;
use crate::label::{LabelGoal, Labeller};
use crate::samples::{self, LabelKind, LabelledPosition};
use crate::units::do_units;

/// Games of a unit of work, which the journal keeps together.
const GAMES_OF_A_UNIT: u64 = 64;

/// Starts that are tried for one game before an unbalanced one is taken.
const TRIES: u32 = 200;

/// A run of games.
///
/// A game begins with random moves; then the best move of each position is played, but sometimes a random one. What is
/// played follows from the seed and the number of the game alone.
#[derive(Clone, Debug)]
pub struct OthelloSelfplay {
    /// The number of games.
    pub games: u64,
    /// Seed of all that is random.
    pub seed: u64,
    /// Random moves at the beginning, evenly distributed.
    pub random_plies: RangeInclusive<u32>,
    /// Only starts are taken whose value is within this many 128ths of a disc, as in XOT; `None` takes all.
    pub balance: Option<i32>,
    /// The chance of a random move later, in percent.
    pub random_percent: u32,
    /// Plies of the positions that are written: discs on the board less 4.
    pub plies: RangeInclusive<u32>,
    /// The search that labels.
    pub goal: LabelGoal,
    /// The share of the next label in the label of a search, in percent, where the best move leads to it (λ of TD(λ)).
    pub lambda_percent: u32,
}

/// A labelled position of a game.
#[derive(Clone, Copy)]
struct Played {
    position: LabelledPosition,
    /// True if the player to move is not the one who moved first in this game.
    is_second: bool,
    /// True if the best move was played.
    is_best: bool,
}

/// The numbers of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SelfplayTotals {
    /// Games.
    pub games: u64,
    /// Positions written.
    pub positions: u64,
}

impl OthelloSelfplay {
    /// Plays the games and writes their positions to `output`.
    ///
    /// Beside it lies a journal while the run lasts (`output` with `.journal` behind it). After an interruption the same call
    /// resumes. Neither that nor the number of threads changes the output.
    ///
    /// # Errors
    /// Files that cannot be written, an output that must not be replaced, a journal of another run; a unit of games at which a search panics again and again; cancellation.
    pub fn run(
        &self,
        weights: &Arc<Weights>,
        output: &Path,
        overwrite: Overwrite,
        job: &Job,
    ) -> Result<SelfplayTotals, OthelloLearnError> {
        let _claim = overwrite.claim::<PathBuf>(output, &[])?;
        let mut journal = Journal::open(
            &Journal::path_of(output),
            &self.identity(weights),
            Flush::Every(Duration::from_secs(10)),
        )?
        .tell(|note| job.progress.note(note));
        let units = self.games.div_ceil(GAMES_OF_A_UNIT);
        let missing: Vec<u64> = (0..units).filter(|&unit| !journal.contains(unit)).collect();
        job.progress
            .stage("self-play", Some(self.games), Unit::Games);
        let known = self
            .games_of(units)
            .saturating_sub(missing.iter().map(|&unit| self.len_of(unit)).sum());
        if known > 0 {
            job.progress
                .note(&format!("{known} games are in the journal"));
            job.progress.advance(known);
        }
        let players = self.players(job.threads, weights);
        let on_done = |unit| job.progress.advance(self.len_of(unit));
        do_units(&players, missing, job, &mut journal, on_done)?;
        job.check()?;
        let parts = (0..units).map(|unit| Ok(journal.get(unit)?.unwrap_or_default()));
        let positions = samples::write(output, parts.collect::<Vec<_>>().into_iter())?;
        journal.remove()?;
        Ok(SelfplayTotals {
            games: self.games,
            positions,
        })
    }

    /// Threads that play units of games, whose labelled positions are the bytes of a unit.
    fn players(
        &self,
        count: usize,
        weights: &Arc<Weights>,
    ) -> impl Workers<Worker: Worker<Item = u64, Output = (u64, Vec<u8>)>> {
        let make = |_| Labeller::new(weights, self.goal);
        let play = |labeller: &mut Labeller, &unit: &u64, stop: &Stop| {
            let mut bytes = Vec::new();
            for game in unit * GAMES_OF_A_UNIT..self.games_of(unit + 1) {
                stop.wait_if_paused();
                stop.check()?;
                for position in self.game(game, labeller) {
                    bytes.extend(position.to_bytes());
                }
            }
            Ok::<_, WorkError>((unit, bytes).into())
        };
        threads(count, make, play).named("self-play")
    }

    /// The games before a unit.
    fn games_of(&self, unit: u64) -> u64 {
        (unit * GAMES_OF_A_UNIT).min(self.games)
    }

    /// The games of a unit.
    fn len_of(&self, unit: u64) -> u64 {
        self.games_of(unit + 1) - self.games_of(unit)
    }

    /// All that decides about the games.
    fn identity(&self, weights: &Weights) -> RunIdentity {
        RunIdentity::new("othello selfplay 3")
            .with("settings", format!("{self:?}"))
            .with("weights", Checksum::of_bytes(&weights.to_bytes("")))
    }

    /// The labelled positions of a game.
    fn game(&self, number: u64, labeller: &mut Labeller) -> Vec<LabelledPosition> {
        labeller.clear();
        let mut random = SplitMix64::new(SplitMix64::nth(self.seed, number));
        let mut played: Vec<Played> = Vec::new();
        let mut board = self.start(&mut random, labeller);
        let mut is_second = false;
        let last = (*self.plies.end()).min(60) + 4;
        while board.discs() <= last {
            let square = match board.state() {
                State::Over => break,
                State::Pass => {
                    board = board.passed();
                    is_second = !is_second;
                    continue;
                }
                State::Moves => {
                    let (square, position) = self.position(board, &mut random, labeller);
                    if let Some((position, is_best)) = position {
                        played.push(Played {
                            position,
                            is_second,
                            is_best,
                        });
                    }
                    square
                }
            };
            board = board.play_unchecked(square);
            is_second = !is_second;
        }
        self.mix(&mut played);
        let mut positions: Vec<_> = played.into_iter().map(|played| played.position).collect();
        if let Some(first) = positions.first_mut() {
            first.begins_game = true;
        }
        positions
    }

    /// Mixes each label of a search with the one behind the best move, from the end of the game backwards.
    fn mix(&self, played: &mut [Played]) {
        let share = self.lambda_percent.min(100) as i32;
        for n in (1..played.len()).rev() {
            let next = played[n];
            let this = &mut played[n - 1];
            // Plies that are not written lie between no two that are.
            if this.position.kind == LabelKind::Search && this.is_best {
                let value = if this.is_second == next.is_second {
                    next.position.value
                } else {
                    -next.position.value
                };
                let own = this.position.value;
                this.position.value = (own * (100 - share) + value * share) / 100;
            }
        }
    }

    /// Chooses the move, and labels a position if it is wanted; `true` beside it if the move is its best one.
    fn position(
        &self,
        board: Board,
        random: &mut SplitMix64,
        labeller: &mut Labeller,
    ) -> (Square, Option<(LabelledPosition, bool)>) {
        let is_random = random.below(100) < u64::from(self.random_percent);
        let at_random = any_move(board, random);
        let choose = |best: Option<Square>| match best {
            Some(best) if !is_random => best,
            _ => at_random,
        };
        if !self.plies.contains(&(board.discs() - 4)) {
            return (choose(labeller.look_ahead(board)), None);
        }
        let (value, best) = labeller.label(board);
        let kind = if labeller.solves(board) {
            LabelKind::Exact
        } else {
            LabelKind::Search
        };
        let position = LabelledPosition {
            board,
            value,
            kind,
            begins_game: false,
        };
        let square = choose(best);
        (square, Some((position, best == Some(square))))
    }

    /// A start with random moves, balanced if that is wanted.
    fn start(&self, random: &mut SplitMix64, labeller: &mut Labeller) -> Board {
        let (least, most) = (*self.random_plies.start(), *self.random_plies.end());
        let plies = least + random.below(u64::from(most.saturating_sub(least)) + 1) as u32;
        let mut board = random_board(plies, random);
        let Some(balance) = self.balance else {
            return board;
        };
        for _ in 0..TRIES {
            if board.state() == State::Moves && labeller.label(board).0.abs() <= balance {
                break;
            }
            board = random_board(plies, random);
        }
        board
    }
}

/// The board after random moves; before them when the game ends meanwhile.
fn random_board(plies: u32, random: &mut SplitMix64) -> Board {
    let mut board = Board::START;
    let mut played = 0;
    while played < plies {
        match board.state() {
            State::Over => {
                board = Board::START;
                played = 0;
            }
            State::Pass => board = board.passed(),
            State::Moves => {
                board = board.play_unchecked(any_move(board, random));
                played += 1;
            }
        }
    }
    board
}

/// A random legal move; there must be one.
fn any_move(board: Board, random: &mut SplitMix64) -> Square {
    let moves = board.legal_moves();
    let nth = random.index(moves.len() as usize);
    moves.iter().nth(nth).unwrap_or(Square::ALL[0])
}
