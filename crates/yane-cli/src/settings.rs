//! Settings that commands of all programs share, and ranges of numbers as arguments.

use std::io::IsTerminal as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use thiserror::Error;
use yane_io::{Job, Overwrite};

use crate::console::{Console, QuietFlag};
use crate::control::{ControlSource, EventArgs};
use crate::output::{ForceFlag, Output};

/// Settings that commands of all programs share. They may stand before or behind the name of a
/// command. Whoever flattens them says under which heading of the help they are, and by
/// [`ActingSettings`](crate::ActingSettings) in which commands they act.
///
/// The numbers of `display_order` leave room for settings of a program's own between these.
#[derive(Args, Clone, Debug)]
#[group(id = "SharedSettings")]
pub struct Settings {
    /// Worker threads [default: all cores]
    #[arg(long, global = true, value_name = "N", display_order = 10)]
    pub threads: Option<usize>,
    /// Memory for buffers, such as 512M or 8G; what is larger goes through temporary files
    /// [default: half of the machine's]
    #[arg(long, global = true, value_name = "SIZE", display_order = 20)]
    pub memory: Option<Size>,
    /// Folder for temporary files [default: beside the output]
    #[arg(long, global = true, value_name = "DIR", display_order = 30)]
    pub temp_dir: Option<PathBuf>,
    /// No progress, no remarks: only results and errors
    #[arg(long, short, global = true, display_order = 40)]
    pub quiet: bool,
    /// Let the output replace a file that exists, even an input
    #[arg(long, global = true, display_order = 50)]
    pub force: bool,
    /// Results as JSON
    #[arg(long, global = true, display_order = 60)]
    pub json: bool,
    /// Append the events of the run to a file, one a line (JSON), for dashboards and scripts
    #[arg(long, global = true, value_name = "FILE", display_order = 70)]
    pub events: Option<PathBuf>,
    /// Take `pause`, `resume` and `stop` from there; its end stops the run
    #[arg(long, global = true, value_name = "SOURCE", value_enum, hide = true)]
    pub control: Option<ControlSource>,
    /// The job that the command is where another program runs it: its progress goes there, and it is asked to pause and to stop
    /// there. No words of a command line set it.
    #[arg(skip)]
    pub watched: Option<Job>,
}

impl Settings {
    /// The job that these settings describe, with progress on standard error; it is cancelled by
    /// Ctrl-C. A job that is [watched](Self::watched) is that one, with these threads, memory and folder.
    ///
    /// # Errors
    /// When the system does not let signals be caught.
    pub fn job(&self) -> anyhow::Result<Job> {
        self.job_with(QuietFlag(self.quiet))
    }

    /// As [`Self::job`] for a command that prints results all the time: no progress between them
    /// when they go to a terminal.
    ///
    /// # Errors
    /// When the system does not let signals be caught.
    pub fn printing_job(&self) -> anyhow::Result<Job> {
        let terminal = std::io::stdout().is_terminal();
        self.job_with(QuietFlag(self.quiet || terminal))
    }

    /// How others follow and control the command.
    pub(crate) fn event_args(&self) -> EventArgs {
        EventArgs {
            events: self.events.clone(),
            control: self.control,
        }
    }

    fn job_with(&self, quiet: QuietFlag) -> anyhow::Result<Job> {
        let mut job = Job {
            memory: self.memory.map_or_else(half_of_memory, Size::bytes),
            temp_dir: self.temp_dir.clone(),
            ..self.watched.clone().unwrap_or_default()
        };
        if let Some(threads) = self.threads {
            job.threads = threads.max(1);
        }
        if self.watched.is_none() {
            self.event_args().begin(&job)?;
            job.progress = Arc::new(Console::new(quiet).for_job(&job));
        }
        Ok(job)
    }

    /// The same job with a console of its own, for one of several pieces of work: what is on the
    /// screen for it goes when it is dropped.
    pub fn part_of(&self, job: &Job) -> Job {
        self.numbered_part_of(job, 1, 1)
    }

    /// The same for number `part` of `parts` pieces of work, counted from 1: progress tells which one it is.
    pub fn numbered_part_of(&self, job: &Job, part: usize, parts: usize) -> Job {
        if self.watched.is_some() {
            return job.clone();
        }
        Job {
            progress: Arc::new(Console::of_part(QuietFlag(self.quiet), part, parts).for_job(job)),
            ..job.clone()
        }
    }

    /// The files that an output named by `-o` may replace: none without `--force`.
    pub const fn overwrite(&self) -> Overwrite {
        if self.force {
            Overwrite::Allow
        } else {
            Overwrite::Never
        }
    }

    /// The files that `output` may replace.
    pub const fn overwrite_by(&self, output: &Output) -> Overwrite {
        output.overwrite(ForceFlag(self.force))
    }
}

/// The settings of a command that works in memory on one thread: those of its results alone.
#[derive(Args, Clone, Debug)]
#[group(id = "OutputSettings")]
pub struct OutputSettings {
    /// No progress, no remarks: only results and errors
    #[arg(long, short, display_order = 40)]
    pub quiet: bool,
    /// Let the output replace a file that exists, even an input
    #[arg(long, display_order = 50)]
    pub force: bool,
    /// Results as JSON
    #[arg(long, display_order = 60)]
    pub json: bool,
}

