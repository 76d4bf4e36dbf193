//! Runs that were interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pack_format::{TeacherError, TeacherFormat};
use shogi_farm::rescore::RescoreError;
use test_support::{TestFolder, fixture_bytes};
use yane_io::{Progress, Unit};

use crate::{Run, journal, small_files};

/// Raises a flag when so many positions have a score.
struct StopAfter {
    positions: AtomicU64,
    most: u64,
    is_scoring: AtomicBool,
    stop: Arc<AtomicBool>,
}

impl Progress for StopAfter {
    fn stage(&self, _: &str, _: Option<u64>, unit: Unit) {
        self.is_scoring
            .store(unit == Unit::Positions, Ordering::Relaxed);
    }

    fn advance(&self, amount: u64) {
        if self.is_scoring.load(Ordering::Relaxed) {
            let done = self.positions.fetch_add(amount, Ordering::Relaxed) + amount;
            if done >= self.most {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }

    fn note(&self, _: &str) {}
}

/// `run`, stopped after so many positions.
fn stopped(run: &Run, most: u64) {
    let mut run = run.clone();
    run.job.cancelled = Arc::default();
    run.job.progress = Arc::new(StopAfter {
        positions: AtomicU64::new(0),
        most,
        is_scoring: AtomicBool::new(false),
        stop: Arc::clone(&run.job.cancelled),
    });
    let error = run.run().unwrap_err();
    assert!(
        matches!(
            error,
            RescoreError::Data(TeacherError::File(yane_io::Error::Cancelled))
        ),
        "{error}"
    );
    assert!(journal(&run.output).exists());
}

#[test]
fn a_run_resumes_where_it_was_stopped() {
    let psv = fixture_bytes("teacher/psv_with_ply/normal_n2000_ply320.psv");
    let pack = fixture_bytes("teacher/selfplay/startpos_n500_ply200.pack");
    for (bytes, format) in [
        (&psv[..800 * 40], TeacherFormat::Psv),
        (&pack, TeacherFormat::Pack),
    ] {
        let folder = TestFolder::new();
        folder.write("in", bytes);
        let whole = Run::new(folder.path("in"), folder.path("whole"), format, 20);
        let all = whole.run().unwrap();
        let run = Run {
            output: folder.path("out"),
            ..whole
        };
        stopped(&run, 60);
        stopped(&run, 100);
        // Nothing appears before everything is there.
        assert!(!run.output.exists());
        let report = run.run().unwrap();
        assert!(report.resumed >= 160, "{report:?}");
        assert!(report.resumed < report.positions, "{report:?}");
        assert!(folder.read("out") == folder.read("whole"));
        assert_eq!(
            (report.changed, report.mean_change),
            (all.changed, all.mean_change)
        );
        assert_eq!(folder.names(), ["in", "out", "whole"]);
    }
}

#[test]
fn a_run_that_had_all_scores_writes_them() {
    let (bytes, format) = small_files()[3].clone();
    let folder = TestFolder::new();
    folder.write("in", &bytes);
    let run = Run::new(folder.path("in"), folder.path("out"), format, 20);
    stopped(&run, 23);
    let report = run.run().unwrap();
    assert_eq!((report.resumed, report.positions), (23, 23));
    assert!(folder.read("out") != bytes);
    assert_eq!(folder.names(), ["in", "out"]);
}

#[test]
fn other_work_is_not_resumed() {
    let bytes = fixture_bytes("teacher/psv_with_ply/normal_n2000_ply320.psv");
    let bytes = &bytes[..200 * 40];
    let folder = TestFolder::new();
    folder.write("in", bytes);
    let run = Run::new(
        folder.path("in"),
        folder.path("out"),
        TeacherFormat::Psv,
        20,
    );
    stopped(&run, 30);
    let refused = |change: &dyn Fn(&mut Run)| {
        let mut other = run.clone();
        change(&mut other);
        let error = other.run().unwrap_err().to_string();
        assert!(
            error.contains("out.journal") && error.contains("another run"),
            "{error}"
        );
    };
    refused(&|run| run.options.depth = shogi_farm::rescore::RescoreDepth::Nodes(21));
    refused(&|run| run.options.depth = shogi_farm::rescore::RescoreDepth::Evaluation);
    refused(&|run| run.options.best_move = true);
    refused(&|run| run.engine = crate::deep());
    let mut other = bytes.to_vec();
    other[36] ^= 1;
    folder.write("in", &other);
    refused(&|_| ());
    folder.write("in", bytes);
    // A number of threads and another name of the input change nothing.
    folder.write("same", bytes);
    let mut same = run;
    same.job.threads = 1;
    same.input = folder.path("same");
    assert!(same.run().unwrap().resumed >= 30);
}
