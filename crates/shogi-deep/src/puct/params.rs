//! The numbers that steer the search.

use shogi_core::{Color, EnteringKingRule};

/// Numbers that shape the search. The names are those of the options of the field's engines.
#[derive(Clone, Debug, PartialEq)]
pub struct PuctParams {
    /// `C_init` / 100.
    pub c_init: f32,
    /// `C_base`.
    pub c_base: f32,
    /// `C_fpu_reduction` / 100: what a move without a visit is taken to be worth less than its node, times the square root of the policy seen so far.
    pub c_fpu_reduction: f32,
    /// `C_init_root` / 100.
    pub c_init_root: f32,
    /// `C_base_root`.
    pub c_base_root: f32,
    /// `C_fpu_reduction_root` / 100.
    pub c_fpu_reduction_root: f32,
    /// `Softmax_Temperature` / 100: the larger, the more equal moves look.
    pub softmax_temperature: f32,
    /// `DrawValueBlack` / 1000: what a draw is worth to black when black is to move at the root.
    pub draw_value_black: f32,
    /// `DrawValueWhite` / 1000: the same for white.
    pub draw_value_white: f32,
    /// `MaxMovesToDraw`: a game that goes beyond this move number is a draw.
    pub max_moves_to_draw: Option<u32>,
    /// Rule of declaration wins.
    pub entering_king_rule: EnteringKingRule,
    /// `LeafDfpnNodesLimit`: a new position is asked for a mate with so many moves made; 0 for never.
    pub leaf_mate_nodes: u32,
    /// `GenerateAllLegalMoves`: also look at pointless non-promotions.
    pub generate_all_legal_moves: bool,
}

impl Default for PuctParams {
    fn default() -> Self {
        Self {
            c_init: 1.44,
            c_base: 28288.0,
            c_fpu_reduction: 0.27,
            c_init_root: 1.16,
            c_base_root: 25617.0,
            c_fpu_reduction_root: 0.0,
            softmax_temperature: 1.74,
            draw_value_black: 0.5,
            draw_value_white: 0.5,
            max_moves_to_draw: None,
            entering_king_rule: EnteringKingRule::CsaRule27,
            leaf_mate_nodes: 40,
            generate_all_legal_moves: false,
        }
    }
}

impl PuctParams {
    /// What a draw is worth to `side`, 0 to 1, in a search whose root has `root` to move.
    pub(super) fn draw_value(&self, root: Color, side: Color) -> f32 {
        let value = match root {
            Color::Black => self.draw_value_black,
            Color::White => self.draw_value_white,
        };
        if side == root { value } else { 1.0 - value }
    }
}
