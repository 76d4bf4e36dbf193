//! Records as the commands for games read them.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use othello_core::Game;
use othello_engine::OpeningNamer;
use othello_record::{
    ArchiveError, ArchivedRecord, NamedOpening, OpeningLanguage, OpeningNames, OthelloFormats,
    WthorNameFiles, othello_record_files,
};
use serde_json::{Value, json};
use yane_cli::records::{OnBadRecord, RecordSource, RecordTally, for_each_record};
use yane_cli::{UsageError, input_files};
use yane_io::Job;

use crate::args::{GameInputs, Language, OpeningArgs};

/// What was read.
pub(crate) type Tally = RecordTally<ArchiveError>;

/// Records of othello.
#[derive(Clone, Debug)]
pub(crate) struct OthelloGames {
    /// Files of names for games of WTHOR that are given.
    names: Vec<PathBuf>,
}

impl RecordSource for OthelloGames {
    type Record = ArchivedRecord;
    type Error = ArchiveError;
    type Formats = OthelloFormats<'static>;

    const PROGRAM: &'static str = "othello";

    /// With the names for games of WTHOR: those that are given, or those beside the games.
    fn formats(&self, paths: &[PathBuf]) -> anyhow::Result<OthelloFormats<'static>> {
        let names = WthorNameFiles::find(paths, &self.names)?;
        for path in names.ignored() {
            eprintln!(
                "othello: {} is no file of WTHOR's names; it is ignored",
                path.display()
            );
        }
        Ok(OthelloFormats::new(names))
    }

    fn problem(error: &ArchiveError) -> Value {
        let path = error.path.as_ref().map(|path| path.display().to_string());
        json!({ "file": path, "place": error.place.to_string(), "problem": error.reason })
    }

    /// The result that is stated holds, whatever the board says.
    fn doubt(read: &ArchivedRecord) -> Option<String> {
        let (stated, board) = read.record.contradiction()?;
        Some(format!(
            "{}: the record says {stated}, its last board {board}",
            read.place
        ))
    }

    fn more_doubts(more: u64) -> String {
        let games = if more == 1 { "game" } else { "games" };
        format!("{more} more {games} whose result is not that of the board")
    }
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

    /// How the games are read: the names for games of WTHOR are those of `--names` and of name files among the inputs.
    pub(crate) fn source(&self) -> OthelloGames {
        let given = self
            .files
            .iter()
            .filter(|path| is_of_names(path) && path.is_file());
        OthelloGames {
            names: self.names.iter().chain(given).cloned().collect(),
        }
    }

    pub(crate) const fn on_bad(&self) -> OnBadRecord {
        if self.skip_bad {
            OnBadRecord::Skip
        } else {
            OnBadRecord::Stop
        }
    }

    /// Calls `take` for every game with its file and what `work` made of it on another thread.
    pub(crate) fn for_each<T: Send + 'static>(
        &self,
        paths: &[PathBuf],
        job: &Job,
        work: impl Fn(ArchivedRecord) -> T + Send + Sync + Clone + 'static,
        mut take: impl FnMut(&Path, T) -> anyhow::Result<()>,
    ) -> anyhow::Result<Tally> {
        let mut tally = Tally::new::<OthelloGames>();
        let source = self.source();
        for_each_record(
            &source,
            paths,
            self.on_bad(),
            job,
            &mut tally,
            work,
            |path, game| take(path, game).map(|()| None),
        )?;
        Ok(tally)
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
                let bytes = yane_io::read_text(
                    path,
                    &yane_io::sniff::Expected::text("names of openings"),
                    yane_io::ReadLimit::List,
                )?;
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
