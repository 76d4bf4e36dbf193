//! Programs as the work of jobs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use page_messages::{PageFailure, PageFiles};
use serde_json::{Value, json};
use serve::jobs::{
    JobEnd, JobFolder, JobKindInfo, JobLane, JobOptionInfo, JobPause, JobPlan, JobProgram,
    JobRequest, JobTakes, JobWork, ProgramDescription,
};
use yane_io::{Job, command_text, path_of_text, text_of_name};

use super::child::{FollowedProgram, ProgramEnd, ProgramSetup};
use super::describe::{ProgramError, ProgramFolder};
use super::kinds::{self, ProgramKind, names_of};
use super::words::WordContext;
use crate::watch::RunWatch;

/// The exit code of a program that was stopped.
const INTERRUPTED: i32 = 130;

/// The exit code of a program that found something, or failed.
const FINDINGS: i32 = 1;

/// The name of the engine that is in the programs.
const EMBEDDED: &str = "embedded";

/// Bytes of a report that pages are told.
const MOST_REPORT: usize = 256 << 10;

/// What programs stand on as jobs.
pub struct ProgramsSetup {
    /// The folder of the programs: that of the server's own program. A page never names one.
    pub programs: PathBuf,
    /// The files of the page.
    pub files: Arc<dyn PageFiles>,
    /// Engines that a page may choose: names, and the commands that they are.
    pub engines: Vec<(String, String)>,
    /// Threads of jobs that search, unless a page says otherwise.
    pub threads: Option<usize>,
    /// Where the runs of jobs are shown.
    pub runs: RunWatch,
}

/// Programs of this project as jobs of a page: makebook, gensfen, arena, yaneura and othello. Each job is a process, which writes its
/// events to a file of the list of jobs, takes requests from its standard input, and stops at a safe point when the server ends in
/// whatever way.
pub struct ProgramJobs {
    setup: ProgramsSetup,
    programs: Arc<ProgramFolder>,
}

impl ProgramJobs {
    /// The programs.
    pub fn new(setup: ProgramsSetup) -> Self {
        let programs = Arc::new(ProgramFolder::new(setup.programs.clone()));
        Self { setup, programs }
    }

    fn described(&self, kind: &ProgramKind) -> Result<ProgramDescription, ProgramError> {
        let described = self.programs.description(kind.program)?;
        let ProgramKind {
            program, command, ..
        } = kind;
        let found = described.command(command);
        let [program, command] = [program, command].map(|word| (*word).to_owned());
        let Some(found) = found else {
            return Err(ProgramError::Command { program, command });
        };
        if found.argument("events").is_none() {
            return Err(ProgramError::Events { program, command });
        }
        Ok(described)
    }

    /// What is wrong with the table of kinds, as far as it is about a program that says this of itself: for tests of the program.
    pub fn problems(description: &ProgramDescription) -> Vec<String> {
        let own = kinds::all().filter(|kind| kind.program == description.program);
        own.flat_map(|kind| kind.problems(description)).collect()
    }

    /// The command of an engine.
    fn engine(&self, kind: &ProgramKind, name: &str) -> Option<String> {
        if name == EMBEDDED {
            // For a match, engines are programs.
            let own = || text_of_name(self.programs.path_of("yaneura").as_os_str());
            let is_match = kind.program == "arena";
            return Some(if is_match { own() } else { name.to_owned() });
        }
        let mut engines = self.setup.engines.iter();
        let found = engines.find(|(known, _)| known == name)?;
        Some(found.1.clone())
    }

