//! Options that several commands share, and the settings of all.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use farm::queue::Access;
use shogi_core::{ByColor, Color};
use yane_book::Job;
use yane_book::db::{BadLines, CommentCounts, CommentPolicy, LineEnd};
use yane_book::extend_tree::ExtendTree;
use yane_book::io::Overwrite;
use yane_book::peta_next::PetaNext;
use yane_book::records::Variations;
use yane_cli::{Output, OutputOption, QueueTrustArgs, UsageError};

use crate::print;

/// The output: behind the inputs, or that of `-o`.
#[derive(Args, Debug)]
pub(crate) struct OutputArgs {
    /// The output; required unless -o names it
    #[arg(
        id = OutputArgs::ID,
        value_name = "OUT",
        required_unless_present = "output_option"
    )]
    output: Option<PathBuf>,
    #[command(flatten)]
    output_option: OutputOption,
}

impl OutputArgs {
    /// Identifies the output behind the inputs.
    pub(crate) const ID: &str = "out";

    /// Returns the output; `behind` sets the files that one behind the inputs may replace.
    pub(crate) fn named(&self, behind: fn(PathBuf) -> Output) -> Result<Output, UsageError> {
        self.output_option.or(self.output.clone().map(behind))
    }
}

/// Treatment of invalid lines.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct StrictArgs {
    /// Stop at the first invalid line or illegal move, instead of listing them
    #[arg(long)]
    strict: bool,
}

impl StrictArgs {
    pub(crate) const fn bad_lines(self) -> BadLines {
        if self.strict {
            BadLines::Fail
        } else {
            BadLines::Skip
        }
    }
}

/// The lines of records.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct VariationArgs {
    /// Take the variations of records too, every move of a record once
    #[arg(long)]
    variations: bool,
}

impl VariationArgs {
    pub(crate) const fn choice(self) -> Variations {
        if self.variations {
            Variations::Take
        } else {
            Variations::LeaveOut
        }
    }
}

/// The fate of comments.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct CommentArgs {
    /// What becomes of comments: keep them or drop them; whatever is dropped is counted [default: keep; drop
    /// where sort and merge write another file, as the field's tools do]
    #[arg(
        long,
        value_name = "keep|drop",
        value_enum,
        hide_possible_values = true
    )]
    comments: Option<CommentChoice>,
}

/// A choice about comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CommentChoice {
    Keep,
    Drop,
}

impl CommentArgs {
    /// The policy, which is `usual` unless the user chose one.
    pub(crate) const fn policy(self, usual: CommentPolicy) -> CommentPolicy {
        match self.comments {
            Some(CommentChoice::Keep) => CommentPolicy::Keep,
            Some(CommentChoice::Drop) => CommentPolicy::LeaveOut,
            None => usual,
        }
    }
}

/// The line about comments, if there were any.
pub(crate) fn comment_line(counts: CommentCounts, policy: CommentPolicy) -> Option<String> {
    let CommentCounts { kept, left_out } = counts;
    match (kept, left_out) {
        (0, 0) => None,
        (kept, 0) => Some(format!("comments  = {kept} kept")),
        (_, left_out) if policy == CommentPolicy::LeaveOut => Some(format!(
            "comments  = {left_out} left out (--comments keep keeps them)"
        )),
        (kept, left_out) => Some(format!(
            "comments  = {kept} kept, {left_out} left out (of positions and moves that are not written)"
        )),
    }
}

/// Limits on the lines of the book, and the choice of their ends.
#[derive(Args, Debug)]
pub(crate) struct ExtendArgs {
    /// Do not follow black's moves of a lower value
    #[arg(long, value_name = "EVAL", default_value_t = -50, allow_negative_numbers = true)]
    black_eval_limit: i32,
    /// Do not follow white's moves of a lower value
    #[arg(long, value_name = "EVAL", default_value_t = -150, allow_negative_numbers = true)]
    white_eval_limit: i32,
    /// List a line only if the value of its last move is within these bounds
    #[arg(long, value_names = ["MIN", "MAX"], num_args = 2, allow_negative_numbers = true)]
    extend_range: Option<Vec<i32>>,
    /// Go no further than this move number
    #[arg(long, value_name = "PLY", default_value_t = 320)]
    max_game_ply: u32,
    /// Take positions of the book at whatever ply
    #[arg(long, visible_alias = "ignore-ply")]
    ignore_book_ply: bool,
    /// List also positions first reached by a move that the book does not know
    #[arg(long)]
    all_leaves: bool,
}

