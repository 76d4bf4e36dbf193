//! Habits that the code is to be free of: text as an error, which nobody can match; booleans as arguments, of which a reader of the call
//! cannot see what they mean; messages of errors that tell their source, which whoever prints all causes tells once more;
//! and transparent errors around one of files, of which nobody can see among the causes that the work was interrupted.
//!
//! They are counted, and the counts may only become less: whoever mends some lowers the limit.

/// Most functions and types of libraries with `Result<_, String>`.
const MOST_TEXT_ERRORS: usize = 0;
/// Most public functions of libraries that take a boolean.
const MOST_BOOLEAN_ARGUMENTS: usize = 0;
/// Most errors whose message tells their source.
const MOST_REPEATED_SOURCES: usize = 0;
/// Most errors behind which an error of files is not found.
const MOST_HIDDEN_FILE_ERRORS: usize = 0;

/// How often the habits were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Habits {
    text_errors: usize,
    boolean_arguments: usize,
    repeated_sources: usize,
    hidden_file_errors: usize,
}

impl Habits {
    /// Counts those in a file of a library; what follows its tests is left out.
    pub(crate) fn add(&mut self, text: &str) {
        let code = code(text);
        self.text_errors += text_errors(&code);
        let functions = public_functions(&code);
        self.boolean_arguments += functions.filter(|function| takes_boolean(function)).count();
    }

    /// Counts the errors of a file, of a library or a program, whose message tells their source, and those that hide an error
    /// of files.
    pub(crate) fn add_messages(&mut self, text: &str) {
        let code = code(text);
        self.repeated_sources += repeated_sources(&code);
        self.hidden_file_errors += hidden_file_errors(&code);
    }

    /// What there is more of than there may be, a line each.
    pub(crate) fn findings(&self) -> Vec<String> {
        let mut findings = Vec::new();
        if self.text_errors > MOST_TEXT_ERRORS {
            findings.push(format!(
                "{} times Result<_, String> in libraries, at most {MOST_TEXT_ERRORS}: make an error type",
                self.text_errors
            ));
        }
        if self.boolean_arguments > MOST_BOOLEAN_ARGUMENTS {
            findings.push(format!(
                "{} public functions of libraries take a boolean, at most {MOST_BOOLEAN_ARGUMENTS}: make an enum, or two functions",
                self.boolean_arguments
            ));
        }
        if self.repeated_sources > MOST_REPEATED_SOURCES {
            findings.push(format!(
                "{} errors tell their source in their message, at most {MOST_REPEATED_SOURCES}: make the error transparent, or the \
                 cause a part of the message alone, without #[from] and #[source]",
                self.repeated_sources
            ));
        }
        if self.hidden_file_errors > MOST_HIDDEN_FILE_ERRORS {
            findings.push(format!(
                "{} transparent errors around a yane_io::Error, at most {MOST_HIDDEN_FILE_ERRORS}: write #[error(\"{{0}}\")], so that \
                 it is found among the causes",
                self.hidden_file_errors
            ));
        }
        findings
    }
}

