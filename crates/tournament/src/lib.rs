//! Matches of engines, with a referee that trusts none of them; tuning of their parameters; ratings.
//!
//! * [`EngineSpec`], [`Contestant`]: engines; [`EngineProtocol`], [`MatchPlayer`]: what they speak, [`Usi`] and
//!   [`OthelloProtocols`].
//! * [`RuleBook`], [`Referee`]: the rules of a game, [`ShogiRules`] and [`OthelloRules`]; [`Openings`]: where games begin.
//! * [`MatchPlan`], [`play_match`]: matches, gauntlets and round robins, with a log ([`GameLog`]) from which they resume.
//! * [`PartDesign`]: which parts of an engine help.
//! * [`match_record`]: a game as a game record, for KIF and CSA.
//! * [`Standings`], [`MatchScore`], [`Sprt`], [`SequentialScore`]: results, Elo with intervals, the sequential test.
//! * [`ResultTable`], [`Ratings`]: ratings with errors, of any number of engines.
//! * [`Place`], [`work`]: games on this machine, or shared by machines over a queue; [`GameTask`], [`GameSchedule`]: what they tell
//!   each other, and what each makes of it by its own settings.
//! * [`TunePlan`], [`tune()`]: tuning of parameters ([`TunedParameter`], [`ParamsFile`]); [`ValueTable`]: wins by value.
//! * [`seal_line`], [`check_line`]: lines of JSON with a checksum.
//! * [`losses`]: what the moves of engines cost, as a third one judges them.
//!
//! Engines are processes: nothing here knows what they do inside.
#![forbid(unsafe_code)]

mod adjudication;
mod chart;
mod contents;
mod engine;
mod error;
mod event;
mod game;
mod games;
mod log;
pub mod losses;
mod matches;
mod othello;
mod othello_engine;
mod params;
mod parts;
mod play;
mod player;
mod queue;
mod rating;
mod received;
mod record;
mod replay;
mod results;
mod rotation;
mod rules;
mod score;
mod sealed_line;
mod sequential;
mod shogi;
mod sprt;
mod spsa;
mod standings;
mod stress;
mod task;
mod team;
mod tune;
mod usi;
mod values;

pub use adjudication::{AgreedDrawRule, AgreedWinRule, MatchAdjudication};
pub use contents::RunContents;
pub use engine::{
    Contestant, EngineChecks, EngineCommand, EngineIdentity, EngineProtocol, EngineSpec,
    ProtocolName, labels,
};
pub use error::{
    MatchRecordError, OpeningLineError, ParameterError, PlayerError, Result, TextError,
    TournamentError,
};
pub use event::{MatchEvent, MatchObserver, RunNote, TuneEvent};
pub use game::{Conditions, PlayedGame};
pub use log::{GameLog, LogHeader, LoggedEngine, LoggedGame, read_log};
pub use matches::{MatchPlan, MatchResult, Pairing, TunedPlayers, play_match};
pub use othello::OthelloRules;
pub use othello_engine::OthelloProtocols;
pub use params::{
    ParameterKind, ParameterSource, ParameterValue, ParamsFile, SpinRange, TunedParameter,
};
pub use parts::{EnginePart, PartDesign, PartScores};
pub use play::Place;
pub use player::{
    MATE_CP, MatchPlayer, MoveLimit, MoveThought, PlayerAnswer, PlayerFault, Question, TimeUsage,
};
pub use queue::work;
pub use rating::{Rating, Ratings, ResultTable};
pub use record::match_record;
pub use results::read_results;
pub use rotation::{OptionSet, RoundRotation};
pub use rules::{EndOfGame, GameName, Openings, PlayerColor, Referee, RuleBook, Verdict};
pub use score::{EloInterval, GamePoints, MatchScore};
pub use sealed_line::{LineSeal, check_line, seal_line};
pub use sequential::SequentialScore;
pub use shogi::ShogiRules;
pub use sprt::{Sprt, SprtDecision};
pub use spsa::{PathPoint, TuneMethod, TuneSettings, TuneState};
pub use standings::{EngineRecord, Leads, PairingRecord, Standings, Violations};
pub use stress::Stress;
pub use task::{GameSchedule, GameSetup, GameTask, TaskError};
pub use team::Team;
pub use tune::{TuneFiles, TunePlan, TuneResult, closing_log, tune};
pub use usi::Usi;
pub use values::{ValueCounts, ValueTable};
