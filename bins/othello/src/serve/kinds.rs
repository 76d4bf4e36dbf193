//! The kinds of jobs that the page may start: the commands below `othello book` that they are, and the options that the page may give.

use page_messages::PageFailure;
use serve::jobs::{
    CommandDescription, JobKindInfo, JobLane, JobOptionInfo, JobPause, JobTakes, ProgramDescription,
};

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// A number or a text.
    Value,
    /// Nothing: true or false says whether it is given.
    Switch,
    /// Texts, each a line of a file.
    File,
    /// Moves or a board, never the name of a file.
    Line,
    /// The same, several times.
    MoreLines,
    /// The same, without a name behind the files.
    LastLine,
}

/// Where the files of a command stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilesOf {
    /// `BOOK`, which is only read.
    Reading,
    /// `BOOK`, which grows, unless the option `output` names another; with it `BOOK` may be missing.
    Growing,
    /// `BOOK -o OUT`, where `BOOK` is replaced unless the option `output` names another file.
    Changing,
    /// The same with the book of the option `with` behind `BOOK`.
    Merging,
    /// `BOOK -o OUT`, where the option `output` names a file that is not there.
    Converting,
}

/// A kind of job.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobKind {
    pub(super) name: &'static str,
    /// The command below `othello book`.
    pub(super) command: &'static str,
    /// Words that always stand there.
    pub(super) fixed: &'static [&'static str],
    pub(super) files: FilesOf,
    pub(super) lane: JobLane,
    options: &'static [(&'static str, Takes)],
}

/// Options of commands that search.
const RUN: [(&str, Takes); 5] = [
    ("threads", Takes::Value),
    ("hours", Takes::Value),
    ("positions", Takes::Value),
    ("save-interval", Takes::Value),
    ("egbk-level", Takes::Value),
];

/// Options of reading books.
const READ: [(&str, Takes); 2] = [
    ("egbk-level", Takes::Value),
    ("skip-damaged", Takes::Switch),
];

const KINDS: &[JobKind] = &[
    JobKind {
        name: "learn",
        command: "learn",
        fixed: &[],
        files: FilesOf::Growing,
        lane: JobLane::Search,
        options: &[
            ("level", Takes::Value),
            ("depth", Takes::Value),
            ("error", Takes::Value),
            ("sum", Takes::Value),
            ("leaf-error", Takes::Value),
            ("loops", Takes::Value),
            ("start", Takes::MoreLines),
            ("games", Takes::File),
            ("random", Takes::Value),
            ("seed", Takes::Value),
            ("schedule", Takes::Value),
        ],
    },
    JobKind {
        name: "store",
        command: "store",
        fixed: &[],
        files: FilesOf::Growing,
        lane: JobLane::Search,
        options: &[
            ("level", Takes::Value),
            ("depth", Takes::Value),
            ("only-line", Takes::Switch),
            ("games", Takes::File),
            ("moves", Takes::LastLine),
        ],
    },
    JobKind {
        name: "leaves",
        command: "leaves",
        fixed: &[],
        files: FilesOf::Growing,
        lane: JobLane::Search,
        options: &[
            ("level", Takes::Value),
            ("depth", Takes::Value),
            ("error", Takes::Value),
            ("sum", Takes::Value),
            ("only-illegal", Takes::Switch),
            ("start", Takes::Line),
        ],
    },
    JobKind {
        name: "fix",
        command: "fix",
        fixed: &[],
        files: FilesOf::Changing,
        lane: JobLane::Files,
        options: &[
            ("start", Takes::Line),
            ("egaroucid", Takes::Switch),
            ("leaves", Takes::Switch),
            ("remove-isolated", Takes::Switch),
        ],
    },
    JobKind {
        name: "fix-edax",
        command: "fix",
        fixed: &["--edax"],
        files: FilesOf::Changing,
        lane: JobLane::Files,
        options: &[("start", Takes::Line), ("remove-isolated", Takes::Switch)],
    },
    JobKind {
        name: "reduce",
        command: "prune",
        fixed: &[],
        files: FilesOf::Changing,
        lane: JobLane::Files,
        options: &[
            ("start", Takes::Line),
            ("depth", Takes::Value),
            ("error", Takes::Value),
            ("sum", Takes::Value),
            ("edax", Takes::Switch),
        ],
    },
    JobKind {
        name: "lines",
        command: "lines",
        fixed: &[],
        files: FilesOf::Changing,
        lane: JobLane::Files,
        options: &[("start", Takes::Line)],
    },
    JobKind {
        name: "merge",
        command: "merge",
        fixed: &[],
        files: FilesOf::Merging,
        lane: JobLane::Files,
        options: &[],
    },
    JobKind {
        name: "import",
        command: "convert",
        fixed: &[],
        files: FilesOf::Converting,
        lane: JobLane::Files,
        options: &[("level", Takes::Value), ("leaf-positions", Takes::Switch)],
    },
    JobKind {
        name: "export",
        command: "convert",
        fixed: &[],
        files: FilesOf::Converting,
        lane: JobLane::Files,
        options: &[("level", Takes::Value)],
    },
    JobKind {
        name: "export-search",
        command: "export",
        fixed: &["--search"],
        files: FilesOf::Converting,
        lane: JobLane::Search,
        options: &[("level", Takes::Value)],
    },
    JobKind {
        name: "check",
        command: "check",
        fixed: &[],
        files: FilesOf::Reading,
        lane: JobLane::Files,
        options: &[],
    },
    JobKind {
        name: "info",
        command: "info",
        fixed: &[],
        files: FilesOf::Reading,
        lane: JobLane::Files,
        options: &[],
    },
];