    fn info(&self, kind: &ProgramKind) -> JobKindInfo {
        let described = self.described(kind);
        let command = match &described {
            Ok(described) => described.command(kind.command),
            Err(_) => None,
        };
        let words = [kind.program, kind.command].join(" ");
        let mut options = Vec::new();
        if let Some(command) = command {
            for file in kind.files {
                let mut info = match command.argument(file.argument) {
                    Some(argument) => JobOptionInfo::of_argument(file.name, file.takes, argument),
                    None => JobOptionInfo::plain(file.name, file.takes, ""),
                };
                info.required = file.is_required;
                info.repeated = file.takes == JobTakes::Files;
                if file.takes == JobTakes::Engine {
                    let names = self.setup.engines.iter().map(|(name, _)| name.clone());
                    info.choices = std::iter::once(EMBEDDED.to_owned()).chain(names).collect();
                }
                options.push(info);
            }
            for (name, argument) in kind.option_names().map(names_of) {
                let Some(argument) = command.argument(argument) else {
                    continue;
                };
                let takes = if argument.takes_value {
                    JobTakes::Value
                } else {
                    JobTakes::Switch
                };
                let info = JobOptionInfo::of_argument(name, takes, argument);
                let is_needed = argument.required && !argument.is_option;
                options.push(if is_needed { info.required() } else { info });
            }
        }
        JobKindInfo {
            kind: kind.name.to_owned(),
            program: kind.program.to_owned(),
            command: words.trim_end().to_owned(),
            group: kind.group.to_owned(),
            lane: kind.lane,
            available: described.is_ok(),
            pause: kind.pause,
            help: command
                .map(|command| command.help.clone())
                .unwrap_or_default(),
            options,
            reason: described.err().map(|error| error.to_string()),
        }
    }
}

impl JobWork for ProgramJobs {
    fn plan(&self, request: &JobRequest, folder: &JobFolder) -> Result<JobPlan, PageFailure> {
        let kind = kinds::kind_of(&request.kind);
        let kind =
            kind.ok_or_else(|| PageFailure::new(format!("'{}' is no kind of job", request.kind)))?;
        let described = self
            .described(kind)
            .map_err(|error| PageFailure::new(error.to_string()))?;
        let command = described.command(kind.command).cloned().unwrap_or_default();
        let context = WordContext {
            kind,
            command: &command,
            files: &*self.setup.files,
            engine: &|name| self.engine(kind, name),
            folder,
        };
        let mut made = context.words(&request.options)?;
        let has_threads = command.argument("threads").is_some();
        if let Some(threads) = self.setup.threads.filter(|_| {
            has_threads && kind.lane == JobLane::Search && !request.options.contains_key("threads")
        }) {
            let at = kind.command.split_whitespace().count();
            let words = ["--threads".to_owned(), threads.to_string()];
            made.words.splice(at..at, words);
        }
        let checked = self.programs.check_usage(kind.program, &made.words);
        checked.map_err(|error| PageFailure::new(error.to_string()))?;
        let shown = command_text(kind.program, &made.words);
        if command.argument("json").is_some() {
            let at = kind.command.split_whitespace().count();
            made.words.insert(at, "--json".to_owned());
        }
        Ok(JobPlan {
            command: shown,
            words: made.words,
            lane: kind.lane,
            reads: made.reads,
            writes: made.writes,
            output: made.output,
            program: Some(JobProgram {
                name: kind.program.to_owned(),
                kind: kind.name.to_owned(),
                events: text_of_name(folder.path("events.jsonl").as_os_str()),
            }),
        })
    }

    fn check(&self, plan: &JobPlan) -> Result<(), PageFailure> {
        let outside = |path: &Path| {
            let text = format!("{} is in no folder that the page may use", path.display());
            Err(PageFailure::new(text))
        };
        for file in &plan.reads {
            let path = path_of_text(file);
            // A book that grows may not be there yet.
            let is_new = !path.exists() && plan.writes.contains(file);
            if !is_new && self.setup.files.name_of(&path).is_none() {
                return outside(&path);
            }
        }
        for file in &plan.writes {
            let path = path_of_text(file);
            let folder = yane_io::folder_of(&path);
            if self.setup.files.name_of(&folder).is_none() {
                return outside(&path);
            }
        }
        let program = plan.program.as_ref();
        let kind = program.and_then(|program| kinds::kind_of(&program.kind));
        let kind = kind.ok_or_else(|| PageFailure::new("it is no kind of job any more"))?;
        self.described(kind)
            .map(drop)
            .map_err(|error| PageFailure::new(error.to_string()))
    }

