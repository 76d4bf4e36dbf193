//! The kinds of jobs that are programs: their commands, and which options a page may give. What options take and mean is what the
//! programs say of themselves.
//!
//! Only options are here that name no file, folder, program, address or secret, but as a file of the page: those are told apart by
//! [`KindFile`].

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
const INPUT: KindFile = behind("input", "input", JobTakes::File);
const BOOK: KindFile = behind("book", "book", JobTakes::File);
const ENGINE: KindFile = option("engine", "engine", JobTakes::Engine);

/// Settings of makebook for books that are written.
const WRITTEN: &[&str] = &["threads", "memory", "lf", "crlf", "skip-bad"];
/// Settings for lists and books that grow.
const LISTED: &[&str] = &["threads", "memory", "lf", "crlf"];
/// Settings for books that are read.
const READ: &[&str] = &["threads", "memory", "skip-bad"];
/// Engines of makebook.
const ENGINES: &[&str] = &[
    "multi",
    "option",
    "hash",
    "keep-hash",
    "think-timeout",
    "allow-engine-errors",
];
/// How lines of a book are followed.
const EXTEND: &[&str] = &[
    "black-eval-limit",
    "white-eval-limit",
    "max-game-ply",
    "ignore-book-ply",
    "all-leaves",
];

/// A command of makebook that only works on files.
const FILES: ProgramKind = ProgramKind {
    name: "",
    program: "makebook",
    command: "",
    fixed: &[],
    group: "book",
    lane: JobLane::Files,
    pause: JobPause::Pause,
    has_findings: false,
    files: &[],
    options: &[],
};

/// A command of makebook that searches.
const SEARCH: ProgramKind = ProgramKind {
    lane: JobLane::Search,
    ..FILES
};

