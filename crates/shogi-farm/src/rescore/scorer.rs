//! Engines that give scores, as workers of a farm.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use farm::{FarmError, Finished, Stop, WorkError, Worker, Workers};
use pack_format::TeacherFormat;
use pack_format::rescore::{NewScore, PositionRun};
use shogi_core::Game;
use shogi_engine::{
    BareEvaluator, Decision, EngineError, Searcher, ThinkError, ThinkLimits, Thinker, Thought,
    teacher_score,
};
use shogi_usi::Score;
use yane_io::{Error, Job};

use super::engine::{NewInstance, RescoreEngine};
use super::log::Totals;
use super::{RescoreDepth, RescoreError, RescoreOptions};

/// The scores of runs, as bytes, and their counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RunScores {
    pub(super) scores: Vec<u8>,
    pub(super) counts: Totals,
}

/// Instances of an engine, one on each thread of a job.
pub(super) struct RescoreWorkers<'a> {
    engine: Mutex<&'a mut RescoreEngine>,
    name: String,
    format: TeacherFormat,
    options: &'a RescoreOptions,
    job: &'a Job,
    /// The first error that no other try would mend.
    refusal: Mutex<Option<RescoreError>>,
}

impl<'a> RescoreWorkers<'a> {
    pub(super) fn new(
        engine: &'a mut RescoreEngine,
        options: &'a RescoreOptions,
        job: &'a Job,
    ) -> Self {
        Self {
            name: engine.name().to_owned(),
            format: engine.format(),
            engine: Mutex::new(engine),
            options,
            job,
            refusal: Mutex::default(),
        }
    }

    /// The result of a run of these workers; when one refused to go on, that is its own error.
    pub(super) fn in_own_words(
        &self,
        result: Result<(), RescoreError>,
    ) -> Result<(), RescoreError> {
        match result {
            Err(RescoreError::Workers(FarmError::Refused { name, reason })) => {
                let own = lock(&self.refusal).take();
                let told = RescoreError::Workers(FarmError::Refused { name, reason });
                Err(own.unwrap_or(told))
            }
            result => result,
        }
    }

    /// Returns how a farm goes on after an error that another try may mend, or that ends the run in its own words.
    fn work_error(&self, error: RescoreError) -> WorkError {
        let told = error.to_string();
        if may_be_mended(&error) {
            return WorkError::Failed(told);
        }
        lock(&self.refusal).get_or_insert(error);
        WorkError::Refused(told)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workers for RescoreWorkers<'_> {
    type Worker = Scorer;

    fn count(&self) -> usize {
        self.job.threads.max(1)
    }

    fn name(&self, _: usize) -> &str {
        &self.name
    }

    fn start(&self, _: usize) -> Result<Scorer, WorkError> {
        let instance = lock(&self.engine).instance(self.options.depth);
        let way = match instance {
            NewInstance::Evaluator(evaluator) => Way::Evaluation(evaluator),
            NewInstance::Thinker(thinker) => Way::search(thinker, self.options.depth, IsNew::No),
            NewInstance::Program(program) => match program.start() {
                Ok(thinker) => Way::search(Box::new(thinker), self.options.depth, IsNew::Yes),
                Err(error) => return Err(self.work_error(error)),
            },
        };
        Ok(Scorer {
            way,
            format: self.format,
            best_move: self.options.best_move,
        })
    }

    /// Tells what happened to the connection to a server, in words that say which one it is.
    fn take_notices(&self) -> Vec<(String, String)> {
        for text in lock(&self.engine).take_notices() {
            self.job.progress.note(&text);
        }
        Vec::new()
    }

    fn stack_bytes(&self) -> usize {
        Searcher::STACK_BYTES
    }
}

/// Returns whether an engine that is made anew may do what this one could not: it died, hung, broke the protocol or panicked.
const fn may_be_mended(error: &RescoreError) -> bool {
    match error {
        RescoreError::Think(ThinkError::Engine(error)) => !matches!(
            error,
            EngineError::Reported { .. } | EngineError::Spawn { .. }
        ),
        RescoreError::Think(error) => matches!(
            error,
            ThinkError::Broken(_) | ThinkError::IllegalAnswer { .. } | ThinkError::Failed
        ),
        _ => false,
    }
}

/// Gives scores on one thread.
pub(super) struct Scorer {
    way: Way,
    format: TeacherFormat,
    best_move: bool,
}

enum Way {
    Search {
        thinker: Box<dyn Thinker>,
        limits: ThinkLimits,
        is_new: IsNew,
    },
    Evaluation(Box<BareEvaluator>),
}

/// Whether an engine has nothing to forget yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IsNew {
    Yes,
    No,
}

