//! Every number that shapes the search, in one table.
//!
//! A parameter has a name, a default, a range and a step for tuning. [`Params`] holds the values of
//! one search; [`Params::SPECS`] describes them, so that a tuner can show each as an option and
//! paste its findings back here. Scores are in the internal unit (a pawn is 90), depths in plies.

/// Name, default and range of a search parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamSpec {
    /// The name: that of the field of [`Params`].
    pub name: &'static str,
    /// The value used in play.
    pub default: i32,
    /// Smallest sensible value.
    pub min: i32,
    /// Largest sensible value.
    pub max: i32,
    /// A change that a tuner may try first.
    pub step: i32,
}

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident = $default:literal, $min:literal ..= $max:literal, $step:literal;)*) => {
        /// The values of all search parameters.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params {
            $($(#[$doc])* pub $name: i32,)*
        }

        impl Default for Params {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl Params {
            /// Descriptions of all parameters.
            pub const SPECS: &'static [ParamSpec] = &[
                $(ParamSpec {
                    name: stringify!($name), default: $default, min: $min, max: $max, step: $step,
                },)*
            ];

            /// The value of the parameter called `name`.
            pub fn get(&self, name: &str) -> Option<i32> {
                match name {
                    $(stringify!($name) => Some(self.$name),)*
                    _ => None,
                }
            }

            /// Sets the parameter called `name`, clamped to its range. False when there is no such
            /// parameter.
            pub fn set(&mut self, name: &str, value: i32) -> bool {
                match name {
                    $(stringify!($name) => self.$name = value.clamp($min, $max),)*
                    _ => return false,
                }
                true
            }
        }
    };
}