impl JobKind {
    /// The kind of a name.
    pub(super) fn of(name: &str) -> Result<&'static Self, PageFailure> {
        let found = KINDS.iter().find(|kind| kind.name == name);
        found.ok_or_else(|| PageFailure::new(format!("'{name}' is no kind of job")))
    }

    /// All options, files apart.
    fn all_options(&self) -> impl Iterator<Item = (&'static str, Takes)> + use<> {
        let shared: &[(&str, Takes)] = match (self.lane, self.command) {
            (JobLane::Search, _) => &RUN,
            (JobLane::Files, "check") => &[],
            (JobLane::Files, _) => &READ,
        };
        self.options.iter().chain(shared).copied()
    }

    /// What an option takes; `None` if the page may not give it.
    pub(super) fn takes(&self, option: &str) -> Option<Takes> {
        let mut all = self.all_options();
        all.find(|(name, _)| *name == option)
            .map(|(_, takes)| takes)
    }

    fn info(&self, command: &CommandDescription) -> JobKindInfo {
        let mut options = Vec::new();
        let book = JobOptionInfo::plain("book", JobTakes::Book, "The book");
        options.push(match self.files {
            FilesOf::Growing => book,
            _ => book.required(),
        });
        if self.files == FilesOf::Merging {
            let with = JobOptionInfo::plain("with", JobTakes::File, "The newer book");
            options.push(with.required());
        }
        let output = JobOptionInfo::plain("output", JobTakes::NewFile, "The book that is written");
        match self.files {
            FilesOf::Reading => {}
            FilesOf::Converting => options.push(output.required()),
            _ => options.push(output),
        }
        for (name, takes) in self.all_options() {
            let takes = match takes {
                Takes::Switch => JobTakes::Switch,
                Takes::File => JobTakes::Lines,
                Takes::Value | Takes::Line | Takes::MoreLines | Takes::LastLine => JobTakes::Value,
            };
            options.push(match command.argument(name) {
                Some(argument) => JobOptionInfo::of_argument(name, takes, argument),
                None => JobOptionInfo::plain(name, takes, ""),
            });
        }
        let fixed = self.fixed.iter().copied();
        let words: Vec<&str> = ["othello", "book", self.command]
            .into_iter()
            .chain(fixed)
            .collect();
        JobKindInfo {
            kind: self.name.to_owned(),
            program: "othello".to_owned(),
            command: words.join(" "),
            group: "book".to_owned(),
            lane: self.lane,
            available: true,
            reason: None,
            pause: JobPause::Pause,
            help: command.help.clone(),
            options,
        }
    }
}

/// The kinds for pages, with what the program says of their options.
pub(super) fn infos(described: &ProgramDescription) -> Vec<JobKindInfo> {
    let infos = KINDS.iter().map(|kind| {
        let command = described.command(&format!("book {}", kind.command));
        kind.info(command.unwrap_or(&CommandDescription::default()))
    });
    infos.collect()
}