impl ExtendArgs {
    pub(crate) fn options(&self) -> ExtendTree {
        ExtendTree {
            eval_limit: ByColor([self.black_eval_limit, self.white_eval_limit]),
            extend_range: match self.extend_range.as_deref() {
                Some(&[min, max]) => Some((min, max)),
                _ => None,
            },
            max_game_ply: self.max_game_ply,
            ignore_book_ply: self.ignore_book_ply,
            all_leaves: self.all_leaves,
            ..ExtendTree::default()
        }
    }
}

/// The lines of a peta-shock book that are followed.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct FollowArgs {
    /// Largest loss of the other side's moves against the root's value
    #[arg(
        long,
        value_name = "EVAL",
        default_value_t = 10,
        alias = "peta-eval-diff"
    )]
    eval_diff: i32,
    /// Go no further than this move number
    #[arg(long, value_name = "PLY", default_value_t = 200)]
    max_ply: u32,
    /// Only for this side's book: b (black) or w (white)
    #[arg(long, value_enum, hide_possible_values = true)]
    side: Option<Side>,
}

impl FollowArgs {
    pub(crate) fn options(self) -> PetaNext {
        PetaNext {
            eval_diff: self.eval_diff,
            max_ply: self.max_ply,
            side: self.side.map(Into::into),
            ..PetaNext::default()
        }
    }
}

/// State of engines between positions.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct SessionArgs {
    /// Keep the transposition tables of engines between positions; results depend on the order then
    #[arg(long)]
    pub(crate) keep_hash: bool,
    /// Seconds after which a search has failed, and the engine is restarted
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400)]
    pub(crate) think_timeout: u64,
}

/// A side, by its letter or its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    #[value(name = "b", alias = "black")]
    Black,
    #[value(name = "w", alias = "white")]
    White,
}

impl From<Side> for Color {
    fn from(side: Side) -> Self {
        match side {
            Side::Black => Self::Black,
            Side::White => Self::White,
        }
    }
}

/// The engines that search.
#[derive(Args, Debug)]
#[command(next_help_heading = "Engines")]
pub(crate) struct EngineArgs {
    /// An engine: a program, a command with arguments, `ssh host command`, or `embedded`, which is the one
    /// in this program; may be given several times [default: embedded]
    #[arg(long, value_name = "COMMAND")]
    pub(crate) engine: Vec<String>,
    /// A file of engines, `{ENGINE_SETTING: [{path, name, multi, options}, …]}` in JSON5
    #[arg(long, value_name = "FILE")]
    pub(crate) engines: Option<PathBuf>,
    /// Positions that each engine searches at a time [default: 1; --threads for the embedded one]
    #[arg(long, value_name = "N")]
    pub(crate) multi: Option<usize>,
    /// A USI option for all engines; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    pub(crate) option: Vec<String>,
    /// Size of each engine's transposition table in MiB (`USI_Hash`) [default: the engine's; 16 embedded]
    #[arg(long, value_name = "MIB")]
    pub(crate) hash: Option<u32>,
    /// Let engines work that say of an error while they get ready (`info string Error! ...`); without it the run stops
    /// with their words
    #[arg(long)]
    pub(crate) allow_engine_errors: bool,
}

/// Work shared between machines through a queue.
#[derive(Args, Debug)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct QueueArgs {
    /// Share the positions with other machines over a NATS server, such as `nats://host:4222`
    #[arg(long, value_name = "URL")]
    queue: Option<String>,
    /// Hand out positions over the queue, and keep the book
    #[arg(long, requires = "queue", conflicts_with = "work")]
    serve: bool,
    /// Search positions of the queue, with the same command line; leaves the book alone
    #[arg(long, requires = "queue")]
    work: bool,
    /// Seconds of silence after which a worker's positions are given to others
    #[arg(long, value_name = "SECONDS", requires = "queue", default_value_t = 30,
          value_parser = clap::value_parser!(u64).range(1..=86400))]
    lease: u64,
    #[command(flatten)]
    trust: QueueTrustArgs,
}

