//! This program under the names of all others.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The programs that runs need.
const NAMES: [&str; 5] = ["arena", "gensfen", "teacher", "yaneura", "othello"];

/// Runs the program by whose name this one was called; `None` if it was called by its own.
pub(crate) fn run_as_program(args: &[OsString]) -> Option<ExitCode> {
    let own = Path::new(args.first()?).file_stem()?.to_str()?.to_owned();
    let args = args.iter().cloned();
    Some(match own.as_str() {
        "arena" => arena::run(args),
        "gensfen" => gensfen::run(args),
        "teacher" => teacher::run(args),
        "yaneura" => yaneura::run(args),
        "othello" => othello::run(args),
        _ => return None,
    })
}

/// A folder with all programs.
pub(crate) fn folder() -> PathBuf {
    let own = std::env::current_exe().expect("the path of this program");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("evolve-programs");
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in NAMES {
        let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        // One of an earlier build.
        std::fs::remove_file(&path).ok();
        if std::fs::hard_link(&own, &path).is_err() {
            std::fs::copy(&own, &path).expect("a copy of this program");
        }
    }
    folder
}
