//! What pages are told of the kinds of jobs, so that one form serves for all of them.

use serde::{Deserialize, Serialize};

use super::lane::JobLane;

/// A kind of job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobKindInfo {
    /// Its name.
    pub kind: String,
    /// The program that it is.
    pub program: String,
    /// The command of the program, with its name.
    pub command: String,
    /// What it belongs to: `book`, `games`, `match`, `learn`, `othello`.
    pub group: String,
    /// What it works beside.
    pub lane: JobLane,
    /// Whether it can be started here.
    pub available: bool,
    /// Why it cannot.
    pub reason: Option<String>,
    /// What a pause of it is.
    pub pause: JobPause,
    /// What it does.
    pub help: String,
    /// Its options, files among them.
    pub options: Vec<JobOptionInfo>,
}

/// What a pause of a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobPause {
    /// It waits at a safe point.
    Pause,
    /// It stops at a safe point, and is begun again to go on.
    Stop,
}

/// What an option of a job takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobTakes {
    /// A number or a text.
    Value,
    /// True or false.
    Switch,
    /// A file that is there.
    File,
    /// A folder that is there.
    Folder,
    /// Files or folders that are there.
    Files,
    /// A file that is to be made.
    NewFile,
    /// A folder that is to be made.
    NewFolder,
    /// A file that grows, or is to be made.
    GrownFile,
    /// Texts, each a line of a file.
    Lines,
    /// An open book, or the file of one.
    Book,
    /// An engine that the server knows by a name.
    Engine,
}

/// An option of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobOptionInfo {
    /// Its name.
    pub name: String,
    /// What it takes.
    pub takes: JobTakes,
    /// Whether it has to be there.
    pub required: bool,
    /// Whether it may have several values.
    pub repeated: bool,
    /// What a value is called.
    pub value: Option<String>,
    /// The value without it.
    pub default: Option<String>,
    /// All values that there are, if they are few.
    pub choices: Vec<String>,
    /// What it is for.
    pub help: String,
    /// What it belongs to.
    pub heading: Option<String>,
}

/// The commands of a program, as `PROGRAM --describe` tells them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ProgramDescription {
    /// Its name.
    pub program: String,
    /// Its version.
    pub version: String,
    /// Its commands.
    pub commands: Vec<CommandDescription>,
}

/// A command of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct CommandDescription {
    /// Its words; none is the program itself.
    pub command: String,
    /// What it does.
    pub help: String,
    /// Its arguments.
    pub arguments: Vec<ArgumentDescription>,
}

/// An argument of a command.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts that a program tells of its argument"
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ArgumentDescription {
    /// Its long name, or what it is called where it has none.
    pub name: String,
    /// Whether it is an option, and not known by its place.
    pub is_option: bool,
    /// Whether it takes a value.
    pub takes_value: bool,
    /// What the value is called.
    pub value: Option<String>,
    /// Whether it has to be there.
    pub required: bool,
    /// Whether it may have several values.
    pub repeated: bool,
    /// The value without it.
    pub default: Option<String>,
    /// All values that there are, if they are few.
    pub choices: Vec<String>,
    /// What it is for.
    pub help: String,
    /// What it belongs to.
    pub heading: Option<String>,
}

impl ProgramDescription {
    /// The command of some words.
    pub fn command(&self, words: &str) -> Option<&CommandDescription> {
        self.commands
            .iter()
            .find(|command| command.command == words)
    }
}

impl CommandDescription {
    /// The argument of a name.
    pub fn argument(&self, name: &str) -> Option<&ArgumentDescription> {
        self.arguments.iter().find(|argument| argument.name == name)
    }
}

impl JobOptionInfo {
    /// An option of which nothing is known but what it takes.
    pub fn plain(name: &str, takes: JobTakes, help: &str) -> Self {
        Self {
            name: name.to_owned(),
            takes,
            required: false,
            repeated: false,
            value: None,
            default: None,
            choices: Vec::new(),
            help: help.to_owned(),
            heading: None,
        }
    }

    /// The option that an argument of a program is, under a name of its own.
    pub fn of_argument(name: &str, takes: JobTakes, argument: &ArgumentDescription) -> Self {
        Self {
            repeated: argument.repeated || takes == JobTakes::Files,
            value: argument.value.clone(),
            default: argument.default.clone(),
            choices: argument.choices.clone(),
            heading: argument.heading.clone(),
            ..Self::plain(name, takes, &argument.help)
        }
    }

    /// The same, which has to be there.
    #[must_use]
    pub fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }
}