/// The lines of a file before its tests, without comments and indents.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = code.unwrap_or_default().lines().map(str::trim_start);
    let lines = lines.filter(|line| !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// How many errors tell their source in their message.
fn repeated_sources(code: &str) -> usize {
    messages(code)
        .filter(|(message, fields)| {
            // A wrapper of it is looked through for a job that was cancelled.
            let is_wrapper = *message == "\"{0}\"" && fields.contains("yane_io::Error");
            !is_wrapper && source_of(fields).is_some_and(|source| tells(message, &source))
        })
        .count()
}

/// How many errors stand for an error of files, which is not among the causes then: only its own causes are.
fn hidden_file_errors(code: &str) -> usize {
    messages(code)
        .filter(|(message, fields)| *message == "transparent" && fields.contains("yane_io::Error"))
        .count()
}

/// The messages of errors, each with the fields of its variant or structure.
fn messages(code: &str) -> impl Iterator<Item = (&str, &str)> {
    let attributes = code.match_indices("#[error(");
    let messages = attributes.filter_map(|(at, found)| code[at + found.len()..].split_once(")]\n"));
    messages.map(|(message, behind)| (message, fields(behind)))
}

/// The fields of the variant or the structure that an attribute stands before, with their bracket.
fn fields(behind: &str) -> &str {
    let mut rest = behind;
    while rest.starts_with("#[") {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
    }
    let Some(begin) = rest.find(['(', '{', ',', ';', '}']) else {
        return "";
    };
    let mut depth = 0_usize;
    for (at, sign) in rest[begin..].char_indices() {
        match sign {
            '(' | '{' => depth += 1,
            ')' | '}' if depth <= 1 => return &rest[begin..begin + at],
            ')' | '}' => depth -= 1,
            _ if depth == 0 => return "",
            _ => {}
        }
    }
    ""
}

/// The name of the field that is the source, or its number.
fn source_of(fields: &str) -> Option<String> {
    let is_named = fields.starts_with('{');
    let attributes = ["#[from]", "#[source]"];
    let marked = attributes.iter().find_map(|&it| fields.split_once(it));
    let Some((before, behind)) = marked else {
        let names = fields.lines().map(|line| line.trim_start_matches("pub "));
        let has_source = is_named && { names }.any(|line| line.starts_with("source:"));
        return has_source.then(|| "source".to_owned());
    };
    if !is_named {
        return Some(before.matches(',').count().to_string());
    }
    let name = behind.trim_start().trim_start_matches("pub ");
    name.split(':').next().map(str::to_owned)
}

/// Returns whether a message has a field in it, in the text or among the arguments behind it.
fn tells(message: &str, field: &str) -> bool {
    let (_, arguments) = message.rsplit_once('"').unwrap_or_default();
    let is_other = |sign: char| !sign.is_alphanumeric() && sign != '_';
    message.contains(&format!("{{{field}}}"))
        || message.contains(&format!("{{{field}:"))
        || arguments.split(is_other).any(|word| word == field)
}

/// How often a `Result` has text as its error.
fn text_errors(code: &str) -> usize {
    let is_text = |(at, _): &(usize, &str)| {
        let mut depth = 0_usize;
        for (offset, c) in code[*at..].char_indices() {
            match c {
                '<' => depth += 1,
                '>' if code[..at + offset].ends_with('-') => {}
                '>' if depth == 1 => {
                    let inside = code[..at + offset].trim_end_matches([',', '\n']);
                    return inside.ends_with(", String") || inside.ends_with(",\nString");
                }
                '>' => depth -= 1,
                ';' | '{' if depth == 0 => return false,
                _ => {}
            }
        }
        false
    };
    code.match_indices("Result<").filter(is_text).count()
}

/// The signatures of public functions, up to what they return.
fn public_functions(code: &str) -> impl Iterator<Item = &str> {
    let starts = code
        .match_indices("pub fn ")
        .chain(code.match_indices("pub const fn "));
    starts.map(|(at, _)| {
        let rest = &code[at..];
        let end = rest.find(['{', ';']).unwrap_or(rest.len());
        let signature = &rest[..end];
        signature.split("\nwhere").next().unwrap_or(signature)
    })
}

/// Returns whether one of the arguments is a boolean.
fn takes_boolean(signature: &str) -> bool {
    [": bool,", ": bool)", ": bool\n"]
        .iter()
        .any(|end| signature.contains(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_are_counted_outside_of_tests() {
        let mut habits = Habits::default();
        habits.add(
            "/// As Result<u8, String>.\n\
             fn one() -> Result<Vec<(u8, String)>, String> {}\n\
             type Two = Result<(), String>;\n\
             fn three(f: impl Fn(u8) -> u8) -> Result<\n    u8,\n    String,\n> {}\n\
             fn none() -> Result<(u8, String), Error> {}\n\
             fn other() -> BTreeMap<u8, String> {}\n\
             pub fn new(quiet: bool) -> Self {}\n\
             pub const fn long(\n    self,\n    is_kept: bool,\n) {}\n\
             pub fn is_it(&self) -> bool {}\n\
             pub(crate) fn inner(quiet: bool) {}\n\
             #[cfg(test)]\nmod tests {\n    pub fn of_test(on: bool) -> Result<(), String> {}\n}\n",
        );
        let expected = Habits {
            text_errors: 3,
            boolean_arguments: 2,
            repeated_sources: 0,
            hidden_file_errors: 0,
        };
        assert_eq!(habits, expected);
        assert_eq!(Habits::default().findings(), [""; 0]);
        let many = Habits {
            text_errors: MOST_TEXT_ERRORS + 1,
            boolean_arguments: MOST_BOOLEAN_ARGUMENTS + 1,
            repeated_sources: MOST_REPEATED_SOURCES + 1,
            hidden_file_errors: MOST_HIDDEN_FILE_ERRORS + 1,
        };
        assert_eq!(many.findings().len(), 4);
    }

    #[test]
    fn messages_that_tell_their_source_are_counted() {
        let count = |text: &str| {
            let mut habits = Habits::default();
            habits.add_messages(text);
            habits.repeated_sources
        };
        for repeats in [
            "#[error(\"no thread: {0}\")]\nThread(#[from] io::Error),\n",
            "#[error(\"{0}\")]\nJson(#[from] serde_json::Error),\n",
            "#[error(\"{}: {source}\", path.display())]\nIo {\npath: PathBuf,\nsource: io::Error,\n},\n",
            "#[error(\"{}: byte {at}\", name(source))]\nByte { at: u64, #[source]\nsource: io::Error },\n",
            "#[error(\n\"{at}: {1:#}\"\n)]\n#[non_exhaustive]\nTwo(u64, #[source] Other),\n",
            "#[error(\"wrong: {cause}\")]\npub struct Wrong {\n/// Why.\n#[source]\npub cause: io::Error,\n}\n",
        ] {
            assert_eq!(count(repeats), 1, "{repeats}");
        }
        for once in [
            "#[error(transparent)]\nThread(#[from] io::Error),\n",
            "#[error(\"no thread\")]\nThread(#[from] io::Error),\n",
            "#[error(\"no thread: {0}\")]\nThread(io::Error),\n",
            "#[error(\"{0}\")]\nFile(#[from] yane_io::Error),\n",
            "#[error(\"{path}\")]\nIo {\npath: String,\nsource: io::Error,\n},\n",
            "#[error(\"nothing\")]\nNothing,\n#[error(\"{0}\")]\nOther(String),\n",
        ] {
            assert_eq!(count(once), 0, "{once}");
        }
    }

    #[test]
    fn transparent_errors_of_files_are_counted() {
        let count = |text: &str| {
            let mut habits = Habits::default();
            habits.add_messages(text);
            habits.hidden_file_errors
        };
        let hidden = "#[error(transparent)]\nFile(#[from] yane_io::Error),\n";
        assert_eq!(count(hidden), 1);
        let found = "#[error(\"{0}\")]\nFile(#[from] yane_io::Error),\n";
        assert_eq!(count(found), 0);
        let other = "#[error(transparent)]\nOther(#[from] OtherError),\n";
        assert_eq!(count(other), 0);
    }
}
