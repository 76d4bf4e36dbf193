//! Records as the commands for games read them.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use othello_core::Game;
use othello_engine::OpeningNamer;
use othello_record::{
    ArchiveError, ArchivedRecord, NamedOpening, OpeningLanguage, OpeningNames, WthorNameFiles,
    othello_record_files, read_archives, read_records,
};
use serde_json::{Value, json};
use yane_cli::{RecordTally, UsageError, input_files, is_standard};
use yane_io::Job;

use crate::args::{GameInputs, Language, OpeningArgs};

/// What was read.
pub(crate) type Tally = RecordTally<ArchiveError>;

pub(crate) fn tally() -> Tally {
    Tally::new("othello")
}

/// The counts, and the first bad games with their places.
pub(crate) fn tally_json(tally: &Tally) -> Value {
    tally.json(|error| {
        let path = error.path.as_ref().map(|path| path.display().to_string());
        json!({ "file": path, "place": error.place.to_string(), "problem": error.reason })
    })
}

/// Returns whether a file holds names of WTHOR, by its own name.
pub(super) fn is_of_names(path: &Path) -> bool {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    ["jou", "trn"].contains(&&extension.to_ascii_lowercase()[..])
}

impl GameInputs {
    /// The files, folders and patterns resolved. Files of WTHOR's names are no games.
    pub(crate) fn paths(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut paths = input_files(&self.files, othello_record_files)?;
        paths.retain(|path| !is_of_names(path));
        if paths.is_empty() {
            return Err(UsageError(
                "files of games were expected, not only names of WTHOR".to_owned(),
            )
            .into());
        }
        Ok(paths)
    }

    /// The names for games of WTHOR: of `--names` and of name files among the inputs, or those beside the games.
    pub(super) fn wthor_names(&self, paths: &[PathBuf]) -> yane_io::Result<WthorNameFiles> {
        let given = self
            .files
            .iter()
            .filter(|path| is_of_names(path) && path.is_file());
        let named = self.names.iter().chain(given);
        let names = WthorNameFiles::find(paths, &named.cloned().collect::<Vec<_>>())?;
        for path in names.ignored() {
            eprintln!(
                "othello: {} is no file of WTHOR's names; it is ignored",
                path.display()
            );
        }
        Ok(names)
    }

    /// Calls `take` for every game with its file and what `work` made of it on another thread.
    pub(crate) fn for_each<T: Send + 'static>(
        &self,
        paths: &[PathBuf],
        job: &Job,
        tally: &mut Tally,
        work: impl Fn(ArchivedRecord) -> T + Send + Sync + Clone + 'static,
        mut take: impl FnMut(&Path, T) -> anyhow::Result<Option<ArchiveError>>,
    ) -> anyhow::Result<()> {
        let skip = self.skip_bad;
        let mut doubts = Doubts::default();
        let work = move |read: ArchivedRecord| (Doubts::of(&read), work(read));
        let mut each = |path: &Path, game: Result<(Option<String>, T), ArchiveError>| {
            let problem = match game {
                Ok((doubt, done)) => match take(path, done)? {
                    None => {
                        doubts.tell(path, doubt);
                        tally.games += 1;
                        return Ok(());
                    }
                    Some(problem) => problem,
                },
                Err(error) => error,
            };
            if !skip {
                return Err(problem.into());
            }
            tally.note(problem);
            Ok::<(), anyhow::Error>(())
        };
        let names = self.wthor_names(paths)?;
        for inputs in paths.chunk_by(|a, b| !is_standard(a) && !is_standard(b)) {
            if is_standard(&inputs[0]) {
                for game in read_records(&standard_input()?, &names.of(None)) {
                    each(&inputs[0], game.map(&work))?;
                }
                continue;
            }
            let reader = read_archives(inputs.to_vec(), names.clone(), job.threads, work.clone());
            let stage = match inputs {
                [path] => format!("reading {}", path.display()),
                _ => format!("reading {} files", inputs.len()),
            };
            reader.for_each_batch(&stage, job, |batch| {
                let mut games = batch.items.into_iter();
                games.try_for_each(|game| each(&inputs[batch.file], game))
            })?;
        }
        doubts.finish();
        Ok(())
    }
}

