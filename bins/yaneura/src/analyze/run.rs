//! The analysis of many games side by side.

use farm::{
    Event, FarmError, Finished, InOrder, Recorder, RetryPolicy, RunControl, RunKind, SharedBacklog,
    WorkError,
};
use shogi_engine::ThinkLimits;
use shogi_farm::{EnginePool, EngineWorkers, Work, WorkerContext, work_error};
use shogi_review::{GameReview, ReviewBook, ReviewError, ReviewOptions, Reviewer};
use yane_io::{Job, Unit};

use super::games::InputGame;
use super::store::Store;

/// The analysis of one game as work of an engine.
struct GameWork<'a> {
    games: &'a [InputGame],
    limits: ThinkLimits,
    variations: bool,
    book: Option<&'a (dyn ReviewBook + Sync)>,
    job: &'a Job,
}

impl Work for GameWork<'_> {
    type Item = usize;
    type Output = GameReview;

    fn work(
        &self,
        &game: &usize,
        context: &mut WorkerContext<'_>,
    ) -> Result<Finished<GameReview>, WorkError> {
        // Nothing of another game, so that results do not depend on which games an engine had before.
        context.new_game()?;
        let options = ReviewOptions {
            think: ThinkLimits {
                stop: Some(context.stop.flag().clone()),
                ..self.limits.clone()
            },
            variations: self.variations,
            book: self.book.map(|book| book as &dyn ReviewBook),
            ..ReviewOptions::default()
        };
        let mut reviewer = Reviewer::new(&self.games[game].record, options);
        loop {
            match reviewer.step(context.engine) {
                Ok(Some(_)) => self.job.progress.advance(1),
                Ok(None) => break,
                Err(error) => {
                    context.stop.check()?;
                    return Err(match error {
                        ReviewError::Think(error) => work_error(&error),
                        error => WorkError::Failed(error.to_string()),
                    });
                }
            }
        }
        let review = reviewer.finish();
        review.map(Finished::from).ok_or(WorkError::Stopped)
    }
}

/// Runs of this command, which report nothing but results.
#[derive(Debug)]
struct AnalyzeRun;

impl RunKind for AnalyzeRun {
    type Report<'a> = ();
    type Totals = ();
}

/// The reason why a run ended.
#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error(transparent)]
    Farm(#[from] FarmError),
    #[error(transparent)]
    Store(anyhow::Error),
}

/// Keeps results at once, and passes them on in order.
struct ReviewRecorder<'a, F> {
    store: &'a mut Store,
    job: &'a Job,
    games: usize,
    wanted: usize,
    on_next: F,
    /// That of the last failure.
    reason: String,
}

impl<F: FnMut(usize, GameReview) -> anyhow::Result<()>> ReviewRecorder<'_, F> {
    /// Passes on what is there.
    fn pass_on(&mut self) -> anyhow::Result<()> {
        while self.wanted < self.games && self.store.contains(self.wanted) {
            if let Some(review) = self.store.get(self.wanted)? {
                (self.on_next)(self.wanted, review)?;
            }
            self.wanted += 1;
        }
        Ok(())
    }
}

impl<F: FnMut(usize, GameReview) -> anyhow::Result<()>> Recorder for ReviewRecorder<'_, F> {
    type Kind = AnalyzeRun;
    type Item = usize;
    type Output = GameReview;
    type Error = RunError;

    fn record(
        &mut self,
        _: Option<usize>,
        &game: &usize,
        review: GameReview,
    ) -> Result<(), RunError> {
        let kept = self.store.put(game, review).and_then(|()| self.pass_on());
        kept.map_err(RunError::Store)
    }

    fn give_up(&mut self, _: &usize) -> Result<(), RunError> {
        Err(FarmError::GivenUp(std::mem::take(&mut self.reason)).into())
    }

    fn on_event(&mut self, event: &Event<'_, AnalyzeRun>) {
        if let Event::WorkerFailed { reason, .. } = event {
            (*reason).clone_into(&mut self.reason);
        }
        if let Some(text) = event.message() {
            self.job.progress.note(&text);
        }
    }
}

/// What decides how games are analysed.
pub(super) struct AnalyzeTask<'a> {
    /// The games.
    pub(super) games: &'a [InputGame],
    /// The limits of each search.
    pub(super) limits: ThinkLimits,
    /// Whether variations are analysed.
    pub(super) variations: bool,
    /// The book.
    pub(super) book: Option<&'a (dyn ReviewBook + Sync)>,
}

impl AnalyzeTask<'_> {
    /// Analyses the games whose results are not there yet; `on_next` gets all results in the order of the games. Returns whether all were
    /// done, false when the job was cancelled before.
    pub(super) fn run(
        self,
        pool: &EnginePool,
        store: &mut Store,
        job: &Job,
        on_next: impl FnMut(usize, GameReview) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        let games = self.games.len();
        let left: Vec<usize> = (0..games).filter(|&game| !store.contains(game)).collect();
        let positions = |&game: &usize| {
            let record = &self.games[game].record;
            let options = ReviewOptions {
                variations: self.variations,
                ..ReviewOptions::default()
            };
            Reviewer::new(record, options).total() as u64
        };
        job.progress.stage(
            "analysing",
            Some(left.iter().map(positions).sum()),
            Unit::Positions,
        );
        let work = GameWork {
            games: self.games,
            limits: self.limits,
            variations: self.variations,
            book: self.book,
            job,
        };
        let mut recorder = ReviewRecorder {
            store,
            job,
            games,
            wanted: 0,
            on_next,
            reason: String::new(),
        };
        recorder.pass_on()?;
        let source = SharedBacklog::new(InOrder::new(left.into_iter()));
        let workers = EngineWorkers::new(pool, &work);
        let control = RunControl::of_job(job).child();
        let done = farm::run(
            &workers,
            &source,
            &control,
            RetryPolicy::default(),
            &mut recorder,
        );
        match done {
            Ok(()) => Ok(recorder.wanted == games),
            Err(RunError::Farm(error)) => Err(error.into()),
            Err(RunError::Store(error)) => Err(error),
        }
    }
}
