//! What has happened in a run so far, in bounded space: for followers who come late and cannot read all events.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

/// Events of a name that are kept: of more, every second one.
const MOST_OF_NAME: usize = 64;
/// Names that are kept apart.
const MOST_NAMES: usize = 64;
/// Failures that are kept: the last ones.
const MOST_FAILURES: usize = 50;
/// Values of a count that are kept apart.
const MOST_COUNTED: usize = 512;
/// Bytes of a line that is kept.
const MOST_LINE: usize = 64 << 10;
/// Bytes of all lines; of longer ones only the last of each name is kept.
const MOST_BYTES: usize = 400 << 10;

/// Events that are failures and remarks.
const FAILURES: [&str; 5] = ["failed", "closed", "given_up", "transient_error", "notice"];

/// Events that are counted, by the texts and numbers of these fields.
const COUNTED: [(&str, &[&str], &str); 2] = [
    ("game", &["result", "reason"], "plies"),
    ("position", &[], "depth"),
];

/// The events of a run so far: of events that show how it goes, some of each kind, the last one among them; of games and searches,
/// counts, as an event `counts`.
#[derive(Debug, Default)]
pub(crate) struct Digest {
    count: u64,
    kinds: BTreeMap<String, Vec<KeptLine>>,
    failures: VecDeque<KeptLine>,
    failed: u64,
    results: BTreeMap<&'static str, BTreeMap<String, u64>>,
    values: BTreeMap<&'static str, BTreeMap<u64, u64>>,
}

/// A line with its place in the order of all.
#[derive(Clone, Debug)]
struct KeptLine {
    at: u64,
    line: String,
}

impl Digest {
    /// Takes an event.
    pub(crate) fn take(&mut self, event: &Value) {
        self.count += 1;
        let name = event["event"].as_str().unwrap_or_default();
        if let Some((_, texts, number)) = COUNTED.iter().find(|(counted, ..)| *counted == name) {
            for text in *texts {
                if let Some(value) = event[*text].as_str() {
                    add(self.results.entry(text).or_default(), value.to_owned());
                }
            }
            if let Some(value) = event[*number].as_u64() {
                add(self.values.entry(number).or_default(), value);
            }
            return;
        }
        let line = event.to_string();
        if line.len() > MOST_LINE {
            return;
        }
        let line = KeptLine {
            at: self.count,
            line,
        };
        if FAILURES.contains(&name) {
            self.failed += u64::from(name != "notice");
            self.failures.push_back(line);
            if self.failures.len() > MOST_FAILURES {
                self.failures.pop_front();
            }
            return;
        }
        // Figures have names of their own.
        let figure = event["name"].as_str().filter(|_| name == "figure");
        let kind = figure.unwrap_or(name);
        if self.kinds.len() >= MOST_NAMES && !self.kinds.contains_key(kind) {
            return;
        }
        let lines = self.kinds.entry(kind.to_owned()).or_default();
        if name == "workers" && lines.len() > 1 {
            // Rates are between two.
            lines.remove(0);
        }
        lines.push(line);
        if lines.len() > MOST_OF_NAME {
            let mut n = 0;
            lines.retain(|_| {
                n += 1;
                n % 2 == 1
            });
        }
    }

    /// The events, a line each, in their order.
    pub(crate) fn text(&self) -> String {
        let mut lines: Vec<&KeptLine> = self.kinds.values().flatten().collect();
        if lines.iter().map(|line| line.line.len()).sum::<usize>() > MOST_BYTES {
            lines = self.kinds.values().filter_map(|of| of.last()).collect();
        }
        lines.extend(&self.failures);
        lines.sort_by_key(|line| line.at);
        let mut text = String::new();
        for line in lines {
            if text.len() + line.line.len() < MOST_BYTES {
                text.push_str(&line.line);
                text.push('\n');
            }
        }
        let counts = json!({"event": "counts", "failures": self.failed, "results": self.results, "values": self.value_pairs()});
        text + &format!("{counts}\n")
    }

    /// How often there was which value, by name.
    fn value_pairs(&self) -> BTreeMap<&str, Vec<(u64, u64)>> {
        let values = self.values.iter();
        let pairs = values.map(|(name, counts)| {
            let pairs = counts.iter().map(|(&value, &n)| (value, n));
            (*name, pairs.collect())
        });
        pairs.collect()
    }
}

/// Counts one more of a value, unless there are too many others.
fn add<T: Ord>(counts: &mut BTreeMap<T, u64>, value: T) {
    if counts.len() < MOST_COUNTED || counts.contains_key(&value) {
        *counts.entry(value).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(digest: &Digest) -> Vec<Value> {
        let text = digest.text();
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn a_long_run_takes_bounded_space_and_keeps_its_ends() {
        let mut digest = Digest::default();
        digest.take(&json!({"event": "run", "program": "gensfen"}));
        for n in 0..100_000 {
            digest.take(&json!({"event": "progress", "done": n}));
            digest.take(&json!({"event": "failed", "worker": n, "reason": "x".repeat(100)}));
            let result = if n % 4 == 0 { "draw" } else { "black" };
            digest.take(&json!({"event": "game", "result": result, "plies": n % 200}));
        }
        let lines = lines(&digest);
        assert_eq!(lines[0]["event"], "run");
        let progress: Vec<_> = lines
            .iter()
            .filter(|line| line["event"] == "progress")
            .collect();
        assert!((MOST_OF_NAME / 2..=MOST_OF_NAME).contains(&progress.len()));
        assert_eq!(progress[0]["done"], 0);
        let counts = lines.last().unwrap();
        assert_eq!(counts["results"]["result"]["draw"], 25_000);
        assert_eq!(counts["values"]["plies"][7], json!([7, 500]));
        assert_eq!(counts["failures"], 100_000);
        assert!(lines.len() < 200);
    }

    #[test]
    fn the_last_event_of_a_name_is_there() {
        let mut digest = Digest::default();
        for n in 0..1000 {
            digest.take(&json!({"event": "progress", "done": n}));
            let lines = lines(&digest);
            assert_eq!(lines[lines.len() - 2]["done"], n);
        }
        // Whatever they have.
        digest.take(&json!({"event": "end", "text": "x".repeat(1 << 20)}));
        for n in 0..200 {
            digest.take(&json!({"event": format!("e{n}"), "text": "x".repeat(60_000)}));
        }
        assert!(digest.text().len() < MOST_BYTES + 10_000);
    }
}
