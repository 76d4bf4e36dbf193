//! The opened books as searches of the page ask them.

use std::sync::{Arc, PoisonError, RwLock};

use shogi_core::Game;
use shogi_page::{BookAdvice, PageBooks};
use yane_base::random::stream;
use yane_book::probe::{Books, ProbeOptions, Profile, probe};

use super::playing::{AdvisedMove, OpenBooks};

/// The books as they were when they last changed.
#[derive(Debug, Default)]
struct Current {
    open: OpenBooks,
    /// The same, as moves are chosen from them.
    probed: Arc<Books>,
}

/// The opened books as searches ask them. Clones are the same books.
#[derive(Clone, Debug)]
pub struct PlayedBooks {
    current: Arc<RwLock<Current>>,
    options: ProbeOptions,
}

impl PlayedBooks {
    /// No books yet; moves are chosen as `profile` does.
    pub fn new(profile: Profile) -> Self {
        Self {
            current: Arc::default(),
            options: ProbeOptions {
                flipped: true,
                ..ProbeOptions::new(profile)
            },
        }
    }

    /// Takes other books.
    pub fn set(&self, open: OpenBooks) {
        let probed = Arc::new(open.to_probe());
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Current { open, probed };
    }

    fn open(&self) -> OpenBooks {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.open.clone()
    }

    fn probed(&self) -> Arc<Books> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current.probed)
    }
}

fn advice(book: &str, known: &AdvisedMove) -> BookAdvice {
    BookAdvice {
        mv: known.mv,
        score: known.score,
        depth: known.depth.and_then(|depth| u32::try_from(depth).ok()),
        book: Some(book.to_owned()),
    }
}

impl PageBooks for PlayedBooks {
    fn moves(&self, game: &Game) -> Vec<BookAdvice> {
        let found = self.open().find(game.position());
        let moves = found.iter().flat_map(|found| {
            let moves = found.moves.iter();
            moves.map(|known| advice(&found.book, known))
        });
        moves.collect()
    }

    fn choose(&self, game: &Game, random: u64) -> Option<BookAdvice> {
        let found = probe(&self.probed(), game, &self.options, &mut stream(random));
        let choice = found.choice?;
        let known = self.moves(game).into_iter().find(|one| one.mv == choice.mv);
        Some(known.unwrap_or(BookAdvice {
            mv: choice.mv,
            score: Some(choice.eval),
            depth: None,
            book: None,
        }))
    }
}
