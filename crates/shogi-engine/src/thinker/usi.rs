//! An engine process as a thinker.

use std::ffi::OsStr;
use std::process::Command as Program;
use std::time::{Duration, Instant};

use shogi_core::{Game, Move, MoveText};
use shogi_usi::client::{EngineError, EngineProcess, ReadyReport};
use shogi_usi::{BestMove, GoCommand, Info, PositionCommand, PvItem};

use super::{Decision, ThinkError, ThinkLimits, Thinker, Thought, ThoughtLine};
use crate::listener::PvEnd;

/// Interval of checking whether a running search is to be stopped.
const STOP_INTERVAL: Duration = Duration::from_millis(50);
/// Grace period of an engine beyond its time.
const GRACE: Duration = Duration::from_secs(10);

/// The set-up of an engine process.
#[derive(Clone, Debug)]
pub struct UsiSetup {
    /// Names and values to set before `isready`.
    pub options: Vec<(String, String)>,
    /// Names and values to set before them, if the engine has such options.
    pub presets: Vec<(String, String)>,
    /// Time-out of `usiok` and `readyok`.
    pub timeout: Duration,
    /// Time-out of a search that has no limit of time; without it a search may take any time.
    pub think_timeout: Option<Duration>,
    /// True if an engine is used that says of an error while it gets ready.
    pub allow_errors: bool,
}

impl Default for UsiSetup {
    /// No options; two minutes, as large networks take long to load; engines that say of no error.
    fn default() -> Self {
        Self {
            options: Vec::new(),
            presets: Vec::new(),
            timeout: Duration::from_secs(120),
            think_timeout: None,
            allow_errors: false,
        }
    }
}

/// A USI engine as a thinker. Set its options so that it searches: its own book would be used.
pub struct UsiThinker {
    process: EngineProcess,
    timeout: Duration,
    think_timeout: Option<Duration>,
    allow_errors: bool,
    /// The evaluation that the engine named when it was started.
    evaluation: Option<String>,
    lines: usize,
    reported: ReportedLines,
    /// It has failed: its answers may belong to earlier positions.
    broken: bool,
}

impl UsiThinker {
    /// Starts `program` and gets it ready. Values of options that are existing paths, as seen from the current directory, are made
    /// absolute ([`EngineProcess::set_user_option`]).
    ///
    /// # Errors
    /// When it cannot be started, ends, is not ready in time, or says of an error ([`EngineError::Reported`]).
    pub fn start(program: impl AsRef<OsStr>, setup: &UsiSetup) -> Result<Self, ThinkError> {
        Self::start_command(&mut Program::new(program), setup)
    }

    /// [`Self::start`] for a program with arguments or a folder of its own.
    ///
    /// # Errors
    /// See [`Self::start`].
    pub fn start_command(command: &mut Program, setup: &UsiSetup) -> Result<Self, ThinkError> {
        let mut process = EngineProcess::spawn_command(command)?;
        process.handshake(setup.timeout)?;
        for (name, value) in &setup.presets {
            if process.has_option(name) {
                process.set_option(name, value)?;
            }
        }
        for (name, value) in &setup.options {
            process.set_user_option(name, value)?;
        }
        let mut thinker = Self {
            process,
            timeout: setup.timeout,
            think_timeout: setup.think_timeout,
            allow_errors: setup.allow_errors,
            evaluation: None,
            lines: 0,
            reported: ReportedLines::default(),
            broken: false,
        };
        thinker.evaluation = thinker.get_ready()?.evaluation();
        thinker.process.new_game()?;
        Ok(thinker)
    }

    /// Gets the engine ready; what it says for people.
    fn get_ready(&mut self) -> Result<ReadyReport, EngineError> {
        let report = self.process.get_ready(self.timeout)?;
        if !self.allow_errors {
            report.check(self.process.name())?;
        }
        Ok(report)
    }

    /// The evaluation that the engine said it plays with when it was started, in its own words.
    pub fn evaluation(&self) -> Option<&str> {
        self.evaluation.as_deref()
    }

    /// The process, for commands outside of the protocol.
    pub const fn process(&mut self) -> &mut EngineProcess {
        &mut self.process
    }

    /// Sends the position and the limits.
    fn start_search(&mut self, game: &Game, limits: &ThinkLimits) -> Result<(), EngineError> {
        let lines = limits.lines.max(1);
        if self.lines != lines {
            self.process.set_option("MultiPV", &lines.to_string())?;
            self.lines = lines;
        }
        let ends = limits.depth.is_some() || limits.nodes.is_some() || limits.time.is_some();
        let go = GoCommand {
            depth: limits.depth,
            nodes: limits.nodes,
            movetime: limits.time,
            infinite: !ends,
            search_moves: limits
                .search_moves
                .iter()
                .map(|&m| MoveText::from(m))
                .collect(),
            ..GoCommand::default()
        };
        self.process.start_from(game, &go)
    }

    /// Waits for the answer; stops the engine when the stop flag is set.
    fn wait(&mut self, limits: &ThinkLimits) -> Result<BestMove, EngineError> {
        let reported = &mut self.reported;
        reported.clear(limits.line_moves != Some(0));
        let patience = limits.time.map(|time| time + GRACE);
        let patience = patience.or(self.think_timeout);
        let mut deadline = patience.and_then(|patience| Instant::now().checked_add(patience));
        let mut stopped = false;
        loop {
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            let wait = left.map_or(STOP_INTERVAL, |left| left.min(STOP_INTERVAL));
            match self.process.wait_text(wait, |text| reported.add(text)) {
                Ok(best) => return Ok(best),
                Err(EngineError::Timeout { .. }) if left.is_none_or(|left| left > wait) => {}
                Err(error) => return Err(error),
            }
            if !stopped && limits.is_stopped() {
                stopped = true;
                self.process.stop()?;
                deadline = Some(Instant::now() + GRACE);
            }
        }
    }

