//! The analysis itself, one search at a time.

use std::sync::atomic::Ordering;

use shogi_core::{Color, Move, MoveText, Position};
use shogi_engine::{Decision, ThinkLimits, Thinker, Thought};
use shogi_kifu::{GameNodeId, GameOutcome, GameRecord, Step};
use shogi_openings::OpeningObserver;

use crate::classify::{kind, phase};
use crate::error::ReviewError;
use crate::judge::{Judgement, Phase};
use crate::language::move_text;
use crate::model::{GameReview, ReviewedCastle, ReviewedOpening};
use crate::moves::{BookState, ReviewCandidate, ReviewedMove, SearchedPosition};
use crate::score::{ReviewScore, WinModel};
use crate::sums::PlayerSums;
use crate::tree::{TreePosition, game_at, positions};

/// A book that an analysis asks.
pub trait ReviewBook {
    /// The moves that the book has in a position; none where it does not have the position.
    fn moves(&self, position: &Position) -> Vec<MoveText>;
}

/// What is analysed, and how.
#[derive(Default)]
pub struct ReviewOptions<'a> {
    /// The limits of each search, the number of lines, and the flag that stops the analysis. An engine of this process ends a search at a
    /// proved mate when it has a limit of time too, however long that is.
    pub think: ThinkLimits,
    /// Also analyses the variations of the record.
    pub variations: bool,
    /// A book.
    pub book: Option<&'a dyn ReviewBook>,
    /// From scores to probabilities.
    pub model: WinModel,
}

/// A step of an analysis: a position was searched.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewStep {
    /// Positions searched so far.
    pub done: usize,
    /// Positions in all.
    pub total: usize,
    /// The moves that are known now: those made in the position. None after the last position of a line, several where variations begin.
    pub moves: Vec<ReviewedMove>,
}

/// The analysis of a game, position by position from the end backwards, so that a search finds in the transposition table what comes
/// after.
pub struct Reviewer<'a> {
    record: &'a GameRecord,
    options: ReviewOptions<'a>,
    positions: Vec<TreePosition>,
    phases: Vec<Phase>,
    /// Indices of positions in the order in which they are searched.
    order: Vec<usize>,
    done: usize,
    searched: Vec<Option<SearchedPosition>>,
    /// Of each position but the first, the move that leads to it.
    moves: Vec<Option<ReviewedMove>>,
    engine: String,
}

