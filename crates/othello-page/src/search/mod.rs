//! What needs the engine: hints, moves, analysis, random positions.

mod analyze;
mod focus;
mod forced;
mod hint;
mod play;
mod random;
mod value;

use std::time::Duration;

use othello_engine::{DepthRange, Session};
use othello_search::{Control, PlayLevel, Selectivity};
use page_messages::{PageFailure, StopFlag};
use serde::Deserialize;

pub(crate) use analyze::analyze;
pub(crate) use focus::focus;
pub(crate) use hint::hint;
pub(crate) use play::play;
pub(crate) use random::random;

use crate::fields::within;
use crate::line::LineFields;

/// The longest time for a search.
const MOST_TIME: Duration = Duration::from_secs(86_400);

/// How to search, as requests say it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SearchFields {
    #[serde(flatten)]
    line: LineFields,
    #[serde(default)]
    level: Option<u32>,
    #[serde(default)]
    depth: Option<u32>,
    /// The probability of a search to a depth.
    #[serde(default)]
    prob: Option<u32>,
    #[serde(default)]
    time_ms: Option<u64>,
    /// False if the book is not asked.
    #[serde(default = "yes")]
    book: bool,
}

const fn yes() -> bool {
    true
}

impl SearchFields {
    /// A session at the position of a request, that searches as the request says.
    fn session(&self, engine: &Session) -> Result<Session, PageFailure> {
        let mut session = engine.clone();
        session
            .set_game(self.line.game()?)
            .map_err(|error| PageFailure::of(&error))?;
        if let Some(level) = self.level {
            let level = within("level", level, 0..=PlayLevel::MOST)?;
            session.level = session.level.with_number(level);
        }
        if let Some(depth) = self.depth {
            let percent = self.prob.unwrap_or(100);
            let percent = within("prob", percent, 1..=100)?;
            let depth = within("depth", depth, 1..=60)?;
            let selectivity = Selectivity::at_least(percent).unwrap_or(Selectivity::Exact);
            session.depths = vec![DepthRange {
                first: 1,
                last: 60,
                depth,
                selectivity,
            }];
        }
        if let Some(time) = self.time_ms {
            session.move_time = Some(Duration::from_millis(time.max(1)).min(MOST_TIME));
        }
        session.uses_book = self.book;
        Ok(session)
    }
}

/// What stops a search.
fn control(stop: &StopFlag) -> Control {
    Control::with_stop(stop.shared())
}
