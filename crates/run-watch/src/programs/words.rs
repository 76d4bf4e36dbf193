//! The command line of a job, of what a page asks.

use std::path::PathBuf;

use page_messages::{PageFailure, PageFile, PageFiles};
use serde_json::{Map, Value};
use serve::jobs::{
    ArgumentDescription, CommandDescription, JobFolder, JobTakes, option_words, value_file,
    value_lines, value_list, value_switch, value_text,
};
use yane_io::{beside, text_of_name};

use super::kinds::{FilePlace, KindFile, ProgramKind, names_of};

/// Files beside one that a run has left unfinished.
const UNFINISHED: [&str; 2] = [".journal", ".state"];

/// The words of a command, and its files.
#[derive(Debug, Default)]
pub(crate) struct CommandWords {
    /// Words behind the name of the program, without those for who follows it.
    pub(crate) words: Vec<String>,
    pub(crate) reads: Vec<String>,
    pub(crate) writes: Vec<String>,
    /// The first file that is written, as the page names it.
    pub(crate) output: Option<PageFile>,
    behind: Vec<String>,
}

/// Where the values of a request are looked up.
pub(crate) struct WordContext<'a> {
    pub(crate) kind: &'a ProgramKind,
    pub(crate) command: &'a CommandDescription,
    pub(crate) files: &'a dyn PageFiles,
    /// The command of an engine, by its name.
    pub(crate) engine: &'a dyn Fn(&str) -> Option<String>,
    pub(crate) folder: &'a JobFolder,
}

impl WordContext<'_> {
    /// The words of options.
    ///
    /// # Errors
    ///
    /// Options that are none or missing, and values that are not allowed.
    pub(crate) fn words(&self, options: &Map<String, Value>) -> Result<CommandWords, PageFailure> {
        let mut all = CommandWords::default();
        let command = self.kind.command.split_whitespace();
        let fixed = self.kind.fixed.iter().copied();
        all.words.extend(command.chain(fixed).map(str::to_owned));
        for (name, value) in options {
            if !self.kind.files.iter().any(|file| file.name == name) {
                self.add_value(name, value, &mut all)?;
            }
        }
        for file in self.kind.files {
            match options.get(file.name) {
                Some(value) => self.add_file(file, value, &mut all)?,
                None if file.is_required => return Err(missing(file)),
                None => {}
            }
        }
        let behind = std::mem::take(&mut all.behind);
        all.words.extend(behind);
        self.check_required(options)?;
        Ok(all)
    }

    /// Arguments that are known by their place and are no files have to be there.
    fn check_required(&self, options: &Map<String, Value>) -> Result<(), PageFailure> {
        for (name, argument) in self.kind.option_names().map(names_of) {
            let known = self.command.argument(argument);
            let is_needed = known.is_some_and(|known| !known.is_option && known.required);
            if is_needed && !options.contains_key(name) {
                return Err(PageFailure::new(format!("{name}: a value was expected")));
            }
        }
        Ok(())
    }

    fn add_value(
        &self,
        name: &str,
        value: &Value,
        all: &mut CommandWords,
    ) -> Result<(), PageFailure> {
        let mut known = self.kind.option_names().map(names_of);
        let argument = known.find(|(known, _)| *known == name);
        let argument = argument.and_then(|(_, argument)| self.command.argument(argument));
        let argument = argument.ok_or_else(|| {
            PageFailure::new(format!("a job '{}' has no option '{name}'", self.kind.name))
        })?;
        if !argument.takes_value {
            if value_switch(name, value)? {
                all.words.push(format!("--{}", argument.name));
            }
            return Ok(());
        }
        let values = value_list(name, value)?;
        if values.len() != 1 && !argument.repeated {
            return Err(PageFailure::new(format!("{name}: one value was expected")));
        }
        for value in values {
            let text = value_text(name, value)?;
            check_engine_option(argument, &text)?;
            if argument.is_option {
                all.words.extend(option_words(&argument.name, text));
            } else if text.starts_with('-') {
                return Err(PageFailure::new(format!("{name}: '{text}' is no value")));
            } else {
                all.behind.push(text);
            }
        }
        Ok(())
    }

    fn add_file(
        &self,
        file: &KindFile,
        value: &Value,
        all: &mut CommandWords,
    ) -> Result<(), PageFailure> {
        let texts = match file.takes {
            JobTakes::Engine => vec![self.engine_of(file, value)?],
            JobTakes::Lines => {
                let text = value_lines(file.name, value)?.join("\n") + "\n";
                let written = self.folder.write(&format!("{}.txt", file.name), &text);
                vec![text_of(&written.map_err(|error| PageFailure::of(&error))?)]
            }
            _ => self.paths_of(file, value, all)?,
        };
        for text in texts {
            match file.place {
                FilePlace::Option => all.words.extend(option_words(file.argument, text)),
                FilePlace::Behind => all.behind.push(text),
            }
        }
        Ok(())
    }

    fn engine_of(&self, file: &KindFile, value: &Value) -> Result<String, PageFailure> {
        let name = value_text(file.name, value)?;
        (self.engine)(&name).ok_or_else(|| {
            let text = format!("{}: the server knows no engine '{name}'", file.name);
            PageFailure::new(text)
        })
    }

    fn paths_of(
        &self,
        file: &KindFile,
        value: &Value,
        all: &mut CommandWords,
    ) -> Result<Vec<String>, PageFailure> {
        let one = std::slice::from_ref(value);
        let values = match file.takes {
            JobTakes::Files => value_list(file.name, value)?,
            _ => one,
        };
        let mut paths = Vec::new();
        for value in values {
            let named = value_file(file.name, value)?;
            let path = self.path_of(file, &named)?;
            let text = text_of(&path);
            if !matches!(file.takes, JobTakes::NewFile | JobTakes::NewFolder) {
                all.reads.push(text.clone());
            }
            if writes(file.takes) {
                all.output.get_or_insert(named);
                all.writes.push(text.clone());
            }
            paths.push(text);
        }
        if paths.is_empty() {
            return Err(missing(file));
        }
        Ok(paths)
    }

    fn path_of(&self, file: &KindFile, named: &PageFile) -> Result<PathBuf, PageFailure> {
        let wrong = |what: &str| PageFailure::new(format!("{}: {what}", named.path));
        match file.takes {
            JobTakes::GrownFile => self.files.writable(named),
            JobTakes::NewFile => {
                let path = self.files.writable(named)?;
                let mut unfinished = UNFINISHED.iter().map(|end| beside(&path, end));
                if path.exists() && !unfinished.any(|path| path.exists()) {
                    return Err(wrong("exists: choose another name"));
                }
                Ok(path)
            }
            JobTakes::NewFolder => {
                let path = self.files.writable(named)?;
                if path.exists() {
                    return Err(wrong("exists: choose another name"));
                }
                Ok(path)
            }
            JobTakes::Folder => {
                let path = self.files.existing(named)?;
                path.is_dir()
                    .then_some(path)
                    .ok_or_else(|| wrong("is no folder"))
            }
            JobTakes::Files => self.files.existing(named),
            _ => {
                let path = self.files.existing(named)?;
                path.is_file()
                    .then_some(path)
                    .ok_or_else(|| wrong("is no file"))
            }
        }
    }
}