    fn decision(
        &self,
        game: &Game,
        best: BestMove,
        limits: &ThinkLimits,
    ) -> Result<Decision, ThinkError> {
        match best {
            BestMove::Resign => Ok(Decision::Resign),
            BestMove::Win => Ok(Decision::DeclareWin),
            BestMove::Move { best: text, ponder } => {
                let position = game.position();
                let illegal = || ThinkError::IllegalAnswer {
                    engine: self.process.name().to_owned(),
                    answer: best.to_string(),
                    position: PositionCommand::from_game(game).to_string(),
                };
                let best = position.move_from_text(text).ok_or_else(illegal)?;
                let wants_reply = limits.line_moves.is_none_or(|most| most > 1);
                let ponder = ponder.filter(|_| wants_reply).and_then(|text| {
                    let mut after = position.clone();
                    let _ = after.do_move_unchecked(best);
                    after.move_from_text(text)
                });
                Ok(Decision::Play { best, ponder })
            }
        }
    }
}

impl Thinker for UsiThinker {
    fn name(&self) -> &str {
        self.process.name()
    }

    fn new_game(&mut self) -> Result<(), ThinkError> {
        self.get_ready()?;
        Ok(self.process.new_game()?)
    }

    fn next_game(&mut self) -> Result<(), ThinkError> {
        Ok(self.process.new_game()?)
    }

    fn think(&mut self, game: &Game, limits: &ThinkLimits) -> Result<Thought, ThinkError> {
        if self.broken {
            return Err(ThinkError::Broken(self.process.name().to_owned()));
        }
        limits.check(game)?;
        let begin = Instant::now();
        // An error leaves it so.
        self.broken = true;
        self.start_search(game, limits)?;
        let best = self.wait(limits)?;
        self.broken = false;
        Ok(Thought {
            decision: self.decision(game, best, limits)?,
            lines: self.reported.thought_lines(game, limits.line_moves),
            visits: Vec::new(),
            nodes: self.reported.nodes,
            elapsed: begin.elapsed(),
        })
    }
}

/// The lines that an engine has reported of a search. Only the latest line of each number counts, so moves are parsed
/// at the end.
#[derive(Default)]
struct ReportedLines {
    /// The latest line of each number; without a score where there is none.
    lines: Vec<ReportedLine>,
    /// True if moves are needed.
    keeps_moves: bool,
    nodes: u64,
}

/// A reported line.
#[derive(Clone, Default)]
struct ReportedLine {
    head: Info,
    /// The whole text, if its moves are needed.
    text: String,
}

/// Most lines that are kept: no position has as many moves.
const MAX_LINES: usize = 600;

impl ReportedLines {
    /// Clears the lines; `keeps_moves` if the moves of the next ones are needed.
    fn clear(&mut self, keeps_moves: bool) {
        self.keeps_moves = keeps_moves;
        self.lines
            .iter_mut()
            .for_each(|line| line.head.score = None);
        self.nodes = 0;
    }

    /// Adds the line with this text after the word `info`.
    fn add(&mut self, text: &str) {
        let head = Info::parse_head(text);
        self.nodes = head.nodes.unwrap_or(self.nodes);
        let number = head.multi_pv.unwrap_or(1) as usize;
        let (Some(_), 1..=MAX_LINES) = (head.score, number) else {
            return;
        };
        if self.lines.len() < number {
            self.lines.resize(number, ReportedLine::default());
        }
        let line = &mut self.lines[number - 1];
        line.head = head;
        line.text.clear();
        if self.keeps_moves {
            line.text.push_str(text);
        }
    }

    /// The lines from the current position of `game`, with at most `most` moves.
    fn thought_lines(&self, game: &Game, most: Option<usize>) -> Vec<ThoughtLine> {
        let read = |line: &ReportedLine| {
            let (pv, end) = match most {
                Some(0) => (Vec::new(), None),
                _ => moves(game, &Info::parse(&line.text).pv, most),
            };
            Some(ThoughtLine {
                depth: line.head.depth.unwrap_or(0),
                sel_depth: line.head.sel_depth.unwrap_or(0),
                score: line.head.score?,
                bound: line.head.bound,
                pv,
                end,
            })
        };
        self.lines.iter().filter_map(read).collect()
    }
}

/// The legal moves of a line, at most `most`, and its end if that comes before.
fn moves(game: &Game, line: &[PvItem], most: Option<usize>) -> (Vec<Move>, Option<PvEnd>) {
    let mut position = game.position().clone();
    let mut moves = Vec::with_capacity(line.len());
    for item in line.iter().take(most.unwrap_or(usize::MAX)) {
        match *item {
            PvItem::Move(text) => {
                let Some(m) = position.move_from_text(text) else {
                    break;
                };
                let _ = position.do_move_unchecked(m);
                moves.push(m);
            }
            PvItem::Resign => return (moves, Some(PvEnd::Resign)),
            PvItem::Win => return (moves, Some(PvEnd::Win)),
            PvItem::Repetition(kind) => return (moves, Some(PvEnd::Repetition(kind))),
        }
    }
    (moves, None)
}
