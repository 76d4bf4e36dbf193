//! `usi`, `isready` and `setoption`: name and options, evaluation, memory, book; and the files beside the program:
//! `startup_info.txt`, `engine_name.txt`, `engine_options.txt`, `engine_option_profile.txt`, `startup.txt`;
//! `eval_options.txt` beside the evaluation; files of commands, and logs.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use shogi_engine::{Preparation, Profile, Session, is_foreign_deep_option, parse_option_line};
use shogi_search::{ParamSpec, Params};
use shogi_usi::{Command, OptionError, OptionSpec, Response};
use yane_cli::program_folder;
use yane_io::{path_of_text, text_of_bytes};

use super::{Subject, UsiLoop};
use crate::error::LineError;
use crate::queries;
use crate::report::{report_book, report_evaluation};

impl UsiLoop {
    /// Answers `usi`.
    pub(super) fn introduce(&self) {
        let lines = engine_name();
        let line = |index: usize, default: &str| {
            let own = lines.get(index).filter(|line| !line.is_empty());
            own.map_or(default, String::as_str).to_owned()
        };
        let name = line(0, queries::version());
        self.output.respond(&Response::IdName(name));
        self.output
            .respond(&Response::IdAuthor(line(1, "the yaneura developers")));
        for spec in self.announced_options() {
            self.output.respond(&Response::Option(spec));
        }
        self.output.respond(&Response::UsiOk);
    }

    /// The options with the values of `engine_options.txt`, which will be fixed at `isready`. What is wrong in the file is told
    /// then.
    fn announced_options(&self) -> Vec<OptionSpec> {
        let mut options = self.session.options().clone();
        for (_, lines) in engine_options() {
            for (name, value) in lines.iter().filter_map(|line| parse_option_line(line)) {
                options.fix(name, value).ok();
            }
        }
        options.announced().collect()
    }

    /// Prepares for a game; reports when the table is smaller than asked for.
    pub(super) fn prepare(&mut self) {
        let output = &self.output;
        if self.session.is_busy() {
            return;
        }
        self.session
            .load_evaluation(|event| report_evaluation(output, &event));
        let settings = self.session.settings();
        let threads = if self.session.is_deep() {
            settings.deep_threads()
        } else {
            settings.threads()
        };
        let asked = settings.hash_mib();
        let plural = if threads == 1 { "" } else { "s" };
        output.say(&format!("Using {threads} thread{plural}"));
        if self.session.is_deep() {
            if self.session.prepare() == Preparation::Busy {
                return;
            }
        } else {
            output.say(&format!(
                "USI_Hash : Start clearing with {threads} threads , size =  {asked}[MB]"
            ));
            let Preparation::Fresh { hash_mib } = self.session.prepare() else {
                return;
            };
            if asked > hash_mib {
                output.error(&format!(
                    "no memory for USI_Hash {asked}; using {hash_mib} MiB"
                ));
            }
            output.say("USI_Hash : Finish clearing.");
        }
        self.subject = Subject::Game;
        if let Some(problem) = self.session.numa_problem() {
            output.error(&format!("{problem}; using auto"));
        }
        self.session.load_book(|event| report_book(output, &event));
    }

    /// Loads the evaluation if it is not up to date, as `isready` does.
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
        for (path, lines) in engine_options() {
            self.fix_options(&path, &lines);
        }
        if let Some((path, lines)) = beside_evaluation(&self.session) {
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
            // GUIs send every option; those in the file override them.
            Ok(()) | Err(OptionError::Fixed(_)) => {}
            Err(OptionError::Unknown { .. })
                if is_sent_to_every_engine(name) || is_foreign_deep_option(name) =>
            {
                self.output.say(&if is_other_model(name) {
                    format!("option {name} is left alone: all cards evaluate DNN_Model")
                } else {
                    format!("option {name} has no meaning here and is left alone")
                });
            }
            Err(error) => return Err(error.into()),
        }
        self.update_log();
        Ok(())
    }

    /// `NAME VALUE` and `NAME = VALUE`: sets the option and shows it. `None` when the first word is no option.
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

    /// Appends the parameters of the search to the log that `PARAMETERS_LOG_FILE_PATH` names, if it does: a game begins.
    pub(super) fn log_parameters(&self) -> Result<(), LineError> {
        self.log_for_tuning(|| {
            let params = self.session.search_params();
            let value = |spec: &ParamSpec| params.get(spec.name).unwrap_or(spec.default);
            let pairs = Params::SPECS.iter();
            let pairs: Vec<_> = pairs
                .map(|spec| format!("{}:{},", spec.name, value(spec)))
                .collect();
            pairs.concat()
        })
    }

    /// Appends the result of a game to the same log.
    pub(super) fn log_result(&self, result: &Command) -> Result<(), LineError> {
        self.log_for_tuning(|| result.to_string())
    }

    fn log_for_tuning(&self, line: impl FnOnce() -> String) -> Result<(), LineError> {
        match self.session.settings().parameters_log() {
            "" => Ok(()),
            name => append_line(name, &line()),
        }
    }

    /// Logs to the file that `DebugLogFile` names, if it names another one than before.
    fn update_log(&mut self) {
        let name = self.session.settings().debug_log().to_owned();
        if name == self.log_name {
            return;
        }
        self.log_name.clone_from(&name);
        let opened = (!name.is_empty()).then(|| open_log(&name)).transpose();
        match opened {
            Ok(file) => self.output.log_to(file),
            Err(error) => self.output.error(&error.to_line()),
        }
    }
}

