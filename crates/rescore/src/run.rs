//! The work on files.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pack_format::rescore::{NewScore, PositionRun, RescoreFiles, RescoreSurvey};
use pack_format::stream::Input;
use pack_format::{TeacherError, TeacherFormat};
use shogi_engine::ThinkerPool;
use yane_io::{Job, RunIdentity, Silent, Unit};

use crate::engine::Scorer;
use crate::log::{ScoreLog, Totals};
use crate::{RescoreDepth, RescoreEngine, RescoreError, RescoreOptions, RescoreReport};

/// Time between two looks at the connection to a server.
const TICK: Duration = Duration::from_millis(100);

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
    engine.check(options)?;
    let paths: Vec<_> = inputs.iter().map(Input::path).collect();
    let _claim = options.overwrite.claim(output, &paths)?;
    let folder = job.temp_dir_for(output);
    let files = RescoreFiles::open(inputs, engine.format(), &folder, job)?;
    let survey = files.survey(job)?;
    let identity = identity(&survey, engine, options);
    let mut log = ScoreLog::open(output, &identity, job)?;
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
        RescoreDepth::Depth(0) => "a search of depth 0 finds nothing".to_owned(),
        RescoreDepth::Evaluation if options.best_move => {
            "without a search there is no best move".to_owned()
        }
        RescoreDepth::Nodes(_) | RescoreDepth::Depth(_) if options.best_move && !has_moves => {
            format!("the moves of {format} are those of a game, and stay")
        }
        _ => return Ok(()),
    };
    Err(TeacherError::Option(reason).into())
}

/// All that the scores depend on.
fn identity(
    survey: &RescoreSurvey,
    engine: &mut RescoreEngine,
    options: &RescoreOptions,
) -> RunIdentity {
    let depth = match options.depth {
        RescoreDepth::Nodes(nodes) => format!("nodes {nodes}"),
        RescoreDepth::Depth(plies) => format!("depth {plies}"),
        RescoreDepth::Evaluation => "evaluation".to_owned(),
    };
    RunIdentity::new("rescore 2")
        .with("format", engine.format())
        .with("data", format!("{} bytes {}", survey.bytes, survey.digest))
        .with("depth", depth)
        .with("best move", options.best_move)
        .with("engine", engine.description())
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
        RescoreDepth::Nodes(_) | RescoreDepth::Depth(_) => "searching",
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
    let jobs = files.runs(done, &silent)?.map(|run| {
        job.check()?;
        Ok(run?)
    });
    let work = |scorer: &mut Scorer, run: PositionRun| of_run(scorer, &run);
    let (end, ended) = mpsc::channel::<()>();
    let ran = thread::scope(|scope| {
        let builder = thread::Builder::new().name("notices".to_owned());
        builder.spawn_scoped(scope, move || tell_notices(engine, job, &ended))?;
        // Dropped when the work has ended, also by a panic.
        let _end = end;
        pool.run_in_order(jobs, work, |(scores, counts)| {
            log.put(&scores, counts)?;
            job.progress.advance(counts.positions);
            Ok(())
        })
    });
    // What is there before an error is kept.
    let appended = log.append();
    ran?;
    appended?;
    Ok(job.check()?)
}

/// Tells what happens to the connection to a server, until `ended` is closed.
fn tell_notices(engine: &mut RescoreEngine, job: &Job, ended: &Receiver<()>) {
    loop {
        let is_over = ended.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout);
        let notices = engine.take_notices();
        for text in &notices {
            job.progress.note(text);
        }
        if is_over {
            return;
        }
    }
}

/// Number of times that the process of an engine may fail at a run.
const TRIES: u32 = 3;

/// The scores of a run as bytes, and their counts. A process that fails is started again.
fn of_run(scorer: &mut Scorer, run: &PositionRun) -> Result<(Vec<u8>, Totals), RescoreError> {
    let mut tries = 1;
    loop {
        match try_run(scorer, run) {
            Err(error) if scorer.restarts_after(&error) && tries < TRIES => tries += 1,
            done => return done,
        }
    }
}

fn try_run(scorer: &mut Scorer, run: &PositionRun) -> Result<(Vec<u8>, Totals), RescoreError> {
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
