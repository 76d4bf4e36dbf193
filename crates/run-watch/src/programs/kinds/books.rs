//! Commands of `makebook`.

use serve::jobs::{JobLane, JobTakes};

use super::kind::{self, ENGINE, KindFile, OUTPUT, ProgramKind, behind, option, required};

const INPUT: KindFile = behind("input", "input", JobTakes::File);
const BOOK: KindFile = behind("book", "book", JobTakes::File);

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

/// A command that only works on files.
const FILES: ProgramKind = ProgramKind {
    program: "makebook",
    group: "book",
    ..kind::FILES
};

/// A command that searches.
const SEARCH: ProgramKind = ProgramKind {
    lane: JobLane::Search,
    ..FILES
};

/// The kinds.
pub(super) const KINDS: &[ProgramKind] = &[
    ProgramKind {
        name: "makebook.merge",
        command: "merge",
        files: &[behind("inputs", "files", JobTakes::Files), OUTPUT],
        options: &[
            &[
                "bw",
                "wb",
                "prefer-values",
                "ignore-book-ply",
                "comments",
                "all-rules",
            ],
            WRITTEN,
        ],
        ..FILES
    },
    ProgramKind {
        name: "makebook.sort",
        command: "sort",
        files: &[INPUT, OUTPUT],
        options: &[&["ignore-book-ply", "comments", "all-rules"], WRITTEN],
        left_out: &["out"],
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
        left_out: &["out"],
        ..FILES
    },
    ProgramKind {
        name: "makebook.unique",
        command: "unique",
        files: &[INPUT, OUTPUT],
        options: &[&["flip", "ignore-book-ply", "comments"], WRITTEN],
        left_out: &["out"],
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
        left_out: &["out"],
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
        options: &[&["max", "list", "ignore-book-ply"], READ],
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
        left_out: &["out"],
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
        left_out: &["out", "max-game-ply"],
        ..FILES
    },
    ProgramKind {
        name: "makebook.extend_tree",
        command: "extend_tree",
        files: &[BOOK, behind("roots", "roots", JobTakes::File), OUTPUT],
        options: &[EXTEND, LISTED],
        left_out: &["out", "extend-range"],
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
        left_out: &["write-book"],
        ..FILES
    },
    ProgramKind {
        name: "makebook.from_sfen",
        command: "from_sfen",
        files: &[behind("inputs", "files", JobTakes::Files), OUTPUT],
        options: &[&["bw", "moves", "variations", "scores", "strict"], LISTED],
        left_out: &["depth", "nodes"],
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
        left_out: &["shard", "classic-progress"],
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
        left_out: &["numbered-saves", "ahead"],
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
                "reached-depth",
                "count",
                "book-save-interval",
            ],
            EXTEND,
            ENGINES,
            LISTED,
        ],
        left_out: &["extend-range", "classic-progress"],
        ..SEARCH
    },
];
