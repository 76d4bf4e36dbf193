//! The runs of a file of events.

use crate::event::RunEvent;
use crate::state::RunState;

/// Runs of a file that are kept: the last ones.
const MOST_RUNS: usize = 100;

/// The runs of a stream of lines, in the order of their first events.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileRuns {
    runs: Vec<FileRun>,
    /// Runs without a name of their own, so far.
    unnamed: u64,
    /// Lines, damaged ones among them.
    pub(crate) lines: u64,
    /// Lines that are no events.
    pub(crate) damaged: u64,
}

/// A run of a file.
#[derive(Clone, Debug)]
pub(crate) struct FileRun {
    /// Its name in the file.
    pub(crate) name: String,
    has_own_name: bool,
    pub(crate) state: RunState,
    /// Counts its events.
    pub(crate) version: u64,
}

impl FileRuns {
    /// Takes a line. `now` is the time, where the line was written just now.
    pub(crate) fn take(&mut self, line: &[u8], now: Option<u64>) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        self.lines += 1;
        let Some(event) = RunEvent::parse(line) else {
            self.damaged += 1;
            return;
        };
        let at = event.at.or(now);
        let run = self.run_of(&event);
        run.version += 1;
        run.state.take(&event, at);
    }

    /// One run, of all lines that are shown of it, at a time (milliseconds since 1970). It is lost after so many milliseconds of silence.
    pub(crate) fn shown(name: &str, text: &[u8], at: u64, lost_after: u64) -> Self {
        let mut runs = Self::default();
        let mut state = RunState::lost_after(lost_after);
        for line in text.split(|&byte| byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            match RunEvent::parse(line) {
                Some(event) => state.take(&event, event.at.or(Some(at))),
                None => runs.damaged += 1,
            }
        }
        // The clocks of other machines may be wrong.
        state.seen = Some(at);
        runs.runs.push(FileRun {
            name: name.to_owned(),
            has_own_name: true,
            state,
            version: 0,
        });
        runs
    }

    /// The runs.
    pub(crate) fn runs(&self) -> &[FileRun] {
        &self.runs
    }

    /// The file begins anew: what comes without a name is of another run.
    pub(crate) fn restart(&mut self) {
        self.unnamed += 1;
    }

    /// The last event was written at a time (milliseconds since 1970).
    pub(crate) fn seen(&mut self, at: u64) {
        let last = self.runs.iter_mut().max_by_key(|run| run.state.seen);
        // Only of streams whose events have no time.
        if let Some(run) = last.filter(|run| !run.has_own_name && run.state.seen < Some(at)) {
            run.state.seen = Some(at);
        }
    }

    fn run_of(&mut self, event: &RunEvent) -> &mut FileRun {
        let at = match &event.run {
            Some(name) => {
                let mut known = self.runs.iter().rev();
                // Backwards: it is one of the last.
                known
                    .position(|run| run.has_own_name && run.name == *name)
                    .map(|back| self.runs.len() - 1 - back)
            }
            None => self.unnamed_run(event),
        };
        let at = at.unwrap_or_else(|| {
            self.add(event.run.clone());
            self.runs.len() - 1
        });
        &mut self.runs[at]
    }

    /// The run without a name that an event belongs to; `None` if it is the first of one.
    fn unnamed_run(&mut self, event: &RunEvent) -> Option<usize> {
        let current = self.unnamed.to_string();
        let mut known = self.runs.iter();
        let at = known.position(|run| !run.has_own_name && run.name == current)?;
        let has_ended = self.runs[at].state.ended.is_some();
        if event.name == "begin" && has_ended {
            self.unnamed += 1;
            return None;
        }
        Some(at)
    }

    fn add(&mut self, name: Option<String>) {
        if self.runs.len() >= MOST_RUNS {
            let ended = self.runs.iter().position(|run| run.state.ended.is_some());
            self.runs.remove(ended.unwrap_or_default());
        }
        let has_own_name = name.is_some();
        let name = name.unwrap_or_else(|| self.unnamed.to_string());
        self.runs.push(FileRun {
            name,
            has_own_name,
            state: RunState::default(),
            version: 0,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(lines: &[&str]) -> FileRuns {
        let mut runs = FileRuns::default();
        for line in lines {
            runs.take(line.as_bytes(), Some(5));
        }
        runs
    }

    #[test]
    fn a_file_may_have_several_runs_side_by_side() {
        let runs = taken(&[
            r#"{"event":"run","run":"a","at":1,"program":"gensfen"}"#,
            r#"{"event":"run","run":"b","at":2,"program":"arena"}"#,
            r#"{"event":"game","run":"a","at":3,"result":"black"}"#,
            r#"{"event":"end","run":"b","at":4,"state":"done"}"#,
        ]);
        let told = runs.runs().iter();
        let told: Vec<_> = told
            .map(|run| (&*run.name, run.state.ended, run.version))
            .collect();
        assert_eq!(told, [("a", None, 2), ("b", Some("done"), 2)]);
    }

    #[test]
    fn streams_without_names_end_and_begin() {
        let runs = taken(&[
            r#"{"event":"begin","workers":1}"#,
            r#"{"event":"begin","workers":1}"#,
            r#"{"event":"end","complete":false}"#,
            r#"{"event":"begin","workers":1}"#,
            "",
            "what",
        ]);
        let ended: Vec<_> = runs.runs().iter().map(|run| run.state.ended).collect();
        assert_eq!(ended, [Some("stopped"), None]);
        assert_eq!((runs.lines, runs.damaged), (5, 1));
        assert_eq!(runs.runs()[1].state.seen, Some(5));
    }

    #[test]
    fn the_last_runs_are_kept_and_those_that_work() {
        let mut runs = taken(&[r#"{"event":"run","run":"old"}"#]);
        for n in 0..1000 {
            runs.take(
                format!(r#"{{"event":"end","run":"r{n}"}}"#).as_bytes(),
                None,
            );
        }
        assert_eq!(runs.runs().len(), MOST_RUNS);
        assert_eq!(runs.runs()[0].name, "old");
        assert_eq!(runs.runs()[MOST_RUNS - 1].name, "r999");
    }
}
