//! Games to be played, as machines tell each other: by their number, and numbers for what nobody else can know.
//!
//! A task never has a name, an option, a path or a command. Whoever plays makes all that from settings of his own, by a
//! [`GameSchedule`]: of a message from outside nothing but numbers within declared bounds reaches an engine.

use farm::queue::RemoteItem;
use thiserror::Error;

use crate::contents::RunContents;
use crate::error::ParameterError;
use crate::game::PlayedGame;
use crate::params::{ParameterValue, TunedParameter};
use crate::player::MoveLimit;
use crate::rules::RuleBook;

/// A game to be played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GameTask {
    /// The number of the game, from 0.
    pub number: u64,
    /// Values of the tuned parameters of engines 0 and 1, in the order of the parameters; none where nothing is tuned.
    pub values: [Vec<ParameterValue>; 2],
}

impl GameTask {
    /// The game of a number, in which nothing is tuned.
    pub fn new(number: u64) -> Self {
        Self {
            number,
            ..Self::default()
        }
    }

    /// The options by which engine `player` gets its values of `parameters`: engines behind the second one get none.
    ///
    /// # Errors
    /// When there are too few or too many values, or one is not in the range of its parameter.
    pub(crate) fn tuned_options(
        &self,
        parameters: &[TunedParameter],
        player: usize,
    ) -> Result<Vec<(String, String)>, TaskError> {
        let Some(values) = self.values.get(player) else {
            return Ok(Vec::new());
        };
        if values.len() != parameters.len() {
            return Err(TaskError::Values {
                found: values.len(),
                expected: parameters.len(),
            });
        }
        let options = parameters.iter().zip(values);
        let options = options.map(|(parameter, &value)| parameter.option_of(value));
        Ok(options.collect::<Result<_, _>>()?)
    }
}

/// A task that is none of the run.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TaskError {
    /// The run has not so many games.
    #[error("there is no game {number}: the run has {games}")]
    NoGame {
        /// The number of the task.
        number: u64,
        /// Number of games of the run.
        games: u64,
    },
    /// There is not a value for each parameter.
    #[error("{found} values for {expected} parameters")]
    Values {
        /// Values of a player.
        found: usize,
        /// Number of parameters.
        expected: usize,
    },
    /// A value is not in the range of its parameter.
    #[error(transparent)]
    Value(#[from] ParameterError),
}

/// A game with all that whoever plays it has to know beside the engines and the
/// [`Conditions`](crate::Conditions).
#[derive(Clone, Debug, PartialEq)]
pub struct GameSetup {
    /// The numbers of the engines that are black and white.
    pub players: [usize; 2],
    /// The opening.
    pub opening: String,
    /// The limits of black and white.
    pub limits: [MoveLimit; 2],
    /// Options of black and white, names and values, beside those that the engines always have.
    pub options: [Vec<(String, String)>; 2],
}

/// What comes of a task: a game, or the reason why the task is none of the run, for which no worker is to blame.
pub(crate) type Outcome = Result<PlayedGame, TaskError>;

/// The games of a run by their tasks: the same on every machine with the same settings.
pub trait GameSchedule: Sync {
    /// The game of a task.
    ///
    /// # Errors
    /// When the task is none of this run.
    fn setup(&self, task: &GameTask, rules: &dyn RuleBook) -> Result<GameSetup, TaskError>;

    /// The files that options of the engines name, as far as they are on this machine. Read anew each time.
    fn contents(&self) -> RunContents;
}

/// Bytes of a value.
const VALUE_BYTES: usize = size_of::<u64>();

/// The values of the first player, then as many of the second, as little-endian IEEE numbers of 64 bits.
impl RemoteItem for GameTask {
    fn number(&self) -> u64 {
        self.number
    }

    fn payload(&self) -> Vec<u8> {
        let values = self.values.iter().flatten();
        values.flat_map(|value| value.get().to_le_bytes()).collect()
    }

    fn from_message(number: u64, payload: &[u8]) -> Option<Self> {
        let (values, []) = payload.as_chunks::<VALUE_BYTES>() else {
            return None;
        };
        if !values.len().is_multiple_of(2) {
            return None;
        }
        let (first, second) = values.split_at(values.len() / 2);
        let read = |values: &[[u8; VALUE_BYTES]]| {
            let values = values.iter().map(|bytes| f64::from_le_bytes(*bytes));
            values.map(ParameterValue::finite).collect::<Option<_>>()
        };
        Some(Self {
            number,
            values: [read(first)?, read(second)?],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Vec<TunedParameter> {
        let lines = [
            "Depth, int, 5, 0, 20, 3, 0.05",
            "Scale, float, 0.5, 0, 1, 0.1, 0.05",
        ];
        lines
            .map(|line| TunedParameter::parse(line).unwrap())
            .to_vec()
    }

    fn task(values: [&[f64]; 2]) -> GameTask {
        let read = |values: &[f64]| {
            let values = values.iter().copied().map(ParameterValue::finite);
            values.collect::<Option<_>>().unwrap()
        };
        GameTask {
            number: 7,
            values: values.map(read),
        }
    }

    #[test]
    fn tasks_are_numbers() {
        for task in [GameTask::new(u64::MAX), task([&[3.0, 0.25], &[20.0, 1.0]])] {
            let payload = task.payload();
            let read = GameTask::from_message(task.number, &payload);
            assert_eq!(read, Some(task));
        }
        assert!(GameTask::new(3).payload().is_empty());
    }

    #[test]
    fn messages_that_are_no_tasks_are_refused() {
        let numbers = |values: &[f64]| -> Vec<u8> {
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect()
        };
        for payload in [
            vec![0; 7],
            numbers(&[1.0]),
            numbers(&[1.0, 2.0, 3.0]),
            numbers(&[1.0, f64::NAN]),
            numbers(&[f64::INFINITY, 1.0]),
            br#"{"number":7,"options":[["DebugLogFile","/x"]]}"#.to_vec(),
        ] {
            assert_eq!(GameTask::from_message(7, &payload), None, "{payload:?}");
        }
    }

    #[test]
    fn values_stay_within_what_is_declared() {
        let parameters = parameters();
        let options = |values: [&[f64]; 2], player| {
            let options = task(values).tuned_options(&parameters, player);
            options.map_err(|error| error.to_string())
        };
        let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let good: [&[f64]; 2] = [&[3.0, 0.25], &[20.0, 0.0]];
        assert_eq!(
            options(good, 1).unwrap(),
            [option("Depth", "20"), option("Scale", "0")]
        );
        assert_eq!(options(good, 2).unwrap(), []);
        for (values, error) in [
            ([3.0, 1.1], "Scale: 1.1 lies outside of 0 to 1"),
            ([21.0, 0.5], "Depth: 21 lies outside of 0 to 20"),
            ([-1.0, 0.5], "Depth: -1 lies outside of 0 to 20"),
            ([2.5, 0.5], "Depth: \"2.5\" is no number"),
        ] {
            assert_eq!(options([&values, &values], 0).unwrap_err(), error);
        }
        let error = options([&[1.0], &[1.0]], 0).unwrap_err();
        assert_eq!(error, "1 values for 2 parameters");
    }
}