impl Way {
    fn search(thinker: Box<dyn Thinker>, depth: RescoreDepth, is_new: IsNew) -> Self {
        let (nodes, depth) = match depth {
            RescoreDepth::Nodes(nodes) => (Some(nodes), None),
            RescoreDepth::Depth(plies) => (None, Some(plies)),
            // Refused before for programs, and no search for the engine in this process.
            RescoreDepth::Evaluation => (None, None),
        };
        Self::Search {
            thinker,
            limits: ThinkLimits {
                nodes,
                depth,
                ..ThinkLimits::default()
            },
            is_new,
        }
    }
}

impl Worker for Scorer {
    type Item = Vec<PositionRun>;
    type Output = Result<RunScores, RescoreError>;

    fn work(
        &mut self,
        runs: &Vec<PositionRun>,
        stop: &Stop,
    ) -> Result<Finished<Self::Output>, WorkError> {
        let mut found = RunScores::default();
        for run in runs {
            let scored = self.score_run(run, stop, &mut found);
            // What was cut short is no score, and no fault of the engine.
            stop.check()?;
            match scored {
                Ok(()) => {}
                Err(error) if may_be_mended(&error) => {
                    return Err(WorkError::Failed(error.to_string()));
                }
                Err(error) => return Ok(Err(error).into()),
            }
        }
        Ok(Ok(found).into())
    }
}

impl Scorer {
    /// Appends the scores of a run, of which the engine knows nothing before.
    fn score_run(
        &mut self,
        run: &PositionRun,
        stop: &Stop,
        found: &mut RunScores,
    ) -> Result<(), RescoreError> {
        self.begin()?;
        found.scores.reserve(run.len() * NewScore::LEN);
        run.visit(|game, old, mv| {
            let new = self.score(game, stop)?;
            found.scores.extend_from_slice(&new.to_bytes());
            let change = new.change(old);
            found.counts.add(Totals {
                positions: 1,
                changed: u64::from(change > 0),
                change: u64::from(change),
                moves_changed: u64::from(new.changes_move(self.format, mv)),
            });
            Ok(())
        })
    }

    /// Forgets everything.
    fn begin(&mut self) -> Result<(), RescoreError> {
        match &mut self.way {
            Way::Search {
                thinker, is_new, ..
            } => match std::mem::replace(is_new, IsNew::No) {
                IsNew::Yes => Ok(()),
                IsNew::No => Ok(thinker.new_game()?),
            },
            Way::Evaluation(_) => Ok(()),
        }
    }

    /// The new score of the last position of `game`.
    fn score(&mut self, game: &Game, stop: &Stop) -> Result<NewScore, RescoreError> {
        let (thinker, limits) = match &mut self.way {
            Way::Search {
                thinker, limits, ..
            } => (thinker, limits),
            Way::Evaluation(evaluator) => {
                let score = teacher_score(evaluator.score(game)?);
                return Ok(NewScore::new(self.format, score, None));
            }
        };
        limits.stop.get_or_insert_with(|| Arc::clone(stop.flag()));
        let thought = stop.timed(|| thinker.think(game, limits))?;
        if stop.is_set() {
            return Err(Error::Cancelled.into());
        }
        let score = score_of(&thought);
        let score = score.ok_or_else(|| RescoreError::NoScore(game.position().to_sfen()))?;
        let line = thought.lines.first();
        let best = line.and_then(|line| line.pv.first().copied());
        let best = best.filter(|_| self.best_move);
        Ok(NewScore::new(self.format, teacher_score(score), best))
    }
}

/// The score of the best line. Without a line an engine that resigns is mated, and one that declares has won.
fn score_of(thought: &Thought) -> Option<Score> {
    match (thought.lines.first(), &thought.decision) {
        (Some(line), _) => Some(line.score),
        (None, Decision::Resign) => Some(Score::MatedUnknown),
        (None, Decision::DeclareWin) => Some(Score::MateUnknown),
        (None, Decision::Play { .. }) => None,
    }
}
