//! The games that there are, with their rules and the protocols of their engines.

use std::sync::Arc;

use crate::engine::EngineProtocol;
use crate::othello::OthelloRules;
use crate::othello_engine::OthelloProtocols;
use crate::rules::{GameName, RuleBook};
use crate::shogi::ShogiRules;
use crate::usi::Usi;

impl GameName {
    /// Its rules.
    pub fn rules(self) -> Arc<dyn RuleBook> {
        match self {
            Self::Shogi => Arc::new(ShogiRules),
            Self::Othello => Arc::new(OthelloRules),
        }
    }

    /// What its engines speak.
    pub fn protocol(self) -> Arc<dyn EngineProtocol> {
        match self {
            Self::Shogi => Arc::new(Usi),
            Self::Othello => Arc::new(OthelloProtocols),
        }
    }
}
