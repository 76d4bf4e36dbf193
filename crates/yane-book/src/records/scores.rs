//! What a record says about the value of a move: the evaluations that programs write into comments.

use shogi_core::Color;
use shogi_kifu::GameNode;

/// The value of a move by its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoveScore {
    /// For the side that played the move, in centipawns; a mate in N plies is 32000 − N.
    pub(crate) eval: i32,
    /// Depth of the search in plies, if the record says it.
    pub(crate) depth: Option<i32>,
}

impl MoveScore {
    /// The evaluation beside a move of `mover`: of those of the player and of analyses the deepest, the first of equal ones.
    pub(crate) fn of(node: &GameNode, mover: Color) -> Option<Self> {
        let mut best: Option<Self> = None;
        for found in node.evaluations() {
            // Other candidates are lines of other moves.
            if found.candidate.is_some_and(|number| number > 1) {
                continue;
            }
            let depth = found.depth.and_then(|depth| i32::try_from(depth).ok());
            if best.is_some_and(|best| depth <= best.depth) {
                continue;
            }
            // Records have black's view.
            let eval = found.score.centipawns();
            let eval = match mover {
                Color::Black => eval,
                Color::White => eval.saturating_neg(),
            };
            best = Some(Self { eval, depth });
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(comments: &[&str], mover: Color) -> Option<(i32, Option<i32>)> {
        let mut node = GameNode::default();
        node.comments
            .extend(comments.iter().map(|&comment| comment.to_owned()));
        MoveScore::of(&node, mover).map(|score| (score.eval, score.depth))
    }

    #[test]
    fn the_deeper_of_two_evaluations_counts() {
        let analysis = [
            "互角",
            "#評価値=-72",
            "#読み筋=△１四歩",
            "#深さ=31",
            "#エンジン=MyEngine",
        ];
        assert_eq!(score(&analysis, Color::Black), Some((-72, Some(31))));
        assert_eq!(score(&analysis, Color::White), Some((72, Some(31))));
        let both = ["*評価値=50", "*深さ=20", "#評価値=60", "#深さ=31"];
        assert_eq!(score(&both, Color::Black), Some((60, Some(31))));
        let both = ["#評価値=60", "#深さ=12", "*評価値=50", "*深さ=20"];
        assert_eq!(score(&both, Color::Black), Some((50, Some(20))));
        let gui = ["*対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 88 読み筋 ▲３四飛(24)"];
        assert_eq!(score(&gui, Color::White), Some((-88, Some(22))));
        assert_eq!(score(&["* 30 +7776FU"], Color::Black), Some((30, None)));
        assert_eq!(
            score(&["#詰み=後手勝ち"], Color::White),
            Some((32_000, None))
        );
        assert_eq!(score(&["#深さ=31"], Color::Black), None);
    }
}