/// The same settings, with the defaults of the others.
impl From<&OutputSettings> for Settings {
    fn from(settings: &OutputSettings) -> Self {
        let &OutputSettings { quiet, force, json } = settings;
        Self {
            threads: None,
            memory: None,
            temp_dir: None,
            quiet,
            force,
            json,
            events: None,
            control: None,
            watched: None,
        }
    }
}

/// A number of bytes, at least 1. As text it may end in K, M, G or T (powers of 1024), with or without
/// `B` or `iB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(u64);

impl Size {
    /// The number.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

/// A text that is no size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a size such as 512M or 8G")]
pub struct SizeError;

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
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
            .ok_or(SizeError)
    }
}

fn half_of_memory() -> u64 {
    all_memory().unwrap_or(0).max(1 << 28) / 2
}

// The memory of the machine.

/// The bytes of memory that this machine has, or its control group may have if that is less; `None` where that
/// cannot be told.
pub(crate) fn all_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        yane_base::memory::total_memory()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let mut system = sysinfo::System::new();
        system.refresh_memory();
        Some(system.total_memory()).filter(|&bytes| bytes > 0)
    }
}

// The folders in which a program finds its own files.

/// The folder of the program's own file, against which the names of its files (evaluations, settings) are
/// resolved, as the working directory may be anywhere; empty, which means that directory, where the system does
/// not tell.
pub fn program_folder() -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|program| program.parent().map(Path::to_owned))
        .unwrap_or_default()
}

/// The folders that may hold evaluation files: beside the program, and in the working directory.
pub fn evaluation_folders() -> [PathBuf; 2] {
    [program_folder(), PathBuf::new()]
}

// Ranges of numbers.

/// A range of numbers, both ends included: `A..B`, `A..`, `..B` or one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range<T>(pub RangeInclusive<T>);

/// Numbers of which there is a smallest and a largest one.
pub trait Bounded {
    /// The smallest.
    const MIN: Self;
    /// The largest.
    const MAX: Self;
}

macro_rules! bounded {
    ($($number:ty)*) => {$(
        impl Bounded for $number {
            const MIN: Self = Self::MIN;
            const MAX: Self = Self::MAX;
        }
    )*};
}

bounded!(i16 u16 i32 u32 u64);

/// A text that is no range of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RangeError {
    /// There is nothing.
    #[error("expected a range such as 1..20")]
    Empty,
    /// An end is no number, or one that is too large.
    #[error("expected numbers such as 1..20, 5.. or ..100")]
    Number,
    /// No number is in it.
    #[error("the second number is smaller than the first")]
    Reversed,
}

impl<T: FromStr + Bounded + PartialOrd + Copy> FromStr for Range<T> {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        let end = |text: &str, open: T| match text {
            "" => Ok(open),
            text => text.parse().map_err(|_| RangeError::Number),
        };
        let (from, to) = match text.split_once("..") {
            Some(ends) => ends,
            None if text.is_empty() => return Err(RangeError::Empty),
            None => (text, text),
        };
        let range = end(from, T::MIN)?..=end(to.trim_start_matches('='), T::MAX)?;
        if range.is_empty() {
            return Err(RangeError::Reversed);
        }
        Ok(Self(range))
    }
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

    #[test]
    fn a_watched_job_is_told_and_asked_by_others() {
        use clap::Parser as _;
        use yane_io::job::JobMonitor;

        #[derive(clap::Parser)]
        struct Cli {
            #[command(flatten)]
            settings: Settings,
        }
        let mut settings = Cli::parse_from(["x", "--threads", "3", "--memory", "5M"]).settings;
        let monitor = JobMonitor::default();
        settings.watched = Some(monitor.job());
        let job = settings.job().unwrap();
        assert_eq!((job.threads, job.memory), (3, 5 << 20));
        let part = settings.numbered_part_of(&job, 1, 2);
        part.progress
            .stage("reading", Some(10), yane_io::Unit::Bytes);
        part.progress.advance(4);
        let status = monitor.status();
        assert_eq!((status.stage.as_str(), status.done), ("reading", 4));
        monitor.stop();
        assert!(job.check().is_err());
    }

    #[test]
    fn the_folder_is_that_of_the_program() {
        let program = std::env::current_exe().unwrap();
        assert!(program.starts_with(program_folder()));
        assert_eq!(program_folder().join(program.file_name().unwrap()), program);
    }

    #[test]
    fn ranges_may_be_open() {
        for (text, range) in [
            ("1..20", 1..=20),
            ("-50..=50", -50..=50),
            ("5..", 5..=i32::MAX),
            ("..-5", i32::MIN..=-5),
            ("..", i32::MIN..=i32::MAX),
            ("7", 7..=7),
        ] {
            assert_eq!(text.parse(), Ok(Range(range)), "{text}");
        }
        for text in ["", "a", "1..b", "3..2", "1...3", "1-3"] {
            assert!(text.parse::<Range<i32>>().is_err(), "{text}");
        }
        assert!("-1..2".parse::<Range<u32>>().is_err());
    }
}
