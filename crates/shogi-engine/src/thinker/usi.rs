//! An engine process as a thinker.

use std::ffi::OsStr;
use std::process::Command as Program;
use std::time::{Duration, Instant};

use shogi_core::{Game, Move, MoveText};
use shogi_usi::client::{EngineError, EngineProcess};
use shogi_usi::{BestMove, GoCommand, Info, PositionCommand, PvItem};

use super::{Decision, ThinkError, ThinkLimits, Thinker, Thought, ThoughtLine};
use crate::PvEnd;

/// Interval of checking whether a running search is to be stopped.
const LOOK: Duration = Duration::from_millis(50);
/// Grace period of an engine beyond its time.
const GRACE: Duration = Duration::from_secs(10);

/// The set-up of an engine process.
#[derive(Clone, Debug)]
pub struct UsiSetup {
    /// Names and values to set before `isready`.
    pub options: Vec<(String, String)>,
    /// Time-out of `usiok` and `readyok`.
    pub patience: Duration,
}

impl Default for UsiSetup {
    /// No options; two minutes, as large networks take long to load.
    fn default() -> Self {
        Self {
            options: Vec::new(),
            patience: Duration::from_secs(120),
        }
    }
}

/// A USI engine as a thinker. Its book and its pondering are its own affair: set its options so that it
/// searches.
pub struct UsiThinker {
    process: EngineProcess,
    patience: Duration,
    lines: usize,
    told: Told,
    /// Its answers do not belong to its questions any more.
    broken: bool,
}

impl UsiThinker {
    /// Starts `program` and gets it ready.
    ///
    /// # Errors
    /// When it cannot be started, ends, or is not ready in time.
    pub fn start(program: impl AsRef<OsStr>, setup: &UsiSetup) -> Result<Self, ThinkError> {
        Self::start_command(&mut Program::new(program), setup)
    }

    /// [`Self::start`] for a program with arguments or a folder of its own.
    ///
    /// # Errors
    /// When it cannot be started, ends, or is not ready in time.
    pub fn start_command(command: &mut Program, setup: &UsiSetup) -> Result<Self, ThinkError> {
        let mut process = EngineProcess::spawn_command(command)?;
        process.handshake(setup.patience)?;
        for (name, value) in &setup.options {
            process.set_option(name, value)?;
        }
        process.get_ready(setup.patience)?;
        process.new_game()?;
        Ok(Self {
            process,
            patience: setup.patience,
            lines: 0,
            told: Told::default(),
            broken: false,
        })
    }

    /// The process, for what the protocol does not have.
    pub const fn process(&mut self) -> &mut EngineProcess {
        &mut self.process
    }

    /// Sends what is to be thought about.
    fn ask(&mut self, game: &Game, limits: &ThinkLimits) -> Result<(), EngineError> {
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

    /// Waits for the answer, stopping the engine when that is wanted.
    fn answer(&mut self, limits: &ThinkLimits) -> Result<BestMove, EngineError> {
        let told = &mut self.told;
        told.clear(limits.line_moves != Some(0));
        let mut deadline = limits.time.map(|time| Instant::now() + time + GRACE);
        let mut stopped = false;
        loop {
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            let wait = left.map_or(LOOK, |left| left.min(LOOK));
            match self.process.wait_text(wait, |text| told.note(text)) {
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
                    let _ = after.do_move(best);
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
        self.process.get_ready(self.patience)?;
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
        // Until there is an answer; an error leaves it so.
        self.broken = true;
        self.ask(game, limits)?;
        let best = self.answer(limits)?;
        self.broken = false;
        Ok(Thought {
            decision: self.decision(game, best, limits)?,
            lines: self.told.lines(game, limits.line_moves),
            nodes: self.told.nodes,
            elapsed: begin.elapsed(),
        })
    }
}

/// What an engine has told of a search. Only the latest line of each number counts, so moves are read when there
/// are no more.
#[derive(Default)]
struct Told {
    /// The latest line of each number; without a score where there is none.
    kept: Vec<Kept>,
    /// Whether moves will be asked for.
    keeps_moves: bool,
    nodes: u64,
}

/// A line that was told.
#[derive(Clone, Default)]
struct Kept {
    head: Info,
    /// All of it, if its moves will be asked for.
    text: String,
}

/// Most lines that are kept: no position has as many moves.
const MOST_LINES: usize = 600;

impl Told {
    /// Forgets everything, for lines whose moves will be asked for or not.
    fn clear(&mut self, keeps_moves: bool) {
        self.keeps_moves = keeps_moves;
        self.kept.iter_mut().for_each(|kept| kept.head.score = None);
        self.nodes = 0;
    }

    /// Takes what follows the word `info`.
    fn note(&mut self, text: &str) {
        let head = Info::parse_head(text);
        self.nodes = head.nodes.unwrap_or(self.nodes);
        let number = head.multi_pv.unwrap_or(1) as usize;
        let (Some(_), 1..=MOST_LINES) = (head.score, number) else {
            return;
        };
        if self.kept.len() < number {
            self.kept.resize(number, Kept::default());
        }
        let kept = &mut self.kept[number - 1];
        kept.head = head;
        kept.text.clear();
        if self.keeps_moves {
            kept.text.push_str(text);
        }
    }

    /// The lines from the current position of `game`, with so many moves at most.
    fn lines(&self, game: &Game, most: Option<usize>) -> Vec<ThoughtLine> {
        let read = |kept: &Kept| {
            let (pv, end) = match most {
                Some(0) => (Vec::new(), None),
                _ => moves(game, &Info::parse(&kept.text).pv, most),
            };
            Some(ThoughtLine {
                depth: kept.head.depth.unwrap_or(0),
                sel_depth: kept.head.sel_depth.unwrap_or(0),
                score: kept.head.score?,
                bound: kept.head.bound,
                pv,
                end,
            })
        };
        self.kept.iter().filter_map(read).collect()
    }
}

/// The moves of a line, as far as they are legal and so many at most, and its end if it comes before.
fn moves(game: &Game, line: &[PvItem], most: Option<usize>) -> (Vec<Move>, Option<PvEnd>) {
    let mut position = game.position().clone();
    let mut moves = Vec::with_capacity(line.len());
    for item in line.iter().take(most.unwrap_or(usize::MAX)) {
        match *item {
            PvItem::Move(text) => {
                let Some(m) = position.move_from_text(text) else {
                    break;
                };
                let _ = position.do_move(m);
                moves.push(m);
            }
            PvItem::Resign => return (moves, Some(PvEnd::Resign)),
            PvItem::Win => return (moves, Some(PvEnd::Win)),
            PvItem::Repetition(kind) => return (moves, Some(PvEnd::Repetition(kind))),
        }
    }
    (moves, None)
}
