//! Getting ready: name and options, evaluation, memory, book, and the files that set options.

use std::path::Path;

use shogi_engine::{Preparation, parse_option_line};
use shogi_usi::{OptionError, Response};

use super::UsiLoop;
use super::position::Subject;
use crate::error::LineError;
use crate::report::{report_book, report_evaluation};
use crate::{files, queries};

impl UsiLoop {
    /// Answers `usi`.
    pub(super) fn introduce(&self) {
        let lines = files::engine_name();
        let line = |index: usize, default: &str| {
            let own = lines.get(index).filter(|line| !line.is_empty());
            own.map_or(default, String::as_str).to_owned()
        };
        let name = line(0, queries::version());
        self.output.respond(&Response::IdName(name));
        self.output
            .respond(&Response::IdAuthor(line(1, "the yaneura developers")));
        for (spec, _) in self.session.options().iter() {
            self.output.respond(&Response::Option(spec.clone()));
        }
        self.output.respond(&Response::UsiOk);
    }

    /// Gets ready for a game; says so when the table is smaller than asked for.
    pub(super) fn prepare(&mut self) {
        let output = &self.output;
        if self.session.is_busy() {
            return;
        }
        self.session
            .load_evaluation(|event| report_evaluation(output, &event));
        let options = self.session.options();
        let (threads, asked) = (options.spin("Threads"), options.spin("USI_Hash"));
        let plural = if threads == 1 { "" } else { "s" };
        output.say(&format!("Using {threads} thread{plural}"));
        output.say(&format!(
            "USI_Hash : Start clearing with {threads} threads , size =  {asked}[MB]"
        ));
        let Preparation::Fresh { hash_mib } = self.session.prepare() else {
            return;
        };
        self.subject = Subject::Game;
        if asked > hash_mib as i64 {
            output.error(&format!(
                "no memory for USI_Hash {asked}; using {hash_mib} MiB"
            ));
        }
        if let Some(problem) = self.session.numa_problem() {
            output.error(&format!("{problem}; using auto"));
        }
        output.say("USI_Hash : Finish clearing.");
        self.session.load_book(|event| report_book(output, &event));
    }

    /// Loads the evaluation before anything needs it, as `isready` would have done.
    pub(super) fn update_evaluation(&mut self) {
        if self.session.needs_evaluation() {
            self.apply_option_files();
            let output = &self.output;
            self.session
                .load_evaluation(|event| report_evaluation(output, &event));
        }
    }

    /// Fixes the options named in `engine_options.txt`, then those in the `eval_options.txt` of the
    /// evaluation folder: the last one counts, and of that file only while it is the one.
    pub(super) fn apply_option_files(&mut self) {
        for name in std::mem::take(&mut self.fixed_by_evaluation) {
            // It was fixed, so it exists.
            self.session.release_option(&name).ok();
        }
        if let Some((path, lines)) = files::beside_program("engine_options.txt") {
            self.fix_options(&path, &lines);
        }
        if let Some((path, lines)) = files::beside_evaluation(&self.session) {
            self.fixed_by_evaluation = self.fix_options(&path, &lines);
        }
        self.update_log();
    }

    /// Fixes the options in the lines of a file; returns their names.
    fn fix_options(&mut self, path: &Path, lines: &[String]) -> Vec<String> {
        let output = &self.output;
        output.say(&format!("read engine options, path = {}", path.display()));
        let mut names = Vec::new();
        for (name, value) in lines.iter().filter_map(|line| parse_option_line(line)) {
            match self.session.fix_option(name, value) {
                Ok(()) => {
                    output.say(&format!(
                        "engine option override. name = {name} , value = {value}"
                    ));
                    names.push(name.to_owned());
                }
                Err(error) => output.error(&LineError::from(error).to_line()),
            }
        }
        names
    }

    /// Sets an option as a GUI does.
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), LineError> {
        match self.session.set_option(name, value) {
            // GUIs send every option; those in the file are meant to win.
            Ok(()) | Err(OptionError::Fixed(_)) => {}
            Err(OptionError::Unknown { .. }) if is_of_the_protocol(name) => {
                self.output.say(&format!(
                    "option {name} has no meaning here and is left alone"
                ));
            }
            Err(error) => return Err(error.into()),
        }
        self.update_log();
        Ok(())
    }

    /// `NAME VALUE` and `NAME = VALUE`, as people type it: sets the option and shows it. `None` when the
    /// first word names no option.
    pub(super) fn set_by_name(&mut self, line: &str) -> Option<Result<(), LineError>> {
        let (name, value) = parse_option_line(line)?;
        self.session.options().get(name)?;
        // Unlike those of a file, values may have blanks.
        let rest = line.trim_start().strip_prefix(name).unwrap_or_default();
        let rest = rest.trim();
        let rest = rest.strip_prefix('=').map_or(rest, str::trim_start);
        let value = if rest.is_empty() { value } else { rest };
        let set = self.set_option(name, Some(value));
        Some(set.and_then(|()| {
            let line = self.option_values(Some(name))?;
            self.output.line(line);
            Ok(())
        }))
    }

    /// Logs to the file that `DebugLogFile` names, if it names another one than before.
    fn update_log(&mut self) {
        let name = self.session.options().text("DebugLogFile").to_owned();
        if name == self.log_name {
            return;
        }
        self.log_name.clone_from(&name);
        let opened = (!name.is_empty())
            .then(|| files::open_log(&name))
            .transpose();
        match opened {
            Ok(file) => self.output.log_to(file),
            Err(error) => self.output.error(&error.to_line()),
        }
    }
}

/// Whether GUIs send this option to every engine, asked for or not.
fn is_of_the_protocol(name: &str) -> bool {
    const NAMES: [&str; 8] = [
        "USI_Variant",
        "UCI_Variant",
        "USI_AnalyseMode",
        "UCI_AnalyseMode",
        "USI_ShowCurrLine",
        "USI_ShowRefutations",
        "USI_LimitStrength",
        "USI_Strength",
    ];
    NAMES.iter().any(|own| own.eq_ignore_ascii_case(name))
}
