//! A book that is mined: peta shock, next positions, thinking, and again (`makebook mine`).
//!
//! In every round the book is peta-shocked ([`mod@yane_book::peta_shock`]), the positions that the best lines of
//! the result lead to are listed ([`yane_book::peta_next`]), and engines think about them ([`crate::think`]).
//! A run has budgets, of positions and of time, and ends when one is used up or nothing is left to think about.
//!
//! # What outlives a crash
//!
//! Positions are safe when they have been thought about ([`crate::think`]). Round, budgets and list of the round
//! are in a file beside the book, so that the same call goes on in the same round; an uninterrupted run gives
//! the same book.

mod state;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use farm::{Control, Players};
use hashbrown::HashSet;
use shogi_core::{Color, Position};
use yane_book::BookError;
use yane_book::db::LineEnd;
use yane_book::from_sfen::RecordInput;
use yane_book::memory::{Book, ReadOptions};
use yane_book::peta_next::{PetaNext, next_positions};
use yane_book::peta_shock::{PetaShockOptions, PetaShockReport, peta_shock};
use yane_book::positions::Wanted;
use yane_book::records::{Root, read_roots};
use yane_io::{AtomicFile, Job};

use crate::Result;
use crate::think::{
    Event, Observer, Summary, Task, Think, has_book, has_ended, read_book, recover,
};
use state::State;

/// How a book is to be mined.
#[derive(Clone, Debug)]
pub struct Mine {
    /// How to think, and the book; which records and positions is decided here.
    pub think: Think,
    /// The book after peta shock, `.db`, made anew in every round and at the end.
    pub peta: PathBuf,
    /// Where lines begin: a record file; `None`: the even game.
    pub roots: Option<PathBuf>,
    /// Which lines to follow.
    pub next: PetaNext,
    /// Positions to think about in a round at most, at least 1.
    pub batch: usize,
    /// Positions to think about in all; `None`: no limit.
    pub positions: Option<u64>,
    /// Time to take in all; `None`: no limit.
    pub time: Option<Duration>,
}

/// What comes before and behind each round.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// An interrupted run goes on.
    Resumed {
        /// The round, from 1.
        round: u64,
        /// Positions that were thought about by then.
        thought: u64,
    },
    /// A list was made.
    Listed {
        /// The round, from 1.
        round: u64,
        /// What peta shock did; `None` when the book is still empty.
        peta: Option<&'a PetaShockReport>,
        /// Positions outside of the book on the best lines.
        found: u64,
        /// Of those, how many are thought about in this round.
        chosen: u64,
    },
    /// The list was thought about.
    Grown {
        /// What was done.
        summary: &'a Summary,
    },
    /// The book of the end was made.
    Finished {
        /// What peta shock did.
        peta: &'a PetaShockReport,
    },
}

/// Hears of a book that is mined.
pub trait Miner: Observer {
    /// A step is done.
    fn step(&self, step: &Step<'_>);
}

/// Hears nothing.
impl Miner for () {
    fn step(&self, _: &Step<'_>) {}
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As many positions as were asked for were thought about.
    Positions,
    /// The time is over.
    Time,
    /// No best line leaves the book.
    NothingLeft,
    /// Engines failed at every position of a round.
    Failing,
    /// The run was ended; the same call goes on.
    Interrupted,
}

/// A run in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mined {
    /// Rounds, those before an interruption included.
    pub rounds: u64,
    /// Positions thought about, those before an interruption included.
    pub thought: u64,
    /// What this process did; the counts are those of its last round.
    pub summary: Summary,
    /// Why it ended.
    pub end: End,
}

/// Mines a book.
///
/// # Errors
/// When a file cannot be read or written, or no engine is left. What was thought by then is safe, and the same
/// call goes on from there.
pub fn mine(
    options: &Mine,
    players: &Players,
    control: &Control,
    job: &Job,
    miner: &dyn Miner,
) -> Result<Mined> {
    let roots = match &options.roots {
        Some(path) => read_roots(path)?,
        None => vec![Root::startpos()],
    };
    let recovered = recover(&options.think, job)?;
    let state = State::read(&options.think.book)?;
    if state.round > 0 {
        let (round, thought) = (state.round, state.thought_in_all());
        miner.step(&Step::Resumed { round, thought });
    }
    let mut run = Run {
        options,
        players,
        control,
        job,
        miner,
        roots,
        state,
        begun: Instant::now(),
        summary: Summary::default(),
    };
    let end = run.rounds()?;
    if end != End::Interrupted {
        run.finish()?;
    }
    run.summary.counts.recovered += recovered;
    run.summary.is_complete = end != End::Interrupted;
    Ok(Mined {
        rounds: run.state.round,
        thought: run.state.thought_in_all(),
        summary: run.summary,
        end,
    })
}

struct Run<'a> {
    options: &'a Mine,
    players: &'a Players,
    control: &'a Control,
    job: &'a Job,
    miner: &'a dyn Miner,
    roots: Vec<Root>,
    state: State,
    begun: Instant,
    summary: Summary,
}

