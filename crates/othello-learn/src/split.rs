//! Which positions are trained with and which are held out, by ply.

use yane_base::random::SplitMix64;

use crate::samples::{LabelledFiles, TrainingFile};

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
    /// Sorts positions by ply and holds games out. Of each file those positions are used that `sources` says.
    pub(crate) fn new(
        files: &LabelledFiles,
        sources: &[TrainingFile],
        seed: u64,
        held_out_percent: u32,
    ) -> Self {
        let plies = LAST_PLY + 1;
        let (mut fitted, mut held_out) = (vec![Vec::new(); plies], vec![Vec::new(); plies]);
        let mut game = 0;
        for (number, position) in files.iter().enumerate() {
            game += u64::from(position.begins_game);
            let source = &sources[files.file_of(number)];
            let is_used = source.labels.is_none_or(|kind| kind == position.kind)
                && fraction(SplitMix64::nth(!seed, game)) < source.share;
            if !is_used {
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

/// A random number from 0 on and below 1.
fn fraction(draw: u64) -> f64 {
    (draw >> 11) as f64 / (1_u64 << 53) as f64
}
