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
    /// Half width of the first window around the last iteration's score.
    aspiration_window = 32, 5..=200, 6;
    /// Per cent by which the window grows after each failure.
    aspiration_growth = 60, 10..=200, 15;

    /// Reverse futility: deepest depth.
    rfp_depth = 8, 3..=14, 1;
    /// Reverse futility: margin for each ply.
    rfp_margin = 90, 30..=250, 10;
    /// Reverse futility: margin taken off when the position is improving.
    rfp_improving = 70, 0..=250, 10;

    /// Razoring: margin at depth zero.
    razor_base = 280, 50..=900, 30;
    /// Razoring: margin for the square of the depth.
    razor_slope = 190, 50..=600, 20;

    /// Null move: reduction before anything is added.
    null_base = 3, 1..=6, 1;
    /// Null move: one more ply for each so many plies of depth.
    null_depth_divisor = 4, 2..=8, 1;
    /// Null move: one more ply for each so much static score above beta.
    null_eval_divisor = 240, 80..=600, 20;
    /// Null move: most plies added for the static score.
    null_eval_max = 3, 0..=6, 1;
    /// Null move: how much the static score may lie below beta at depth zero.
    null_margin = 150, 0..=500, 20;
    /// Null move: by how much less for each ply of depth.
    null_margin_slope = 18, 0..=60, 4;

    /// Internal iterative reduction: least depth.
    iir_depth = 4, 2..=9, 1;

    /// Prob-cut: least depth.
    probcut_depth = 5, 3..=9, 1;
    /// Prob-cut: margin above beta.
    probcut_margin = 230, 80..=500, 20;

    /// Late move pruning: moves searched at depth zero.
    lmp_base = 4, 1..=12, 1;
    /// Late move pruning: per cent of the squared depth added.
    lmp_scale = 100, 30..=300, 15;

    /// Futility of quiet moves: deepest reduced depth.
    futility_depth = 9, 3..=14, 1;
    /// Futility of quiet moves: margin at depth zero.
    futility_base = 120, 20..=400, 15;
    /// Futility of quiet moves: margin for each ply.
    futility_slope = 105, 20..=300, 10;
    /// Futility of captures: margin at depth zero.
    capture_futility_base = 220, 50..=600, 20;
    /// Futility of captures: margin for each ply.
    capture_futility_slope = 190, 50..=500, 20;

    /// Quiet moves with a worse history for each ply of depth are not searched at low depth.
    history_pruning = 3400, 1000..=8000, 300;

    /// Exchange that a quiet move may lose, for the square of the reduced depth.
    see_quiet = 26, 5..=100, 5;
    /// Exchange that a capture or check may lose, for each ply of depth.
    see_capture = 140, 30..=400, 15;

    /// Singular extension: least depth.
    singular_depth = 7, 4..=12, 1;
    /// Singular extension: margin for each ply, in 64ths.
    singular_margin = 110, 16..=400, 12;
    /// Singular extension: margin below which the move is extended twice.
    singular_double = 25, 0..=120, 5;

    /// Check extension: shallowest depth at which a safe check is searched a ply deeper.
    check_extension_depth = 6, 1..=60, 2;

    /// Late move reduction: constant part, in 1024ths of a ply.
    lmr_base = 500, 0..=1500, 60;
    /// Late move reduction: factor of the product of logarithms, in 1024ths.
    lmr_scale = 430, 200..=900, 25;
    /// Late move reduction: less at nodes of the principal variation, in 1024ths.
    lmr_pv = 1000, 0..=2500, 100;
    /// Late move reduction: more at expected cut nodes, in 1024ths.
    lmr_cut = 1300, 0..=3000, 100;
    /// Late move reduction: more when the position is not improving, in 1024ths.
    lmr_not_improving = 700, 0..=2000, 80;
    /// Late move reduction: less for moves that give check, in 1024ths.
    lmr_check = 900, 0..=2500, 100;
    /// Late move reduction: less for killers and the counter move, in 1024ths.
    lmr_refutation = 900, 0..=2500, 100;
    /// Late move reduction: more when the hash move is a capture, in 1024ths.
    lmr_hash_capture = 700, 0..=2000, 80;
    /// Late move reduction: history that makes one ply.
    lmr_history = 9000, 3000..=30000, 800;
    /// Late move reduction: history that makes one ply, for captures.
    lmr_capture_history = 7000, 3000..=30000, 800;

    /// History bonus for each ply of depth.
    history_bonus = 190, 50..=500, 20;
    /// Largest history bonus.
    history_bonus_max = 2000, 500..=4000, 150;
    /// History malus for each ply of depth.
    history_malus = 230, 50..=600, 25;
    /// Largest history malus.
    history_malus_max = 1800, 500..=4000, 150;

    /// Ordering: bonus of a quiet move that gives check without losing material.
    order_check = 9000, 0..=30000, 1000;

    /// Quiescence: margin of futility.
    qs_futility = 180, 30..=500, 20;
    /// Quiescence: from so many plies on only recaptures are followed.
    qs_recapture_ply = 5, 1..=20, 1;
    /// Quiescence: exchange that a capture may lose.
    qs_see = 30, 0..=300, 20;
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
