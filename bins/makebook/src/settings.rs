//! Settings that all commands share.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use yane_book::Job;
use yane_book::db::{BadLines, LineEnd};
use yane_book::graph::OnFault;
use yane_book::io::Overwrite;

use crate::console::Console;
use crate::signals;

/// Settings that all commands share.
#[derive(Args, Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches of the command line"
)]
#[command(next_help_heading = "Settings of all commands")]
pub(crate) struct Settings {
    /// Worker threads [default: all cores]
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
    /// Memory for buffers, such as 512M or 8G; larger books go through temporary files
    /// [default: half of the machine's]
    #[arg(long, global = true, value_name = "SIZE")]
    memory: Option<Size>,
    /// Folder for temporary files [default: beside the output]
    #[arg(long, global = true, value_name = "DIR")]
    temp_dir: Option<PathBuf>,
    /// No progress, no remarks: only results and errors
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Write LF line ends [default: as the field's tools, CR LF for books]
    #[arg(long, global = true)]
    lf: bool,
    /// Write CR LF line ends
    #[arg(long, global = true, conflicts_with = "lf")]
    crlf: bool,
    /// Let the output replace a file that is also an input
    #[arg(long, global = true)]
    pub(crate) force: bool,
    /// Leave out lines that make no sense, and list them, instead of stopping at the first
    #[arg(long, global = true)]
    pub(crate) skip_bad: bool,
    /// Results as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Settings {
    /// The job that these settings describe; it is cancelled by Ctrl-C.
    pub(crate) fn job(&self) -> anyhow::Result<Job> {
        self.job_with(Console::new(self.quiet))
    }

    /// As [`Self::job`] for a command that prints results all the time: no progress between them
    /// when they go to a terminal.
    pub(crate) fn printing_job(&self) -> anyhow::Result<Job> {
        let terminal = std::io::stdout().is_terminal();
        self.job_with(Console::new(self.quiet || terminal))
    }

    fn job_with(&self, console: Console) -> anyhow::Result<Job> {
        let mut job = Job {
            memory: self.memory.map_or_else(half_of_memory, |size| size.0),
            temp_dir: self.temp_dir.clone(),
            progress: Arc::new(console),
            ..Job::default()
        };
        if let Some(threads) = self.threads {
            job.threads = threads.max(1);
        }
        signals::stop_on_request(&job.cancelled)?;
        Ok(job)
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

    /// What commands that work on the whole graph do about bad positions and moves.
    pub(crate) const fn on_graph_fault(&self) -> OnFault {
        if self.skip_bad {
            OnFault::Skip
        } else {
            OnFault::Stop
        }
    }

    /// Whether inputs may be replaced.
    pub(crate) const fn overwrite(&self) -> Overwrite {
        if self.force {
            Overwrite::Allow
        } else {
            Overwrite::Refuse
        }
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

/// A number of bytes with an optional K, M, G or T (powers of 1024).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let upper = text.to_ascii_uppercase();
        let upper = upper.trim_end_matches("IB").trim_end_matches('B');
        let (digits, shift) = match upper.char_indices().last() {
            Some((at, 'K')) => (&upper[..at], 10),
            Some((at, 'M')) => (&upper[..at], 20),
            Some((at, 'G')) => (&upper[..at], 30),
            Some((at, 'T')) => (&upper[..at], 40),
            _ => (upper, 0),
        };
        let number: Option<u64> = digits.parse().ok();
        number
            .and_then(|number| number.checked_mul(1 << shift))
            .filter(|&bytes| bytes > 0)
            .map(Self)
            .ok_or_else(|| "expected a size such as 512M or 8G".to_owned())
    }
}

fn half_of_memory() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let limit = system.cgroup_limits().map(|limits| limits.total_memory);
    limit
        .unwrap_or(u64::MAX)
        .min(system.total_memory())
        .max(1 << 28)
        / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("1", 1),
            ("512M", 512 << 20),
            ("2g", 2 << 30),
            ("3KiB", 3 << 10),
            ("1TB", 1 << 40),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in ["", "M", "0", "-1", "1.5G", "99999999999T", "1X"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
