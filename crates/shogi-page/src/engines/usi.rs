//! Engines that are programs: started when they are first asked, and again after they have failed.

use std::collections::BTreeMap;
use std::fmt;
use std::process::Command as Program;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use page_messages::{PageFailure, StopFlag};
use shogi_core::{Color, Game, Move, MoveText};
use shogi_usi::{BestMove, CheckMate, GoCommand, MateLimit, OptionKind, OptionSpec, Response};

use super::options::{checked, is_offered, option_value};
use super::usi_process::{Fault, Patience, Running};
use super::{
    Decided, EngineFields, EngineState, FoundLine, MateAnswer, MateLength, MateState,
    OptionChanges, PageEngine, Purpose, SearchTask, Told, Totals,
};

/// The time to wait for a move beyond the one that it may take.
const LATE: Duration = Duration::from_secs(10);

/// An engine as the command line or a file names it.
pub struct UsiSettings {
    /// The name by which requests choose it.
    pub label: String,
    /// Makes the command that starts it.
    pub command: Box<dyn Fn() -> Program + Send + Sync>,
    /// Options with their values; those that are relative paths are meant from the working folder.
    pub options: Vec<(String, String)>,
}

/// An engine that is a program.
pub struct UsiEngine {
    settings: UsiSettings,
    known: Mutex<Known>,
    /// The process; whoever searches has it.
    running: Mutex<Option<Running>>,
}

/// What is known of an engine without asking it.
struct Known {
    name: String,
    state: EngineState,
    note: Option<String>,
    options: Vec<OptionSpec>,
    /// Options that the page set, by names in lower case.
    chosen: BTreeMap<String, String>,
    /// Buttons to be pressed before the next search.
    pressed: Vec<String>,
    /// True if the next search is to know nothing of those before.
    forgets: bool,
}

impl fmt::Debug for UsiEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UsiEngine({})", self.settings.label)
    }
}

