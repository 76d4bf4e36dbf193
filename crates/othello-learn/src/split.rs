//! Which positions are trained with and which are held out, by ply.

use yane_base::random::SplitMix64;

use crate::samples::{LabelKind, LabelledFiles};

/// The last ply of a game.
pub(crate) const LAST_PLY: usize = 60;

/// The numbers of positions of each ply.
pub(crate) struct Split {
    /// Those to train with.
    pub(crate) fitted: Vec<Vec<u32>>,
    /// Those of games held out.
    pub(crate) held_out: Vec<Vec<u32>>,
}

impl Split {
    /// Sorts positions by ply and holds games out. From the number `searched` on only solved positions are used.
    pub(crate) fn new(
        files: &LabelledFiles,
        searched: usize,
        seed: u64,
        held_out_percent: u32,
    ) -> Self {
        let plies = LAST_PLY + 1;
        let (mut fitted, mut held_out) = (vec![Vec::new(); plies], vec![Vec::new(); plies]);
        let mut game = 0;
        for (number, position) in files.iter().enumerate() {
            game += u64::from(position.begins_game);
            if number >= searched && position.kind != LabelKind::Exact {
                continue;
            }
            let draw = SplitMix64::nth(seed, game) % 100;
            let is_held_out = draw < u64::from(held_out_percent);
            let plies = if is_held_out {
                &mut held_out
            } else {
                &mut fitted
            };
            plies[position.ply()].push(number as u32);
        }
        Self { fitted, held_out }
    }

    /// The number of positions that are used.
    pub(crate) fn len(&self) -> u64 {
        let plies = self.fitted.iter().chain(&self.held_out);
        plies.map(|ply| ply.len() as u64).sum()
    }
}
