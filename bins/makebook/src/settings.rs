//! Settings that all commands share.

use clap::Args;
use yane_book::Job;
use yane_book::db::{BadLines, LineEnd};
use yane_book::io::Overwrite;
use yane_cli::Output;

/// Settings that all commands share.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Settings of all commands")]
pub(crate) struct Settings {
    #[command(flatten)]
    shared: yane_cli::Settings,
    /// Write LF line ends [default: as the field's tools, CR LF for books]
    #[arg(long, global = true, display_order = 41)]
    lf: bool,
    /// Write CR LF line ends
    #[arg(long, global = true, conflicts_with = "lf", display_order = 42)]
    crlf: bool,
    /// Leave out lines that make no sense, and list them, instead of stopping at the first
    #[arg(long, global = true, display_order = 51)]
    pub(crate) skip_bad: bool,
}

impl Settings {
    /// The job that these settings describe; it is cancelled by Ctrl-C.
    pub(crate) fn job(&self) -> anyhow::Result<Job> {
        self.shared.job()
    }

    /// The same job with a console of its own, whose bars go when it is dropped.
    pub(crate) fn part_of(&self, job: &Job) -> Job {
        self.shared.part_of(job)
    }

    /// Whether only results and errors are wanted.
    pub(crate) const fn quiet(&self) -> bool {
        self.shared.quiet
    }

    /// As [`Self::job`] for a command that prints results all the time.
    pub(crate) fn printing_job(&self) -> anyhow::Result<Job> {
        self.shared.printing_job()
    }

    /// Whether results are wanted as JSON.
    pub(crate) const fn json(&self) -> bool {
        self.shared.json
    }

    /// What `output` may replace.
    pub(crate) const fn overwrite_by(&self, output: &Output) -> Overwrite {
        self.shared.overwrite_by(output)
    }

    /// How lines of outputs end, if that is asked for.
    pub(crate) const fn line_end(&self) -> Option<LineEnd> {
        match (self.lf, self.crlf) {
            (true, _) => Some(LineEnd::Lf),
            (_, true) => Some(LineEnd::CrLf),
            _ => None,
        }
    }

    /// How lines of outputs end when they usually end with `usual`.
    pub(crate) fn line_end_or(&self, usual: LineEnd) -> LineEnd {
        self.line_end().unwrap_or(usual)
    }

    /// What to do about bad lines.
    pub(crate) const fn bad_lines(&self) -> BadLines {
        if self.skip_bad {
            BadLines::Skip
        } else {
            BadLines::Fail
        }
    }
}
