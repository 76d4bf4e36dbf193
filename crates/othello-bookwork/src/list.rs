//! Work on a list of positions, as long as the budgets of the run last.

use std::time::Instant;

use farm::Next;
use yane_io::Job;

use crate::error::Result;
use crate::item::{FoundAnswer, SearchItem};
use crate::tasks::Tasks;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrowthEnd {
    /// All stages are done.
    Complete,
    /// So many positions were added as the budget has.
    Positions,
    /// The time of the budget is over.
    Time,
    /// It was cancelled.
    Cancelled,
}

/// How work on a list ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListEnd {
    Done,
    /// It is time to save, or there is no memory for more positions.
    Save,
    Stop(GrowthEnd),
}

/// Asks for what tasks need, as long as budgets last.
pub(crate) struct ListWork<'t> {
    pub(crate) tasks: Tasks<'t>,
    job: &'t Job,
    limits: ListLimits,
    /// Tasks that were told to the progress.
    told: u64,
    /// Why no more is asked for, though there is more to do.
    early: Option<ListEnd>,
}

/// Until when a list is worked on at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListLimits {
    /// The end of the run.
    pub(crate) until: Option<Instant>,
    /// The next save.
    pub(crate) save_at: Instant,
    /// Positions that may be in memory.
    pub(crate) most_new: u64,
}

impl<'t> ListWork<'t> {
    pub(crate) const fn new(tasks: Tasks<'t>, job: &'t Job, limits: ListLimits) -> Self {
        Self {
            tasks,
            job,
            limits,
            told: 0,
            early: None,
        }
    }

    /// The next item to search. `Later`: it depends on answers to come.
    pub(crate) fn next(&mut self) -> Result<Next<SearchItem>> {
        if self.tasks.book().new_positions() >= self.limits.most_new {
            self.early = Some(ListEnd::Save);
        }
        if self.early.is_some() {
            return Ok(Next::End);
        }
        Ok(self.tasks.next()?)
    }

    /// True if no more is asked for.
    pub(crate) fn has_ended(&self) -> bool {
        self.early.is_some() || self.tasks.is_over()
    }

    /// True if [`Self::next`] may have an item now.
    pub(crate) fn may_have_item(&self) -> bool {
        self.tasks.may_have_item()
    }

    /// Uses the answer of an item.
    pub(crate) fn answered(&mut self, item: &SearchItem, found: FoundAnswer) -> Result<()> {
        Ok(self.tasks.answered(item, found)?)
    }

    /// Takes back an item that nobody answered.
    pub(crate) fn again(&mut self, item: SearchItem) {
        self.tasks.again(item);
    }

    /// Tells the progress, and looks at the clock.
    pub(crate) fn tick(&mut self) {
        let done = self.tasks.counts.done;
        self.job.progress.advance(done - self.told);
        self.told = done;
        let now = Instant::now();
        if self.limits.until.is_some_and(|until| now >= until) {
            self.early = Some(ListEnd::Stop(GrowthEnd::Time));
        } else if now >= self.limits.save_at && self.early.is_none() {
            self.early = Some(ListEnd::Save);
        }
    }

    /// How the work has ended.
    pub(crate) fn end(&self) -> ListEnd {
        match self.early {
            _ if self.tasks.has_enough() => ListEnd::Stop(GrowthEnd::Positions),
            _ if self.tasks.is_over() => ListEnd::Done,
            Some(early) => early,
            // Nobody is left to search.
            None => ListEnd::Stop(GrowthEnd::Cancelled),
        }
    }
}
