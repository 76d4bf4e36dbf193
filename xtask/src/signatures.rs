//! Habits of signatures that libraries are to lose: text as an error, which nobody can match, and booleans as arguments, of which
//! a reader of the call cannot see what they mean.
//!
//! Both are counted, and the counts may only become less: whoever mends some lowers the limit.

/// Most functions and types of libraries with `Result<_, String>`.
const MOST_TEXT_ERRORS: usize = 111;
/// Most public functions of libraries that take a boolean.
const MOST_BOOLEAN_ARGUMENTS: usize = 17;

/// How often the habits were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Habits {
    text_errors: usize,
    boolean_arguments: usize,
}

impl Habits {
    /// Counts those in a file; what follows its tests is left out.
    pub(crate) fn add(&mut self, text: &str) {
        let code = text.split("#[cfg(test)]\nmod tests {").next();
        let code = code.unwrap_or_default();
        let lines = code.lines().map(str::trim_start);
        let lines = lines.filter(|line| !line.starts_with("//"));
        let code: String = lines.flat_map(|line| [line, "\n"]).collect();
        self.text_errors += text_errors(&code);
        let functions = public_functions(&code);
        self.boolean_arguments += functions.filter(|function| takes_boolean(function)).count();
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
        findings
    }
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
        };
        assert_eq!(habits, expected);
        assert_eq!(Habits::default().findings(), [""; 0]);
        let many = Habits {
            text_errors: MOST_TEXT_ERRORS + 1,
            boolean_arguments: MOST_BOOLEAN_ARGUMENTS + 1,
        };
        assert_eq!(many.findings().len(), 2);
    }
}