/// Returns whether an option names something that is written.
const fn writes(takes: JobTakes) -> bool {
    matches!(
        takes,
        JobTakes::NewFile | JobTakes::NewFolder | JobTakes::GrownFile
    )
}

fn text_of(path: &std::path::Path) -> String {
    text_of_name(path.as_os_str())
}

fn missing(file: &KindFile) -> PageFailure {
    let what = match file.takes {
        JobTakes::Engine => "an engine",
        JobTakes::Folder | JobTakes::NewFolder => "a folder",
        JobTakes::Files => "files",
        _ => "a file",
    };
    PageFailure::new(format!("{}: {what} was expected", file.name))
}

/// Refuses options of engines that may name files: `NAME=VALUE` is a plain word each.
fn check_engine_option(argument: &ArgumentDescription, text: &str) -> Result<(), PageFailure> {
    if argument.value.as_deref() != Some("NAME=VALUE") {
        return Ok(());
    }
    let is_plain = |text: &str, more: &str| {
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || more.contains(sign);
        !text.is_empty() && text.chars().all(is_sign)
    };
    let allowed = text.split_once('=').is_some_and(|(name, value)| {
        let lower = name.to_ascii_lowercase();
        let is_of_files = ["file", "dir", "log", "path"].iter();
        let mut is_of_files = is_of_files.map(|word| lower.contains(word));
        is_plain(name, "_") && is_plain(value, "_+-") && !is_of_files.any(|is_one| is_one)
    });
    if allowed {
        return Ok(());
    }
    let text = format!(
        "{}: '{text}': NAME=VALUE was expected, without files",
        argument.name
    );
    Err(PageFailure::new(text))
}
