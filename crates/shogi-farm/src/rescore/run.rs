//! The work on files.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use farm::{RetryPolicy, Worker, Workers, map_job_in_order};
use pack_format::rescore::{PositionRun, RescoreFiles, RescoreSurvey};
use pack_format::stream::Input;
use pack_format::{TeacherError, TeacherFormat};
use yane_io::{Job, RunIdentity, Silent, Unit};

use super::engine::RescoreEngine;
use super::log::ScoreLog;
use super::scorer::{RescoreWorkers, RunScores};
use super::{RescoreDepth, RescoreError, RescoreOptions, RescoreReport};

/// Runs that a thread takes at once when positions are not searched: a position takes microseconds then.
const EVALUATED_AT_ONCE: usize = 8;

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
    RunIdentity::new("rescore 3")
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
    let (stage, at_once) = match options.depth {
        RescoreDepth::Nodes(_) | RescoreDepth::Depth(_) => ("searching", 1),
        RescoreDepth::Evaluation => ("evaluating", EVALUATED_AT_ONCE),
    };
    job.progress.stage(stage, positions, Unit::Positions);
    let silent = Job {
        progress: Arc::new(Silent),
        ..job.clone()
    };
    let mut runs = files.runs(done, &silent)?;
    let items = std::iter::from_fn(|| {
        let runs: Result<Vec<_>, _> = runs.by_ref().take(at_once).collect();
        let is_end = matches!(&runs, Ok(runs) if runs.is_empty());
        (!is_end).then_some(runs)
    });
    let workers = RescoreWorkers::new(engine, options, job);
    workers.in_own_words(score(&workers, items, log, job))
}

/// Appends the scores of `items`, found by `workers`, to `log`, in order. What is there before an error is kept.
fn score<W>(
    workers: &W,
    items: impl Iterator<Item = Result<Vec<PositionRun>, TeacherError>> + Send,
    log: &mut ScoreLog,
    job: &Job,
) -> Result<(), RescoreError>
where
    W: Workers<Worker: Worker<Item = Vec<PositionRun>, Output = Result<RunScores, RescoreError>>>,
{
    let policy = RetryPolicy {
        // A search in this process takes as long as it takes; programs have a limit of their own.
        time_limit: Duration::MAX,
        ..RetryPolicy::default()
    };
    let items = items.map(|runs| Ok(runs?));
    let ran = map_job_in_order(workers, items, job, policy, |found| {
        let RunScores { scores, counts } = found?;
        log.put(&scores, counts)?;
        job.progress.advance(counts.positions);
        Ok::<_, RescoreError>(())
    });
    let appended = log.append();
    ran?;
    appended
}

#[cfg(test)]
mod tests {

    use farm::{Finished, Stop, WorkError, threads};
    use pack_format::TeacherScore;
    use pack_format::rescore::NewScore;
    use test_support::{Faults, TestFolder, fixture_bytes};

    use super::super::log::Totals;
    use super::*;
    use crate::test_notes::Notes;

    const POSITIONS: u64 = 200;

    /// Gives positions scores by two workers that panic so many times at the third run: the outcome, the number of positions with a score, also
    /// of a log that is opened again, and the notes.
    fn with_panics(panics: u32) -> (Result<(), RescoreError>, [u64; 2], String) {
        let folder = TestFolder::new();
        let bytes = fixture_bytes("teacher/psv_with_ply/normal_n2000_ply320.psv");
        folder.write("in", &bytes[..POSITIONS as usize * 40]);
        let notes = Arc::new(Notes::default());
        let job = Job {
            threads: 2,
            progress: notes.clone(),
            ..Job::default()
        };
        let inputs = [Input::named(folder.path("in"))];
        let place = folder.path("");
        let files = RescoreFiles::open(&inputs, TeacherFormat::Psv, &place, &job).unwrap();
        let survey = files.survey(&job).unwrap();
        assert_eq!(survey.positions, POSITIONS);
        let (output, identity) = (folder.path("out"), RunIdentity::new("test"));
        let mut log = ScoreLog::open(&output, &identity, &job).unwrap();
        let faults = Faults::new(panics);
        let work = |(): &mut (), runs: &Vec<PositionRun>, _: &Stop| -> Result<_, WorkError> {
            let first = runs[0].first();
            let is_third = first == 2 * PositionRun::MOST as u64;
            assert!(!is_third || !faults.come(), "at the third run");
            let len = runs.iter().map(PositionRun::len).sum::<usize>();
            let score = NewScore::new(TeacherFormat::Psv, TeacherScore(first as i16), None);
            let counts = Totals {
                positions: len as u64,
                ..Totals::default()
            };
            let scores = score.to_bytes().repeat(len);
            Ok(Finished::from(Ok(RunScores { scores, counts })))
        };
        let runs = files.runs(0, &job).unwrap();
        let items = runs.map(|run| Ok(vec![run?]));
        let ran = score(&threads(2, |_| (), work), items, &mut log, &job);
        let scored = log.totals().positions;
        drop(log);
        let log = ScoreLog::open(&output, &identity, &job).unwrap();
        let told = notes.text();
        (ran, [scored, log.totals().positions], told)
    }

    #[test]
    fn a_run_at_which_an_engine_panics_is_handed_out_again() {
        let (ran, positions, told) = with_panics(2);
        ran.unwrap();
        assert_eq!(positions, [POSITIONS; 2]);
        assert_eq!(
            told.matches("panicked: at the third run").count(),
            2,
            "{told}"
        );
    }

    #[test]
    fn the_third_panic_ends_the_work_and_keeps_what_is_done() {
        let (ran, positions, _) = with_panics(3);
        let error = ran.unwrap_err().to_string();
        assert!(error.ends_with("panicked: at the third run"), "{error}");
        assert_eq!(positions, [2 * PositionRun::MOST as u64; 2]);
    }
}