/// The role of this process in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role<'a> {
    /// The process does the whole run.
    Alone,
    /// The process hands out positions at this address.
    Server(&'a str),
    /// The process searches positions that are handed out at this address.
    Worker(&'a str),
}

impl QueueArgs {
    pub(crate) fn role(&self) -> Result<Role<'_>, UsageError> {
        match (self.queue.as_deref(), self.serve, self.work) {
            (None, ..) => Ok(Role::Alone),
            (Some(url), true, _) => Ok(Role::Server(url)),
            (Some(url), _, true) => Ok(Role::Worker(url)),
            _ => Err(UsageError("--queue needs --serve or --work".to_owned())),
        }
    }

    /// Who may take part.
    pub(crate) fn access(&self) -> Result<Access, UsageError> {
        Ok(Access {
            lease: Duration::from_secs(self.lease),
            trust: self.trust.trust()?,
            login: self.trust.login()?,
        })
    }
}

// Settings that commands share.

/// Settings that commands share; `acting` says which of them act in which.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Settings")]
pub(crate) struct Settings {
    #[command(flatten)]
    shared: yane_cli::Settings,
    /// Write LF line ends [default: as the field's tools, CR LF for books]
    #[arg(long, global = true, display_order = 41)]
    lf: bool,
    /// Write CR LF line ends
    #[arg(long, global = true, conflicts_with = "lf", display_order = 42)]
    crlf: bool,
    /// Leave out invalid lines, and list them, instead of stopping at the first
    #[arg(long, global = true, display_order = 51)]
    pub(crate) skip_bad: bool,
}

impl Settings {
    /// The job that these settings describe; it is cancelled by Ctrl-C.
    pub(crate) fn job(&self) -> anyhow::Result<Job> {
        self.shared.job()
    }

    /// The settings that programs share.
    pub(crate) const fn shared(&self) -> &yane_cli::Settings {
        &self.shared
    }

    /// Returns the job with a console of its own, whose bars disappear when it is dropped.
    pub(crate) fn part_of(&self, job: &Job) -> Job {
        self.shared.part_of(job)
    }

    /// Returns true if only results and errors are printed.
    pub(crate) const fn quiet(&self) -> bool {
        self.shared.quiet
    }

    /// As [`Self::job`] for a command that prints results all the time.
    pub(crate) fn printing_job(&self) -> anyhow::Result<Job> {
        self.shared.printing_job()
    }

    /// Prints the results of a command: `json` or `lines`.
    pub(crate) fn report(
        &self,
        json: &serde_json::Value,
        lines: impl IntoIterator<Item = String>,
    ) -> anyhow::Result<ExitCode> {
        if self.json() {
            print::json(json)?;
        } else {
            print::lines(lines)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns true if results are printed as JSON.
    pub(crate) const fn json(&self) -> bool {
        self.shared.json
    }

    /// Returns the files that `output` may replace.
    pub(crate) const fn overwrite_by(&self, output: &Output) -> Overwrite {
        self.shared.overwrite_by(output)
    }

    /// Returns the line end of outputs, if the user chose one.
    pub(crate) const fn line_end(&self) -> Option<LineEnd> {
        match (self.lf, self.crlf) {
            (true, _) => Some(LineEnd::Lf),
            (_, true) => Some(LineEnd::CrLf),
            _ => None,
        }
    }

    /// Returns the line end of outputs that end lines with `usual` by default.
    pub(crate) fn line_end_or(&self, usual: LineEnd) -> LineEnd {
        self.line_end().unwrap_or(usual)
    }

    /// Returns the treatment of bad lines.
    pub(crate) const fn bad_lines(&self) -> BadLines {
        if self.skip_bad {
            BadLines::Skip
        } else {
            BadLines::Fail
        }
    }
}
