//! Files of one format, as arguments name them.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::Args;
use pack_format::TeacherFormat;
use pack_format::stream::Input;
use yane_cli::UsageError;

use crate::conversion::{format_of, format_parser, inputs};
use crate::names::is_standard;

/// Files of one format.
#[derive(Args, Debug)]
pub(crate) struct Files {
    /// The files, all of one format, one behind the other
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Format of the files [default: by extension]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) from: Option<TeacherFormat>,
}

impl Files {
    /// The inputs and their format.
    pub(crate) fn open(&self) -> Result<(Vec<Input>, TeacherFormat), UsageError> {
        self.open_beside(None)
    }

    /// The inputs and their format, which is also that of `output`.
    pub(crate) fn open_for(
        &self,
        output: &Path,
    ) -> Result<(Vec<Input>, TeacherFormat), UsageError> {
        let named = TeacherFormat::of_path(output);
        let (inputs, format) = self.open_beside(named)?;
        match named {
            Some(other) if other != format && self.from.is_none() => Err(UsageError(format!(
                "{format} files stay {format}, but the name {} says {other}; see teacher convert",
                output.display()
            ))),
            _ => Ok((inputs, format)),
        }
    }

    /// The same; the standard input has the format of the other files, or `usual`.
    pub(super) fn open_beside(
        &self,
        usual: Option<TeacherFormat>,
    ) -> Result<(Vec<Input>, TeacherFormat), UsageError> {
        let named = self.files.iter().filter(|file| !is_standard(file));
        let mut formats = named
            .map(|file| format_of(self.from, file, "--from"))
            .collect::<Result<Vec<_>, _>>()?;
        if formats.is_empty() {
            formats.push(format_of(self.from.or(usual), &self.files[0], "--from")?);
        }
        Ok((inputs(&self.files)?, only(&formats)?))
    }
}

/// The format that all of several files have.
pub(crate) fn only(formats: &[TeacherFormat]) -> Result<TeacherFormat, UsageError> {
    let first = formats[0];
    match formats.iter().find(|format| **format != first) {
        None => Ok(first),
        Some(other) => Err(not_one(first, other)),
    }
}

/// The error about files that should have one format.
pub(crate) fn not_one(first: impl Display, other: impl Display) -> UsageError {
    UsageError(format!(
        "the files must have one format, found {first} and {other}"
    ))
}
