//! A USI engine as a program that gives scores: any number of processes of it, and what its scores depend on.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use shogi_engine::{UsiSetup, UsiThinker};
use shogi_usi::OptionKind;
use yane_io::{NamedContents, path_of_text};

use super::RescoreError;
use crate::error::EngineSetupError;
use crate::pool::engine_command;
use crate::settings::{Engine, check_programs};

/// Options that a program gets if it has them and is not told otherwise: nothing that a score should not depend on.
const PRESETS: [(&str, &str); 4] = [
    ("USI_OwnBook", "false"),
    ("USI_Ponder", "false"),
    ("Threads", "1"),
    ("ResignValue", "99999"),
];

/// Parts of the names of options whose files do not decide about scores.
const OTHER_FILES: [&str; 4] = ["book", "log", "save", "settings"];

/// A USI engine as a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RescoreProgram {
    /// The program, or a command with arguments, such as `ssh far engine`.
    pub command: String,
    /// Names and values of options. An engine that has `Threads` searches on one thread unless they say otherwise: more
    /// threads do not find the same scores twice.
    pub options: Vec<(String, String)>,
    /// The time after which a search has failed.
    pub think_timeout: Duration,
    /// True if the engine is used though it says of an error while it gets ready.
    pub allow_errors: bool,
}

impl RescoreProgram {
    /// A program with these options, which has ten minutes for a search and says of no error.
    pub fn new(command: impl Into<String>, options: &[(String, String)]) -> Self {
        Self {
            command: command.into(),
            options: options.to_vec(),
            think_timeout: Duration::from_secs(600),
            allow_errors: false,
        }
    }

    /// Starts a process and gets it ready.
    pub(super) fn start(&self) -> Result<UsiThinker, RescoreError> {
        let presets = PRESETS.iter().filter(|(name, _)| {
            let mut given = self.options.iter();
            !given.any(|(other, _)| other.eq_ignore_ascii_case(name))
        });
        let setup = UsiSetup {
            presets: presets
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            options: self.options.clone(),
            think_timeout: Some(self.think_timeout),
            allow_errors: self.allow_errors,
            ..UsiSetup::default()
        };
        let mut command = engine_command(&self.command);
        Ok(UsiThinker::start_command(&mut command, &setup)?)
    }

    /// Starts the engine once to see that it is one and has the options; what it says of itself, and all that its scores depend on.
    pub(super) fn introduce(&self) -> Result<Introduction, RescoreError> {
        check_programs(&[Engine::program(&self.command)])?;
        let mut thinker = self.start()?;
        let evaluation = thinker.evaluation().map(str::to_owned);
        let process = thinker.process();
        let name = process.name().to_owned();
        let mut options = self.options.iter();
        let unknown = options.find(|(option, _)| !process.has_option(option));
        if let Some((option, _)) = unknown {
            return Err(EngineSetupError::Option {
                name,
                reason: format!("it has no option {option}"),
            }
            .into());
        }
        let description = self.description(process)?;
        Ok(Introduction {
            text: match evaluation {
                Some(evaluation) => format!("{name}, {evaluation}"),
                None => name,
            },
            description,
        })
    }

    /// All that scores depend on beside the positions and the limit: the program, its options and the contents of the files that they
    /// name.
    fn description(
        &self,
        process: &shogi_usi::client::EngineProcess,
    ) -> Result<String, RescoreError> {
        let program = Path::new(&self.command);
        let mut text = format!("program {} {:?}", process.name(), self.command);
        if program.is_file()
            && let Some(contents) = NamedContents::of_path(program)?
        {
            write!(text, " {contents}").ok();
        }
        // The last value of an option counts, wherever it is named.
        let mut given = BTreeMap::new();
        for (name, value) in &self.options {
            given.insert(name.to_ascii_lowercase(), value.as_str());
        }
        write!(text, " options {given:?}").ok();
        let beside = program.is_file().then(|| program.parent()).flatten();
        for option in process.options() {
            let (OptionKind::String { default } | OptionKind::Filename { default }) = &option.kind
            else {
                continue;
            };
            let name = option.name.to_ascii_lowercase();
            if OTHER_FILES.iter().any(|part| name.contains(part)) {
                continue;
            }
            let contents = match given.get(&name) {
                Some(value) => NamedContents::of_value(value, beside)?,
                None => default_contents(default, beside)?,
            };
            if let Some(contents) = contents {
                write!(text, " {name} {contents}").ok();
            }
        }
        Ok(text)
    }
}

/// What a program says of itself.
#[derive(Clone, Debug)]
pub(super) struct Introduction {
    /// Its name and evaluation, for people.
    pub(super) text: String,
    /// All that its scores depend on beside the positions and the limit.
    pub(super) description: String,
}

/// What the default of an option names beside the program.
fn default_contents(
    default: &str,
    beside: Option<&Path>,
) -> yane_io::Result<Option<NamedContents>> {
    let name = default.trim();
    let path = beside.map(|folder| folder.join(path_of_text(name)));
    match path.filter(|path| !name.is_empty() && path.exists()) {
        Some(path) => NamedContents::of_path(&path),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn contents_decide_and_not_names_of_folders() {
        let folder = TestFolder::new();
        for name in ["one", "same", "other"] {
            std::fs::create_dir(folder.path(name)).unwrap();
            folder.write(format!("{name}/nn.bin"), "network");
        }
        folder.write("other/nn.bin", "networK");
        let digest = |name: &str| default_contents(name, Some(&folder.path(""))).unwrap();
        assert!(digest("one").is_some());
        assert_eq!(digest("one"), digest("same"));
        assert_ne!(digest("one"), digest("other"));
        assert_ne!(digest("one/nn.bin"), digest("other/nn.bin"));
        folder.write("same/more", "");
        assert_ne!(digest("one"), digest("same"));
    }

    #[test]
    fn defaults_are_found_beside_the_program() {
        let folder = TestFolder::new();
        std::fs::create_dir(folder.path("eval")).unwrap();
        let base = folder.path("");
        let eval = NamedContents::of_path(&folder.path("eval")).unwrap();
        assert!(eval.is_some());
        assert_eq!(default_contents("eval", Some(&base)).unwrap(), eval);
        assert_eq!(NamedContents::of_value("eval", Some(&base)).unwrap(), eval);
        for (value, folder) in [
            ("", Some(base.as_path())),
            ("none", Some(&base)),
            ("eval", None),
        ] {
            assert_eq!(default_contents(value, folder).unwrap(), None, "{value}");
        }
    }
}
