//! Simultaneous perturbation stochastic approximation: the state of a tuning, its gain schedule, and the checkpoint file.
//!
//! In every iteration all parameters move a little in random directions, up in one player and down in another; both play;
//! and every parameter moves in the direction of the one with more points. A single iteration says nothing; thousands do.

use std::path::Path;

use serde::{Deserialize, Serialize};
use yane_base::random::RngExt as _;
use yane_io::{Error, RunIdentity, Snapshot};

use crate::error::Result;
use crate::params::{ParameterKind, ParameterValue, TunedParameter};
use crate::rules::random;

/// Apart from the numbers of random openings, which come from the same seed.
const DIRECTIONS: u64 = 0x5953_0a11;

/// Points of the path that are kept at most.
const PATH_POINTS: usize = 200;

/// The way in which parameters are varied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TuneMethod {
    /// They follow the winner.
    #[default]
    Spsa,
    /// They stay, and games are played with values around them, for a table of wins by value.
    Sample {
        /// Steps to either side.
        interval: u32,
    },
}

/// The settings that a checkpoint must have been made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneSettings {
    /// Number of iterations of the whole work.
    pub iterations: usize,
    /// Pairs of games in each, for either player.
    pub pairs: u32,
    /// Seed of directions, roundings and random openings.
    pub seed: u64,
    /// The limit of moves.
    pub limit: String,
    /// The opponent; `None` where both players are the engine that is tuned.
    pub base: Option<String>,
    /// The method.
    pub method: TuneMethod,
}

/// The values of all parameters after some iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// Number of iterations.
    pub iteration: usize,
    /// The values, in the order of the parameters.
    pub values: Vec<f64>,
}

/// The work so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneState {
    settings: TuneSettings,
    /// Number of iterations that are done.
    iteration: usize,
    parameters: Vec<TunedParameter>,
    /// The path of the parameters, from the first iteration of this file on.
    #[serde(default)]
    path: Vec<PathPoint>,
}

/// The perturbation of the parameters in an iteration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Perturbation {
    /// Number of the iteration, from 0.
    pub(crate) iteration: usize,
    /// 1 where the first player's value is the greater one, else -1; nothing where parameters stay.
    directions: Vec<f64>,
    /// The values of both players, in the order of the parameters.
    pub(crate) values: [Vec<ParameterValue>; 2],
}

impl TuneState {
    /// Goes on with what `path` holds of the tuning `identity`, or begins when there is no such file. Rates are those of
    /// `parameters`; `note` gets a sentence for people when the file is damaged.
    ///
    /// # Errors
    /// When the file cannot be read, or is that of a tuning with other settings, parameters or engines.
    pub fn open(
        path: &Path,
        identity: &RunIdentity,
        settings: TuneSettings,
        parameters: Vec<TunedParameter>,
        note: impl FnMut(&str),
    ) -> Result<Self> {
        let Some(snapshot) = Snapshot::open(path, identity)?.tell(note) else {
            let mut state = Self {
                settings,
                iteration: 0,
                parameters,
                path: Vec::new(),
            };
            state.note_path();
            return Ok(state);
        };
        let mut state: Self = serde_json::from_slice(&snapshot)
            .map_err(|error| snapshot.error(0, format!("{error}; expected a state of `tune`")))?;
        for (known, given) in state.parameters.iter_mut().zip(&parameters) {
            known.rate = given.rate;
        }
        Ok(state)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path, identity: &RunIdentity) -> Result<()> {
        let bytes =
            serde_json::to_vec(self).map_err(|error| Error::file(path, error.to_string()))?;
        Ok(Snapshot::write(path, identity, &bytes)?)
    }

    /// Number of iterations that are done.
    pub const fn iteration(&self) -> usize {
        self.iteration
    }

    /// The settings.
    pub const fn settings(&self) -> &TuneSettings {
        &self.settings
    }