/// All kinds.
pub(crate) const KINDS: &[ProgramKind] = &[
    ProgramKind {
        name: "makebook.merge",
        command: "merge",
        files: &[behind("inputs", "files", JobTakes::Files), OUTPUT],
        options: &[
            &["bw", "wb", "prefer-values", "ignore-book-ply", "comments"],
            WRITTEN,
        ],
        ..FILES
    },
    ProgramKind {
        name: "makebook.sort",
        command: "sort",
        files: &[INPUT, OUTPUT],
        options: &[&["ignore-book-ply", "comments"], WRITTEN],
        ..FILES
    },
    ProgramKind {
        name: "makebook.filter",
        command: "filter",
        files: &[
            INPUT,
            OUTPUT,
            option("reachable-from", "reachable-from", JobTakes::File),
        ],
        options: &[
            &[
                "ply",
                "eval",
                "side",
                "move-eval",
                "min-count",
                "min-depth",
                "max-moves",
                "comments",
            ],
            WRITTEN,
        ],
        ..FILES
    },
    ProgramKind {
        name: "makebook.unique",
        command: "unique",
        files: &[INPUT, OUTPUT],
        options: &[&["flip", "ignore-book-ply", "comments"], WRITTEN],
        ..FILES
    },
    ProgramKind {
        name: "makebook.convert",
        command: "convert",
        files: &[
            INPUT,
            OUTPUT,
            option("roots", "root-sfens-name", JobTakes::File),
        ],
        options: &[
            &["no-depth", "clamp", "smallest-ply", "unreg-depth"],
            WRITTEN,
        ],
        ..FILES
    },
    ProgramKind {
        name: "makebook.check",
        command: "check",
        has_findings: true,
        files: &[BOOK],
        options: &[&["max", "ignore", "threads", "memory"]],
        ..FILES
    },
    ProgramKind {
        name: "makebook.diff",
        command: "diff",
        has_findings: true,
        files: &[
            behind("first", "first", JobTakes::File),
            behind("second", "second", JobTakes::File),
        ],
        options: &[&["max", "ignore-book-ply"], READ],
        ..FILES
    },
    ProgramKind {
        name: "makebook.info",
        command: "info",
        files: &[BOOK],
        options: &[READ],
        ..FILES
    },
    ProgramKind {
        name: "makebook.peta_shock",
        command: "peta_shock",
        files: &[INPUT, OUTPUT],
        options: &[&["shrink", "fast"], WRITTEN],
        ..FILES
    },
    ProgramKind {
        name: "makebook.peta_shock_next",
        command: "peta_shock_next",
        files: &[
            BOOK,
            OUTPUT,
            option("roots", "root-sfens-name", JobTakes::File),
        ],
        options: &[
            &[
                "from-startpos",
                "eval-noise",
                "seed",
                "count=output_and_count",
            ],
            WRITTEN,
        ],
        ..FILES
    },
    ProgramKind {
        name: "makebook.build_tree",
        command: "build_tree",
        files: &[INPUT, OUTPUT],
        options: &[
            &["black-contempt", "white-contempt", "ignore-book-ply"],
            WRITTEN,
        ],
        ..FILES
    },
    ProgramKind {
        name: "makebook.extend_tree",
        command: "extend_tree",
        files: &[BOOK, behind("roots", "roots", JobTakes::File), OUTPUT],
        options: &[EXTEND, LISTED],
        ..FILES
    },
    ProgramKind {
        name: "makebook.stera_convert",
        command: "stera_convert",
        files: &[
            required(option("book", "read-book", JobTakes::File)),
            OUTPUT,
            option("roots", "root-sfens-name", JobTakes::File),
        ],
        options: &[WRITTEN],
        ..FILES
    },
    ProgramKind {
        name: "makebook.from_sfen",
        command: "from_sfen",
        files: &[behind("inputs", "files", JobTakes::Files), OUTPUT],
        options: &[&["bw", "moves", "variations", "scores", "strict"], LISTED],
        ..FILES
    },
    ProgramKind {
        name: "makebook.think",
        command: "think",
        files: &[
            behind("records", "files", JobTakes::Files),
            behind("book", "files", JobTakes::GrownFile),
            ENGINE,
        ],
        options: &[
            &[
                "bw",
                "moves",
                "depth",
                "startmoves",
                "nodes",
                "time",
                "multipv",
                "reached-depth",
                "count",
                "book-save-interval",
                "variations",
                "strict",
            ],
            ENGINES,
            LISTED,
        ],
        ..SEARCH
    },
    ProgramKind {
        name: "makebook.analyze",
        command: "analyze",
        files: &[BOOK, OUTPUT, ENGINE],
        options: &[
            &[
                "keep-moves",
                "multipv",
                "depth",
                "nodes",
                "time",
                "ply",
                "side",
                "again",
                "reached-depth",
                "count",
            ],
            ENGINES,
            WRITTEN,
        ],
        ..SEARCH
    },
    ProgramKind {
        name: "makebook.mine",
        command: "mine",
        files: &[
            behind("book", "book", JobTakes::GrownFile),
            option("peta", "peta", JobTakes::GrownFile),
            option("roots", "roots", JobTakes::File),
            ENGINE,
        ],
        options: &[
            &[
                "positions",
                "hours",
                "batch",
                "eval-diff",
                "max-ply",
                "side",
                "nodes",
                "time",
                "depth",
                "multipv",
                "book-save-interval",
            ],
            ENGINES,
            LISTED,
        ],
        ..SEARCH
    },
    ProgramKind {
        name: "makebook.s_tera",
        command: "s_tera",
        files: &[
            required(option("book", "read-book", JobTakes::File)),
            required(option("output", "write-book", JobTakes::NewFile)),
            option("roots", "root-sfens-name", JobTakes::File),
            option("records", "kif-sfens-name", JobTakes::File),
            ENGINE,
        ],
        options: &[
            &[
                "nodes-limit",
                "think-limit",
                "book-save-interval",
                "search-delta",
                "search-delta-on-kif",
                "virtual-loss",
            ],
            ENGINES,
            WRITTEN,
        ],
        ..SEARCH
    },
    ProgramKind {
        name: "makebook.endless_extend_tree",
        command: "endless_extend_tree",
        files: &[
            behind("book", "book", JobTakes::GrownFile),
            behind("roots", "roots", JobTakes::File),
            behind("list", "list", JobTakes::GrownFile),
            ENGINE,
        ],
        options: &[
            &[
                "loop",
                "moves",
                "depth",
                "startmoves",
                "nodes",
                "time",
                "multipv",
                "book-save-interval",
            ],
            EXTEND,
            ENGINES,
            LISTED,
        ],
        ..SEARCH
    },
    ProgramKind {
        name: "gensfen",
        program: "gensfen",
        fixed: &["--run"],
        group: "games",
        files: &[OUTPUT, option("starts", "starts", JobTakes::File), ENGINE],
        options: &[&[
            "games",
            "nodes",
            "seed",
            "preset",
            "start-plies",
            "random-plies",
            "start-max-score",
            "shard",
            "multi",
            "option",
            "allow-engine-errors",
        ]],
        ..SEARCH
    },
    ProgramKind {
        name: "gensfen.starts",
        program: "gensfen",
        command: "starts",
        group: "games",
        files: &[OUTPUT, option("starts", "starts", JobTakes::File), ENGINE],
        options: &[&[
            "count",
            "plies",
            "max-score",
            "nodes",
            "lines",
            "spread",
            "move-nodes",
            "start-plies",
            "seed",
            "multi",
            "option",
            "allow-engine-errors",
        ]],
        ..SEARCH
    },
    ProgramKind {
        name: "arena.match",
        program: "arena",
        command: "match",
        group: "match",
        has_findings: true,
        files: &[
            behind("a", "a", JobTakes::Engine),
            behind("b", "b", JobTakes::Engine),
            required(option("output", "log", JobTakes::NewFile)),
            option("openings", "openings", JobTakes::File),
        ],
        options: &[&[
            "games",
            "nodes",
            "movetime",
            "depth",
            "time",
            "increment",
            "byoyomi",
            "elo0",
            "elo1",
            "alpha",
            "beta",
            "concurrency",
            "option",
            "option-a",
            "option-b",
            "opening-plies",
            "random-plies",
            "seed",
            "max-plies",
            "resign-score",
            "resign-moves",
            "draw-score",
            "draw-moves",
            "draw-after",
            "allow-engine-errors",
        ]],
        ..SEARCH
    },
    ProgramKind {
        name: "yaneura.learn",
        program: "yaneura",
        command: "learn",
        group: "learn",
        files: &[
            required(option("data", "train", JobTakes::Files)),
            option("test", "valid", JobTakes::Files),
            required(option("output", "output", JobTakes::NewFolder)),
            option("init", "init", JobTakes::File),
        ],
        options: &[&[
            "arch",
            "epochs",
            "batch",
            "freeze",
            "lr",
            "warm-up",
            "schedule",
            "optimiser",
            "weight-decay",
            "momentum",
            "no-factors",
            "average",
            "clip",
            "lambda",
            "scale",
            "unit",
            "smoothing",
            "ahead",
            "mirror",
            "skip-checks",
            "skip-captures",
            "threads",
            "seed",
        ]],
        ..SEARCH
    },
    ProgramKind {
        name: "yaneura.analyze",
        program: "yaneura",
        command: "analyze",
        group: "games",
        files: &[
            behind("games", "games", JobTakes::Files),
            OUTPUT,
            option("html", "html", JobTakes::NewFile),
            option("svg", "svg", JobTakes::NewFile),
            option("book", "book", JobTakes::File),
            ENGINE,
        ],
        options: &[&[
            "nodes",
            "time",
            "depth",
            "multipv",
            "threads",
            "hash",
            "option",
            "all-lines",
            "skip-bad",
            "to",
            "comments",
            "variations",
            "summary",
            "player",
            "lang",
            "allow-engine-errors",
        ]],
        ..SEARCH
    },
    ProgramKind {
        name: "othello.selfplay",
        program: "othello",
        command: "selfplay",
        group: "othello",
        files: &[OUTPUT, option("eval", "eval", JobTakes::File)],
        options: &[&[
            "games",
            "seed",
            "random",
            "balance",
            "noise",
            "plies",
            "depth",
            "probability",
            "exact",
            "lambda",
            "threads",
        ]],
        ..SEARCH
    },
    ProgramKind {
        name: "othello.train",
        program: "othello",
        command: "train",
        group: "othello",
        files: &[
            behind("data", "data", JobTakes::Files),
            option("solved", "solved", JobTakes::Files),
            OUTPUT,
        ],
        options: &[&[
            "layout",
            "phase",
            "parity",
            "overlap",
            "held-out",
            "epochs",
            "rate",
            "last-rate",
            "rare",
            "seed",
            "note",
            "threads",
        ]],
        ..SEARCH
    },
];

/// The name of an option for pages, and the argument that it is: `count=output_and_count` is `count`.
pub(crate) fn names_of(option: &'static str) -> (&'static str, &'static str) {
    option.split_once('=').unwrap_or((option, option))
}

impl ProgramKind {
    /// The kind of a name.
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
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
        for kind in KINDS {
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
        for kind in KINDS {
            let mut names = kind.option_names();
            assert!(names.all(|name| !NEVER.contains(&name)), "{}", kind.name);
        }
    }
}