params! {
    /// Half width of the first window around the last iterations' score.
    aspiration_window = 18, 5..=200, 4;
    /// Aspiration: the mean squared score that widens the window by one.
    aspiration_divisor = 12000, 3000..=60000, 1500;
    /// Per cent by which the window grows after each failure.
    aspiration_growth = 45, 10..=200, 10;

    /// Correction of the static score by pawns, when its history is full.
    correction_pawn = 90, 0..=300, 10;
    /// Correction by the hands.
    correction_hand = 80, 0..=300, 10;
    /// Correction by the king and its guards, for each side.
    correction_castle = 80, 0..=300, 10;
    /// Correction by bishops and rooks.
    correction_big = 80, 0..=300, 10;
    /// Correction by the moves that led here.
    correction_moves = 80, 0..=300, 10;

    /// The reply's static score teaches the move before: factor, per cent.
    eval_lesson = 900, 0..=3000, 100;
    /// The reply's static score teaches the move before: constant part.
    eval_lesson_base = 600, 0..=1500, 60;
    /// The reply's static score teaches the move before: limit.
    eval_lesson_max = 1700, 400..=4000, 120;

    /// A node reached by so large a reduction is looked at deeper unless things got worse for the
    /// opponent.
    hindsight_deeper = 3, 1..=6, 1;
    /// A node reached by so large a reduction may be looked at less deep.
    hindsight_shallower = 2, 1..=6, 1;
    /// Both static scores together say that nothing was lost: look less deep.
    hindsight_margin = 180, 40..=600, 20;

    /// Razoring: margin at depth zero.
    razor_base = 450, 50..=900, 30;
    /// Razoring: margin for the square of the depth.
    razor_slope = 290, 50..=600, 20;

    /// Reverse futility: deepest depth.
    rfp_depth = 13, 3..=20, 1;
    /// Reverse futility: margin for each ply.
    rfp_margin = 95, 30..=250, 8;
    /// Reverse futility: margin for each ply less at expected cut nodes without a table entry.
    rfp_unknown = 22, 0..=80, 5;
    /// Reverse futility: per cent of a ply's margin taken off when the position is improving.
    rfp_improving = 200, 0..=400, 20;
    /// Reverse futility: per cent of a ply's margin taken off when the opponent is worsening.
    rfp_worsening = 33, 0..=200, 10;

    /// Null move: reduction before anything is added.
    null_base = 6, 1..=9, 1;
    /// Null move: one more ply for each so many plies of depth.
    null_depth_divisor = 3, 2..=8, 1;
    /// Null move: how much the static score may lie below beta at depth zero.
    null_margin = 150, 0..=800, 30;
    /// Null move: by how much less for each ply of depth.
    null_margin_slope = 18, 0..=60, 4;
    /// Null move: from this depth on a search without passes has to confirm it.
    null_verify_depth = 16, 8..=40, 2;

    /// Internal iterative reduction: least depth.
    iir_depth = 5, 2..=9, 1;

    /// Prob-cut: least depth.
    probcut_depth = 3, 3..=9, 1;
    /// Prob-cut: margin above beta.
    probcut_margin = 220, 80..=500, 20;
    /// Prob-cut: margin taken off when the position is improving.
    probcut_improving = 60, 0..=200, 10;
    /// Prob-cut by the table alone: margin above beta.
    probcut_table = 420, 150..=900, 30;

    /// Late move pruning: moves searched at depth zero.
    lmp_base = 3, 1..=12, 1;
    /// Late move pruning: per cent of the squared depth added.
    lmp_scale = 100, 30..=300, 12;

    /// Futility of quiet moves: deepest reduced depth.
    futility_depth = 12, 3..=20, 1;
    /// Futility of quiet moves: margin at depth zero.
    futility_base = 50, 0..=400, 12;
    /// Futility of quiet moves: margin for each ply.
    futility_slope = 125, 20..=300, 10;
    /// Futility of quiet moves: more while no move has raised alpha.
    futility_no_best = 150, 0..=400, 15;
    /// Futility of captures: deepest reduced depth.
    capture_futility_depth = 7, 2..=12, 1;
    /// Futility of captures: margin at depth zero.
    capture_futility_base = 230, 50..=600, 20;
    /// Futility of captures: margin for each ply.
    capture_futility_slope = 210, 50..=500, 20;
    /// Futility of captures: share of the history, in 1024ths.
    capture_futility_history = 130, 0..=400, 15;

    /// Quiet moves with a worse history for each ply of depth are not searched.
    history_pruning = 4100, 1000..=9000, 300;
    /// Pruning: history that stands for one ply.
    history_depth = 3300, 1000..=9000, 300;

    /// Exchange that a quiet move may lose, for the square of the reduced depth.
    see_quiet = 25, 5..=100, 4;
    /// Exchange that a capture or check may lose, for each ply of depth.
    see_capture = 150, 30..=400, 12;
    /// Exchange that a capture or check may lose: share of the history, in 1024ths.
    see_history = 35, 0..=150, 6;

    /// Singular extension: least depth.
    singular_depth = 6, 4..=12, 1;
    /// Singular extension: margin for each ply, in 64ths.
    singular_margin = 60, 16..=400, 8;
    /// Singular extension: margin added for nodes that were on a principal variation.
    singular_margin_pv = 80, 0..=300, 10;
    /// Singular extension: the score lies so far below that the move is extended twice.
    singular_double = 5, -60..=120, 5;
    /// The same, more at nodes of the principal variation.
    singular_double_pv = 200, 0..=500, 20;
    /// Singular extension: the score lies so far below that the move is extended three times.
    singular_triple = 90, 0..=400, 12;
    /// The same, more at nodes of the principal variation.
    singular_triple_pv = 300, 0..=700, 25;

    /// Check extension: shallowest depth at which a safe check is searched a ply deeper.
    check_extension_depth = 60, 1..=60, 2;

    /// Late move reduction: factor of the product of logarithms, in 1024ths.
    lmr_scale = 450, 200..=900, 20;
    /// Late move reduction: constant part, in 1024ths of a ply.
    lmr_base = 1400, 0..=2500, 60;
    /// Late move reduction: less for a wide window, in 1024ths of a ply.
    lmr_window = 600, 0..=1500, 60;
    /// Late move reduction: share of the logarithms added when the position is not improving, in
    /// 512ths.
    lmr_not_improving = 230, 0..=600, 20;
    /// Late move reduction: more where pruning looks at nodes of earlier principal variations.
    lmr_pv_pruning = 940, 0..=2500, 80;
    /// Late move reduction: less at nodes of earlier principal variations, in 1024ths.
    lmr_pv = 1650, 0..=5000, 120;
    /// The same, at open windows.
    lmr_pv_window = 990, 0..=2500, 80;
    /// The same, when the table's score is above alpha.
    lmr_pv_score = 900, 0..=2500, 80;
    /// The same, when the table's entry is as deep.
    lmr_pv_depth = 980, 0..=2500, 80;
    /// Late move reduction: added again after pruning, in 1024ths.
    lmr_offset = 250, -1500..=2500, 60;
    /// Late move reduction: less for each move before this one, in 1024ths.
    lmr_number = 20, 0..=200, 8;
    /// Late move reduction: less for each point by which the static score was corrected.
    lmr_correction = 4, 0..=20, 1;
    /// Late move reduction: more at expected cut nodes, in 1024ths.
    lmr_cut = 3000, 0..=5000, 140;
    /// The same, without a hash move.
    lmr_cut_no_hash = 1000, 0..=3000, 80;
    /// Late move reduction: more when the hash move is a capture, in 1024ths.
    lmr_hash_capture = 1350, 0..=3000, 80;
    /// Late move reduction: more when the next ply has had many cuts, in 1024ths.
    lmr_cutoffs = 1050, 0..=3000, 80;
    /// The same, at nodes where all moves are expected to fail.
    lmr_cutoffs_all = 800, 0..=3000, 80;
    /// Late move reduction: less for the hash move, in 1024ths.
    lmr_hash = 2000, 0..=5000, 120;
    /// Late move reduction: less for moves that give check, in 1024ths.
    lmr_check = 600, 0..=2500, 100;
    /// Late move reduction: share of the history taken off, in 8192nds.
    lmr_history = 790, 100..=2500, 40;
    /// Late move reduction: history that a captured pawn stands for.
    lmr_capture = 1300, 0..=4000, 120;
    /// A reduced search that comes out so much better goes deeper.
    lmr_deeper = 45, 0..=200, 6;
    /// A reduced search that comes out no better than this goes less deep.
    lmr_shallower = 9, 0..=60, 3;
    /// Null-window searches of a node without a hash move: more reduction, in 1024ths.
    lmr_no_hash = 1140, 0..=3000, 80;

    /// History bonus for each ply of depth.
    history_bonus = 160, 50..=500, 12;
    /// Largest history bonus.
    history_bonus_max = 1550, 500..=4000, 100;
    /// History bonus added when the hash move was right.
    history_hash = 320, 0..=1000, 40;
    /// History malus for each ply of depth.
    history_malus = 700, 100..=1500, 40;
    /// Largest history malus.
    history_malus_max = 2300, 500..=5000, 120;

    /// Ordering: quiet moves with a worse history for each ply of depth are not sorted.
    order_sorted = 3500, 500..=9000, 250;
    /// Ordering: quiet moves with a worse rank come after the losing captures.
    order_bad_quiet = -14000, -40000..=0, 900;
    /// Ordering: bonus of a quiet move that gives check without losing material.
    order_check = 14000, 0..=40000, 1000;
    /// Ordering: bonus of moving a piece that a pawn attacks, for each point of its value in 16ths.
    order_escape = 160, 0..=600, 20;
    /// Ordering: malus of moving a piece to where a pawn takes it.
    order_en_prise = 160, 0..=600, 20;
    /// Ordering of captures: factor of the value.
    order_victim = 14, 1..=30, 1;

    /// Short mates: least depth of a node where a solver is asked, if there is one.
    mate_depth = 10, 1..=20, 1;
    /// Short mates: positions that the solver may look at, at a node.
    mate_nodes = 40, 0..=2000, 20;
    /// Short mates: positions that the solver may look at, at the root.
    mate_root_nodes = 2000, 0..=1000000, 500;

    /// Quiescence: margin of futility.
    qs_futility = 250, 30..=600, 20;
    /// Quiescence: from so many plies on only recaptures are followed.
    qs_recapture_ply = 5, 1..=20, 1;
    /// Quiescence: exchange that a capture may lose.
    qs_see = 50, 0..=300, 12;
    /// Quiescence: captures tried that are no recaptures and give no check.
    qs_moves = 6, 1..=30, 1;
    /// Quiescence: plies in which quiet checks are tried.
    qs_checks = 0, 0..=3, 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_lie_in_their_ranges_and_names_work() {
        let mut params = Params::default();
        for spec in Params::SPECS {
            assert!(
                (spec.min..=spec.max).contains(&spec.default),
                "{}",
                spec.name
            );
            assert!(spec.step > 0, "{}", spec.name);
            assert_eq!(params.get(spec.name), Some(spec.default));
            assert!(params.set(spec.name, spec.max + 1));
            assert_eq!(params.get(spec.name), Some(spec.max), "{}", spec.name);
        }
        assert!(!params.set("no such parameter", 1));
        assert_eq!(params.get("no such parameter"), None);
    }
}
