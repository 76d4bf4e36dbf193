//! Tuning of parameters by games: the games of each iteration, checkpoints after each, and the closing match.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use farm::RunControl;
use farm::queue::Queue;
use yane_io::{AtomicFile, RunIdentity, RunLock};

use crate::chart::path_page;
use crate::contents::RunContents;
use crate::engine::EngineSpec;
use crate::error::Result;
use crate::event::{RunNote, TuneEvent};
use crate::game::{Conditions, PlayedGame};
use crate::matches::{MatchPlan, Pairing, TunedPlayers};
use crate::params::{ParamsFile, TunedParameter};
use crate::parts::PartDesign;
use crate::play::{GameRun, Place, TaskSource};
use crate::player::MoveLimit;
use crate::rotation::{OptionSet, RoundRotation};
use crate::rules::{GameName, Openings, PlayerColor, RuleBook};
use crate::score::GamePoints;
use crate::spsa::{Perturbation, TuneMethod, TuneSettings, TuneState};
use crate::task::{GameSchedule, GameSetup, GameTask, TaskError};
use crate::values::ValueLog;

/// A tuning. Engines 0 and 1 of the team are the engine that is tuned; engine 2 is the base opponent, if there is one.
#[derive(Clone, Debug)]
pub struct TunePlan {
    /// The engine that is tuned.
    pub engine: EngineSpec,
    /// The parameters that are tuned.
    pub parameters: Vec<TunedParameter>,
    /// The opponent; without one the engine plays itself, with values moved the other way.
    pub base: Option<EngineSpec>,
    /// Number of iterations of the whole work.
    pub iterations: usize,
    /// Pairs of games in each, for either player.
    pub pairs: u32,
    /// The method.
    pub method: TuneMethod,
    /// Seed of directions and roundings.
    pub seed: u64,
    /// The limit of moves, before the scale of an engine.
    pub limit: MoveLimit,
    /// What pairs of games take in turn.
    pub rotation: RoundRotation,
    /// The openings.
    pub openings: Openings,
    /// The openings in words.
    pub openings_text: String,
    /// What all games have in common.
    pub conditions: Conditions,
    /// The most games that are handed out over a queue and not finished.
    pub ahead: usize,
}

/// The files of a tuning.
#[derive(Clone, Debug, Default)]
pub struct TuneFiles {
    /// The checkpoint, written after each iteration.
    pub state: PathBuf,
    /// A file of parameters, and where it is written back; there as well if `None`.
    pub params: Option<(ParamsFile, Option<PathBuf>)>,
    /// The page with the path of each parameter.
    pub html: Option<PathBuf>,
    /// The log of values and results, game by game.
    pub values: Option<PathBuf>,
}

impl TunePlan {
    /// All that decides the course of the tuning. Values and rates of its parameters may change.
    fn identity(&self) -> RunIdentity {
        let settings = self.settings();
        let mut identity = RunIdentity::new("arena tune 2")
            .with("iterations", settings.iterations)
            .with("pairs", settings.pairs)
            .with("seed", settings.seed)
            .with("limit", &settings.limit)
            .with("method", format!("{:?}", settings.method))
            .with("base", settings.base.as_deref().unwrap_or("none"))
            .with("openings", self.openings.identity());
        let base = self.base.iter().map(|base| ("contents of the base", base));
        for (name, engine) in std::iter::once(("contents of the engine", &self.engine)).chain(base)
        {
            identity.push(name, engine.contents().join(", "));
        }
        self.add_parameters(&mut identity);
        identity
    }

    /// Adds the parameters, without their values and rates.
    fn add_parameters(&self, identity: &mut RunIdentity) {
        for parameter in &self.parameters {
            let TunedParameter {
                name,
                kind,
                min,
                max,
                ..
            } = parameter;
            identity.push(
                &format!("parameter {name}"),
                format!("{kind:?} {min}..{max}"),
            );
        }
    }

    /// The settings that a checkpoint has.
    pub fn settings(&self) -> TuneSettings {
        let describe = |base: &EngineSpec| {
            let options = base.option_texts().join(" ");
            format!("{} {options} x{}", base.program, base.scale)
        };
        TuneSettings {
            iterations: self.iterations,
            pairs: self.pairs,
            seed: self.seed,
            limit: format!("{}{}", self.limit, self.rotation),
            base: self.base.as_ref().map(describe),
            method: self.method,
        }
    }

    /// The engines of the team.
    pub fn team(&self) -> Vec<EngineSpec> {
        let named = |spec: &EngineSpec, name: &str| EngineSpec {
            name: Some(name.to_owned()),
            ..spec.clone()
        };
        let mut engines = vec![named(&self.engine, "tuned"), named(&self.engine, "start")];
        engines.extend(self.base.as_ref().map(|base| named(base, "base")));
        engines
    }

