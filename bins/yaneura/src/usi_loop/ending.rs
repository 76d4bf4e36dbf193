//! The end of the program: what `quit` and the end of the input wait for.
//!
//! Commands for people (`perft`, `bench`, `mate` …) print their result first, so that `printf 'go perft 5\nquit\n' | yaneura`
//! shows it. A search that a GUI has started is stopped and answers.

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use super::{END, Event, Flow, GO_ON, UsiLoop};
#[cfg(test)]
use crate::usi_loop::state::Patience;
use crate::usi_loop::state::is_word;
use crate::usi_loop::state::{Wait, is_end};

/// Longest wait for the answer to a `go mate` that the program ends with: most problems are solved by then.
const MOMENT: Duration = Duration::from_secs(1);

impl UsiLoop {
    /// Handles an event that may end the program; gives it back when it does not, or not yet.
    pub(super) fn end_of_program(&mut self, event: Event) -> Result<Flow, Event> {
        if !is_end(&event) {
            return Err(event);
        }
        let wait = match event {
            Event::End => self.patience.at_end,
            _ => self.patience.at_quit,
        };
        if self.is_search_ending() {
            match wait {
                Wait::No => {}
                Wait::Moment => self.wait_a_moment(),
                Wait::Whole => {
                    self.held.push_front(event);
                    self.waiting = true;
                    return Ok(GO_ON);
                }
            }
        }
        match event {
            Event::End => Ok(END),
            event => Err(event),
        }
    }

    /// Waits for the answer of the running search, but not long.
    fn wait_a_moment(&mut self) {
        let end = Instant::now() + MOMENT;
        while self.unanswered > 0 {
            let left = end.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(Event::SearchDone) => self.unanswered -= 1,
                Ok(Event::Line(line)) if is_word(&line, "stop") => self.stop(),
                Ok(Event::Terminated)
                | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
                // Nothing is carried out after the end.
                Ok(_) => {}
            }
        }
    }

    /// Keeps an event for later while a command has to answer first. `stop` and a second `quit` end what the program
    /// waits for to end.
    pub(super) fn hold(&mut self, event: Event) {
        let is_ending = self.held.front().is_some_and(is_end);
        match &event {
            Event::Line(line) if is_ending && (is_word(line, "stop") || is_word(line, "quit")) => {
                self.stop();
            }
            _ => self.held.push_back(event),
        }
    }

    /// Handles an event while a job is running: it prints its result before the program ends. `stop` ends it, and so does
    /// a second `quit`.
    pub(super) fn event_during_job(&mut self, event: Event) -> Flow {
        let is_quitting = || {
            let mut held = self.held.iter();
            held.any(|event| matches!(event, Event::Line(_)) && is_end(event))
        };
        match &event {
            Event::Line(line) if is_word(line, "stop") => {
                self.stop_job();
                return GO_ON;
            }
            Event::Line(line) if is_word(line, "quit") && is_quitting() => self.stop_job(),
            _ => {}
        }
        self.held.push_back(event);
        GO_ON
    }
}

#[cfg(test)]
mod tests {
    use crate::usi_loop::Source;

    use super::*;

    #[test]
    fn limited_mate_searches_outlast_the_input() {
        let end = |go: &str, source| Patience::for_mate(&go.parse().unwrap(), source).at_end;
        for limited in ["mate 1000", "mate movetime 5", "mate nodes 7"] {
            assert_eq!(end(limited, Source::Input), Wait::Whole, "{limited}");
        }
        assert_eq!(end("mate infinite", Source::Input), Wait::Moment);
        assert_eq!(end("mate", Source::Input), Wait::Moment);
        assert_eq!(end("mate infinite", Source::Queue), Wait::Whole);
    }

    #[test]
    fn ends_are_recognised() {
        let line = |text: &str| Event::Line(text.to_owned());
        assert!(is_end(&line("quit")) && is_end(&line("  quit now")) && is_end(&Event::End));
        assert!(!is_end(&line("quite")) && !is_end(&line("stop")) && !is_end(&Event::JobDone));
    }
}
