//! What is known of a kind of job.

use serve::jobs::{JobLane, JobPause, JobTakes, ProgramDescription};

/// A kind of job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramKind {
    pub(crate) name: &'static str,
    pub(crate) program: &'static str,
    /// The words of the command.
    pub(crate) command: &'static str,
    /// Words that always stand there.
    pub(crate) fixed: &'static [&'static str],
    pub(crate) group: &'static str,
    pub(crate) lane: JobLane,
    pub(crate) pause: JobPause,
    /// An exit code of 1 may mean that something was found.
    pub(crate) has_findings: bool,
    pub(crate) files: &'static [KindFile],
    /// Options that are values or switches, by their long names.
    pub(crate) options: &'static [&'static [&'static str]],
    /// Arguments of the program that a page does not offer, beside those that none does.
    pub(crate) left_out: &'static [&'static str],
}

/// An option of a job that is a file, or another thing that no text may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KindFile {
    /// The name for pages.
    pub(crate) name: &'static str,
    /// The argument of the program: its long name, or what it is called where it has none.
    pub(crate) argument: &'static str,
    pub(crate) takes: JobTakes,
    pub(crate) place: FilePlace,
    pub(crate) is_required: bool,
}

/// Where a file stands in the words of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilePlace {
    /// Behind the option of its argument.
    Option,
    /// Behind all options, in the order of the table.
    Behind,
}

pub(super) const fn option(
    name: &'static str,
    argument: &'static str,
    takes: JobTakes,
) -> KindFile {
    KindFile {
        name,
        argument,
        takes,
        place: FilePlace::Option,
        is_required: false,
    }
}

pub(super) const fn required(file: KindFile) -> KindFile {
    KindFile {
        is_required: true,
        ..file
    }
}

pub(super) const fn behind(
    name: &'static str,
    argument: &'static str,
    takes: JobTakes,
) -> KindFile {
    KindFile {
        place: FilePlace::Behind,
        ..required(option(name, argument, takes))
    }
}

/// A file that is made.
pub(super) const OUTPUT: KindFile = required(option("output", "output", JobTakes::NewFile));
/// An engine, by its name.
pub(super) const ENGINE: KindFile = option("engine", "engine", JobTakes::Engine);

/// Arguments that no page offers: those that name files, folders, programs and machines outside of the page's files, and those for what a
/// page does in its own way.
pub(super) const NOT_OFFERED: &[&str] = &[
    "cluster",
    "control",
    "dir-a",
    "dir-b",
    "engines",
    "events",
    "force",
    "html",
    "journal-flush",
    "json",
    "lease",
    "out-dir",
    "qsearch",
    "queue",
    "queue-login",
    "quiet",
    "records",
    "secret-file",
    "serve",
    "settings",
    "static",
    "temp-dir",
    "trust-network",
    "work",
];

/// What kinds have that only work on files, but for their names.
pub(super) const FILES: ProgramKind = ProgramKind {
    name: "",
    program: "",
    command: "",
    fixed: &[],
    group: "",
    lane: JobLane::Files,
    pause: JobPause::Pause,
    has_findings: false,
    files: &[],
    options: &[],
    left_out: &[],
};

/// The same of kinds that search.
pub(super) const SEARCH: ProgramKind = ProgramKind {
    lane: JobLane::Search,
    ..FILES
};

/// The name of an option for pages, and the argument that it is: `count=output_and_count` is `count`.
pub(crate) fn names_of(option: &'static str) -> (&'static str, &'static str) {
    option.split_once('=').unwrap_or((option, option))
}

impl ProgramKind {
    /// What it has that its program has not, and the options of its program that it neither has nor leaves out on purpose.
    pub(crate) fn problems(&self, description: &ProgramDescription) -> Vec<String> {
        let name = self.name;
        let Some(command) = description.command(self.command) else {
            return vec![format!("{name}: there is no command '{}'", self.command)];
        };
        let options = self.option_names().map(|option| names_of(option).1);
        let files = self.files.iter().map(|file| file.argument);
        let left_out = self.left_out.iter().copied();
        let known: Vec<_> = options.chain(files).chain(left_out).collect();
        let followed = ["events", "control"].iter();
        let unknown = known.iter().chain(followed);
        let unknown = unknown.filter(|argument| command.argument(argument).is_none());
        let unknown = unknown.map(|argument| format!("{name}: '{argument}' is no argument"));
        let is_fixed = |argument: &str| {
            let mut words = self.fixed.iter();
            words.any(|word| word.strip_prefix("--") == Some(argument))
        };
        let forgotten = command
            .arguments
            .iter()
            .map(|argument| argument.name.as_str());
        let forgotten = forgotten.filter(|argument| {
            !known.contains(argument) && !NOT_OFFERED.contains(argument) && !is_fixed(argument)
        });
        let forgotten = forgotten
            .map(|argument| format!("{name}: '{argument}' is neither offered nor left out"));
        unknown.chain(forgotten).collect()
    }

    /// The names of its options that are values or switches.
    pub(crate) fn option_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.options.iter().flat_map(|names| names.iter().copied())
    }
}
