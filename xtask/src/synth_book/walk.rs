//! Games from the initial position, played with [`Taste`]; their positions make the book.

use anyhow::{Result, bail};
use shogi_core::movegen::Legal;
use shogi_core::{Move, PackedSfen, Position};

use super::collection::Collection;
use super::cycles;
use super::taste::Taste;
use super::{Args, entry};
use crate::hash;
use splitmix::SplitMix64;

/// Games in a row that may bring nothing new before the search for positions is given up.
const MAX_FRUITLESS: usize = 50_000;

/// Plays games until there are enough positions.
///
/// # Errors
///
/// If games up to the move number asked for do not reach that many positions.
pub(super) fn collect(args: &Args) -> Result<Collection> {
    let mut walker = Walker {
        args,
        found: Collection::default(),
        taste: Taste::default(),
    };
    let mut fruitless = 0;
    let mut game = 0;
    while !walker.done() {
        let before = walker.found.len();
        walker.play(SplitMix64::new(hash::combine(args.seed, game)));
        game += 1;
        fruitless = if walker.found.len() > before {
            0
        } else {
            fruitless + 1
        };
        if fruitless > MAX_FRUITLESS {
            bail!(
                "only {} positions were found up to move number {}: ask for fewer with \
                 --positions or for longer games with --max-ply",
                walker.found.len(),
                args.max_ply
            );
        }
    }
    walker.found.freeze();
    Ok(walker.found)
}

struct Walker<'a> {
    args: &'a Args,
    found: Collection,
    taste: Taste,
}

impl Walker<'_> {
    fn done(&self) -> bool {
        self.found.len() >= self.args.positions as usize
    }

    /// Notes `position` unless there are enough already or its game is over. The number of the
    /// position.
    fn note(&mut self, position: &Position) -> u64 {
        let packed = PackedSfen::encode(position).expect("a game keeps all pieces of the set");
        let hash = hash::of_position(&packed);
        if !self.done() && !position.has_no_legal_move() {
            self.found.add(position, packed);
        }
        hash
    }

    /// One game, and sometimes a second one that goes round in circles.
    fn play(&mut self, mut random: SplitMix64) {
        let cyclic = random.index(100) < usize::from(self.args.cyclic);
        self.straight(&mut random, u32::from(self.args.max_ply));
        if cyclic {
            self.circling(&mut random);
        }
    }

    /// A game up to move number `last_ply`. Its last position.
    fn straight(&mut self, random: &mut SplitMix64, last_ply: u32) -> Position {
        let mut position = Position::startpos();
        loop {
            let hash = self.note(&position);
            if position.ply() >= last_ply {
                return position;
            }
            let Some(m) = self.choose(&position, hash, random) else {
                return position;
            };
            let _ = position.do_move(m);
        }
    }

    /// One of the moves that the book will register here, the most liked most often; now and then
    /// any move at all, as opponents leave the book.
    fn choose(&mut self, position: &Position, hash: u64, random: &mut SplitMix64) -> Option<Move> {
        if random.index(16) == 0 {
            let mut moves = position.moves::<Legal>();
            // The order in which moves are generated must not matter.
            moves.sort_unstable_by_key(|&m| hash::of_move(m));
            return (!moves.is_empty()).then(|| moves[random.index(moves.len())]);
        }
        let count = entry::registered_count(hash, self.args.moves_per_position);
        let pick = random.index(count).min(random.index(count));
        let favourites = self.taste.favourites(position, hash, count);
        favourites.get(pick).or(favourites.last()).copied()
    }

    /// A game in which both sides walk back and forth from some position on, with the perpetual
    /// checks that were possible on the way.
    fn circling(&mut self, random: &mut SplitMix64) {
        let max_ply = u32::from(self.args.max_ply);
        let Some(latest) = max_ply.checked_sub(cycles::MAX_PLIES) else {
            return;
        };
        let turn = 1 + random.index(latest.max(1) as usize) as u32;
        let from = self.straight(random, turn);
        for position in cycles::back_and_forth(&from, random) {
            self.note(&position);
        }
        // Most positions offer no perpetual check, so every later one of the game is asked.
        let mut position = from;
        while position.ply() < latest {
            for checked in cycles::perpetual_check(&position) {
                self.note(&checked);
            }
            let hash = self.note(&position);
            let Some(m) = self.choose(&position, hash, random) else {
                return;
            };
            let _ = position.do_move(m);
        }
    }
}