impl<'a> Reviewer<'a> {
    /// Prepares the analysis of `record`: nothing is searched yet.
    pub fn new(record: &'a GameRecord, options: ReviewOptions<'a>) -> Self {
        let positions = positions(record, options.variations);
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse((positions[index].ply, index)));
        Self {
            phases: phases(record, &positions),
            searched: vec![None; positions.len()],
            moves: vec![None; positions.len()],
            order,
            done: 0,
            engine: String::new(),
            record,
            options,
            positions,
        }
    }

    /// Positions to search in all.
    pub fn total(&self) -> usize {
        self.positions.len()
    }

    /// Searches the next position; `None` when all are done.
    ///
    /// # Errors
    /// When the engine fails, and [`ReviewError::Stopped`] when the flag of the limits is set: the same step can be made again.
    pub fn step(&mut self, thinker: &mut dyn Thinker) -> Result<Option<ReviewStep>, ReviewError> {
        let Some(&index) = self.order.get(self.done) else {
            return Ok(None);
        };
        if self.engine.is_empty() {
            thinker.name().clone_into(&mut self.engine);
        }
        self.searched[index] = Some(self.search(index, thinker)?);
        self.done += 1;
        let after: Vec<usize> = (index + 1..self.positions.len())
            .filter(|&after| self.positions[after].before == Some(index))
            .collect();
        let mut known = Vec::with_capacity(after.len());
        for after in after {
            let reviewed = self.judge(index, after);
            known.extend(reviewed.clone());
            self.moves[after] = reviewed;
        }
        Ok(Some(ReviewStep {
            done: self.done,
            total: self.total(),
            moves: known,
        }))
    }

    /// The node of the record that the move with this [`ReviewedMove::index`] leads to.
    pub fn node(&self, index: usize) -> Option<GameNodeId> {
        self.positions.get(index + 1).map(|position| position.node)
    }

    /// The result; `None` before all positions are searched.
    pub fn finish(self) -> Option<GameReview> {
        let record = self.record;
        let moves: Vec<ReviewedMove> = self.moves.into_iter().skip(1).collect::<Option<_>>()?;
        let last = self
            .positions
            .iter()
            .rposition(|position| position.line == 0)?;
        let last = self.searched.get(last).cloned().flatten()?;
        let mut observer = OpeningObserver::new(record.start());
        record.moves().for_each(|m| observer.play(m));
        let opening = observer.opening().map(|found| ReviewedOpening {
            ja: found.name.ja.to_owned(),
            en: found.name.en.to_owned(),
            ply: found.ply,
        });
        let castle = |color| {
            let name = observer.castles()[color].last()?.name;
            Some(ReviewedCastle {
                ja: name.ja.to_owned(),
                en: name.en.to_owned(),
            })
        };
        let in_book = |mv: &&ReviewedMove| mv.line == 0 && mv.book == Some(BookState::In);
        let left_book_at = self.options.book.map(|_| {
            moves
                .iter()
                .filter(in_book)
                .map(|mv| mv.ply)
                .max()
                .unwrap_or(0)
        });
        let sums = Color::ALL.map(|color| PlayerSums::of(&moves, color));
        Some(GameReview {
            players: Color::ALL.map(|color| record.headers.player(color).map(str::to_owned)),
            start: record.start().to_sfen(),
            outcome: record.outcome().name().to_owned(),
            opening,
            castles: Color::ALL.map(castle),
            engine: self.engine,
            model: self.options.model,
            moves,
            left_book_at,
            last,
            sums,
        })
    }

    fn search(
        &self,
        index: usize,
        thinker: &mut dyn Thinker,
    ) -> Result<SearchedPosition, ReviewError> {
        let position = &self.positions[index];
        if self.is_drawn(position) {
            return Ok(SearchedPosition {
                score: ReviewScore::Cp(0),
                pv: Vec::new(),
                depth: 0,
                nodes: 0,
                candidates: Vec::new(),
            });
        }
        let game = game_at(self.record, &self.positions, index);
        if self.is_stopped() {
            return Err(ReviewError::Stopped);
        }
        let thought = thinker.think(&game, &self.options.think)?;
        if self.is_stopped() {
            return Err(ReviewError::Stopped);
        }
        searched(&thought).ok_or_else(|| ReviewError::NoScore {
            engine: thinker.name().to_owned(),
            sfen: game.position().to_sfen(),
        })
    }

    fn is_stopped(&self) -> bool {
        let stop = self.options.think.stop.as_ref();
        stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns whether the game ended here in a draw, such as by repetition: a search sees one position and knows nothing of it.
    fn is_drawn(&self, position: &TreePosition) -> bool {
        let next = self.record.node(position.node).children().first();
        let step = next.and_then(|&id| self.record.node(id).step());
        let side = self.record.side_at(position.ply);
        matches!(step, Some(Step::End(ending)) if ending.outcome(side) == GameOutcome::Draw)
    }

    /// What the move from the position `before` to `after` loses.
    fn judge(&self, before: usize, after: usize) -> Option<ReviewedMove> {
        let (best, next) = (
            self.searched[before].as_ref()?,
            self.searched[after].as_ref()?,
        );
        let played = self.positions[after].mv?;
        let game = game_at(self.record, &self.positions, before);
        let position = game.position();
        let is_best = best.pv.first() == Some(&MoveText::from(played));
        let score = match next.score.flip() {
            // No move is left: this one mates.
            score if next.pv.is_empty() && score.mates_in().is_some() => ReviewScore::mate(1),
            score => score.a_ply_before(),
        };
        // One search says two things of the best move: the one before it looked at all others too.
        let best_score =
            if is_best || self.options.model.win(score) > self.options.model.win(best.score) {
                score
            } else {
                best.score
            };
        let [win, best_win] = [score, best_score].map(|score| self.options.model.win(score));
        let loss = (best_win - win).max(0.0);
        let judge = Judgement::of(loss);
        let mut behind = position.clone();
        let _ = behind.try_do_move(played).ok()?;
        let reply = next
            .pv
            .first()
            .and_then(|&reply| behind.move_from_text(reply));
        let best_move = best
            .pv
            .first()
            .and_then(|&best| position.move_from_text(best));
        let node = self.record.node(self.positions[after].node);
        Some(ReviewedMove {
            index: after - 1,
            ply: self.positions[after].ply,
            line: self.positions[after].line,
            side: played.color().into(),
            mv: played.into(),
            move_ja: move_text(played),
            score,
            best_score,
            best: best_move.map(MoveText::from),
            best_ja: best_move.map(move_text),
            pv: best.pv.clone(),
            reply: next.pv.clone(),
            candidates: best.candidates.clone(),
            depth: best.depth,
            nodes: best.nodes,
            win: rounded(win),
            best_win: rounded(best_win),
            loss: rounded(loss),
            loss_cp: loss_in_centipawns(best_score, score),
            judge,
            kind: judge.map(|_| kind(position, played, best_score, score, reply)),
            phase: self.phases[after],
            book: self
                .options
                .book
                .map(|book| book_state(book, position, played)),
            time_ms: node.time,
        })
    }
}