impl UsiEngine {
    /// An engine that is not started yet.
    pub fn new(settings: UsiSettings) -> Self {
        Self {
            known: Mutex::new(Known {
                name: settings.label.clone(),
                state: EngineState::Idle,
                note: None,
                options: Vec::new(),
                chosen: BTreeMap::new(),
                pressed: Vec::new(),
                forgets: false,
            }),
            settings,
            running: Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the process, which is started if there is none; one that fails is ended.
    fn with_process<T>(
        &self,
        stop: &StopFlag,
        work: impl FnOnce(&mut Running) -> Result<T, Fault>,
    ) -> Result<Option<T>, PageFailure> {
        let mut place = self.running();
        let done = self
            .process(&mut place, stop)
            .and_then(|()| match &mut *place {
                Some(running) => work(running),
                None => Err(Fault::Unwanted),
            });
        let fault = match done {
            Ok(done) => return Ok(Some(done)),
            // It is as good as before.
            Err(Fault::NoMates) => {
                return Err(self.failure(&Fault::NoMates));
            }
            Err(fault) => fault,
        };
        if matches!(fault, Fault::Unwanted) {
            // It may go on getting ready.
            return Ok(None);
        }
        *place = None;
        let mut known = self.known();
        known.state = EngineState::Failed;
        known.note = Some(fault.to_string());
        drop(known);
        match fault {
            // Whoever stopped it has what came before.
            Fault::DidNotStop => Ok(None),
            fault => Err(self.failure(&fault)),
        }
    }

    fn failure(&self, fault: &Fault) -> PageFailure {
        PageFailure::new(format!("{}: {fault}", self.settings.label))
    }

    /// Starts the process if there is none.
    fn process(&self, place: &mut Option<Running>, stop: &StopFlag) -> Result<(), Fault> {
        if place.is_some() {
            return Ok(());
        }
        let running = Running::start(&mut (self.settings.command)(), stop)?;
        let mut known = self.known();
        known.name.clone_from(&running.name);
        known.options.clone_from(&running.options);
        known.state = EngineState::Ready;
        known.note = self.unknown_options(&running);
        drop(known);
        *place = Some(running);
        Ok(())
    }

    /// What is to be said about options of the command line that the engine does not have.
    fn unknown_options(&self, running: &Running) -> Option<String> {
        let names = self.settings.options.iter().map(|(name, _)| name.as_str());
        let unknown: Vec<_> = names.filter(|name| !running.has_option(name)).collect();
        let unknown = unknown.join(", ");
        (!unknown.is_empty()).then(|| format!("it has no option {unknown}"))
    }

    /// Gets the process ready, with the options of a request.
    fn get_ready(
        &self,
        running: &mut Running,
        of_request: &[(&str, String)],
        stop: &StopFlag,
    ) -> Result<(), Fault> {
        let mut wanted = BTreeMap::new();
        for (name, value) in &self.settings.options {
            wanted.insert(name.to_ascii_lowercase(), value.clone());
        }
        let mut known = self.known();
        wanted.extend(known.chosen.clone());
        let pressed = std::mem::take(&mut known.pressed);
        if std::mem::take(&mut known.forgets) {
            running.forget();
        }
        drop(known);
        for name in pressed {
            running.press(&name)?;
        }
        for (name, value) in of_request {
            wanted.insert(name.to_ascii_lowercase(), value.clone());
        }
        running.get_ready(&wanted, stop)
    }
}

/// The options that a search sets.
fn options_of(task: &SearchTask<'_>) -> Vec<(&'static str, String)> {
    let is_considering = task.purpose == Purpose::Consider;
    let mut options = vec![
        ("MultiPV", task.lines.max(1).to_string()),
        ("ConsiderationMode", is_considering.to_string()),
    ];
    if let Purpose::Play(Some(level)) = task.purpose {
        options.push(("SkillLevel", level.to_string()));
    }
    if !task.uses_book || is_considering {
        options.push(("USI_OwnBook", "false".to_owned()));
    }
    options
}

/// How long to wait for the move of a search.
fn patience(task: &SearchTask<'_>) -> Patience {
    let limits = &task.limits;
    let of_clock = limits.clock.map(|clock| {
        let (time, increment) = match task.game.position().side_to_move() {
            Color::Black => (clock.btime, clock.binc),
            Color::White => (clock.wtime, clock.winc),
        };
        [time, increment, clock.byoyomi]
            .into_iter()
            .flatten()
            .sum::<Duration>()
    });
    let most = limits.time.or(of_clock).map(|time| time + LATE);
    Patience { most }
}

/// The legal move of an answer.
fn legal(game: &Game, text: MoveText) -> Result<Move, Fault> {
    let m = game.position().move_from_text(text);
    m.ok_or_else(|| Fault::Illegal(text.to_string()))
}

impl PageEngine for UsiEngine {
    fn label(&self) -> &str {
        &self.settings.label
    }

    fn fields(&self) -> EngineFields {
        let known = self.known();
        let value = |spec: &OptionSpec| {
            let lower = spec.name.to_ascii_lowercase();
            let is_it = |(name, _): &&(String, String)| name.eq_ignore_ascii_case(&spec.name);
            let by_command = || self.settings.options.iter().find(is_it);
            let chosen = known.chosen.get(&lower).cloned();
            chosen
                .or_else(|| by_command().map(|(_, value)| value.clone()))
                .unwrap_or_else(|| spec.kind.default_value().to_string())
        };
        let offered = known.options.iter().filter(|spec| is_offered(spec));
        EngineFields {
            engine: self.settings.label.clone(),
            name: known.name.clone(),
            kind: "usi",
            state: known.state,
            note: known.note.clone(),
            options: offered
                .map(|spec| option_value(spec, &value(spec)))
                .collect(),
            network: None,
        }
    }

    fn state(&self) -> EngineState {
        self.known().state
    }

    fn set_options(&self, changes: &OptionChanges) -> Result<(), PageFailure> {
        let mut known = self.known();
        if known.options.is_empty() && !changes.0.is_empty() {
            let label = &self.settings.label;
            return Err(PageFailure::new(format!(
                "{label}: its options are not known before it was started"
            )));
        }
        let mut read = Vec::new();
        for (name, value) in &changes.0 {
            let (spec, text) = checked(&known.options, name, value.as_deref())?;
            read.push((spec.clone(), value.as_ref().map(|_| text)));
        }
        for (spec, value) in read {
            let lower = spec.name.to_ascii_lowercase();
            match (spec.kind, value) {
                (OptionKind::Button, _) => known.pressed.push(spec.name),
                (_, Some(value)) => {
                    known.chosen.insert(lower, value);
                }
                (_, None) => {
                    known.chosen.remove(&lower);
                }
            }
        }
        Ok(())
    }

    fn clear(&self) {
        self.known().forgets = true;
    }

    fn prepare(&self, stop: &StopFlag) -> Result<(), PageFailure> {
        self.with_process(stop, |_| Ok(()))?;
        Ok(())
    }

    fn search(
        &self,
        task: &SearchTask<'_>,
        stop: &StopFlag,
        tell: &mut dyn FnMut(Told),
    ) -> Result<Decided, PageFailure> {
        let options = options_of(task);
        let best = self.with_process(stop, |running| {
            self.get_ready(running, &options, stop)?;
            let answer = |response| match response {
                None => {
                    tell(Told::Nothing);
                    None
                }
                Some(Response::Info(info)) => {
                    if let Some(line) = FoundLine::of_info(&info, task.game) {
                        tell(Told::Line(line));
                    }
                    tell(Told::Totals(Totals::of_info(&info)));
                    None
                }
                Some(Response::BestMove(best)) => Some(Ok(best)),
                Some(Response::Other(line)) if line.starts_with("bestmove") => {
                    let text = line.trim_start_matches("bestmove").trim();
                    Some(Err(Fault::Illegal(text.escape_debug().to_string())))
                }
                Some(_) => None,
            };
            let best = running.ask(task.game, &task.go(), &patience(task), stop, answer)??;
            Ok(match best {
                BestMove::Move { best, .. } => Decided::Move(legal(task.game, best)?),
                BestMove::Resign => Decided::Resign,
                BestMove::Win => Decided::Win,
            })
        })?;
        Ok(best.unwrap_or(Decided::Nothing))
    }

    fn mate(
        &self,
        game: &Game,
        time: Option<Duration>,
        stop: &StopFlag,
        tell: &mut dyn FnMut(MateState),
    ) -> Result<MateAnswer, PageFailure> {
        let go = GoCommand {
            mate: Some(time.map_or(MateLimit::Infinite, MateLimit::Time)),
            ..GoCommand::default()
        };
        let patience = Patience {
            most: time.map(|time| time + LATE),
        };
        let answer = self.with_process(stop, |running| {
            self.get_ready(running, &[], stop)?;
            let answer = |response| match response {
                Some(Response::Info(info)) => {
                    tell(MateState {
                        nodes: info.nodes.unwrap_or_default(),
                        elapsed: info.time.unwrap_or_default(),
                        found: None,
                    });
                    None
                }
                Some(Response::CheckMate(mate)) => Some(mate),
                // Some answer so to `stop`.
                Some(Response::BestMove(_)) => Some(CheckMate::Timeout),
                _ => None,
            };
            match running.ask(game, &go, &patience, stop, answer)? {
                CheckMate::Mate(line) => mate_line(game, &line),
                CheckMate::NoMate => Ok(MateAnswer::None),
                CheckMate::Timeout => Ok(MateAnswer::Unknown),
                CheckMate::NotImplemented => Err(Fault::NoMates),
            }
        })?;
        Ok(answer.unwrap_or(MateAnswer::Unknown))
    }
}

/// The moves of a mate, all of them legal.
fn mate_line(game: &Game, line: &[MoveText]) -> Result<MateAnswer, Fault> {
    let mut game = game.clone();
    let mut moves = Vec::new();
    for &text in line {
        let m = legal(&game, text)?;
        game.play_unchecked(m);
        moves.push(m);
    }
    Ok(MateAnswer::Mate(moves, MateLength::AtMost))
}
