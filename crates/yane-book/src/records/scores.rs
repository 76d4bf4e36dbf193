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
    /// The evaluation beside a move of `mover`: of that by the player and that by an analysis the deeper one.
    pub(crate) fn of(node: &GameNode, mover: Color) -> Option<Self> {
        let player = node
            .player_score()
            .map(|eval| (eval, depth(node, '*', "対局 ")));
        let analysis = node
            .analysis_score()
            .map(|eval| (eval, depth(node, '#', "解析 ")));
        let (eval, depth) = match (player, analysis) {
            (Some(player), Some(analysis)) if analysis.1 > player.1 => analysis,
            (player, analysis) => player.or(analysis)?,
        };
        // Records have black's view.
        let eval = match mover {
            Color::Black => eval,
            Color::White => eval.saturating_neg(),
        };
        Some(Self { eval, depth })
    }
}

/// The depth in the comments of a player (`*深さ=31`, `*対局 … 深さ 22/28 …`) or of an analysis (`#深さ=31`, `*解析 … 深さ 32 …`).
fn depth(node: &GameNode, mark: char, kind: &str) -> Option<i32> {
    node.comments.iter().find_map(|comment| {
        let named = comment
            .strip_prefix(mark)
            .and_then(|text| text.strip_prefix("深さ="));
        let text = named.or_else(|| {
            let line = comment.trim_start_matches('*').strip_prefix(kind)?;
            line.split_once("深さ ").map(|(_, depth)| depth)
        })?;
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        text[..digits].parse().ok()
    })
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
