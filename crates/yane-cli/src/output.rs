//! Outputs on the command line: behind the inputs as the field's tools have them, or by `-o`.

use std::path::{Path, PathBuf};

use clap::Args;
use yane_io::Overwrite;

use crate::UsageError;

/// The option `-o`, for commands whose output may also stand behind their inputs.
#[derive(Args, Clone, Debug)]
#[group(id = "OutputOption")]
pub struct OutputOption {
    /// The output, instead of behind the inputs; one that exists is replaced only with --force
    #[arg(
        long = "output",
        short = 'o',
        id = "output_option",
        value_name = "OUT",
        display_order = 5
    )]
    option: Option<PathBuf>,
}

/// The flag `--force`: with it any file may be replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForceFlag(pub bool);

/// An output, and the files that it may replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The file.
    pub path: PathBuf,
    replaces: Overwrite,
}

impl Output {
    /// An output that `-o` names: a file that exists is kept.
    pub fn by_option(path: impl Into<PathBuf>) -> Self {
        Self::replacing(path, Overwrite::Never)
    }

    /// An output that stands where tools of the field have it: they replace whatever is there, inputs too.
    pub fn classic(path: impl Into<PathBuf>) -> Self {
        Self::replacing(path, Overwrite::Allow)
    }

    /// An output behind the inputs of a command that other tools do not have: it may replace any file but these.
    pub fn behind_inputs(path: impl Into<PathBuf>) -> Self {
        Self::replacing(path, Overwrite::Refuse)
    }

    fn replacing(path: impl Into<PathBuf>, replaces: Overwrite) -> Self {
        Self {
            path: path.into(),
            replaces,
        }
    }

    /// The files that may be replaced.
    pub const fn overwrite(&self, force: ForceFlag) -> Overwrite {
        if force.0 {
            Overwrite::Allow
        } else {
            self.replaces
        }
    }
}

impl AsRef<Path> for Output {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

impl OutputOption {
    /// True if `-o` is given.
    pub const fn is_given(&self) -> bool {
        self.option.is_some()
    }

    /// The output: that of `-o`, or else the one that stands `behind` the inputs.
    ///
    /// # Errors
    /// When there is none, or both.
    pub fn or(&self, behind: Option<Output>) -> Result<Output, UsageError> {
        match (&self.option, behind) {
            (Some(path), None) => Ok(Output::by_option(path)),
            (None, Some(output)) => Ok(output),
            (None, None) => Err(UsageError("no output is named: add -o OUT".to_owned())),
            (Some(path), Some(behind)) => Err(UsageError(format!(
                "two outputs are named: {} and -o {}",
                behind.path.display(),
                path.display()
            ))),
        }
    }

    /// Inputs and output of `files`: the output is that of `-o`, or else the last of them, made by `behind`.
    ///
    /// # Errors
    /// When there are fewer than `least` inputs.
    pub fn or_last(
        &self,
        mut files: Vec<PathBuf>,
        least: usize,
        behind: impl FnOnce(PathBuf) -> Output,
    ) -> Result<(Vec<PathBuf>, Output), UsageError> {
        let output = match &self.option {
            Some(path) => Some(Output::by_option(path)),
            None => files.pop().map(behind),
        };
        match output {
            Some(output) if files.len() >= least => Ok((files, output)),
            _ => {
                let inputs = if least == 1 { "input" } else { "inputs" };
                Err(UsageError(format!(
                    "expected FILES: at least {least} {inputs} and the output"
                )))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(path: Option<&str>) -> OutputOption {
        OutputOption {
            option: path.map(Into::into),
        }
    }

    #[test]
    fn an_output_is_named_once() {
        let classic = || Some(Output::classic("a.db"));
        assert_eq!(option(None).or(classic()), Ok(Output::classic("a.db")));
        let named = option(Some("b.db"));
        assert_eq!(named.or(None), Ok(Output::by_option("b.db")));
        let twice = named.or(classic()).unwrap_err().to_string();
        assert_eq!(twice, "two outputs are named: a.db and -o b.db");
        assert!(option(None).or(None).unwrap_err().0.contains("-o OUT"));
    }

    #[test]
    fn the_last_file_is_the_output_unless_there_is_an_option() {
        let files = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let split = |named: Option<&str>, names: &[&str]| {
            option(named).or_last(files(names), 2, Output::classic)
        };
        let (inputs, output) = split(None, &["a", "b", "c"]).unwrap();
        assert_eq!((inputs, output), (files(&["a", "b"]), Output::classic("c")));
        let (inputs, output) = split(Some("c"), &["a", "b"]).unwrap();
        assert_eq!(
            (inputs, output),
            (files(&["a", "b"]), Output::by_option("c"))
        );
        for (named, names) in [(None, &["a", "b"][..]), (Some("c"), &["a"]), (None, &[])] {
            let error = split(named, names).unwrap_err().0;
            assert!(error.contains("at least 2 inputs"), "{error}");
        }
    }

    #[test]
    fn the_naming_of_an_output_decides_what_it_replaces() {
        for (output, expected) in [
            (Output::by_option("x"), Overwrite::Never),
            (Output::classic("x"), Overwrite::Allow),
            (Output::behind_inputs("x"), Overwrite::Refuse),
        ] {
            assert_eq!(output.overwrite(ForceFlag(false)), expected);
            assert_eq!(output.overwrite(ForceFlag(true)), Overwrite::Allow);
        }
    }
}
