//! The opening book in a search: probed before it, or shown in analysis.

use std::sync::Arc;

use shogi_core::{Game, Move};
use yane_base::random::stream;
use yane_book::probe::{Books, Message, ProbeOptions, probe};

use crate::listener::{Listener, SearchOutcome};

/// The purpose of looking into the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BookPurpose {
    /// A move of the book is the decision.
    Play,
    /// Its moves are shown, then the position is searched: in analysis.
    Show,
}

/// The book probe of one decision.
pub(crate) struct BookRequest {
    pub(crate) purpose: BookPurpose,
    pub(crate) books: Arc<Books>,
    pub(crate) options: ProbeOptions,
    /// The seed of the choice among moves of the book.
    pub(crate) seed: u64,
}

impl BookRequest {
    /// The move of the book, if it has one and is to be played. Of the moves that are only shown, those in `named` alone, unless
    /// that is empty.
    pub(crate) fn probe(
        &self,
        game: &Game,
        named: &[Move],
        listener: &dyn Listener,
    ) -> Option<SearchOutcome> {
        let mut rng = stream(self.seed);
        let found = probe(&self.books, game, &self.options, &mut rng);
        let is_shown_only = self.purpose == BookPurpose::Show;
        let messages = if is_shown_only {
            shown_in_analysis(found.messages, named)
        } else {
            found.messages
        };
        for message in &messages {
            listener.book(message);
        }
        if is_shown_only {
            return None;
        }
        found.choice.map(|choice| SearchOutcome::Move {
            best: choice.mv,
            ponder: choice.ponder,
        })
    }
}

/// The messages of the book that are of use in analysis: the moves, those in `named` alone unless that is empty, and what is wrong
/// with the book; not how a move would be chosen.
fn shown_in_analysis(messages: Vec<Message>, named: &[Move]) -> Vec<Message> {
    let mut number = 0;
    let mut shown = |message| match message {
        Message::Line(mut line) => {
            let first = line.pv.first()?;
            if !named.is_empty() && !named.contains(first) {
                return None;
            }
            number += 1;
            line.number = number;
            Some(Message::Line(line))
        }
        Message::Illegal { .. } | Message::Broken(_) => Some(message),
        _ => None,
    };
    messages.into_iter().filter_map(&mut shown).collect()
}
