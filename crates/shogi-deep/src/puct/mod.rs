//! PUCT: a tree search led by a policy and a value.
//!
//! The search is that of dlshogi and of YaneuraOu's deep edition, to the order of additions: with the same network it visits every move of the root as often.
//! What they do: `C_init` and `C_base` as in `AlphaZero`, a reduction for moves without a visit, virtual loss by counting a visit before its
//! result is there, and flags on moves that are known to win, lose or draw.

mod playout;
mod select;
mod tree;

use std::sync::atomic::AtomicBool;

use shogi_core::{Color, EnteringKingRule, Game, Move, Move16};
use shogi_mate::LeafSolver;

use crate::PolicyValueEvaluator;
use playout::{Budget, Playouts};
use tree::{Child, Edge, Tree};

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
    fn draw_value(&self, root: Color, side: Color) -> f32 {
        let value = match root {
            Color::Black => self.draw_value_black,
            Color::White => self.draw_value_white,
        };
        if side == root { value } else { 1.0 - value }
    }
}

/// What is known about a move of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub m: Move,
    /// Probability that the policy gives it.
    pub prior: f32,
    /// Playouts that went through it.
    pub visits: u32,
    /// Sum of their results for the side to move at the root, each 0 to 1.
    pub wins: f32,
    /// What is proved about it.
    pub proof: RootProof,
}

impl RootMove {
    /// The probability that it wins; half without a visit.
    pub fn win_rate(&self) -> f32 {
        if self.visits == 0 {
            0.5
        } else {
            self.wins / self.visits as f32
        }
    }
}

/// Centipawns that stand for a probability of winning, as the field's engines print them: the logistic function turned round, times `Eval_Coef`, with
/// 90 internal units to a pawn; ±33,333 for certainty.
pub fn centipawns_of_win_rate(win_rate: f32, eval_coef: f32) -> i32 {
    let units = if win_rate >= 1.0 {
        30_000
    } else if win_rate <= 0.0 {
        -30_000
    } else {
        let units = -(1.0 / win_rate - 1.0).ln() * eval_coef;
        units.clamp(-29_900.0, 29_900.0) as i32
    };
    units * 100 / 90
}

/// What is proved about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootProof {
    /// Nothing.
    Open,
    /// It wins.
    Wins,
    /// It loses.
    Loses,
    /// It leads to a draw.
    Draws,
}

/// A search of one position.
pub struct PuctSearch {
    game: Game,
    params: PuctParams,
    tree: Tree,
}

/// Bytes of the table of a thread's mate solver: more than its few moves fill.
const MATE_TABLE: usize = 1 << 14;

impl PuctSearch {
    /// Begins a search of the last position of `game`: its moves get their policy from `evaluator`.
    ///
    /// A position without a legal move has no moves to report, and no playouts.
    pub fn new(game: Game, params: PuctParams, evaluator: &mut impl PolicyValueEvaluator) -> Self {
        let search = Self {
            game,
            params,
            tree: Tree::new(),
        };
        search.playouts(evaluator).expand_root();
        search
    }

    /// Makes exactly `count` more playouts, as many at once as `evaluator` has places; fewer only when the tree is full.
    pub fn run(&mut self, evaluator: &mut impl PolicyValueEvaluator, count: u32) {
        self.run_threads(
            std::slice::from_mut(evaluator),
            count,
            &AtomicBool::new(false),
        );
    }

    /// Makes exactly `count` more playouts on a thread for each evaluator; fewer when `stop` becomes true or the tree is full.
    pub fn run_threads<E: PolicyValueEvaluator>(
        &mut self,
        evaluators: &mut [E],
        count: u32,
        stop: &AtomicBool,
    ) {
        let budget = Budget::new(count, stop);
        let search = &*self;
        let Some((own, others)) = evaluators.split_first_mut() else {
            return;
        };
        std::thread::scope(|scope| {
            for evaluator in others {
                let budget = &budget;
                scope.spawn(move || search.playouts(evaluator).run(budget));
            }
            search.playouts(own).run(&budget);
        });
    }

    fn playouts<'a, E>(&'a self, evaluator: &'a mut E) -> Playouts<'a, E> {
        Playouts {
            root_side: self.game.position().side_to_move(),
            game: self.game.clone(),
            params: &self.params,
            tree: &self.tree,
            mates: LeafSolver::new(MATE_TABLE),
            evaluator,
        }
    }

    /// Playouts that went through the root.
    pub fn visits(&self) -> u32 {
        self.tree.counts(Tree::ROOT).visits
    }

    /// Sum of their results for the side to move, each 0 to 1.
    pub fn root_wins(&self) -> f32 {
        self.tree.counts(Tree::ROOT).wins
    }

    /// The moves of the root, the best first: those that are known to win, then by visits, then by policy; those that are known to lose come last.
    pub fn root_moves(&self) -> Vec<RootMove> {
        let mut edges: Vec<Edge> = self.tree.edges(Tree::ROOT).collect();
        edges.sort_by(Edge::better_first);
        let root_move = |edge: &Edge| {
            Some(RootMove {
                m: self.game.position().move_from_16(edge.code)?,
                prior: edge.prior,
                visits: edge.visits,
                wins: edge.wins,
                proof: edge.flags.proof(),
            })
        };
        edges.iter().filter_map(root_move).collect()
    }

    /// The line of best moves from the root on that begins with `first`, as far as there were playouts.
    pub fn line(&self, first: Move) -> Vec<Move> {
        let mut position = self.game.position().clone();
        let code = Move16::from(first);
        let mut best = self.tree.edges(Tree::ROOT).find(|edge| edge.code == code);
        let mut line = Vec::new();
        while let Some(edge) = best.filter(|edge| edge.visits > 0) {
            let Some(m) = position.move_from_16(edge.code) else {
                break;
            };
            line.push(m);
            let _ = position.do_move(m);
            let Child::Node(child) = edge.child else {
                break;
            };
            best = self.tree.edges(child).min_by(Edge::better_first);
        }
        line
    }
}