    /// The queues at the server `url` by which machines share the games: of the tuning, and of its closing match.
    pub fn queues(&self, url: &str) -> [Queue; 2] {
        let engines: Vec<_> = self
            .team()
            .iter()
            .map(|engine| (engine.option_texts(), engine.scale.to_bits()))
            .collect();
        let TuneSettings {
            iterations,
            pairs,
            seed,
            limit,
            method,
            ..
        } = self.settings();
        let of = |kind: &str| {
            let mut identity = RunIdentity::new(kind)
                .with("iterations", iterations)
                .with("pairs", pairs)
                .with("seed", seed)
                .with("limit", &limit)
                .with("method", format!("{method:?}"))
                .with("openings", self.openings.identity())
                .with("conditions", format!("{:?}", self.conditions))
                .with("engines", format!("{engines:?}"));
            self.add_parameters(&mut identity);
            Queue::new(url, &identity.to_string())
        };
        [of("arena tune 2"), of("closing match of arena tune 2")]
    }

    /// The pairs of engines that meet with each opening.
    const fn pairings(&self) -> &'static [[usize; 2]] {
        match (&self.base, self.method) {
            (None, _) => &[[0, 1]],
            (Some(_), TuneMethod::Spsa) => &[[0, 2], [1, 2]],
            (Some(_), TuneMethod::Sample { .. }) => &[[0, 2]],
        }
    }

    /// Games of an iteration.
    const fn games(&self) -> usize {
        2 * self.pairings().len() * self.pairs as usize
    }

    /// The iteration of a game.
    const fn iteration(&self, number: u64) -> usize {
        (number / self.games() as u64) as usize
    }

    /// The numbers of the engines that are black and white in a game.
    fn players(&self, number: u64) -> [usize; 2] {
        let pairings = self.pairings();
        let mut players = pairings[(number / 2) as usize % pairings.len()];
        if !number.is_multiple_of(2) {
            players.reverse();
        }
        players
    }

    /// The games of an iteration, in order.
    fn tasks(&self, perturbation: &Perturbation) -> Vec<GameTask> {
        let first = (perturbation.iteration * self.games()) as u64;
        let task = |number| GameTask {
            number,
            values: perturbation.values.clone(),
        };
        (first..first + self.games() as u64).map(task).collect()
    }

    fn scale(&self, player: usize) -> f64 {
        match (player, &self.base) {
            (2, Some(base)) => base.scale,
            _ => self.engine.scale,
        }
    }

    /// The match of the engine with the tuned values against the same with the values at the start, by which one sees
    /// whether they help. The team of the tuning can play it.
    pub fn closing_match(&self, parameters: &[TunedParameter], games: u64) -> MatchPlan {
        let values = |value: fn(&TunedParameter) -> f64| {
            let values = parameters.iter();
            values.map(|it| it.value_of(value(it))).collect()
        };
        let mut engines = self.team();
        engines.truncate(2);
        // Other openings than those that tuning met first.
        let (openings, openings_text) = match &self.openings {
            Openings::Random { seed, plies } => {
                let seed = seed ^ 0x0063_6c6f_7369_6e67;
                let text = format!("{plies} random plies, seed {seed}");
                (
                    Openings::Random {
                        seed,
                        plies: *plies,
                    },
                    text,
                )
            }
            listed @ Openings::Listed(_) => (listed.clone(), self.openings_text.clone()),
        };
        MatchPlan {
            // The engines of othello have no parameters to tune.
            game: GameName::Shogi,
            pairing: Pairing::Match,
            engines,
            tuned: Some(TunedPlayers {
                parameters: parameters.to_vec(),
                values: [values(|it| it.value), values(|it| it.start)],
            }),
            games,
            limit: self.limit,
            rotation: self.rotation.clone(),
            parts: PartDesign::default(),
            openings,
            openings_text,
            conditions: self.conditions,
            sprt: None,
        }
    }
}

impl GameSchedule for TunePlan {
    fn setup(&self, task: &GameTask, rules: &dyn RuleBook) -> Result<GameSetup, TaskError> {
        let number = task.number;
        let games = (self.iterations * self.games()) as u64;
        if number >= games {
            return Err(TaskError::NoGame { number, games });
        }
        let players = self.players(number);
        let round = (number / (2 * self.pairings().len() as u64)) as usize;
        let factor = self.rotation.factor(round);
        let options = |player| {
            let tuned = task.tuned_options(&self.parameters, player)?;
            Ok::<_, TaskError>([self.rotation.options(round), &tuned].concat())
        };
        Ok(GameSetup {
            players,
            opening: self.openings.get(round, rules),
            limits: players.map(|player| self.limit.scaled(self.scale(player) * factor)),
            options: [options(players[0])?, options(players[1])?],
        })
    }

