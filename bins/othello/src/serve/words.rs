//! The words of the command line that a job is, of what a page asks.
//!
//! Values are checked by the command line itself. Files are named by a root and a path below it, never by a path of the machine.

use std::path::{Path, PathBuf};

use page_messages::PageFailure;
use serde_json::Value;
use serve::jobs::{
    JobFolder, JobPlan, JobRequest, value_file, value_lines, value_list, value_switch, value_text,
};
use yane_io::text_of_name;

use super::context::BookJobs;
use super::kinds::{FilesOf, JobKind, Takes};

/// The files of a command.
#[derive(Debug, Default)]
struct CommandFiles {
    reads: Vec<PathBuf>,
    writes: Vec<PathBuf>,
    words: Vec<String>,
}

impl CommandFiles {
    fn read(&mut self, path: PathBuf) {
        self.words.push(text_of_name(path.as_os_str()));
        self.reads.push(path);
    }

    fn write(&mut self, path: PathBuf) {
        self.words.push("-o".to_owned());
        self.words.push(text_of_name(path.as_os_str()));
        self.writes.push(path);
    }

    /// The same book is written.
    fn replace(&mut self, book: PathBuf) {
        self.write(book);
        self.words.push("--force".to_owned());
    }
}

/// The job that a request asks for.
pub(super) fn plan(
    jobs: &BookJobs,
    request: &JobRequest,
    folder: &JobFolder,
) -> Result<JobPlan, PageFailure> {
    let kind = JobKind::of(&request.kind)?;
    let mut options = request.options.clone();
    let [output, with] = ["output", "with"].map(|name| options.remove(name));
    let output = output.map(|output| new_file(jobs, &output)).transpose()?;
    let files = files_of(jobs, kind, request, output, with)?;
    let mut words = vec!["book".to_owned(), kind.command.to_owned()];
    words.extend(files.words);
    words.extend(kind.fixed.iter().map(ToString::to_string));
    let mut last = Vec::new();
    for (name, value) in &options {
        let takes = kind.takes(name);
        let takes = takes.ok_or_else(|| {
            PageFailure::new(format!("a job '{}' has no option '{name}'", kind.name))
        })?;
        let (named, behind) = option_words(name, takes, value, folder)?;
        words.extend(named);
        last.extend(behind);
    }
    words.extend(jobs.own_words(kind.lane, kind.command, options.contains_key("threads")));
    if !last.is_empty() {
        words.push("--".to_owned());
        words.extend(last);
    }
    let texts = |paths: &[PathBuf]| {
        let texts = paths.iter().map(|path| text_of_name(path.as_os_str()));
        texts.collect::<Vec<String>>()
    };
    let (reads, writes) = (texts(&files.reads), texts(&files.writes));
    let output = files.writes.first();
    Ok(JobPlan {
        command: yane_cli::shell::command_text("othello", &words),
        words,
        lane: kind.lane,
        reads,
        writes,
        output: output.and_then(|path| jobs.files.name_of(path)),
        program: None,
    })
}

/// The files of a command, and their words.
fn files_of(
    jobs: &BookJobs,
    kind: &JobKind,
    request: &JobRequest,
    output: Option<PathBuf>,
    with: Option<Value>,
) -> Result<CommandFiles, PageFailure> {
    let mut files = CommandFiles::default();
    let is_new = kind.files == FilesOf::Growing && output.is_some() && request.book.is_null();
    let book = if is_new {
        None
    } else {
        Some(book(jobs, &request.book)?)
    };
    if with.is_some() && kind.files != FilesOf::Merging {
        let text = format!("a job '{}' has no option 'with'", kind.name);
        return Err(PageFailure::new(text));
    }
    if output.is_some() && kind.files == FilesOf::Reading {
        let text = format!("a job '{}' has no option 'output'", kind.name);
        return Err(PageFailure::new(text));
    }
    if let Some(book) = &book {
        files.read(book.clone());
    }
    if kind.files == FilesOf::Merging {
        let with = with.ok_or_else(|| PageFailure::new("with: a file was expected"))?;
        files.read(jobs.files.existing(&value_file("with", &with)?)?);
    }
    match (kind.files, output, book) {
        (FilesOf::Reading, ..) => {}
        (FilesOf::Growing, None, Some(book)) => files.writes.push(book),
        (FilesOf::Changing | FilesOf::Merging, None, Some(book)) => files.replace(book),
        (_, Some(output), _) => files.write(output),
        (_, None, _) => return Err(PageFailure::new("output: a file was expected")),
    }
    Ok(files)
}

/// The book of a request: one that is open, by its name, or a file.
fn book(jobs: &BookJobs, book: &Value) -> Result<PathBuf, PageFailure> {
    match book {
        Value::String(name) => jobs.books.path_of(name),
        Value::Null => Err(PageFailure::new("book: a book was expected")),
        file => jobs.files.existing(&value_file("book", file)?),
    }
}

/// The path of a file that is to be made.
fn new_file(jobs: &BookJobs, value: &Value) -> Result<PathBuf, PageFailure> {
    let named = value_file("output", value)?;
    let path = jobs.files.writable(&named)?;
    // A run that was interrupted goes on with what it wrote.
    let is_begun = |path: &Path| yane_io::beside(path, ".state").exists();
    if path.exists() && !is_begun(&path) {
        let text = format!("{} exists: choose another name", named.path);
        return Err(PageFailure::new(text));
    }
    Ok(path)
}

/// The words of an option, and those that stand at the end.
fn option_words(
    name: &str,
    takes: Takes,
    value: &Value,
    folder: &JobFolder,
) -> Result<(Vec<String>, Option<String>), PageFailure> {
    let long = format!("--{name}");
    let named = |text: String| serve::jobs::option_words(name, text);
    Ok(match takes {
        Takes::Value => (named(value_text(name, value)?), None),
        Takes::Line => (named(line(name, value)?), None),
        Takes::LastLine => (Vec::new(), Some(line(name, value)?)),
        Takes::Switch if value_switch(name, value)? => (vec![long], None),
        Takes::Switch => (Vec::new(), None),
        Takes::MoreLines => {
            let texts = value_list(name, value)?
                .iter()
                .map(|value| line(name, value));
            let texts = texts.collect::<Result<Vec<_>, _>>()?;
            (texts.into_iter().flat_map(named).collect(), None)
        }
        Takes::File => {
            let lines = value_lines(name, value)?;
            let written = folder.write(&format!("{name}.txt"), &(lines.join("\n") + "\n"));
            let path = written.map_err(|error| PageFailure::of(&error))?;
            (vec![long, text_of_name(path.as_os_str())], None)
        }
    })
}

/// The text of a line: squares, or a board with its side to move. Anything else might be the name of a file.
fn line(name: &str, value: &Value) -> Result<String, PageFailure> {
    let text = value_text(name, value)?;
    let is_square = |pair: &[u8]| matches!(pair, [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8']);
    let is_moves = text.as_bytes().chunks(2).all(is_square);
    let is_board = text.is_ascii()
        && text.len() == 66
        && text[..64].chars().all(|sign| "XO-".contains(sign))
        && matches!(&text[64..], " X" | " O");
    if is_moves || is_board {
        return Ok(text);
    }
    let text = format!("{name}: moves such as f5d6, or 64 squares and a side, were expected");
    Err(PageFailure::new(text))
}
