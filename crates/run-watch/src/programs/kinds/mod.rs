//! The kinds of jobs that are programs: their commands, and which options a page may give. What options take and mean is what the
//! programs say of themselves.
//!
//! Only options are here that name no file, folder, program, address or secret, but as a file of the page: those are told apart by
//! [`KindFile`].

mod books;
mod games;

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

const fn behind(name: &'static str, argument: &'static str, takes: JobTakes) -> KindFile {
    KindFile {
        name,
        argument,
        takes,
        place: FilePlace::Behind,
        is_required: true,
    }
}

const fn option(name: &'static str, argument: &'static str, takes: JobTakes) -> KindFile {
    KindFile {
        name,
        argument,
        takes,
        place: FilePlace::Option,
        is_required: false,
    }
}

const fn required(file: KindFile) -> KindFile {
    KindFile {
        is_required: true,
        ..file
    }
}

/// A file that is made.
const OUTPUT: KindFile = required(option("output", "output", JobTakes::NewFile));
/// An engine, by its name.
const ENGINE: KindFile = option("engine", "engine", JobTakes::Engine);

/// What kinds have that only work on files, but for their names.
const FILES: ProgramKind = ProgramKind {
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
};

/// The same of kinds that search.
const SEARCH: ProgramKind = ProgramKind {
    lane: JobLane::Search,
    ..FILES
};

/// All kinds.
pub(crate) fn all() -> impl Iterator<Item = &'static ProgramKind> {
    books::KINDS.iter().chain(games::KINDS)
}

/// The name of an option for pages, and the argument that it is: `count=output_and_count` is `count`.
pub(crate) fn names_of(option: &'static str) -> (&'static str, &'static str) {
    option.split_once('=').unwrap_or((option, option))
}

impl ProgramKind {
    /// The kind of a name.
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        all().find(|kind| kind.name == name)
    }

    /// What it has that its program has not.
    pub(crate) fn problems(&self, description: &ProgramDescription) -> Vec<String> {
        let name = self.name;
        let Some(command) = description.command(self.command) else {
            return vec![format!("{name}: there is no command '{}'", self.command)];
        };
        let options = self.option_names().map(|option| names_of(option).1);
        let files = self.files.iter().map(|file| file.argument);
        let followed = ["events", "control"].into_iter();
        let all = options.chain(files).chain(followed);
        all.filter(|argument| command.argument(argument).is_none())
            .map(|argument| format!("{name}: '{argument}' is no argument"))
            .collect()
    }

    /// The names of its options that are values or switches.
    pub(crate) fn option_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.options.iter().flat_map(|names| names.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_option_of_a_kind_has_the_name_of_another() {
        for kind in all() {
            let files = kind.files.iter().map(|file| file.name);
            let mut names: Vec<_> = kind.option_names().chain(files).collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{}", kind.name);
        }
    }

    #[test]
    fn nothing_that_reaches_beyond_the_files_is_an_option() {
        const NEVER: &[&str] = &[
            "engines",
            "queue",
            "serve",
            "work",
            "temp-dir",
            "events",
            "control",
            "force",
            "settings",
            "secret-file",
            "dir-a",
            "dir-b",
            "journal-flush",
            "cluster",
            "html",
            "records",
        ];
        for kind in all() {
            let mut names = kind.option_names();
            assert!(names.all(|name| !NEVER.contains(&name)), "{}", kind.name);
        }
    }
}
