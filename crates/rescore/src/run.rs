//! The work on files.

use std::path::Path;
use std::sync::Arc;

use pack_format::rescore::{NewScore, PositionRun, PositionRuns, RescoreFiles, RescoreSurvey};
use pack_format::stream::Input;
use pack_format::{TeacherError, TeacherFormat};
use shogi_engine::ThinkerPool;
use yane_io::{Job, Silent, Unit};

use crate::engine::Scorer;
use crate::log::{ScoreLog, Totals};
use crate::order::{InTurn, Window};
use crate::{RescoreDepth, RescoreEngine, RescoreError, RescoreOptions, RescoreReport};

/// Runs for each thread that may be ahead of the one that is waited for.
const AHEAD: usize = 4;

/// Gives the positions of `inputs`, files of the format of `engine`, new scores and writes them to `output` (`-`: the
/// standard output), on `job.threads` threads. Resumes what an interrupted call with the same inputs, engine and options
/// has left beside the output.
///
/// # Errors
/// [`RescoreError::Data`] at the first damage, before anything is searched; when the journal beside the output is that of
/// other settings; when the output may not be written. After an error and after `job.cancel` the same call resumes.
pub fn rescore(
    inputs: &[Input],
    output: &Path,
    engine: &mut RescoreEngine,
    options: &RescoreOptions,
    job: &Job,
) -> Result<RescoreReport, RescoreError> {
    check(engine.format(), options)?;
    let paths: Vec<_> = inputs.iter().map(Input::path).collect();
    options.overwrite.check(output, &paths)?;
    let folder = job.temp_dir_for(output);
    let files = RescoreFiles::open(inputs, engine.format(), &folder, job)?;
    let survey = files.survey(job)?;
    let description = description(&survey, engine, options);
    let mut log = ScoreLog::open(output, &description, job)?;
    let resumed = log.totals().positions;
    if resumed < survey.positions {
        give_scores(&files, &survey, engine, options, &mut log, job)?;
    }
    let mut scores = log.reader();
    files.write(&survey, output, || scores.next(), job)?;
    let totals = log.totals();
    log.remove()?;
    Ok(RescoreReport {
        games: survey.games,
        positions: survey.positions,
        resumed,
        changed: totals.changed,
        mean_change: totals.change as f64 / survey.positions.max(1) as f64,
        moves_changed: totals.moves_changed,
        bytes: survey.bytes,
    })
}

/// Refuses what makes no sense.
fn check(format: TeacherFormat, options: &RescoreOptions) -> Result<(), RescoreError> {
    let has_moves = matches!(format, TeacherFormat::Hcpe | TeacherFormat::Psv);
    let reason = match options.depth {
        RescoreDepth::Nodes(0) => "a search of 0 nodes finds nothing".to_owned(),
        RescoreDepth::Evaluation if options.best_move => {
            "without a search there is no best move".to_owned()
        }
        RescoreDepth::Nodes(_) if options.best_move && !has_moves => {
            format!("the moves of {format} are those of a game, and stay")
        }
        _ => return Ok(()),
    };
    Err(TeacherError::Option(reason).into())
}

/// All that the scores depend on.
fn description(
    survey: &RescoreSurvey,
    engine: &mut RescoreEngine,
    options: &RescoreOptions,
) -> String {
    let depth = match options.depth {
        RescoreDepth::Nodes(nodes) => format!("nodes {nodes}"),
        RescoreDepth::Evaluation => "evaluation".to_owned(),
    };
    format!(
        "rescore {} of {} bytes {} {depth} best move {} engine {}",
        engine.format(),
        survey.bytes,
        survey.digest,
        options.best_move,
        engine.description()
    )
}

/// Appends the scores that are missing to `log`.
fn give_scores(
    files: &RescoreFiles,
    survey: &RescoreSurvey,
    engine: &mut RescoreEngine,
    options: &RescoreOptions,
    log: &mut ScoreLog,
    job: &Job,
) -> Result<(), RescoreError> {
    let done = log.totals().positions;
    let positions = Some(survey.positions - done);
    let stage = match options.depth {
        RescoreDepth::Nodes(_) => "searching",
        RescoreDepth::Evaluation => "evaluating",
    };
    job.progress.stage(stage, positions, Unit::Positions);
    let silent = Job {
        progress: Arc::new(Silent),
        ..job.clone()
    };
    let threads = job.threads.max(1);
    let scorers = (0..threads).map(|_| engine.scorer(options, &job.cancelled));
    let mut pool = ThinkerPool::new(scorers.collect());
    let window = Window::new(threads * AHEAD);
    let runs = files.runs(done, &silent)?;
    let jobs = Jobs::new(runs, &window, job);
    let work = |scorer: &mut Scorer, (number, run): (usize, Result<PositionRun, TeacherError>)| {
        let _guard = window.guard();
        (
            number,
            run.map_err(Into::into).and_then(|run| of_run(scorer, &run)),
        )
    };
    let mut failure = None;
    let mut in_turn = InTurn::new(&window);
    let ran = pool.run(jobs, work, |(number, done)| {
        in_turn.add(number, done);
        while let Some(done) = in_turn.take() {
            if failure.is_some() {
                continue;
            }
            let put = done.and_then(|(scores, counts): (Vec<u8>, Totals)| {
                log.put(&scores, counts)?;
                job.progress.advance(counts.positions);
                Ok(())
            });
            if let Err(error) = put {
                // The first error in the order of the files.
                failure = Some(error);
                window.end();
            }
        }
    });
    // What is there before an error is kept.
    let appended = log.append();
    if let Some(failure) = failure {
        return Err(failure);
    }
    ran?;
    appended?;
    Ok(job.check()?)
}

/// The runs with their numbers, as far as the window allows.
struct Jobs<'a> {
    runs: PositionRuns,
    number: usize,
    window: &'a Window,
    job: &'a Job,
}

impl<'a> Jobs<'a> {
    const fn new(runs: PositionRuns, window: &'a Window, job: &'a Job) -> Self {
        Self {
            runs,
            number: 0,
            window,
            job,
        }
    }
}

impl Iterator for Jobs<'_> {
    type Item = (usize, Result<PositionRun, TeacherError>);

    fn next(&mut self) -> Option<Self::Item> {
        if !self.window.wait_for(self.number) {
            return None;
        }
        let run = match self.job.check() {
            Ok(()) => self.runs.next()?,
            Err(error) => Err(error.into()),
        };
        self.number += 1;
        Some((self.number - 1, run))
    }
}

/// The scores of a run as bytes, and their counts.
fn of_run(scorer: &mut Scorer, run: &PositionRun) -> Result<(Vec<u8>, Totals), RescoreError> {
    scorer.begin()?;
    let mut scores = Vec::with_capacity(run.len() * NewScore::LEN);
    let mut counts = Totals::default();
    run.visit(|game, old, mv| {
        let new = scorer.score(game)?;
        scores.extend_from_slice(&new.to_bytes());
        counts.positions += 1;
        let change = new.change(old);
        counts.change += u64::from(change);
        counts.changed += u64::from(change > 0);
        counts.moves_changed += u64::from(new.changes_move(scorer.format(), mv));
        Ok::<_, RescoreError>(())
    })?;
    Ok((scores, counts))
}