    /// The parameters with their values so far.
    pub fn parameters(&self) -> &[TunedParameter] {
        &self.parameters
    }

    /// The path of the parameters so far: up to some hundred points.
    pub fn path(&self) -> &[PathPoint] {
        &self.path
    }

    /// Perturbs the parameters as they are now.
    pub(crate) fn perturb(&self, iteration: usize) -> Perturbation {
        let mut random = random(self.settings.seed ^ DIRECTIONS, iteration);
        let schedule = Schedule::new(self.settings.iterations);
        let mut perturbation = Perturbation {
            iteration,
            directions: Vec::new(),
            values: [Vec::new(), Vec::new()],
        };
        for parameter in &self.parameters {
            let [first, second] = &mut perturbation.values;
            if let TuneMethod::Sample { interval } = self.settings.method {
                let steps = random.random_range(-i64::from(interval)..=i64::from(interval));
                let value = parameter.clamp(parameter.value + steps as f64 * parameter.step);
                first.push(parameter.value_of(value));
                second.push(parameter.value_of(parameter.value));
                continue;
            }
            let direction = if random.random::<bool>() { 1.0 } else { -1.0 };
            perturbation.directions.push(direction);
            for (values, side) in [first, second].into_iter().zip([1.0, -1.0]) {
                let far = side * direction * schedule.perturbation(parameter, iteration);
                let mut value = parameter.clamp(parameter.value + far);
                if parameter.kind == ParameterKind::Int {
                    // Rounded by chance, so that the mean is the value itself and steps below one count.
                    value = parameter.clamp((value + random.random::<f64>()).floor());
                }
                values.push(parameter.value_of(value));
            }
        }
        perturbation
    }

    /// Moves the parameters towards the first player of `perturbation`, which won `balance` games more than it
    /// lost.
    pub(crate) fn update(&mut self, perturbation: &Perturbation, balance: i32) {
        let schedule = Schedule::new(self.settings.iterations);
        for (parameter, direction) in self.parameters.iter_mut().zip(&perturbation.directions) {
            let far =
                schedule.gain(parameter, perturbation.iteration) * f64::from(balance) * direction;
            parameter.value = parameter.clamp(parameter.value + far);
        }
        self.iteration += 1;
        let every = self.settings.iterations.div_ceil(PATH_POINTS).max(1);
        if self.iteration.is_multiple_of(every) || self.iteration == self.settings.iterations {
            self.note_path();
        }
    }

    fn note_path(&mut self) {
        self.path.push(PathPoint {
            iteration: self.iteration,
            values: self.parameters.iter().map(|it| it.value).collect(),
        });
    }

    /// A line about where the work stands: the parameters that moved the furthest, in steps.
    pub fn progress(&self) -> String {
        let mut furthest: Vec<&TunedParameter> = self.parameters.iter().collect();
        furthest.sort_by(|a, b| b.moved().abs().total_cmp(&a.moved().abs()));
        let shown: Vec<String> = furthest
            .iter()
            .take(5)
            .map(|p| format!("{} {:.1} ({:+.2} steps)", p.name, p.value, p.moved()))
            .collect();
        format!(
            "{:>6}/{}  {}",
            self.iteration,
            self.settings.iterations,
            shown.join(", ")
        )
    }
}

// The gain schedule: the perturbation and the step of the parameters in each iteration.
//
// Both get smaller as the work goes on, by the powers that Spall recommends (Implementation of the
// simultaneous perturbation algorithm for stochastic optimization, 1998), and are such that in the last
// iteration a parameter is perturbed by its step and moves by its rate times its step for a point.

/// Power by which steps get smaller.
const ALPHA: f64 = 0.602;

/// Power by which perturbations get smaller.
const GAMMA: f64 = 0.101;

/// Part of all iterations that is added to the number of each, so that the first do not go too far.
const STABILITY: f64 = 0.1;

/// The schedule of a work with a given number of iterations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    iterations: f64,
}

