//! `go`, `stop` and `ponderhit`: every `go` is answered exactly once, whatever its words are.

use std::sync::Arc;

use shogi_core::movegen::LegalAll;
use shogi_core::{Diagram, MoveText};
use shogi_usi::{BestMove, CheckMate, ClockTimes, GoCommand, Response};

use super::{Patience, Source, Subject, UsiLoop};
use crate::error::LineError;
use crate::queries::DEEPEST_PERFT;
use crate::report::{MateReporter, Reporter};
use crate::usi_loop::state::HeldAnswer;

impl UsiLoop {
    /// `go`: a search that is still running is stopped and answers first.
    pub(super) fn go(&mut self, mut go: GoCommand, source: Source) {
        self.answer_held();
        if go.mate.is_some() {
            return self.go_mate(&go, Patience::for_mate(&go, source));
        }
        if let Some(found) = go.perft.take_if(|depth| *depth > DEEPEST_PERFT) {
            let most = DEEPEST_PERFT;
            self.report(&LineError::Perft { most, found });
        }
        if let Some(error) = self.unplayable() {
            self.report(&error);
            if go.perft.is_none() {
                self.answer_unplayable(&go);
            }
            return;
        }
        if let Some(depth) = go.perft {
            if let Err(error) = self.start_perft(depth) {
                self.report(&error);
            }
            return;
        }
        self.leave_out_illegal_moves(&mut go);
        self.update_evaluation();
        if let Some(problem) = self.session.eval_problem() {
            // Before the search, where users see it.
            self.output
                .error(&format!("playing with the embedded evaluation : {problem}"));
        }
        let reporter = Reporter {
            output: self.output.clone(),
            events: self.sender.clone(),
            best_line: self.best_line.clone(),
        };
        match self.session.go(&go, Arc::new(reporter)) {
            Ok(()) => self.has_begun(Patience::for_search(source)),
            Err(error) => {
                self.report(&error.into());
                self.answer_without_search();
            }
        }
    }

    /// `go mate`, or the command `mate`.
    pub(super) fn go_mate(&mut self, go: &GoCommand, patience: Patience) {
        let reporter = Arc::new(MateReporter::new(self.output.clone(), self.sender.clone()));
        let begun = match &self.subject {
            Subject::Game => self.session.go_mate(go, reporter),
            Subject::Diagram(diagram) => {
                let start = Diagram::clone(diagram);
                self.session.go_mate_from(start, go, reporter)
            }
            Subject::Unreadable(reason) => {
                let error = LineError::NoPosition(reason.clone());
                self.end_search();
                self.report(&error);
                return self
                    .output
                    .respond(&Response::CheckMate(CheckMate::Timeout));
            }
        };
        match begun {
            Ok(()) => self.has_begun(patience),
            Err(error) => {
                self.report(&error.into());
                self.output
                    .respond(&Response::CheckMate(CheckMate::Timeout));
            }
        }
    }

    /// `stop`: the pending answer is given now.
    pub(super) fn stop(&mut self) {
        self.answer_held();
        self.session.stop();
    }

    /// `ponderhit`.
    pub(super) fn ponder_hit(&mut self, clock: ClockTimes) {
        if self.held_answer == Some(HeldAnswer::UntilPonderHit) {
            self.answer_held();
        }
        if let Err(error) = self.session.ponder_hit(clock) {
            // The pondering search has ended.
            self.unanswered -= 1;
            self.report(&error.into());
            self.answer_without_search();
        }
    }

    /// Registers the start of another search.
    fn has_begun(&mut self, patience: Patience) {
        self.unanswered += 1;
        self.patience = patience;
    }

    /// Stops the running search, if any, and lets it answer.
    fn end_search(&mut self) {
        self.session.stop();
        self.session.wait();
    }

    /// Answers a `go` without a position of a game: at once, unless the answer has to be held back.
    fn answer_unplayable(&mut self, go: &GoCommand) {
        self.end_search();
        self.held_answer = match (go.infinite, go.ponder) {
            (true, _) => Some(HeldAnswer::UntilStop),
            (false, true) => Some(HeldAnswer::UntilPonderHit),
            (false, false) => return self.output.respond(&Response::BestMove(BestMove::Resign)),
        };
    }

    /// Gives the answer that was held back.
    pub(super) fn answer_held(&mut self) {
        if self.held_answer.take().is_some() {
            self.output.respond(&Response::BestMove(BestMove::Resign));
        }
    }

    /// Answers with any move, because no search can be started.
    fn answer_without_search(&self) {
        let moves = self.position().moves::<LegalAll>();
        let best = moves
            .first()
            .map_or(BestMove::Resign, |&best| BestMove::Move {
                best: best.into(),
                ponder: None,
            });
        self.output.respond(&Response::BestMove(best));
    }

    /// Leaves out moves to search that are illegal, with an error; all moves are searched when no legal one was
    /// named.
    fn leave_out_illegal_moves(&self, go: &mut GoCommand) {
        let position = self.position();
        let is_legal = |text: &MoveText| position.move_from_text(*text).is_some();
        let (legal, illegal): (Vec<_>, Vec<_>) =
            go.search_moves.iter().copied().partition(is_legal);
        go.search_moves = legal;
        if !illegal.is_empty() {
            let texts: Vec<_> = illegal.iter().map(ToString::to_string).collect();
            self.report(&LineError::SearchMoves(texts.join(" ")));
        }
    }

    fn report(&self, error: &LineError) {
        self.output.error(&error.to_line());
    }
}