pub(super) fn standard_input() -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.context("standard input")?;
    Ok(bytes)
}

/// Games whose result is not that of their board, told on standard error: the result that is stated holds.
#[derive(Default)]
pub(super) struct Doubts(pub(super) u64);

impl Doubts {
    /// The games that are told one by one.
    pub(super) const TOLD: u64 = 10;

    /// What a game contradicts itself in, with its place.
    pub(super) fn of(read: &ArchivedRecord) -> Option<String> {
        let (stated, board) = read.record.contradiction()?;
        Some(format!(
            "{}: the record says {stated}, its last board {board}",
            read.place
        ))
    }

    pub(super) fn tell(&mut self, path: &Path, doubt: Option<String>) {
        let Some(doubt) = doubt else { return };
        self.0 += 1;
        if self.0 <= Self::TOLD {
            eprintln!("othello: {}: {doubt}", path.display());
        }
    }

    pub(super) fn finish(&self) {
        if let Some(more @ 1..) = self.0.checked_sub(Self::TOLD) {
            let games = if more == 1 { "game" } else { "games" };
            eprintln!("othello: {more} more {games} whose result is not that of the board");
        }
    }
}

/// The names of openings of a command.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) list: OpeningNames,
    pub(super) language: OpeningLanguage,
}

impl OpeningArgs {
    pub(crate) fn names(&self) -> anyhow::Result<Names> {
        let list = match &self.openings {
            None => OpeningNames::built_in().clone(),
            Some(path) => {
                let bytes =
                    yane_io::read_text(path, &yane_io::sniff::Expected::text("names of openings"))?;
                let text = String::from_utf8_lossy(&bytes).into_owned();
                OpeningNames::parse(&text).with_context(|| path.display().to_string())?
            }
        };
        let language = match self.language {
            Language::En => OpeningLanguage::English,
            Language::Ja => OpeningLanguage::Japanese,
        };
        Ok(Names { list, language })
    }
}

impl OpeningArgs {
    /// The names for the engine to show.
    pub(crate) fn openings(&self) -> anyhow::Result<OpeningNamer> {
        let names = self.names()?;
        Ok(OpeningNamer::new(names.list, names.language))
    }
}

impl Names {
    /// The name of a game in the language that is wanted.
    pub(crate) fn of_game(&self, game: &Game) -> Option<&str> {
        self.list.name(game, self.language)
    }

    /// The openings on the way of a game that have a name in the language that is wanted, the longest last.
    pub(crate) fn along(&self, game: &Game) -> Vec<(usize, &NamedOpening)> {
        self.list.along_in(game, self.language)
    }

    /// The name in the language that is wanted.
    pub(crate) fn of<'a>(&self, opening: &'a NamedOpening) -> Option<&'a str> {
        opening.name(self.language)
    }

    /// Checks that openings are called so.
    pub(crate) fn check(&self, wanted: &[String]) -> Result<(), UsageError> {
        let is_known = |name: &str| self.list.openings().iter().any(|it| it.is_called(name));
        let Some(name) = wanted.iter().find(|name| !is_known(name)) else {
            return Ok(());
        };
        let part = name.to_lowercase();
        let names = self.list.openings().iter();
        let near: Vec<_> = names
            .flat_map(|opening| [&opening.english[..], &opening.japanese[..]])
            .filter(|other| !part.is_empty() && other.to_lowercase().contains(&part))
            .take(5)
            .collect();
        let near = match near.join(", ") {
            none if none.is_empty() => "othello opening --all lists the names".to_owned(),
            some => format!("there are: {some}; --opening-prefix takes the beginning of a name"),
        };
        Err(UsageError(format!(
            "--opening: no opening is called '{name}'; {near}"
        )))
    }
}
