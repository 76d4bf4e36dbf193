//! Inputs: files, folders, names with * and ?, the standard input; and what was wrong with their games.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::{Value, json};
use shogi_kifu::{ArchiveGame, KifuError, KifuFormat, read_archives, read_games, record_files};
use yane_cli::{RecordTally, input_files, is_standard};
use yane_io::Job;

use crate::args::Inputs;

/// What was read.
pub(crate) type Tally = RecordTally<KifuError>;

pub(crate) fn tally() -> Tally {
    Tally::new("kifu")
}

/// The counts, and the first bad games with their lines.
pub(crate) fn tally_json(tally: &Tally) -> Value {
    tally.json(|error| {
        let path = error.path.as_ref().map(|path| path.display().to_string());
        json!({ "file": path, "line": error.line, "problem": error.problem.to_string() })
    })
}

/// The policy for games that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bad {
    Stop,
    Skip,
}

impl Inputs {
    pub(crate) const fn bad(&self) -> Bad {
        if self.skip_bad { Bad::Skip } else { Bad::Stop }
    }

    /// The files, folders and patterns resolved.
    pub(crate) fn paths(&self) -> anyhow::Result<Vec<PathBuf>> {
        input_files(&self.files, record_files)
    }
}

/// Calls `take` for every game of `inputs`, with its file and what `work` made of it on another thread.
pub(crate) fn for_each_game<T: Send + 'static>(
    inputs: &[PathBuf],
    bad: Bad,
    job: &Job,
    tally: &mut Tally,
    work: impl Fn(ArchiveGame, KifuFormat) -> T + Send + Sync + Clone + 'static,
    mut take: impl FnMut(&Path, T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut each = |path: &Path, game: Result<T, KifuError>| match game {
        Ok(done) => {
            tally.games += 1;
            take(path, done)
        }
        Err(error) if bad == Bad::Stop => Err(error.into()),
        Err(error) => {
            tally.note(error);
            Ok(())
        }
    };
    for inputs in inputs.chunk_by(|a, b| !is_standard(a) && !is_standard(b)) {
        if is_standard(&inputs[0]) {
            let mut bytes = Vec::new();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .context("standard input")?;
            let (format, games) = read_games(&bytes).context("standard input")?;
            for game in games {
                each(&inputs[0], game.map(|game| work(game, format)))?;
            }
            continue;
        }
        let work = work.clone();
        let reader = read_archives(inputs.to_vec(), job.threads, move |piece| {
            let mut made = Vec::new();
            piece.for_each_game(|game| {
                made.push(game.map(|game| {
                    let format = piece.format().expect("a file with a game has a format");
                    work(game, format)
                }));
            });
            made
        });
        let stage = match inputs {
            [path] => format!("reading {}", path.display()),
            _ => format!("reading {} files", inputs.len()),
        };
        reader.for_each_batch(&stage, job, |batch| {
            let mut games = batch.items.into_iter();
            games.try_for_each(|game| each(&inputs[batch.file], game))
        })?;
    }
    Ok(())
}
