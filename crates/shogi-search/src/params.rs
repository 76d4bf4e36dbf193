//! Search parameters, in one table.
//!
//! A parameter has a name, a default, a range and a step for tuning. [`Params`] holds the values of
//! one search; [`Params::SPECS`] describes them, so that a tuner can show each as an option and
//! paste its findings back here. Scores are in the internal unit (a pawn is 90), depths in plies, times in
//! milliseconds. All values are integers; fractions are in the unit that their comment names.
//!
//! Not here: sizes of tables, which are fixed at compile time (`history`, `tt`), and constants of rules and formats.

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
    aspiration_window = 27, 5..=200, 4;
    /// Aspiration: the mean squared score that widens the window by one.
    aspiration_divisor = 12000, 3000..=60000, 1500;
    /// Per cent by which the window grows after each failure.
    aspiration_growth = 45, 10..=200, 10;
    /// Aspiration: least depth.
    aspiration_depth = 4, 1..=10, 1;
    /// Aspiration: a wider window is opened altogether.
    aspiration_max = 1500, 300..=6000, 150;
    /// Aspiration: threads begin with so many different widths.
    aspiration_spread = 8, 1..=32, 1;

    /// TT cutoff: from this depth up only entries that confirm the expected kind of node are kept from cutting.
    tt_cutoff_depth = 5, 0..=12, 1;

    /// Correction of the static evaluation by pawns, when its history is full.
    correction_pawn = 93, 0..=300, 10;
    /// Correction by the hands.
    correction_hand = 80, 0..=300, 10;
    /// Correction by the king and its guards, for each side.
    correction_castle = 92, 0..=300, 10;
    /// Correction by bishops and rooks.
    correction_big = 98, 0..=300, 10;
    /// Correction by the moves that led here.
    correction_moves = 75, 0..=300, 10;

    /// Largest error of a static evaluation that a correction is made of.
    correction_error_max = 3000, 500..=6000, 250;
    /// The error times the depth is divided by this to become a correction.
    correction_depth_divisor = 9, 2..=32, 1;
    /// Largest single change of a correction.
    correction_update_max = 256, 64..=1024, 24;
    /// Bound of a correction.
    correction_limit = 1024, 256..=8192, 64;

    /// Bonus of the last move by the static evaluation after it: factor, per cent.
    eval_bonus = 1175, 0..=3000, 100;
    /// Bonus of the last move by the static evaluation after it: constant part.
    eval_bonus_base = 505, 0..=1500, 60;
    /// Bonus of the last move by the static evaluation after it: limit.
    eval_bonus_max = 1700, 400..=4000, 120;
    /// Bonus of the last move by the static evaluation after it: its share in the pawn history, in 1024ths.
    eval_bonus_pawn = 557, 0..=3000, 120;

    /// A node reached by so large a reduction is looked at deeper unless things got worse for the
    /// opponent.
    hindsight_deeper = 3, 1..=6, 1;
    /// A node reached by so large a reduction may be looked at less deep.
    hindsight_shallower = 2, 1..=6, 1;
    /// Hindsight: least depth of a node that is looked at less deep.
    hindsight_depth = 2, 1..=8, 1;
    /// Both static evaluations together say that nothing was lost: look less deep.
    hindsight_margin = 168, 40..=600, 20;

    /// Razoring: margin at depth zero.
    razor_base = 529, 50..=900, 30;
    /// Razoring: margin for the square of the depth.
    razor_slope = 290, 50..=600, 20;

    /// Reverse futility: deepest depth.
    rfp_depth = 13, 3..=20, 1;
    /// Reverse futility: margin for each ply.
    rfp_margin = 100, 30..=250, 8;
    /// Reverse futility: margin for each ply less at expected cut nodes without a table entry.
    rfp_unknown = 22, 0..=80, 5;
    /// Reverse futility: per cent of a ply's margin taken off when the position is improving.
    rfp_improving = 164, 0..=400, 20;
    /// Reverse futility: per cent of a ply's margin taken off when the opponent is worsening.
    rfp_worsening = 33, 0..=200, 10;
    /// Reverse futility: weight of beta beside the estimate in the score returned.
    rfp_beta_weight = 2, 0..=8, 1;

    /// Null move: reduction before anything is added.
    null_base = 6, 1..=9, 1;
    /// Null move: one more ply for each so many plies of depth.
    null_depth_divisor = 3, 2..=8, 1;
    /// Null move: how much the static evaluation may lie below beta at depth zero.
    null_margin = 248, 0..=800, 30;
    /// Null move: by how much less for each ply of depth.
    null_margin_slope = 18, 0..=60, 4;
    /// Null move: from this depth on a search without passes has to confirm it.
    null_verify_depth = 16, 8..=40, 2;
    /// Null move: per cent of the verification search's depth in whose plies nobody passes.
    null_verify_plies = 75, 0..=100, 8;

    /// Internal iterative reduction: least depth.
    iir_depth = 6, 2..=9, 1;
    /// Internal iterative reduction: not after a larger reduction than this.
    iir_prior_reduction = 3, 0..=8, 1;
    /// Internal iterative reduction: by so many plies.
    iir_reduction = 1, 0..=3, 1;

    /// Prob-cut: least depth.
    probcut_depth = 3, 3..=9, 1;
    /// Prob-cut: margin above beta.
    probcut_margin = 275, 80..=500, 20;
    /// Prob-cut: margin taken off when the position is improving.
    probcut_improving = 60, 0..=200, 10;
    /// Prob-cut by the table alone: margin above beta.
    probcut_table = 420, 150..=900, 30;
    /// Prob-cut by the table alone: by how many plies the entry may be less deep.
    probcut_table_depth = 4, 1..=8, 1;
    /// Prob-cut: plies less deep.
    probcut_reduction = 6, 2..=8, 1;
    /// Prob-cut: one more ply for each such lead over beta.
    probcut_lead = 300, 100..=1000, 25;

    /// Late move pruning: moves searched at depth zero.
    lmp_base = 3, 1..=12, 1;
    /// Late move pruning: per cent of the squared depth added.
    lmp_scale = 100, 30..=300, 12;
    /// Late move pruning: per cent of these moves that are searched when the position is not improving.
    lmp_not_improving = 48, 20..=100, 4;

    /// Futility of quiet moves: deepest reduced depth.
    futility_depth = 12, 3..=20, 1;
    /// Futility of quiet moves: margin at depth zero.
    futility_base = 9, 0..=400, 12;
    /// Futility of quiet moves: margin for each ply.
    futility_slope = 117, 20..=300, 10;
    /// Futility of quiet moves: more while no move has raised alpha.
    futility_no_best = 66, 0..=400, 15;
    /// Futility of quiet moves: more where the static evaluation is above alpha.
    futility_above_alpha = 85, 0..=300, 10;
    /// Futility of captures: deepest reduced depth.
    capture_futility_depth = 7, 2..=12, 1;
    /// Futility of captures: margin at depth zero.
    capture_futility_base = 207, 50..=600, 20;
    /// Futility of captures: margin for each ply.
    capture_futility_slope = 244, 50..=500, 20;
    /// Futility of captures: share of the history, in 1024ths.
    capture_futility_history = 130, 0..=400, 15;

    /// Quiet moves with a worse history for each ply of depth are not searched.
    history_pruning = 4485, 1000..=9000, 300;
    /// Pruning: history that stands for one ply.
    history_depth = 3397, 1000..=9000, 300;
    /// Pruning: factor of the butterfly history.
    pruning_main = 2, 0..=6, 1;

    /// Exchange that a quiet move may lose, for the square of the reduced depth.
    see_quiet = 27, 5..=100, 4;
    /// Exchange that a capture or check may lose, for each ply of depth.
    see_capture = 99, 30..=400, 12;
    /// Exchange that a capture or check may lose: share of the history, in 1024ths.
    see_history = 35, 0..=150, 6;

    /// Singular extension: least depth.
    singular_depth = 6, 4..=12, 1;
    /// Singular extension: margin for each ply, in 64ths.
    singular_margin = 80, 16..=400, 8;
    /// Singular extension: margin added for nodes that were on a principal variation.
    singular_margin_pv = 80, 0..=300, 10;
    /// Singular extension: the score lies so far below that the move is extended twice.
    singular_double = -40, -60..=120, 5;
    /// The same, more at nodes of the principal variation.
    singular_double_pv = 200, 0..=500, 20;
    /// Singular extension: the score lies so far below that the move is extended three times.
    singular_triple = 90, 0..=400, 12;
    /// The same, more at nodes of the principal variation.
    singular_triple_pv = 300, 0..=700, 25;
    /// Singular extension: by how many plies the entry may be less deep.
    singular_tt_depth = 3, 1..=6, 1;
    /// Singular extension: depth of the verification search, per cent.
    singular_search_depth = 50, 20..=80, 3;
    /// Singular extension: sooner triple for quiet moves by this.
    singular_quiet = 156, 0..=400, 15;
    /// Singular extension: sooner double for quiet moves by this part of it, per cent.
    singular_quiet_double = 50, 0..=150, 6;
    /// Singular extension: share of the correction that makes it extend sooner, per cent.
    singular_correction = 50, 0..=200, 6;
    /// Singular extension: share of the TT move history that makes it extend sooner, as a divisor.
    singular_tt_history = 140, 20..=1000, 15;
    /// Multicut: malus of the TT move history at depth zero.
    multicut_malus_base = 400, 0..=2000, 50;
    /// Multicut: malus of the TT move history for each ply of depth.
    multicut_malus = 100, 0..=500, 12;
    /// Multicut: largest malus of the TT move history.
    multicut_malus_max = 4000, 500..=8192, 250;
    /// Negative extension of the TT move where the table's score is at least beta, in plies.
    negative_extension_high = 3, 0..=5, 1;
    /// Negative extension of the TT move at expected cut nodes, in plies.
    negative_extension_cut = 2, 0..=4, 1;
    /// Extensions: only below this many times the root's depth.
    extension_ply_factor = 2, 1..=4, 1;

    /// A node whose alpha was raised searches its other moves less deep: least depth.
    alpha_raise_min_depth = 3, 1..=8, 1;
    /// A node whose alpha was raised searches its other moves less deep: below this depth.
    alpha_raise_max_depth = 14, 4..=30, 1;
    /// A node whose alpha was raised searches its other moves less deep: by so many plies.
    alpha_raise_reduction = 1, 0..=4, 1;
    /// The TT move is not left to quiescence when the root is searched deeper than this.
    tt_move_min_root_depth = 8, 1..=20, 1;

    /// Check extension: shallowest depth at which a safe check is searched a ply deeper.
    check_extension_depth = 60, 1..=60, 2;

    /// Late move reduction: least depth.
    lmr_depth = 2, 1..=6, 1;
    /// Late move reduction: factor of the product of logarithms, in 1024ths.
    lmr_scale = 515, 200..=900, 20;
    /// Late move reduction: constant part, in 1024ths of a ply.
    lmr_base = 1270, 0..=2500, 60;
    /// Late move reduction: less for a wide window, in 1024ths of a ply.
    lmr_window = 914, 0..=1500, 60;
    /// Late move reduction: share of the logarithms added when the position is not improving, in
    /// 512ths.
    lmr_not_improving = 198, 0..=600, 20;
    /// Late move reduction: more where pruning looks at nodes of earlier principal variations.
    lmr_pv_pruning = 940, 0..=2500, 80;
    /// Late move reduction: less at nodes of earlier principal variations, in 1024ths.
    lmr_pv = 1448, 0..=5000, 120;
    /// The same, at open windows.
    lmr_pv_window = 990, 0..=2500, 80;
    /// The same, when the table's score is above alpha.
    lmr_pv_score = 900, 0..=2500, 80;
    /// The same, when the table's entry is as deep.
    lmr_pv_depth = 980, 0..=2500, 80;
    /// Late move reduction: added again after pruning, in 1024ths.
    lmr_offset = 250, -1500..=2500, 60;
    /// Late move reduction: less for each move before this one, in 1024ths.
    lmr_number = 25, 0..=200, 8;
    /// Late move reduction: moves before this one beyond these count as many.
    lmr_number_max = 40, 8..=100, 3;
    /// Late move reduction: less for each point by which the static evaluation was corrected.
    lmr_correction = 2, 0..=20, 1;
    /// Late move reduction: more at expected cut nodes, in 1024ths.
    lmr_cut = 2925, 0..=5000, 140;
    /// The same, without a hash move.
    lmr_cut_no_hash = 818, 0..=3000, 80;
    /// Late move reduction: more when the hash move is a capture, in 1024ths.
    lmr_hash_capture = 1387, 0..=3000, 80;
    /// Late move reduction: more when the next ply has had many cuts, in 1024ths.
    lmr_cutoffs = 1242, 0..=3000, 80;
    /// The same, at nodes where all moves are expected to fail.
    lmr_cutoffs_all = 800, 0..=3000, 80;
    /// Late move reduction: less for the hash move, in 1024ths.
    lmr_hash = 2000, 0..=5000, 120;
    /// Late move reduction: less for moves that give check, in 1024ths.
    lmr_check = 1200, 0..=2500, 100;
    /// Late move reduction: share of the history taken off, in 8192nds.
    lmr_history = 732, 100..=2500, 40;
    /// Late move reduction: history that a captured pawn stands for.
    lmr_capture = 1113, 0..=4000, 120;
    /// Stat score: factor of the butterfly history.
    lmr_main = 2, 0..=6, 1;
    /// A reduced search that comes out so much better goes deeper.
    lmr_deeper = 31, 0..=200, 6;
    /// The same, more for each ply of depth.
    lmr_deeper_slope = 2, 0..=12, 1;
    /// A reduced search that comes out no better than this goes less deep.
    lmr_shallower = 9, 0..=60, 3;
    /// Null-window searches of a node without a hash move: more reduction, in 1024ths.
    lmr_no_hash = 1140, 0..=3000, 80;
    /// Late move reduction: cuts of the next ply beyond these count as many.
    lmr_cutoff_count = 2, 0..=8, 1;
    /// Continuation bonus of a quiet move whose reduced search fails high.
    lmr_fail_high_bonus = 1602, 0..=4000, 100;
    /// Null-window searches of full depth: a ply less deep beyond this reduction, in 1024ths.
    full_depth_reduce_once = 3269, 1000..=8000, 150;
    /// Null-window searches of full depth: two plies less deep beyond this reduction, in 1024ths.
    full_depth_reduce_twice = 4600, 1000..=10000, 200;

    /// History bonus for each ply of depth.
    history_bonus = 159, 50..=500, 12;
    /// History bonus: taken off.
    history_bonus_offset = 80, 0..=400, 8;
    /// Largest history bonus.
    history_bonus_max = 1550, 500..=4000, 100;
    /// History bonus added when the hash move was right.
    history_hash = 320, 0..=1000, 40;
    /// History malus for each ply of depth.
    history_malus = 709, 100..=1500, 40;
    /// History malus: taken off.
    history_malus_offset = 175, 0..=800, 15;
    /// Largest history malus.
    history_malus_max = 2924, 500..=5000, 120;
    /// History malus: less for each move before the best one.
    history_malus_number = 30, 0..=120, 4;
    /// History malus: moves before the best one beyond these count as many.
    history_malus_number_max = 32, 4..=100, 3;
    /// Share of the bonus for captures, in 1024ths.
    capture_bonus_share = 1200, 200..=3000, 60;
    /// Share of the bonus for quiet moves, in 1024ths.
    quiet_bonus_share = 995, 200..=3000, 50;
    /// Share of the malus for quiet moves, in 1024ths.
    quiet_malus_share = 1190, 200..=3000, 50;
    /// Malus of each quiet move as a part of that of the one before, in 1024ths.
    quiet_malus_decay = 1009, 500..=1024, 10;
    /// Share of the stat score of the opponent's last move in the bonus, in 1024ths.
    history_prior = 10, 0..=128, 4;
    /// Share of the malus for captures, in 1024ths.
    capture_malus_share = 1380, 200..=3000, 70;
    /// Share of the malus for the opponent's first move when it is refuted, in 1024ths.
    prior_malus_share = 580, 0..=2000, 40;
    /// Share of a quiet bonus or malus in the low-ply history, in 1024ths.
    low_ply_share = 768, 0..=2000, 40;
    /// Share of a quiet bonus in the continuation histories, in 1024ths.
    continuation_bonus_share = 980, 200..=3000, 50;
    /// Share of a quiet malus in the continuation histories, in 1024ths.
    continuation_malus_share = 840, 200..=3000, 50;
    /// Share of a quiet bonus in the pawn history, in 1024ths.
    pawn_bonus_share = 700, 0..=3000, 40;
    /// Share of a quiet malus in the pawn history, in 1024ths.
    pawn_malus_share = 440, 0..=3000, 30;
    /// Share of a continuation change after the last move, in 1024ths.
    continuation_share_1 = 1141, 0..=3000, 60;
    /// Share of a continuation change two plies after a move, in 1024ths.
    continuation_share_2 = 660, 0..=3000, 40;
    /// Share of a continuation change three plies after a move, in 1024ths.
    continuation_share_3 = 205, 0..=3000, 40;
    /// Share of a continuation change four plies after a move, in 1024ths.
    continuation_share_4 = 570, 0..=3000, 40;
    /// Share of a continuation change six plies after a move, in 1024ths.
    continuation_share_6 = 450, 0..=3000, 30;
    /// Number of continuation histories that evasions update.
    continuation_evasions = 2, 1..=4, 1;

    /// Capture history of moves that nothing is known about.
    history_start_capture = -359, -3000..=3000, 100;
    /// Continuation history of moves that nothing is known about.
    history_start_continuation = -239, -3000..=3000, 60;

    /// Bound of the butterfly and low-ply histories.
    history_main_limit = 7183, 2000..=32000, 300;
    /// Bound of the capture history.
    history_capture_limit = 10692, 2000..=32000, 500;
    /// Bound of the pawn history.
    history_pawn_limit = 8192, 2000..=32000, 400;
    /// Bound of the continuation histories.
    history_continuation_limit = 30000, 4000..=32000, 1000;
    /// Bound of the TT move history.
    history_tt_move_limit = 8192, 2000..=32000, 400;

    /// TT move history: bonus when the TT move is the best one.
    tt_move_bonus = 810, 100..=3000, 50;
    /// TT move history: malus when another move is.
    tt_move_malus = 850, 100..=3000, 50;

    /// TT cutoff: bonus of the quiet TT move for each ply of depth.
    tt_cutoff_bonus = 125, 20..=500, 10;
    /// TT cutoff: taken off the bonus.
    tt_cutoff_bonus_offset = 70, 0..=400, 10;
    /// TT cutoff: largest bonus.
    tt_cutoff_bonus_max = 1060, 200..=4000, 60;
    /// TT cutoff: continuation malus of an early quiet move that led here.
    tt_cutoff_malus = 2100, 0..=5000, 120;
    /// TT cutoff: the malus is for moves of at most this number.
    tt_cutoff_prior_moves = 3, 1..=10, 1;

    /// Fail low: bonus of the capture that led here.
    fail_low_capture_bonus = 960, 0..=4000, 60;
    /// Fail low: constant part of the scale of the last quiet move's bonus.
    fail_low_base = -228, -1000..=1000, 20;
    /// Fail low: divisor of the last move's stat score, which is taken off the scale.
    fail_low_stat_score = 104, 20..=500, 8;
    /// Fail low: most that a bad stat score adds to the scale.
    fail_low_stat_score_max = 322, 0..=1000, 20;
    /// Fail low: scale for each ply of depth.
    fail_low_depth = 63, 0..=200, 5;
    /// Fail low: most that the depth adds to the scale.
    fail_low_depth_max = 508, 100..=2000, 30;
    /// Fail low: moves of a higher number count as late.
    fail_low_late_number = 8, 2..=20, 1;
    /// Fail low: scale added for late moves.
    fail_low_late = 184, 0..=600, 15;
    /// Fail low: how far the score lies below the static evaluation.
    fail_low_margin = 92, 0..=300, 8;
    /// Fail low: scale added then.
    fail_low_below_eval = 143, 0..=600, 12;
    /// Fail low: how far the score lies below what the last position promised.
    fail_low_prior_margin = 70, 0..=300, 8;
    /// Fail low: scale added then.
    fail_low_below_prior = 149, 0..=600, 12;
    /// Fail low: bonus for each ply of depth.
    fail_low_bonus = 144, 20..=500, 12;
    /// Fail low: taken off the bonus.
    fail_low_bonus_offset = 92, 0..=400, 10;
    /// Fail low: largest bonus before scaling.
    fail_low_bonus_max = 1365, 200..=4000, 80;
    /// Fail low: share of the scaled bonus in the continuation histories, in 32768ths.
    fail_low_continuation = 448, 0..=1200, 25;
    /// Fail low: share of the scaled bonus in the butterfly history, in 32768ths.
    fail_low_main = 214, 0..=1000, 20;
    /// Fail low: share of the scaled bonus in the pawn history, in 32768ths.
    fail_low_pawn = 253, 0..=3000, 80;

    /// Ordering: quiet moves with a worse history for each ply of depth are not sorted.
    order_sorted = 3500, 500..=9000, 250;
    /// Ordering: quiet moves with a worse rank come after the losing captures.
    order_bad_quiet = -13712, -40000..=0, 900;
    /// Ordering: factor of the butterfly history.
    order_main = 2, 0..=6, 1;
    /// Ordering: factor of the pawn history.
    order_pawn = 2, 0..=6, 1;
    /// Ordering: bonus of a quiet move that gives check without losing material.
    order_check = 17206, 0..=40000, 1000;
    /// Ordering: exchange that such a move may lose.
    order_check_see = 90, 0..=400, 15;
    /// Ordering: bonus of moving a piece that a pawn attacks, for each point of its value in 16ths.
    order_escape = 178, 0..=600, 20;
    /// Ordering: malus of moving a piece to where a pawn takes it.
    order_en_prise = 184, 0..=600, 20;
    /// Ordering of captures: factor of the value, in halves.
    order_victim = 11, 1..=30, 1;
    /// Ordering: a capture may lose this part of its rank before it counts as losing, as a divisor.
    order_good_capture = 18, 4..=60, 2;
    /// Ordering: factor of the low-ply history.
    order_low_ply = 8, 0..=24, 1;
    /// Ordering of evasions: part of the moving piece's value taken off captures, as a divisor.
    order_evasion_attacker = 8, 1..=32, 1;

    /// Short mates: least depth of a node where a solver is asked, if there is one.
    mate_depth = 10, 1..=20, 1;
    /// Short mates: positions that the solver may look at, at a node.
    mate_nodes = 40, 0..=2000, 20;
    /// Short mates: positions that the solver may look at, at the root.
    mate_root_nodes = 2000, 0..=1000000, 500;
    /// Short mates: divisor of the search's positions that the solver may look at, at the root.
    mate_root_share = 8, 1..=64, 1;
    /// Short mates: positions that the solver may look at, at the root, for each millisecond of the search.
    mate_root_nodes_per_ms = 100, 10..=1000, 10;

    /// Long mates: divisor of the search's positions that the solver beside the search may look at in one attempt.
    mate_long_share = 16, 1..=1000, 2;
    /// Long mates: least number of positions that it is worth an attempt.
    mate_long_nodes = 2000, 100..=1000000, 200;

    /// Quiescence: margin of futility.
    qs_futility = 262, 30..=600, 20;
    /// Quiescence: from so many plies on only recaptures are followed.
    qs_recapture_ply = 5, 1..=20, 1;
    /// Quiescence: exchange that a capture may lose.
    qs_see = 64, 0..=300, 12;
    /// Quiescence: captures tried that are no recaptures and give no check.
    qs_moves = 2, 1..=30, 1;
    /// Quiescence: plies in which quiet checks are tried.
    qs_checks = 0, 0..=3, 1;
    /// Quiescence: quiet evasions searched once a move is known not to be mated at once.
    qs_evasions = 2, 1..=12, 1;
    /// Quiescence: what a pawn that captures and promotes must gain to be followed whatever recaptures.
    qs_pawn_gain = 450, 100..=1200, 30;
    /// Quiescence: weight of beta in a score of at least beta, per cent.
    qs_beta_weight = 50, 0..=100, 5;

    /// Vote of the threads: added to how much better a thread's score is than the worst.
    vote_offset = 14, 1..=200, 2;

    /// Proven mate: a search on the clock ends beyond this many times the length of the mate.
    time_mate_depth_factor = 2, 1..=8, 1;
    /// Proven mate: so many plies more.
    time_mate_depth_offset = 2, 0..=20, 1;

    /// Fixed time for a move: part of it that is kept for the answer, as a divisor.
    time_answer_divisor = 50, 10..=500, 5;
    /// Fixed time for a move: least time kept for the answer.
    time_answer_min = 2, 0..=20, 1;
    /// Fixed time for a move: most time kept for the answer.
    time_answer_max = 20, 0..=200, 2;

    /// Time after which a position with a single legal move is answered. It needs no thought, but a score to
    /// report.
    time_only_move = 502, 0..=5000, 40;
    /// Time: from this depth on the best move may count as without rival.
    time_effort_depth = 10, 1..=40, 1;
    /// Time: share of the positions spent on the best move that makes it one without rival, in 100,000ths.
    time_effort = 92425, 50000..=100000, 1500;
    /// Time: factor for a best move without rival, in 10,000ths.
    time_effort_factor = 6660, 1000..=10000, 250;
    /// Time: the last search's time reduction at the start of a game, in 10,000ths.
    time_first_reduction = 8500, 4000..=20000, 400;
    /// Time reduction: plies of depth since the best move changed at the middle of the curve, in 10,000ths.
    time_reduction_plies = 115700, 20000..=300000, 5000;
    /// Time reduction: its slope there, in 10,000ths.
    time_reduction_slope = 5189, 500..=20000, 250;
    /// Time reduction: constant part, in 10,000ths.
    time_reduction_base = 7230, 2000..=15000, 300;
    /// Time reduction: height of the curve, in 10,000ths.
    time_reduction_scale = 7900, 0..=20000, 350;
    /// Time reduction: constant part of the curve's divisor, in 10,000ths.
    time_reduction_divisor = 11040, 5000..=20000, 450;
    /// Steadiness: added to the last search's time reduction, in 10,000ths.
    time_steadiness_base = 14550, 5000..=30000, 500;
    /// Steadiness: divisor, in 10,000ths.
    time_steadiness_divisor = 22375, 10000..=50000, 800;
    /// Instability: factor without changes of the best move, in 10,000ths.
    time_instability_base = 10400, 5000..=15000, 350;
    /// Instability: added for each change of the best move, in 10,000ths.
    time_instability_changes = 18956, 2000..=50000, 800;
    /// Instability: weight of an earlier iteration's changes beside the next one's, in 10,000ths.
    time_instability_decay = 5000, 0..=9000, 300;
    /// Falling evaluation: constant part of the per cents, in 10,000ths.
    time_falling_base = 113250, 0..=300000, 6000;
    /// Falling evaluation: per cents for each point lost since the last search, in 10,000ths.
    time_falling_search = 21150, 0..=60000, 1000;
    /// Falling evaluation: per cents for each point lost in four iterations, in 10,000ths.
    time_falling_iteration = 9870, 0..=40000, 600;
    /// Falling evaluation: smallest factor, in 10,000ths.
    time_falling_min = 5688, 2000..=10000, 250;
    /// Falling evaluation: greatest factor, in 10,000ths.
    time_falling_max = 15698, 10000..=40000, 600;

    /// Time budget: plies for which the clock has to last, with increment or byoyomi.
    time_plies = 180, 40..=400, 8;
    /// Time budget: plies of the game that may be taken off these.
    time_plies_played = 80, 0..=200, 5;
    /// Time budget: plies for which the clock has to last, without increment and byoyomi.
    time_plies_sudden = 200, 40..=400, 8;
    /// Time budget: plies of the game that may be taken off these.
    time_plies_played_sudden = 40, 0..=200, 5;
    /// Time budget: most time for a move as a multiple of its share, in tenths.
    time_max_ratio = 50, 10..=150, 4;
    /// Time budget: without increment and byoyomi, the time on the clock that makes it one such multiple.
    time_max_ratio_clock = 60000, 10000..=300000, 5000;
    /// Time budget: most time for a move as a part of all time, per cent.
    time_max_share = 30, 5..=100, 3;
    /// Time budget: added when the engine ponders, per cent.
    time_ponder = 25, 0..=100, 4;
    /// Time budget: with less on the clock than this part of byoyomi all of it is used, per cent.
    time_final_push = 120, 0..=300, 8;
    /// Time budget: time for a move when the game should be over already.
    time_after_the_end = 500, 50..=5000, 50;

    /// Byoyomi: kept of it for the answer, as a divisor.
    time_byoyomi_margin_divisor = 10, 2..=100, 1;
    /// Byoyomi: least time kept for the answer.
    time_byoyomi_margin_min = 30, 0..=500, 5;
    /// Byoyomi: least part of it that is used, as a divisor.
    time_byoyomi_least_divisor = 3, 1..=10, 1;
    /// Byoyomi: when less than this part of it would be used, as a divisor, all of it is.
    time_byoyomi_unused_divisor = 2, 1..=10, 1;
    /// Increment: when less than this part of the clock would be used, as a divisor, more may be.
    time_increment_unused_divisor = 4, 1..=20, 1;
    /// Increment: that needs one which brings back this part of the clock, as a divisor.
    time_increment_clock_divisor = 2, 1..=10, 1;
    /// Increment: the part of the clock used then, as a divisor.
    time_increment_used_divisor = 2, 1..=10, 1;
    /// Nearly nothing left: the part of the clock used, as a divisor.
    time_rest_clock_divisor = 10, 2..=40, 1;
    /// Nearly nothing left: the part of the increment used, as a divisor.
    time_rest_increment_divisor = 2, 1..=10, 1;
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
