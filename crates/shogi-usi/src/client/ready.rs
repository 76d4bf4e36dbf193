//! What an engine says while it gets ready: that something is wrong, and with which evaluation it plays.
//!
//! The protocol has no word for either. Engines say both in `info string` lines, in words of their own; the usual ones are
//! recognised here.

use super::EngineError;

/// Most lines that are kept.
const MAX_LINES: usize = 400;
/// Most characters that are kept of a line.
const MAX_CHARS: usize = 500;
/// Most lines about the evaluation that make its description.
const MAX_PARTS: usize = 3;

/// The lines that an engine wrote for people from its start, or since it was last ready, until `readyok`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadyReport {
    lines: Vec<String>,
}

impl ReadyReport {
    /// Keeps a line of the engine's output if it is for people.
    pub(super) fn add(&mut self, line: &str) {
        if self.lines.len() < MAX_LINES
            && let Some(text) = text_for_people(line)
        {
            // People see it: an engine's control characters must not reach their terminal.
            let visible = |letter: char| if letter.is_control() { ' ' } else { letter };
            self.lines
                .push(text.chars().take(MAX_CHARS).map(visible).collect());
        }
    }

    /// The lines, without the words `info string`.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The lines by which the engine says that something is wrong: those that begin with the word error or fatal, such as `Error! :
    /// nn.bin was not found`, and those with `Error!` anywhere.
    pub fn errors(&self) -> impl Iterator<Item = &str> {
        let lines = self.lines.iter().map(String::as_str);
        lines.filter(|line| is_error(line))
    }

    /// The evaluation with which the engine says that it plays, in its own words: the name that follows `evaluation :`, or else
    /// the lines about an evaluation, a network or a model. `None` when it says nothing about it.
    pub fn evaluation(&self) -> Option<String> {
        let told = || self.lines.iter().filter(|line| !is_error(line));
        let named = told().rev().find_map(|line| named_evaluation(line));
        if named.is_some() {
            return named;
        }
        let mut parts: Vec<&str> = Vec::new();
        for line in told().filter(|line| is_about_evaluation(line)) {
            if parts.len() < MAX_PARTS && !parts.contains(&line.as_str()) {
                parts.push(line);
            }
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Checks that the engine said of no error.
    ///
    /// # Errors
    /// [`EngineError::Reported`] with the lines by which it did.
    pub fn check(&self, engine: &str) -> Result<(), EngineError> {
        let lines: Vec<&str> = self.errors().collect();
        if lines.is_empty() {
            return Ok(());
        }
        Err(EngineError::Reported {
            engine: engine.to_owned(),
            words: lines.join("; "),
        })
    }
}

/// The text of an `info string` line, or of one that is outside of the protocol.
fn text_for_people(line: &str) -> Option<&str> {
    let line = line.trim();
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let text = match word {
        "info" => rest.trim_start().strip_prefix("string")?.trim_start(),
        "" | "id" | "option" | "usiok" | "readyok" | "bestmove" | "checkmate" => return None,
        _ => line,
    };
    let text = text.trim();
    (!text.is_empty()).then_some(text)
}

/// Returns whether a line says that something is wrong.
fn is_error(line: &str) -> bool {
    let lower = line.to_lowercase();
    let text = lower.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let first = text
        .split(|letter: char| !letter.is_alphanumeric())
        .next()
        .unwrap_or_default();
    matches!(first, "error" | "fatal") || text.starts_with("エラー") || lower.contains("error!")
}

/// The evaluation that a line `evaluation : …` names, without the time that loading took.
fn named_evaluation(line: &str) -> Option<String> {
    let (word, rest) = line.split_once(':')?;
    if !word.trim().eq_ignore_ascii_case("evaluation") {
        return None;
    }
    let is_time = |part: &&str| {
        let number = part.trim().strip_suffix("ms").unwrap_or_default().trim();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts = rest.split(',').filter(|part| !is_time(part));
    let text = parts.collect::<Vec<_>>().join(",");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns whether a line is about the evaluation, and not about the memory that it lies in.
fn is_about_evaluation(line: &str) -> bool {
    const WORDS: [&str; 14] = [
        "eval",
        "evaluation",
        "evaldir",
        "evalfile",
        "evaluate",
        "nnue",
        "nn",
        "network",
        "net",
        "model",
        "dnn",
        "onnx",
        "weights",
        "評価関数",
    ];
    let lower = line.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    let is_about = words.any(|word| WORDS.contains(&word)) || lower.contains("評価関数");
    is_about && !lower.contains("memory") && !lower.contains("large page")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(lines: &[&str]) -> ReadyReport {
        let mut report = ReadyReport::default();
        for line in lines {
            report.add(line);
        }
        report
    }

    #[test]
    fn errors_of_several_engines_are_recognised() {
        for line in [
            "info string Error! : failed to read eval/nn.bin",
            "info string Error!: no model",
            "info string Error : open evaluation file failed.",
            "info string ERROR: The network file nn.bin was not loaded successfully.",
            "info  string  error opening book",
            "info string [ERROR] cannot load",
            "info string Fatal: out of memory",
            "info string loading eval file Error! open failed",
            "Error! open evaluation file failed.",
            "info string エラー : 評価関数がありません",
        ] {
            let report = report(&["info string hello", line, "readyok"]);
            assert_eq!(report.errors().count(), 1, "{line}");
            let error = report.check("engine").unwrap_err().to_string();
            assert!(error.starts_with("engine says "), "{error}");
        }
        for line in [
            "info string loading eval file : eval/errors/nn.bin",
            "info string no errors",
            "info string Errors: 0",
            "info string terror",
            "option name Error type check default false",
            "id name Error!",
            "info depth 1 score cp 5",
            "info string",
            "",
        ] {
            report(&[line]).check("engine").unwrap();
        }
    }

    #[test]
    fn the_evaluation_is_what_the_engine_says() {
        let of = |lines: &[&str]| report(lines).evaluation();
        let own = [
            "info string loading eval file : net/nn.bin",
            "info string evaluation : halfkp_256x2-32-32, net/nn.bin, 61.0 MiB, 12 ms, FV_SCALE 16",
        ];
        let expected = "halfkp_256x2-32-32, net/nn.bin, 61.0 MiB, FV_SCALE 16";
        assert_eq!(of(&own).as_deref(), Some(expected));
        // Loaded again: the last one counts.
        let again = [own[1], "info string evaluation : positional"];
        assert_eq!(of(&again).as_deref(), Some("positional"));
        let peer = [
            "info string loading eval file : /x/eval/nn.bin",
            "info string loading eval file : /x/eval/nn.bin",
            "info string use non-shared eval memory.",
            "info string USI_Hash 16",
        ];
        assert_eq!(
            of(&peer).as_deref(),
            Some("loading eval file : /x/eval/nn.bin")
        );
        let chess = ["info string NNUE evaluation using nn-1.nnue"];
        assert_eq!(
            of(&chess).as_deref(),
            Some("NNUE evaluation using nn-1.nnue")
        );
        assert_eq!(of(&["info string Error! no eval file"]), None);
        assert_eq!(of(&["info string internet : off"]), None);
    }

    #[test]
    fn a_flood_is_cut() {
        let long = format!("info string {}", "x".repeat(100_000));
        let report = report(&vec![long.as_str(); 10_000]);
        assert_eq!(report.lines().len(), MAX_LINES);
        assert!(report.lines().iter().all(|line| line.len() == MAX_CHARS));
    }
}
