//! The options of a training, kept beside its checkpoint, so that a run that cannot resume says which of them differ.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use serde::{Deserialize, Serialize};
use shogi_learn::{LearnError, OTHER_TRAINING};
use yane_io::AtomicFile;

/// The file with the options, in the folder of the training.
const FILE: &str = "options.json";
/// Options that do not change what a training gives.
const OF_THE_RUN: [&str; 8] = [
    "output",
    "threads",
    "checkpoint",
    "force",
    "html",
    "json",
    "quiet",
    "help",
];

/// The options of a training and the sizes of its data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GivenOptions {
    /// The values of each option, by its name on the command line.
    options: BTreeMap<String, Vec<String>>,
    /// The lengths of the files that options name, in bytes.
    files: BTreeMap<String, u64>,
}

impl GivenOptions {
    /// The options on a command line; `command` knows their names.
    pub(super) fn of(command: &Command, matches: &ArgMatches) -> Self {
        let mut given = Self::default();
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let (Some(name), false) = (argument.get_long(), OF_THE_RUN.contains(&id)) else {
                continue;
            };
            let values = matches.get_raw(id).into_iter().flatten();
            let values: Vec<_> = values
                .map(|value| value.to_string_lossy().into_owned())
                .collect();
            for value in &values {
                let path = value
                    .rsplit_once('*')
                    .map_or(value.as_str(), |(path, _)| path);
                if let Ok(data) = std::fs::metadata(path)
                    && data.is_file()
                {
                    given.files.insert(path.to_owned(), data.len());
                }
            }
            given.options.insert(name.to_owned(), values);
        }
        given
    }

    /// Keeps the options in `folder` for a training that begins there; those of one that may resume stay.
    pub(super) fn keep(&self, folder: &Path, begins_anew: bool) -> yane_io::Result<()> {
        if !begins_anew && folder.join("checkpoint").exists() {
            return Ok(());
        }
        std::fs::create_dir_all(folder).map_err(yane_io::Error::io(folder))?;
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        let mut file = AtomicFile::create(&Self::path(folder))?;
        file.put(&text)?;
        file.put(b"\n")?;
        file.commit()
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// What differs from the options that are kept in `folder`, a text for each; nothing when none are kept.
    fn differences(&self, folder: &Path) -> Vec<String> {
        let kept = std::fs::read(Self::path(folder)).ok();
        let kept = kept.and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        let Some(kept) = kept else {
            return Vec::new();
        };
        let shown = |values: Option<&Vec<String>>| match values.map(Vec::as_slice) {
            None | Some([]) => "not given".to_owned(),
            Some(values) => values.join(" "),
        };
        let mut names: Vec<_> = self.options.keys().chain(kept.options.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let mut texts = Vec::new();
        for name in names {
            let [before, now] = [&kept, self].map(|given| given.options.get(name));
            if before != now {
                texts.push(format!("--{name} was {}, is {}", shown(before), shown(now)));
            }
        }
        for (path, now) in &self.files {
            if let Some(before) = kept.files.get(path)
                && before != now
            {
                texts.push(format!("{path} had {before} bytes, has {now}"));
            }
        }
        texts
    }

    /// `error`, with what differs and what to do about it when it is that the folder has another training.
    pub(super) fn explain(&self, folder: &Path, error: anyhow::Error) -> anyhow::Error {
        match error.downcast_ref() {
            Some(LearnError::Checkpoint { path, reason }) if reason == OTHER_TRAINING => {
                let differences = self.differences(folder);
                let what = if differences.is_empty() {
                    "other options or data".to_owned()
                } else {
                    format!("other options or data: {}", differences.join("; "))
                };
                anyhow::anyhow!(
                    "{}: the checkpoint is of a training with {what}. Choose another folder with -o, or pass --force to begin anew",
                    path.display()
                )
            }
            _ => error,
        }
    }
}