    fn contents(&self) -> RunContents {
        let mut contents = RunContents::default();
        let in_turn: Vec<_> = (self.rotation.options.iter())
            .flat_map(OptionSet::options)
            .collect();
        for engine in [Some(&self.engine), self.base.as_ref()]
            .into_iter()
            .flatten()
        {
            let name = engine.name.as_deref().unwrap_or("engine");
            let options = engine.options.iter().chain(in_turn.iter().copied());
            engine.add_contents(&mut contents, name, options);
        }
        contents
    }
}

/// The result of a tuning.
#[derive(Clone, Debug)]
pub struct TuneResult {
    /// The state at the end.
    pub state: TuneState,
    /// Iterations that do not count, as an engine crashed or answered nonsense in one of their games.
    pub violations: usize,
    /// True if all iterations are done.
    pub is_complete: bool,
}

/// Tunes, from the checkpoint on if there is one. Every iteration that is done is safe.
///
/// # Errors
/// When the checkpoint is of another tuning, or a file cannot be written.
pub fn tune(
    plan: &TunePlan,
    files: &TuneFiles,
    rules: &dyn RuleBook,
    place: Place<'_>,
    control: &RunControl,
    observer: &dyn Fn(&TuneEvent<'_>),
) -> Result<TuneResult> {
    // One tuning at a time: two would each count half of the games.
    let _lock = RunLock::file(&files.state)?;
    let identity = plan.identity();
    let parameters = plan.parameters.clone();
    let note = |text: &str| observer(&TuneEvent::Note(RunNote::Remark(text)));
    let state = TuneState::open(&files.state, &identity, plan.settings(), parameters, note)?;
    let values = files.values.as_deref().map(ValueLog::append_to);
    let first = state.iteration();
    let run = Mutex::new(TuneRun {
        plan,
        files,
        state,
        identity,
        next: first,
        waiting: VecDeque::new(),
        open: HashMap::new(),
        values: values.transpose()?,
        violations: 0,
        has_new_iteration: false,
    });
    let mut after = |run: &TuneRun<'_>| {
        observer(&TuneEvent::Game);
        if run.has_new_iteration {
            observer(&TuneEvent::Iteration(&run.state));
        }
    };
    let games = GameRun {
        schedule: plan,
        rules,
        conditions: &plan.conditions,
        place,
        ahead: plan.ahead,
        control,
    };
    let played = games.play(&run, &mut after, &|note| observer(&TuneEvent::Note(note)));
    let run = run.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Whatever ended the run: values so far are written.
    run.write_results()?;
    played?;
    Ok(TuneResult {
        is_complete: run.state.iteration() >= plan.iterations,
        state: run.state,
        violations: run.violations,
    })
}

/// An iteration whose games are being played.
struct OpenIteration {
    perturbation: Perturbation,
    /// Games that are not finished.
    left: usize,
    /// Points of the first player less those of the second, as wins less losses.
    balance: i32,
    has_violation: bool,
}

/// A tuning in progress.
struct TuneRun<'a> {
    plan: &'a TunePlan,
    files: &'a TuneFiles,
    state: TuneState,
    identity: RunIdentity,
    /// The next iteration.
    next: usize,
    /// Games of the last iteration that have not begun.
    waiting: VecDeque<GameTask>,
    open: HashMap<usize, OpenIteration>,
    values: Option<ValueLog>,
    violations: usize,
    /// True if the last game ended an iteration.
    has_new_iteration: bool,
}

impl TuneRun<'_> {
    /// Writes the files that show the values so far.
    fn write_results(&self) -> Result<()> {
        if let Some((file, output)) = &self.files.params {
            file.write(output.as_deref(), self.state.parameters())?;
        }
        if let Some(path) = &self.files.html {
            let mut file = AtomicFile::create(path)?;
            file.put(path_page(&self.state).as_bytes())?;
            file.commit()?;
        }
        Ok(())
    }

    /// Counts a game for its iteration. Returns true if it was the last one.
    fn count(&mut self, iteration: usize, players: [usize; 2], played: &PlayedGame) -> bool {
        let Some(open) = self.open.get_mut(&iteration) else {
            return false;
        };
        open.left -= 1;
        open.has_violation |= played.reason.is_violation();
        let points_of = |player: usize| {
            let color = PlayerColor::ALL[players.iter().position(|&it| it == player)?];
            Some(match played.points(color) {
                GamePoints::Win => 1,
                GamePoints::Draw => 0,
                GamePoints::Loss => -1,
            })
        };
        // Between the two players the points of the first say all; with a base opponent each has its own games.
        open.balance += match points_of(0) {
            Some(points) => points,
            None => -points_of(1).unwrap_or(0),
        };
        open.left == 0
    }
}

