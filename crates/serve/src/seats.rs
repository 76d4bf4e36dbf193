//! Seats: how many searches run at a time, and whose is next. Each engine has seats of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use page_messages::{Effort, PageRequest};

use crate::tab::Tab;

/// A request with its tab.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) tab: Arc<Tab>,
    pub(crate) request: PageRequest,
    pub(crate) effort: Effort,
    /// Whose seat it takes.
    pub(crate) seat: String,
}

impl Asked {
    fn is_of(&self, tab: &Tab, id: u64) -> bool {
        self.tab.id == tab.id && self.request.id == id
    }

    /// Returns whether it may run now.
    fn is_ready(&self) -> bool {
        self.effort != Effort::Watched || self.tab.is_visible()
    }
}

/// A search that runs.
#[derive(Debug)]
struct Seated {
    tab: Arc<Tab>,
    id: u64,
    effort: Effort,
    seat: String,
}

#[derive(Debug)]
struct State {
    /// Searches that may run at a time on seats of one name.
    seats: usize,
    /// Searches that wait, in their order.
    waiting: Vec<Asked>,
    /// Searches that run.
    running: Vec<Seated>,
    /// When a tab had its last turn.
    turns: HashMap<u64, u64>,
    turn: u64,
}

/// The seats of searches.
#[derive(Debug)]
pub(crate) struct Seats(Mutex<State>);

impl Seats {
    pub(crate) fn new(seats: usize) -> Self {
        Self(Mutex::new(State {
            seats: seats.max(1),
            waiting: Vec::new(),
            running: Vec::new(),
            turns: HashMap::new(),
            turn: 0,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a search that waits.
    pub(crate) fn add(&self, asked: Asked) {
        self.state().waiting.push(asked);
    }

    /// Takes a seat for the search that is next: of visible tabs first, of those the one whose last turn is longest ago; `None` if
    /// no seat is free or nothing may run. Whoever gets it calls [`leave`](Self::leave) at its end.
    pub(crate) fn next(&self) -> Option<Asked> {
        let mut state = self.state();
        let is_free = |seat: &str| {
            let taken = state.running.iter().filter(|seated| seated.seat == seat);
            taken.count() < state.seats
        };
        let ready = state.waiting.iter().enumerate();
        let ready = ready.filter(|(_, asked)| asked.is_ready() && is_free(&asked.seat));
        let (at, _) = ready.min_by_key(|(at, asked)| {
            let turn = state.turns.get(&asked.tab.id).copied().unwrap_or(0);
            (!asked.tab.is_visible(), turn, *at)
        })?;
        let asked = state.waiting.remove(at);
        state.turn += 1;
        let turn = state.turn;
        state.turns.insert(asked.tab.id, turn);
        state.running.push(Seated {
            tab: Arc::clone(&asked.tab),
            id: asked.request.id,
            effort: asked.effort,
            seat: asked.seat.clone(),
        });
        Some(asked)
    }

    /// Frees the seat of a search.
    pub(crate) fn leave(&self, tab: &Tab, id: u64) {
        let mut state = self.state();
        let is_of = |seated: &Seated| seated.tab.id == tab.id && seated.id == id;
        if let Some(at) = state.running.iter().position(is_of) {
            state.running.swap_remove(at);
        }
    }

    /// Takes a search away that waits; returns whether it did.
    pub(crate) fn remove(&self, tab: &Tab, id: u64) -> bool {
        let mut state = self.state();
        let at = state.waiting.iter().position(|asked| asked.is_of(tab, id));
        at.map(|at| state.waiting.remove(at)).is_some()
    }

    /// Takes all searches of a tab away that wait, and forgets it.
    pub(crate) fn forget(&self, tab: &Tab) {
        let mut state = self.state();
        state.waiting.retain(|asked| asked.tab.id != tab.id);
        state.turns.remove(&tab.id);
    }

    /// The searches of a tab that run and are of use only while somebody looks.
    pub(crate) fn watched(&self, tab: &Tab) -> Vec<u64> {
        let state = self.state();
        let of_tab = state.running.iter();
        let of_tab =
            of_tab.filter(|seated| seated.tab.id == tab.id && seated.effort == Effort::Watched);
        of_tab.map(|seated| seated.id).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(tab: &Arc<Tab>, id: u64, effort: Effort) -> Asked {
        Asked {
            tab: Arc::clone(tab),
            request: PageRequest::new(id, "hint", json!({})),
            effort,
            seat: String::new(),
        }
    }

    fn next(seats: &Seats) -> Option<(u64, u64)> {
        let asked = seats.next()?;
        seats.leave(&asked.tab, asked.request.id);
        Some((asked.tab.id, asked.request.id))
    }

    #[test]
    fn tabs_take_turns_and_those_that_are_seen_go_first() {
        let seats = Seats::new(1);
        let tabs: Vec<_> = (0..3).map(|id| Arc::new(Tab::new(id))).collect();
        tabs[0].set_visible(false);
        for tab in &tabs {
            for id in 0..2 {
                seats.add(asked(tab, id, Effort::Search));
            }
        }
        let order: Vec<_> = std::iter::from_fn(|| next(&seats)).collect();
        assert_eq!(order, [(1, 0), (2, 0), (1, 1), (2, 1), (0, 0), (0, 1)]);
    }

    #[test]
    fn hints_of_a_hidden_tab_wait() {
        let seats = Seats::new(1);
        let tab = Arc::new(Tab::new(1));
        tab.set_visible(false);
        seats.add(asked(&tab, 1, Effort::Watched));
        assert_eq!(next(&seats), None);
        tab.set_visible(true);
        let running = seats.next().unwrap();
        assert_eq!(seats.watched(&tab), [1]);
        seats.add(asked(&tab, 2, Effort::Search));
        assert!(seats.next().is_none(), "one seat");
        seats.leave(&running.tab, 1);
        assert!(seats.remove(&tab, 2) && !seats.remove(&tab, 2));
        seats.add(asked(&tab, 3, Effort::Search));
        seats.forget(&tab);
        assert_eq!(next(&seats), None);
    }

    #[test]
    fn each_name_has_seats_of_its_own() {
        let seats = Seats::new(1);
        let tab = Arc::new(Tab::new(1));
        for (id, seat) in [(1, "a"), (2, "a"), (3, "b")] {
            seats.add(Asked {
                seat: seat.to_owned(),
                ..asked(&tab, id, Effort::Search)
            });
        }
        let first = seats.next().unwrap();
        let second = seats.next().unwrap();
        assert_eq!((first.request.id, second.request.id), (1, 3));
        assert!(seats.next().is_none());
        seats.leave(&tab, 1);
        assert_eq!(seats.next().unwrap().request.id, 2);
    }
}