/// Returns whether `name` is dlshogi's option for the network of another card than the first.
fn is_other_model(name: &str) -> bool {
    let (begin, number) = name.split_at_checked("DNN_Model".len()).unwrap_or_default();
    begin.eq_ignore_ascii_case("DNN_Model") && number.parse::<u32>().is_ok()
}

/// Returns whether GUIs send this option to every engine, announced or not.
fn is_sent_to_every_engine(name: &str) -> bool {
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

// Files beside the program: `startup_info.txt`, `engine_name.txt`, `engine_options.txt`,
// `engine_option_profile.txt`, `startup.txt`; `eval_options.txt` beside the evaluation; files of commands,
// and logs.

/// The lines of an optional file in the program's folder, and its path; `None` without the file.
pub(crate) fn beside_program(name: &str) -> Option<(PathBuf, Vec<String>)> {
    let path = program_folder().join(name);
    let text = fs::read(&path).ok()?;
    Some((path, lines(&text)))
}

/// The files `engine_options.txt` and their lines: beside the program, then in the working directory, whose values count.
pub(crate) fn engine_options() -> Vec<(PathBuf, Vec<String>)> {
    const NAME: &str = "engine_options.txt";
    let mut files: Vec<_> = beside_program(NAME).into_iter().collect();
    let here = Path::new(NAME);
    let place = |path: &Path| fs::canonicalize(path).ok();
    let is_known = files
        .first()
        .is_some_and(|(path, _)| place(path).is_some() && place(path) == place(here));
    if !is_known && let Ok(text) = fs::read(here) {
        files.push((here.to_owned(), lines(&text)));
    }
    files
}

/// The lines of `eval_options.txt` in the folder of the evaluation, and its path; `None` without the
/// file, or when the evaluation comes from no folder.
pub(crate) fn beside_evaluation(session: &Session) -> Option<(PathBuf, Vec<String>)> {
    let place = session.eval_place()?;
    let folder = if place.is_file() {
        place.parent()?
    } else {
        &place
    };
    let path = folder.join("eval_options.txt");
    let text = fs::read(&path).ok()?;
    Some((path, lines(&text)))
}

/// The lines of `engine_name.txt`: in the working directory, which GUIs set to the engine's folder as a rule,
/// else beside the program.
pub(crate) fn engine_name() -> Vec<String> {
    const NAME: &str = "engine_name.txt";
    fs::read(NAME)
        .map(|text| lines(&text))
        .or_else(|_| beside_program(NAME).map(|(_, lines)| lines).ok_or(()))
        .unwrap_or_default()
}

/// Opens a log, to be written at its end. A relative name is one in the program's folder.
pub(crate) fn open_log(name: &str) -> Result<File, LineError> {
    let path = program_folder().join(path_of_text(name));
    let opened = File::options().create(true).append(true).open(&path);
    opened.map_err(|reason: io::Error| LineError::Log { path, reason })
}

/// Appends a line to the file that `PARAMETERS_LOG_FILE_PATH` names, as YaneuraOu does where it is tuned. A relative name is one in
/// the working directory.
fn append_line(name: &str, line: &str) -> Result<(), LineError> {
    let opened = File::options()
        .create(true)
        .append(true)
        .open(path_of_text(name));
    // One write, so that engines of a match that share the file do not mix their lines.
    let written = opened.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    written.map_err(|reason| LineError::Log {
        path: name.into(),
        reason,
    })
}

/// The set of options about books that `engine_option_profile.txt` selects.
pub(crate) fn book_profile() -> Profile {
    let lines =
        beside_program("engine_option_profile.txt").map_or_else(Vec::new, |(_, lines)| lines);
    let says_v2 = |line: &String| {
        let line: String = line.split_ascii_whitespace().collect();
        ["BOOK_OPTIONS=V2", "BOOK_OPTIONS_V2"].contains(&line.as_str())
    };
    if lines.iter().any(says_v2) {
        Profile::V2
    } else {
        Profile::Classic
    }
}

/// The `EvalDir` in `engine_options.txt`, if there is one.
pub(crate) fn evaluation_folder() -> Option<String> {
    let lines = engine_options().into_iter().flat_map(|(_, lines)| lines);
    let mut folders = lines.filter_map(|line| {
        let (name, folder) = parse_option_line(&line)?;
        let is_named = name.eq_ignore_ascii_case("EvalDir");
        is_named.then(|| folder.to_owned())
    });
    folders.next_back()
}

/// The commands in a file, looked for in the working directory, then in the program's folder. Blank
/// lines and lines that begin with `#` are left out.
pub(crate) fn commands(name: &str) -> Result<Vec<String>, LineError> {
    let path = path_of_text(name);
    let text = fs::read(&path)
        .or_else(|error| fs::read(program_folder().join(&path)).map_err(|_| error))
        .map_err(|reason| LineError::File {
            path: name.to_owned(),
            reason,
        })?;
    Ok(lines(&text)
        .into_iter()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect())
}

/// Lines without surrounding blanks, of text in UTF-8 or UTF-16. A byte order mark is skipped, and names that are no UTF-8 are carried.
fn lines(text: &[u8]) -> Vec<String> {
    let text = yane_io::decode_text(text);
    let text = text_of_bytes(&text);
    text.lines().map(|line| line.trim().to_owned()).collect()
}
