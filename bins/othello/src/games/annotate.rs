//! What `games convert` adds to games: names, a memo, values of positions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use othello_core::{Side, State};
use othello_eval::Weights;
use othello_record::{DiscValue, OthelloRecord};
use othello_search::{Control, Limits, PlayLevel, SearchSettings, Searcher};
use yane_io::Job;

use crate::args::GameHeader;
use crate::settings::hash_bytes;

/// Bytes of the transposition table: it is emptied for each position.
const HASH: u64 = 16 << 20;

/// What is added to each game.
#[derive(Clone, Default)]
pub(super) struct Annotation {
    header: GameHeader,
    search: Option<Arc<Search>>,
}

struct Search {
    searcher: Mutex<Searcher>,
    level: PlayLevel,
    number: u32,
    stop: Arc<AtomicBool>,
}

impl Annotation {
    /// Names and memo of the command line, and with a level values.
    pub(super) fn new(header: &GameHeader, job: &Job) -> anyhow::Result<Self> {
        let search = header.level.map(|number| {
            let weights = match &header.weights {
                Some(path) => Weights::load(path)?,
                None => Weights::built_in(),
            };
            let settings = SearchSettings {
                hash_bytes: hash_bytes(HASH)?,
                threads: 1,
            };
            anyhow::Ok(Arc::new(Search {
                searcher: Mutex::new(Searcher::new(settings, Arc::new(weights))),
                // Files hold the number, which other programs read as one of Egaroucid's.
                level: PlayLevel::Egaroucid(number),
                number,
                stop: Arc::clone(&job.cancelled),
            }))
        });
        Ok(Self {
            header: header.clone(),
            search: search.transpose()?,
        })
    }

    /// Adds it to a game. What the game says itself stays, unless a name is given.
    pub(super) fn apply(&self, record: &mut OthelloRecord) {
        self.name(record);
        if let Some(search) = &self.search {
            search.values(record);
        }
    }

    /// Adds names and memo.
    pub(super) fn name(&self, record: &mut OthelloRecord) {
        self.header.apply(record);
    }
}

impl Search {
    /// Gives the positions of the line that is played the value of a search, for black; those that have a value keep it.
    fn values(&self, record: &mut OthelloRecord) {
        let control = Control::with_stop(Arc::clone(&self.stop));
        let mut searcher = self.searcher.lock().unwrap_or_else(PoisonError::into_inner);
        let line: Vec<_> = record.main_line().collect();
        for id in line {
            if record.node(id).note.value.is_some() || self.stop.load(Ordering::Relaxed) {
                continue;
            }
            let position = record.node(id).position();
            let (board, side) = match position.board().state() {
                State::Over => continue,
                State::Pass => (position.board().passed(), position.side().other()),
                State::Moves => (position.board(), position.side()),
            };
            let goal = self.level.goal(board.empty().len(), 1);
            searcher.clear();
            let result = searcher.search(board, goal, Limits::default(), &control, &mut ());
            if result.is_interrupted {
                continue;
            }
            let score = if side == Side::Black {
                result.score
            } else {
                -result.score
            };
            let note = record.note_mut(id);
            note.value = Some(DiscValue::discs(score));
            note.level = i32::try_from(self.number).ok();
        }
    }
}