impl Schedule {
    pub(crate) fn new(iterations: usize) -> Self {
        Self {
            iterations: iterations.max(1) as f64,
        }
    }

    /// The perturbation of `parameter` in an iteration, counted from 0.
    pub(crate) fn perturbation(self, parameter: &TunedParameter, iteration: usize) -> f64 {
        parameter.step * (self.iterations / (iteration as f64 + 1.0)).powf(GAMMA)
    }

    /// The distance that `parameter` moves for one point in an iteration, counted from 0.
    pub(crate) fn gain(self, parameter: &TunedParameter, iteration: usize) -> f64 {
        let stability = STABILITY * self.iterations;
        let ratio = (stability + self.iterations) / (stability + iteration as f64 + 1.0);
        let gain = parameter.rate * parameter.step.powi(2) * ratio.powf(ALPHA);
        gain / self.perturbation(parameter, iteration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, default: i64) -> TunedParameter {
        TunedParameter {
            name: name.to_owned(),
            value: default as f64,
            kind: ParameterKind::Int,
            start: default as f64,
            min: 0.0,
            max: 200.0,
            step: 10.0,
            rate: 0.02,
        }
    }

    fn settings(iterations: usize) -> TuneSettings {
        TuneSettings {
            iterations,
            pairs: 1,
            seed: 5,
            limit: "1000 nodes a move".to_owned(),
            base: None,
            method: TuneMethod::Spsa,
        }
    }

    fn state(iterations: usize) -> TuneState {
        TuneState {
            settings: settings(iterations),
            iteration: 0,
            parameters: vec![parameter("a", 60), parameter("b", 150)],
            path: Vec::new(),
        }
    }

    /// Value of the option with this number, of both players.
    fn values(perturbation: &Perturbation, index: usize) -> [f64; 2] {
        perturbation
            .values
            .each_ref()
            .map(|values| values[index].get())
    }

    #[test]
    fn players_are_perturbed_to_opposite_sides() {
        let state = state(100);
        for iteration in 0..100 {
            let perturbation = state.perturb(iteration);
            assert_eq!(perturbation, state.perturb(iteration));
            let [first, second] = values(&perturbation, 0);
            let expected = 2.0 * 10.0 * (100.0 / (iteration as f64 + 1.0)).powf(0.101);
            assert!((perturbation.directions[0] * (first - second) - expected).abs() < 2.0);
        }
    }

    #[test]
    fn values_stay_in_their_range() {
        let mut state = state(10);
        state.parameters[0].value = 199.0;
        for iteration in 0..10 {
            let perturbation = state.perturb(iteration);
            assert!(values(&perturbation, 0).iter().all(|&value| value <= 200.0));
            state.update(&perturbation, 2);
            assert!(state.parameters[0].value <= 200.0);
        }
    }

    #[test]
    fn values_go_to_where_games_are_won() {
        // Games between players whose strength falls with the distance from (100, 90).
        let mut state = state(20_000);
        let mut games = random(1, 1);
        for iteration in 0..20_000 {
            let perturbation = state.perturb(iteration);
            let [a, b] = [values(&perturbation, 0), values(&perturbation, 1)];
            let strength =
                |player: usize| -((a[player] - 100.0).powi(2) + (b[player] - 90.0).powi(2));
            let difference = (strength(0) - strength(1)) / 5000.0;
            let chance = 1.0 / (1.0 + (-difference).exp());
            let mut game = || {
                if games.random::<f64>() < chance {
                    1
                } else {
                    -1
                }
            };
            let balance = game() + game();
            state.update(&perturbation, balance);
        }
        let found: Vec<f64> = state.parameters.iter().map(|p| p.value).collect();
        assert!((found[0] - 100.0).abs() < 12.0, "{found:?}");
        assert!((found[1] - 90.0).abs() < 12.0, "{found:?}");
    }

    fn identity(iterations: usize, parameters: &[TunedParameter]) -> RunIdentity {
        let names: Vec<_> = parameters.iter().map(|it| it.name.as_str()).collect();
        RunIdentity::new("tune")
            .with("iterations", iterations)
            .with("parameters", names.join(", "))
    }

    fn open(path: &Path, iterations: usize, parameters: Vec<TunedParameter>) -> Result<TuneState> {
        let identity = identity(iterations, &parameters);
        TuneState::open(path, &identity, settings(iterations), parameters, |_| ())
    }

    #[test]
    fn the_work_goes_on_where_it_stood() {
        let folder = test_support::TestFolder::new();
        let path = folder.path("state.json");
        let fresh = || state(10).parameters;
        let mut state = open(&path, 10, fresh()).expect("a new work");
        let perturbation = state.perturb(0);
        state.update(&perturbation, 2);
        state.save(&path, &identity(10, &fresh())).expect("saved");
        let again = open(&path, 10, fresh()).expect("the work");
        assert_eq!(again, state);
        assert_eq!(again.iteration(), 1);
        let error = open(&path, 11, fresh()).unwrap_err().to_string();
        assert!(
            error.ends_with("iterations differ (expected 11, found 10)"),
            "{error}"
        );
        assert!(open(&path, 10, vec![parameter("a", 60)]).is_err());
        assert!(state.progress().contains("1/10"));
    }

    #[test]
    fn the_last_iteration_has_the_step_and_the_rate() {
        let parameter = TunedParameter {
            name: "a".to_owned(),
            kind: ParameterKind::Int,
            value: 0.0,
            start: 0.0,
            min: -100.0,
            max: 100.0,
            step: 8.0,
            rate: 0.002,
        };
        let schedule = Schedule::new(1000);
        assert!((schedule.perturbation(&parameter, 999) - 8.0).abs() < 1e-9);
        assert!((schedule.gain(&parameter, 999) - 0.016).abs() < 1e-9);
        // 1000^0.101 = 2.009; (1100 / 101)^0.602 = 4.210.
        assert!((schedule.perturbation(&parameter, 0) - 16.07).abs() < 0.01);
        assert!((schedule.gain(&parameter, 0) - 0.016 * 4.210 / 2.009).abs() < 1e-4);
    }

    #[test]
    fn states_of_earlier_versions_are_refused_and_stay() {
        let folder = test_support::TestFolder::new();
        let text =
            r#"{"settings":{"iterations":10,"pairs":1,"seed":5},"iteration":3,"parameters":[]}"#;
        folder.write("state.json", text);
        let error = open(&folder.path("state.json"), 10, vec![])
            .unwrap_err()
            .to_string();
        assert!(error.contains("expected the state of a run"), "{error}");
        assert_eq!(folder.read("state.json"), text.as_bytes());
    }

    #[test]
    fn samples_lie_around_values_that_stay() {
        let mut state = state(100);
        state.settings.method = TuneMethod::Sample { interval: 2 };
        let mut seen = std::collections::BTreeSet::new();
        for iteration in 0..100 {
            let perturbation = state.perturb(iteration);
            let [[first, ..], [second, ..]] = perturbation.values.each_ref().map(Vec::as_slice)
            else {
                panic!("no values")
            };
            seen.insert(first.get() as i64);
            assert_eq!(second.get() as i64, 60);
            state.update(&perturbation, 2);
        }
        assert_eq!(Vec::from_iter(seen), [40, 50, 60, 70, 80]);
        assert!((state.parameters()[0].value - 60.0).abs() < 1e-9);
    }

    #[test]
    fn the_path_has_some_hundred_points() {
        let mut state = state(1001);
        for iteration in 0..1001 {
            let perturbation = state.perturb(iteration);
            state.update(&perturbation, 1);
        }
        assert!(
            (150..=202).contains(&state.path().len()),
            "{}",
            state.path().len()
        );
        assert_eq!(state.path().last().map(|point| point.iteration), Some(1001));
    }
}