/// Analyses a game; `on_step` is called after each search.
///
/// # Errors
/// See [`Reviewer::step`].
pub fn review<'a>(
    record: &'a GameRecord,
    options: ReviewOptions<'a>,
    thinker: &mut dyn Thinker,
    mut on_step: impl FnMut(&ReviewStep),
) -> Result<GameReview, ReviewError> {
    let mut reviewer = Reviewer::new(record, options);
    while let Some(step) = reviewer.step(thinker)? {
        on_step(&step);
    }
    reviewer.finish().ok_or(ReviewError::Stopped)
}

/// Probabilities have six digits, so that results are the same text on all machines.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn loss_in_centipawns(best: ReviewScore, played: ReviewScore) -> Option<i32> {
    match (best, played) {
        (ReviewScore::Cp(best), ReviewScore::Cp(played)) => {
            Some(best.saturating_sub(played).max(0))
        }
        _ => None,
    }
}

fn book_state(book: &dyn ReviewBook, position: &Position, played: Move) -> BookState {
    let moves = book.moves(position);
    if moves.contains(&played.into()) {
        BookState::In
    } else if moves.is_empty() {
        BookState::Out
    } else {
        BookState::Left
    }
}

/// The part of the game that the move to each position belongs to.
fn phases(record: &GameRecord, positions: &[TreePosition]) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::with_capacity(positions.len());
    let first = record.start().ply();
    let mut place: (Option<usize>, Position) = (Some(0), record.start().clone());
    for (index, tree) in positions.iter().enumerate() {
        let Some((before, m)) = tree.before.zip(tree.mv) else {
            phases.push(Phase::Opening);
            continue;
        };
        if place.0 != Some(before) {
            place.1 = game_at(record, positions, before).position().clone();
        }
        let number = first.saturating_add(tree.ply as u32 - 1);
        phases.push(phase(&place.1, number, phases[before]));
        let _ = place.1.try_do_move(m);
        place.0 = Some(index);
    }
    phases
}

/// What a thought says about a position; `None` when an engine said nothing.
fn searched(thought: &Thought) -> Option<SearchedPosition> {
    let texts = |pv: &[Move]| pv.iter().copied().map(MoveText::from).collect::<Vec<_>>();
    let candidates: Vec<ReviewCandidate> = thought
        .lines
        .iter()
        .map(|line| ReviewCandidate {
            score: line.score.into(),
            pv: texts(&line.pv),
            depth: line.depth,
        })
        .collect();
    let first = candidates.first();
    let (score, pv, depth) = match (first, thought.decision) {
        (Some(first), _) => (first.score, first.pv.clone(), first.depth),
        // An engine that gives up or wins without a word.
        (None, Decision::Resign) => (ReviewScore::mate(-ReviewScore::UNKNOWN_MATE), Vec::new(), 0),
        (None, Decision::DeclareWin) => (ReviewScore::mate(1), Vec::new(), 0),
        (None, _) => return None,
    };
    let pv = match thought.decision {
        Decision::Play { best, .. } if pv.is_empty() => vec![best.into()],
        _ => pv,
    };
    Some(SearchedPosition {
        score,
        pv,
        depth,
        nodes: thought.nodes,
        candidates: if candidates.len() > 1 {
            candidates
        } else {
            Vec::new()
        },
    })
}