    fn run(&self, plan: &JobPlan, job: &Job) -> JobEnd {
        let failed = |text: String| JobEnd::Failed { text };
        let Some(program) = &plan.program else {
            return failed("it is no program".to_owned());
        };
        let events = path_of_text(&program.events);
        let mut command = Command::new(self.programs.path_of(&program.name));
        let words = plan.words.iter().map(|word| path_of_text(word));
        // Options of who follows stand where the program has all its own.
        let kind = kinds::kind_of(&program.kind);
        let depth = kind.map_or(0, |kind| kind.command.split_whitespace().count());
        let words: Vec<PathBuf> = words.collect();
        let (command_words, others) = words.split_at(depth.min(words.len()));
        command.args(command_words).arg("--events").arg(&events);
        command.args(["--control", "stdin"]).args(others);
        let setup = ProgramSetup {
            events: Some(events),
            output: None,
        };
        match FollowedProgram::start(command, setup).and_then(|run| run.follow(job)) {
            Ok(end) => end_of(kind, &end),
            Err(error) => failed(format!("{}: {error}", program.name)),
        }
    }

    fn written(&self, _: &Path) {}

    fn opened(&self, folder: &Path) {
        self.setup.runs.follow_jobs(folder);
        // The first page that asks need not wait for the programs.
        let programs = Arc::clone(&self.programs);
        let thread = std::thread::Builder::new().name("programs".to_owned());
        let _asked_later = thread.spawn(move || {
            for kind in kinds::all() {
                programs.description(kind.program).ok();
            }
        });
    }

    fn knows(&self, kind: &str) -> bool {
        kinds::kind_of(kind).is_some()
    }

    fn capabilities(&self) -> Vec<String> {
        vec!["programs".to_owned()]
    }

    fn kinds(&self) -> Vec<JobKindInfo> {
        kinds::all().map(|kind| self.info(kind)).collect()
    }
}

/// How a job ended, by how its program did.
fn end_of(kind: Option<&ProgramKind>, end: &ProgramEnd) -> JobEnd {
    let report = serde_json::from_str(&end.output).ok();
    let report =
        report.filter(|report: &Value| report.is_object() && end.output.len() <= MOST_REPORT);
    let has_findings = kind.is_some_and(|kind| kind.has_findings) && report.is_some();
    let last_error = end.errors.last().cloned();
    match end.status.code() {
        Some(0) => done(report),
        Some(FINDINGS) if has_findings => done(report),
        Some(INTERRUPTED) => {
            let counts = report.as_ref().map(summary);
            let text = counts.filter(|text| !text.is_empty()).or(last_error);
            let mut text = text.unwrap_or_else(|| "it can be resumed".to_owned());
            if kind.is_some_and(|kind| kind.pause == JobPause::Stop) {
                text = format!("stopped at a safe point; {text}");
            }
            JobEnd::Stopped { text }
        }
        code => {
            let told = end.error.clone();
            let lines = end.errors.join("\n");
            let text = told.or(Some(lines).filter(|lines| !lines.is_empty()));
            let text = text.unwrap_or_else(|| match code {
                Some(code) => format!("the program ended with the exit code {code}"),
                None => "the program was ended by the system".to_owned(),
            });
            JobEnd::Failed { text }
        }
    }
}

fn done(report: Option<Value>) -> JobEnd {
    JobEnd::Done {
        summary: report.as_ref().map(summary).unwrap_or_default(),
        result: report.map(|report| json!({ "report": report })),
    }
}

/// Numbers that a summary has.
const MOST_NUMBERS: usize = 4;

/// The first counts of a report, in a line.
fn summary(report: &Value) -> String {
    let fields = report.as_object().into_iter().flatten();
    let counts = fields.filter(|(_, value)| value.as_u64().is_some_and(|count| count > 0));
    let counts = counts.filter(|(name, _)| !["at", "pid"].contains(&name.as_str()));
    let counts: Vec<String> = counts
        .take(MOST_NUMBERS)
        .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
        .collect();
    counts.join(", ")
}
