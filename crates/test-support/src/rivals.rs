//! Two runs at once that want to write the same: one harness for every program.

use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::{ProgramRun, TestFolder, run_program};

/// Longest time of a run.
const LIMIT: Duration = Duration::from_secs(300);
/// Pairs of runs.
const PAIRS: u32 = 6;

/// Starts the same command line, words separated by blanks, twice at the same moment, again and again: one run makes what
/// a run alone makes, and the other one says why it does not, whether it comes while the first one works or after it.
///
/// # Panics
/// When both succeed or none does, or what is there in the end is not what one run makes.
#[track_caller]
pub fn one_of_two_runs_wins(program: &Path, line: &str, prepare: impl Fn(&TestFolder)) {
    let contents = |folder: &TestFolder| {
        let names = folder.names().into_iter();
        let files = names.map(|name| (folder.read(&name), name));
        files.collect::<Vec<_>>()
    };
    let run = |folder: &TestFolder| -> ProgramRun {
        run_program(
            program,
            &folder.path(""),
            line.split(' '),
            Vec::new(),
            LIMIT,
        )
    };
    let alone = TestFolder::new();
    prepare(&alone);
    run(&alone).succeeded();
    let expected = contents(&alone);
    for _ in 0..PAIRS {
        let folder = TestFolder::new();
        prepare(&folder);
        let runs = thread::scope(|scope| {
            let rival = scope.spawn(|| run(&folder));
            [run(&folder), rival.join().expect("the run ends")]
        });
        let (won, lost): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| run.code == Some(0));
        let [
            ProgramRun {
                code: Some(1), err, ..
            },
        ] = &lost[..]
        else {
            panic!("{line}: one of two has to fail: {won:?}, {lost:?}");
        };
        let is_told = [
            "is in use by another process",
            "exists",
            "was made by another program",
        ];
        assert!(
            is_told.iter().any(|words| err.contains(words)),
            "{line}: {err}"
        );
        assert!(
            contents(&folder) == expected,
            "{line}: {:?}",
            folder.names()
        );
    }
}
