//! How records of shogi are read.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shogi_kifu::{ArchiveGame, KifuError, KifuFormats, record_files};
use yane_cli::input_files;
use yane_cli::records::{OnBadRecord, RecordSource, RecordTally, for_each_record};
use yane_io::Job;

use crate::args::Inputs;

/// What was read.
pub(crate) type Tally = RecordTally<KifuError>;

/// Records of shogi.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KifuGames;

impl RecordSource for KifuGames {
    type Record = ArchiveGame;
    type Error = KifuError;
    type Formats = KifuFormats;

    const PROGRAM: &'static str = "kifu";

    fn formats(&self, _: &[PathBuf]) -> anyhow::Result<KifuFormats> {
        Ok(KifuFormats)
    }

    fn problem(error: &KifuError) -> Value {
        let path = error.path.as_ref().map(|path| path.display().to_string());
        json!({ "file": path, "line": error.line, "problem": error.problem.to_string() })
    }
}

impl Inputs {
    pub(crate) const fn on_bad(&self) -> OnBadRecord {
        if self.skip_bad {
            OnBadRecord::Skip
        } else {
            OnBadRecord::Stop
        }
    }

    /// The files, folders and patterns resolved.
    pub(crate) fn paths(&self) -> anyhow::Result<Vec<PathBuf>> {
        input_files(&self.files, record_files)
    }
}

/// Calls `take` for every game of `inputs`, with its file and what `work` made of it on another thread.
pub(crate) fn for_each_game<T: Send + 'static>(
    inputs: &[PathBuf],
    on_bad: OnBadRecord,
    job: &Job,
    work: impl Fn(ArchiveGame) -> T + Send + Sync + Clone + 'static,
    mut take: impl FnMut(&Path, T),
) -> anyhow::Result<Tally> {
    let mut tally = Tally::new::<KifuGames>();
    for_each_record(
        &KifuGames,
        inputs,
        on_bad,
        job,
        &mut tally,
        work,
        |path, game| {
            take(path, game);
            Ok(None)
        },
    )?;
    Ok(tally)
}
