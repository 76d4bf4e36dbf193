//! Engines for tests: shell scripts that speak USI.

use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use test_support::{Process, ProgramRun, TestFolder, UsiScript, run_program, write_program};

/// The program under test.
pub(crate) const ARENA: &str = env!("CARGO_BIN_EXE_arena");

const LIMIT: Duration = Duration::from_secs(120);

/// An engine that answers `go` with a piece of shell script, and what else it does.
pub(crate) fn script(folder: &TestFolder, name: &str, go: &str) -> PathBuf {
    playing(name, go).write(&folder.path(name))
}

/// That engine, to be given more.
pub(crate) fn playing(name: &str, go: &str) -> UsiScript {
    UsiScript::new(name)
        .start("games=0; quality=5; mood=calm")
        .option("Mood type string default calm")
        .option("Quality type spin default 5 min 0 max 20")
        .ready("games=$((games + 1))")
        .on(
            "params",
            "echo \"Quality, int, 5, 0, 20, 3, 0.05\"; echo \"time_x, int, 1, 0, 2, 1, 0.002\"",
        )
        .on("\"setoption name Quality\"*", "quality=\"${line##* }\"")
        .on("\"setoption name Mood\"*", "mood=\"${line##* }\"")
        .on("position*", COUNT_PLIES)
        .go(go)
}

/// Counts the plies of a `position` command from the start.
pub(crate) const COUNT_PLIES: &str = "set -- $line; plies=$(($# - 3)); [ $plies -lt 0 ] && plies=0";

/// A file that can be run.
pub(crate) fn program(folder: &TestFolder, name: &str, text: &str) -> PathBuf {
    write_program(&folder.path(name), text)
}

/// An engine that walks about with a rook and resigns after as many moves as its option `Quality` says.
pub(crate) const WALKER: &str = r#"
      turn=$((plies / 2)); side=$((plies % 2)); step=$((turn % 10))
      if [ $turn -ge $quality ]; then echo "bestmove resign"
      else
        if [ $step -lt 5 ]; then from=$((2 + step)); to=$((3 + step)); else from=$((12 - step)); to=$((11 - step)); fi
        if [ $side = 0 ]; then echo "info depth 3 nodes 7 score cp 0"; echo "bestmove ${from}h${to}h"
        else echo "bestmove $((10 - from))b$((10 - to))b"; fi
      fi"#;

/// Runs `arena` to its end.
pub(crate) fn arena(folder: &TestFolder, args: &[&str]) -> ProgramRun {
    run_program(ARENA, &folder.path(""), args, Vec::new(), LIMIT)
}

/// Starts `arena`.
pub(crate) fn start(folder: &TestFolder, args: &[&str]) -> Process {
    Process::start(ARENA, &folder.path(""), args)
}

/// Number of lines of a file; 0 if there is none.
pub(crate) fn lines(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

/// An empty file that can be run, to see that such programs are refused.
pub(crate) fn no_engine(folder: &TestFolder) -> PathBuf {
    let path = folder.path("nobody");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o755);
    options.open(&path).expect("a file");
    path
}