impl Run<'_> {
    fn rounds(&mut self) -> Result<End> {
        loop {
            if self.control.is_quitting() {
                return Ok(End::Interrupted);
            }
            if self.time_left().is_some_and(|left| left.is_zero()) {
                return Ok(End::Time);
            }
            if self.state.list.is_empty() {
                let left = self
                    .options
                    .positions
                    .map(|most| most.saturating_sub(self.state.thought));
                if left == Some(0) {
                    return Ok(End::Positions);
                }
                if !self.begin_round(left)? {
                    return Ok(End::NothingLeft);
                }
            }
            if let Some(end) = self.think()? {
                return Ok(end);
            }
        }
    }

    /// The time that this run may still take.
    fn time_left(&self) -> Option<Duration> {
        let taken = self.state.time() + self.begun.elapsed();
        Some(self.options.time?.saturating_sub(taken))
    }

    /// Makes the list of a new round, of `most` positions at most; whether there is anything on it.
    fn begin_round(&mut self, most: Option<u64>) -> Result<bool> {
        let peta = self.shock()?;
        let ignore_ply = ReadOptions { ignore_ply: true };
        let book = match peta {
            Some(_) => Book::read(&self.options.peta, ignore_ply, self.job)?,
            None => read_book(&self.options.think.book, ignore_ply, self.job)?,
        };
        let list = self.leaves(&book)?;
        let found = list.len() as u64;
        let most = most
            .unwrap_or(u64::MAX)
            .min(self.options.batch.max(1) as u64);
        let list: Vec<String> = list.into_iter().take(most as usize).collect();
        if list.is_empty() {
            return Ok(false);
        }
        self.state.round += 1;
        self.miner.step(&Step::Listed {
            round: self.state.round,
            peta: peta.as_ref(),
            found,
            chosen: list.len() as u64,
        });
        self.state.list = list;
        self.save_state()?;
        Ok(true)
    }

    /// The positions outside of the book that its best lines lead to, those for black's book and for white's in
    /// turn, without those at which the game ends.
    fn leaves(&self, book: &Book) -> Result<Vec<String>> {
        let next = &self.options.next;
        let side = |side: Color| {
            if next.side.is_some_and(|only| only != side) {
                return Ok(Vec::new().into_iter());
            }
            let found = next_positions(book, &self.roots, side, next, self.job)?;
            Ok::<_, crate::BookworkError>(found.leaves.into_iter())
        };
        let (mut black, mut white) = (side(Color::Black)?, side(Color::White)?);
        let mut list = Vec::new();
        let mut known = HashSet::new();
        loop {
            let pair = [black.next(), white.next()];
            if pair.iter().all(Option::is_none) {
                return Ok(list);
            }
            for leaf in pair.into_iter().flatten() {
                let position = Position::from_sfen(&leaf.sfen);
                let goes_on = position.is_ok_and(|position| !has_ended(&position));
                if goes_on && known.insert(leaf.sfen.clone()) {
                    list.push(leaf.sfen);
                }
            }
        }
    }

    /// Makes the peta-shock book; `None` when there is no book yet, or nothing in it.
    fn shock(&self) -> Result<Option<PetaShockReport>> {
        let Mine { think, peta, .. } = self.options;
        if !has_book(&think.book) {
            return Ok(None);
        }
        let options = PetaShockOptions {
            line_end: think.line_end,
            ..PetaShockOptions::default()
        };
        match peta_shock(&think.book, peta, options, self.job) {
            Ok(report) => Ok(Some(report)),
            Err(BookError::NothingToWrite { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Thinks about the list of the round; tells when it is not the last one.
    fn think(&mut self) -> Result<Option<End>> {
        let path = self.state.list_path();
        let mut file = AtomicFile::create(&path)?;
        for sfen in &self.state.list {
            file.put(sfen.as_bytes())?;
            file.put(LineEnd::Lf.bytes())?;
        }
        file.commit()?;
        let think = Think {
            inputs: vec![RecordInput::new(&path)],
            wanted: Wanted {
                first: 1,
                last: 1,
                ..Wanted::default()
            },
            ..self.options.think.clone()
        };
        let task = Task::prepare(think, self.job)?;
        let control = Control::default();
        let watch = Watch {
            miner: self.miner,
            outer: self.control,
            inner: &control,
            end: self.time_left().map(|left| Instant::now() + left),
        };
        let to_do = task.counts().to_do;
        let summary = task.run(self.players, &control, &watch)?;
        self.miner.step(&Step::Grown { summary: &summary });
        self.summary.add(&summary);
        let left = to_do - summary.thought;
        if !summary.is_complete {
            self.state.thought_of_list = self.state.list.len() as u64 - left;
            self.save_state()?;
            let is_late = self.time_left().is_some_and(|left| left.is_zero());
            let is_time = is_late && !self.control.is_quitting();
            return Ok(Some(if is_time { End::Time } else { End::Interrupted }));
        }
        // What an earlier process did of this list counts too.
        self.state.thought += self.state.list.len() as u64 - summary.given_up;
        self.state.list.clear();
        self.state.thought_of_list = 0;
        self.save_state()?;
        let fails = summary.given_up > 0 && summary.given_up == to_do;
        Ok(fails.then_some(End::Failing))
    }

    /// Writes where the run stands.
    fn save_state(&mut self) -> Result<()> {
        self.state.take(self.begun.elapsed());
        self.begun = Instant::now();
        self.state.write()
    }

    /// Makes the book of the end; nothing is left to be gone on with.
    fn finish(&mut self) -> Result<()> {
        if let Some(peta) = self.shock()? {
            self.miner.step(&Step::Finished { peta: &peta });
        }
        self.state.remove()
    }
}

/// Hears of thinking, and ends it when the time is over.
struct Watch<'a> {
    miner: &'a dyn Miner,
    outer: &'a Control,
    inner: &'a Control,
    end: Option<Instant>,
}

impl Observer for Watch<'_> {
    fn event(&self, event: &Event<'_>) {
        let is_late = self.end.is_some_and(|end| Instant::now() >= end);
        if is_late || self.outer.is_quitting() {
            self.inner.quit();
        }
        self.miner.event(event);
    }
}
