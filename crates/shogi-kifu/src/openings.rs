//! The opening of a game and the castles of its players, by name.

use shogi_core::ByColor;
use shogi_openings::{Castles, FoundOpening, OpeningObserver};

use crate::record::GameRecord;

impl GameRecord {
    /// The opening of the game as it was played: the most exact name that fits it.
    pub fn opening(&self) -> Option<FoundOpening> {
        self.observe_opening().opening()
    }

    /// The castles of both players in the game as it was played, in their order.
    pub fn castles(&self) -> Castles {
        let observer = self.observe_opening();
        ByColor(observer.castles().0.clone())
    }

    /// Follows the opening of the game as it was played.
    pub(crate) fn observe_opening(&self) -> OpeningObserver {
        let mut observer = OpeningObserver::new(self.start());
        let moves = self.moves().take(OpeningObserver::CASTLE_PLIES);
        moves.for_each(|m| observer.play(m));
        observer
    }
}