impl TaskSource for TuneRun<'_> {
    fn next(&mut self) -> Option<GameTask> {
        if self.waiting.is_empty() && self.next < self.plan.iterations {
            let perturbation = self.state.perturb(self.next);
            self.waiting = self.plan.tasks(&perturbation).into();
            let open = OpenIteration {
                perturbation,
                left: self.waiting.len(),
                balance: 0,
                has_violation: false,
            };
            self.open.insert(self.next, open);
            self.next += 1;
        }
        self.waiting.pop_front()
    }

    fn finished(&mut self, task: &GameTask, played: PlayedGame) -> Result<ControlFlow<()>> {
        self.has_new_iteration = false;
        let iteration = self.plan.iteration(task.number);
        let players = self.plan.players(task.number);
        if let (Some(log), Some(open)) = (&mut self.values, self.open.get(&iteration))
            && !played.reason.is_violation()
        {
            // A sample is compared with an opponent whose values stay.
            let tuned = match self.plan.method {
                TuneMethod::Spsa => 2,
                TuneMethod::Sample { .. } => 1,
            };
            for color in PlayerColor::ALL {
                let player = players[color.index()];
                if let Some(values) = open.perturbation.values[..tuned].get(player) {
                    log.write(self.state.parameters(), values, played.points(color))?;
                }
            }
        }
        if !self.count(iteration, players, &played) {
            return Ok(ControlFlow::Continue(()));
        }
        if let Some(open) = self.open.remove(&iteration) {
            self.violations += usize::from(open.has_violation);
            let balance = if open.has_violation { 0 } else { open.balance };
            let points = self.state.path().len();
            self.state.update(&open.perturbation, balance);
            self.state.save(&self.files.state, &self.identity)?;
            if self.state.path().len() > points {
                self.write_results()?;
            }
            self.has_new_iteration = true;
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The log of a closing match, beside the checkpoint.
pub fn closing_log(state: &Path) -> PathBuf {
    let mut name = state.as_os_str().to_owned();
    name.push(".match.jsonl");
    name.into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::ShogiRules;
    use crate::adjudication::MatchAdjudication;

    fn plan(base: Option<&str>, method: TuneMethod) -> TunePlan {
        TunePlan {
            engine: EngineSpec::new("e"),
            parameters: vec![parameter()],
            base: base.map(|text| text.parse().unwrap()),
            iterations: 400,
            pairs: 1,
            method,
            seed: 3,
            limit: MoveLimit::Nodes(100),
            rotation: RoundRotation {
                multipliers: vec![1.0, 2.0],
                options: ["EvalDir=a", "EvalDir=b"]
                    .map(|it| it.parse().unwrap())
                    .into(),
            },
            openings: Openings::Listed(vec!["startpos".into()]),
            openings_text: String::new(),
            conditions: Conditions {
                margin: Duration::ZERO,
                hang: Duration::from_secs(1),
                max_plies: 10,
                adjudication: MatchAdjudication::default(),
            },
            ahead: 1,
        }
    }

    fn parameter() -> TunedParameter {
        TunedParameter::parse("x, int, 100, 0, 300, 10, 0.02").unwrap()
    }

    /// A game in which the greater value of `x` wins; the base has 150.
    fn played(plan: &TunePlan, task: &GameTask) -> PlayedGame {
        let game = plan.setup(task, &ShogiRules).unwrap();
        let value = |color: PlayerColor| -> f64 {
            let options = &game.options[color.index()];
            options
                .iter()
                .find(|(name, _)| name == "x")
                .map_or(150.0, |(_, value)| value.parse().unwrap())
        };
        let [black, white] = PlayerColor::ALL.map(value);
        PlayedGame::won_by(match black.total_cmp(&white) {
            std::cmp::Ordering::Greater => Some(PlayerColor::Black),
            std::cmp::Ordering::Less => Some(PlayerColor::White),
            std::cmp::Ordering::Equal => None,
        })
    }

    /// Plays everything in order; the state and the table of values at the end.
    fn tuned(plan: &TunePlan) -> (TuneState, String) {
        let folder = test_support::TestFolder::new();
        let files = TuneFiles {
            state: folder.path("state.json"),
            html: Some(folder.path("path.html")),
            values: Some(folder.path("values.log")),
            params: None,
        };
        let identity = plan.identity();
        let settings = plan.settings();
        let state = TuneState::open(&files.state, &identity, settings, vec![parameter()], |_| ());
        let mut run = TuneRun {
            plan,
            files: &files,
            state: state.unwrap(),
            identity,
            next: 0,
            waiting: VecDeque::new(),
            open: HashMap::new(),
            values: Some(ValueLog::append_to(&folder.path("values.log")).unwrap()),
            violations: 0,
            has_new_iteration: false,
        };
        let mut numbers = Vec::new();
        while let Some(task) = run.next() {
            numbers.push(task.number);
            assert!(
                run.finished(&task, played(plan, &task))
                    .unwrap()
                    .is_continue()
            );
        }
        let all = (plan.iterations * plan.games()) as u64;
        assert_eq!(numbers, (0..all).collect::<Vec<_>>());
        run.write_results().unwrap();
        drop(run.values.take());
        let page = String::from_utf8(folder.read("path.html")).unwrap();
        assert!(page.contains("<svg") && page.contains('x'), "{page}");
        let table = crate::ValueTable::read(&[folder.path("values.log")]).unwrap();
        (run.state, table.lines().join("\n"))
    }

    #[test]
    fn values_follow_the_winner() {
        let (state, _) = tuned(&plan(None, TuneMethod::Spsa));
        let value = state.parameters()[0].value;
        assert!(value > 150.0, "{value}");
        assert_eq!(state.iteration(), 400);
        // Against a base: above it every value wins as often, so that it stays there.
        let (state, _) = tuned(&plan(Some("b,scale=2"), TuneMethod::Spsa));
        let value = state.parameters()[0].value;
        assert!((100.0..=175.0).contains(&value), "{value}");
    }

    #[test]
    fn samples_are_counted_by_value() {
        let plan = plan(None, TuneMethod::Sample { interval: 1 });
        let (state, table) = tuned(&plan);
        assert!((state.parameters()[0].value - 100.0).abs() < 1e-9);
        let lines: Vec<_> = table.lines().map(str::trim).collect();
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("110 : ") && line.contains("(100%")),
            "{table}"
        );
        assert!(
            lines.iter().any(|line| line.starts_with("90 : 0 - 0 - ")),
            "{table}"
        );
        assert!(!table.contains("EvalDir"), "{table}");
    }

    #[test]
    fn games_of_an_iteration_have_options_limits_and_both_colours() {
        let plan = plan(Some("b,scale=2"), TuneMethod::Spsa);
        let state = TuneState::open(
            &test_support::TestFolder::new().path("none"),
            &plan.identity(),
            plan.settings(),
            vec![parameter()],
            |_| (),
        );
        let perturbation = state.unwrap().perturb(1);
        let tasks = plan.tasks(&perturbation);
        let tasks = tasks.iter().map(|task| plan.setup(task, &ShogiRules));
        let games: Vec<_> = tasks.collect::<Result<_, _>>().unwrap();
        let players: Vec<_> = games.iter().map(|game| game.players).collect();
        assert_eq!(players, [[0, 2], [2, 0], [1, 2], [2, 1]]);
        assert_eq!(
            games[0].limits,
            [MoveLimit::Nodes(200), MoveLimit::Nodes(400)]
        );
        // Iteration 1 has the second of the sets that pairs take in turn.
        let network = [("EvalDir".to_owned(), "b".to_owned())];
        let tuned = |player: usize| {
            let value = perturbation.values[player][0];
            let option = parameter().option_of(value).unwrap();
            [&network[..], &[option]].concat()
        };
        assert_eq!(games[0].options, [tuned(0), network.to_vec()]);
        assert_eq!(games[3].options, [network.to_vec(), tuned(1)]);
    }

    #[test]
    fn the_closing_match_is_of_tuned_and_first_values() {
        let plan = plan(None, TuneMethod::Spsa);
        let mut parameter = parameter();
        parameter.value = 123.4;
        let closing = plan.closing_match(&[parameter], 10);
        let game = closing.setup(&closing.task(1), &ShogiRules).unwrap();
        assert_eq!(game.players, [1, 0]);
        let values = game
            .options
            .map(|options| options.into_iter().map(|(_, value)| value));
        assert_eq!(values.map(Vec::from_iter), [["a", "100"], ["a", "123"]]);
        let header = closing.header().unwrap();
        assert_eq!(header.engines[0].name, "tuned");
        assert_eq!(header.engines[0].options, ["x=123"]);
    }
}
