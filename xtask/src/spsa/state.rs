//! The state of the tuning, its gain schedule, and the checkpoint file.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use yane_io::AtomicFile;

use super::Parameter;
use crate::matches::openings::rng;

/// Apart from the numbers of random openings, which come from the same seed.
const DIRECTIONS: u64 = 0x5953_0a11;

/// The settings that a checkpoint must have been made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Settings {
    pub(super) iterations: usize,
    /// Pairs of games in each.
    pub(super) pairs: u32,
    /// Nodes for each move.
    pub(super) nodes: u64,
    pub(super) seed: u64,
}

/// The work so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    settings: Settings,
    /// Number of iterations that are done.
    iteration: usize,
    parameters: Vec<Parameter>,
}

/// The perturbation of the parameters in an iteration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Perturbation {
    /// Number of the iteration, from 0.
    pub(super) iteration: usize,
    /// 1 where the first player's value is the greater one, else -1.
    directions: Vec<f64>,
    /// Options of both players: names and values.
    pub(super) options: [Vec<(String, String)>; 2],
}

impl State {
    /// Goes on with what `path` holds, or begins when there is no such file.
    ///
    /// # Errors
    /// When the file cannot be read, or was made with other settings or parameters.
    pub(super) fn open(
        path: &Path,
        settings: Settings,
        parameters: Vec<Parameter>,
    ) -> Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self {
                    settings,
                    iteration: 0,
                    parameters,
                });
            }
            Err(error) => return Err(error).context(path.display().to_string()),
        };
        let state: Self =
            serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        ensure!(
            state.settings == settings,
            "{} was made with other settings: {:?} instead of {settings:?}",
            path.display(),
            state.settings
        );
        let form = |parameters: &[Parameter]| -> Vec<_> {
            let name_and_range = |p: &Parameter| (p.name.clone(), p.default, p.min, p.max);
            parameters.iter().map(name_and_range).collect()
        };
        ensure!(
            form(&state.parameters) == form(&parameters),
            "{} was made with other parameters than the engine has",
            path.display()
        );
        Ok(state)
    }

    /// Writes the file.
    pub(super) fn save(&self, path: &Path) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.put(&serde_json::to_vec_pretty(self)?)?;
        file.put(b"\n")?;
        Ok(file.commit()?)
    }

    /// Number of iterations that are done.
    pub(super) const fn iteration(&self) -> usize {
        self.iteration
    }

    pub(super) fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Perturbs the parameters as they are now.
    pub(super) fn perturb(&self, iteration: usize) -> Perturbation {
        let mut rng = rng(self.settings.seed ^ DIRECTIONS, iteration);
        let schedule = Schedule::new(self.settings.iterations);
        let mut perturbation = Perturbation {
            iteration,
            directions: Vec::new(),
            options: [Vec::new(), Vec::new()],
        };
        for parameter in &self.parameters {
            let direction = if rng.random::<bool>() { 1.0 } else { -1.0 };
            perturbation.directions.push(direction);
            for (options, side) in perturbation.options.iter_mut().zip([1.0, -1.0]) {
                let far = side * direction * schedule.perturbation(parameter, iteration);
                // Rounded by chance, so that the mean is the value itself and steps below one count.
                let value = (parameter.clamp(parameter.value + far) + rng.random::<f64>()).floor();
                let value = parameter.clamp(value);
                options.push((parameter.name.clone(), format!("{value:.0}")));
            }
        }
        perturbation
    }

    /// Moves the parameters towards the first player of `perturbation`, which won `balance` games more than it
    /// lost.
    pub(super) fn update(&mut self, perturbation: &Perturbation, balance: i32) {
        let schedule = Schedule::new(self.settings.iterations);
        for (parameter, direction) in self.parameters.iter_mut().zip(&perturbation.directions) {
            let far =
                schedule.gain(parameter, perturbation.iteration) * f64::from(balance) * direction;
            parameter.value = parameter.clamp(parameter.value + far);
        }
        self.iteration += 1;
    }

    /// A line about where the work stands: the parameters that moved the furthest, in steps.
    pub(super) fn progress(&self) -> String {
        let moved = |p: &Parameter| (p.value - p.default as f64) / p.step;
        let mut furthest: Vec<&Parameter> = self.parameters.iter().collect();
        furthest.sort_by(|a, b| moved(b).abs().total_cmp(&moved(a).abs()));
        let shown: Vec<String> = furthest
            .iter()
            .take(5)
            .map(|p| format!("{} {:.1} ({:+.2} steps)", p.name, p.value, moved(p)))
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
pub(super) struct Schedule {
    iterations: f64,
}

impl Schedule {
    pub(super) fn new(iterations: usize) -> Self {
        Self {
            iterations: iterations.max(1) as f64,
        }
    }

    /// The perturbation of `parameter` in an iteration, counted from 0.
    pub(super) fn perturbation(self, parameter: &Parameter, iteration: usize) -> f64 {
        parameter.step * (self.iterations / (iteration as f64 + 1.0)).powf(GAMMA)
    }

    /// The distance that `parameter` moves for one point in an iteration, counted from 0.
    pub(super) fn gain(self, parameter: &Parameter, iteration: usize) -> f64 {
        let stability = STABILITY * self.iterations;
        let ratio = (stability + self.iterations) / (stability + iteration as f64 + 1.0);
        let gain = parameter.rate * parameter.step.powi(2) * ratio.powf(ALPHA);
        gain / self.perturbation(parameter, iteration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, default: i64) -> Parameter {
        Parameter {
            name: name.to_owned(),
            value: default as f64,
            default,
            min: 0,
            max: 200,
            step: 10.0,
            rate: 0.02,
        }
    }

    fn settings(iterations: usize) -> Settings {
        Settings {
            iterations,
            pairs: 1,
            nodes: 1000,
            seed: 5,
        }
    }

    fn state(iterations: usize) -> State {
        State {
            settings: settings(iterations),
            iteration: 0,
            parameters: vec![parameter("a", 60), parameter("b", 150)],
        }
    }

    /// Value of the option with this number, of both players.
    fn values(perturbation: &Perturbation, index: usize) -> [f64; 2] {
        perturbation
            .options
            .each_ref()
            .map(|options| options[index].1.parse().expect("a number"))
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
        let mut games = rng(1, 1);
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

    #[test]
    fn the_work_goes_on_where_it_stood() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state.json");
        let fresh = || state(10).parameters;
        let mut state = State::open(&path, settings(10), fresh()).expect("a new work");
        let perturbation = state.perturb(0);
        state.update(&perturbation, 2);
        state.save(&path).expect("saved");
        let again = State::open(&path, settings(10), fresh()).expect("the work");
        assert_eq!(again, state);
        assert_eq!(again.iteration(), 1);
        assert!(State::open(&path, settings(11), fresh()).is_err());
        let other = vec![parameter("a", 60)];
        assert!(State::open(&path, settings(10), other).is_err());
        assert!(state.progress().contains("1/10"));
    }

    #[test]
    fn the_last_iteration_has_the_step_and_the_rate() {
        let parameter = Parameter {
            name: "a".to_owned(),
            value: 0.0,
            default: 0,
            min: -100,
            max: 100,
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
}
