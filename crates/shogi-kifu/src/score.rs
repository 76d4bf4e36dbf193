//! What programs and servers write beside the moves: evaluations, and how floodgate says that a game came out.

use shogi_core::Color;

use crate::ending::GameOutcome;
use crate::record::{GameNode, GameRecord};

/// The size of a score that stands for a mate, less the plies to it, as engines write it.
const MATE: i32 = 32_000;

impl GameNode {
    /// The evaluation of the position before the move, as the player that made it has written it into a comment: in centipawns,
    /// positive when black is better; a mate in N plies is 32000 − N.
    ///
    /// Known are the comments of floodgate (`'** 30 +7776FU`), `ShogiHome` (`*評価値=30`, `*詰み=先手勝ち:5手`) and `ShogiGUI`
    /// (`*対局 時間 … 評価値 30 …`).
    ///
    /// ```
    /// let record = shogi_kifu::read_csa("PI\n+\n+7776FU\n'** 30 -3334FU\n")?;
    /// let first = record.main_line().next().unwrap();
    /// assert_eq!(record.node(first).player_score(), Some(30));
    /// # Ok::<(), shogi_kifu::KifuError>(())
    /// ```
    pub fn player_score(&self) -> Option<i32> {
        self.comments.iter().find_map(|comment| {
            let text = comment.strip_prefix('*')?;
            named_score(text)
                .or_else(|| shogi_gui_score(text, "対局 "))
                .or_else(|| leading_number(text.trim_start_matches(' ')))
        })
    }

    /// The evaluation of the position after the move, as an analysis has written it into a comment (`ShogiHome`'s `#評価値=30`,
    /// the first candidate of `ShogiGUI`'s `*解析 …`); the same units as [`Self::player_score`].
    pub fn analysis_score(&self) -> Option<i32> {
        let found = |comment: &String| match comment.strip_prefix('#') {
            Some(text) => named_score(text),
            None => shogi_gui_score(comment.strip_prefix('*')?, "解析 "),
        };
        self.comments.iter().find_map(found)
    }

    /// Adds a comment in floodgate's form with the evaluation of the position before the move: in centipawns, positive when
    /// black is better.
    pub fn set_player_score(&mut self, score: i32) {
        self.comments.push(format!("* {score}"));
    }
}

/// `評価値=30`, `詰み=先手勝ち:5手`.
fn named_score(text: &str) -> Option<i32> {
    if let Some(number) = text.strip_prefix("評価値=") {
        return leading_number(number);
    }
    let mate = text.strip_prefix("詰み=")?;
    let (winner, plies) = mate.split_once(':').unwrap_or((mate, ""));
    let plies = plies.trim_end_matches('手').parse().unwrap_or(0);
    let size = MATE - i32::clamp(plies, 0, MATE);
    match winner {
        "先手勝ち" => Some(size),
        "後手勝ち" => Some(-size),
        _ => None,
    }
}

/// The score in a line of `ShogiGUI` that begins with `kind`: `対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 88 読み筋 …`.
fn shogi_gui_score(text: &str, kind: &str) -> Option<i32> {
    let (_, number) = text.strip_prefix(kind)?.split_once(" 評価値 ")?;
    leading_number(number)
}

/// The number that is the first word; what does not fit is as large as can be, digits behind a point are cut off.
fn leading_number(text: &str) -> Option<i32> {
    let word = text.split([' ', '\t']).next()?;
    let (whole, rest) = word.split_once('.').unwrap_or((word, ""));
    let digits = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    let is_number = !digits.is_empty()
        && (digits.bytes().chain(rest.bytes())).all(|byte| byte.is_ascii_digit());
    if !is_number {
        return None;
    }
    let size = digits.parse().unwrap_or(i32::MAX);
    Some(if whole.starts_with('-') { -size } else { size })
}

/// The line that a server such as shogi-server writes below a game: `'summary:time up:NAME win:NAME lose`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerSummary<'a> {
    /// The reason of the end: `toryo`, `time up`, `sennichite`, `oute_sennichite`, `kachi`, `max_moves`, `abnormal` …
    pub reason: &'a str,
    /// The result as the server counted it.
    pub outcome: GameOutcome,
}

impl GameRecord {
    /// What the server that the game was played on has written below it.
    pub fn server_summary(&self) -> Option<ServerSummary<'_>> {
        let last = self.line_from(Self::ROOT).last()?;
        let nodes = std::iter::successors(Some(last), |&id| self.node(id).parent()).take(2);
        let mut remarks = nodes.flat_map(|id| &self.node(id).remarks);
        remarks.find_map(|remark| summary(remark))
    }
}

fn summary(remark: &str) -> Option<ServerSummary<'_>> {
    let mut parts = remark.strip_prefix("summary:")?.trim_end().rsplitn(3, ':');
    let (white, black, reason) = (parts.next()?, parts.next()?, parts.next()?);
    let word = |part: &'static str, of: &str| of.ends_with(part);
    let outcome = if word(" win", black) && word(" lose", white) {
        GameOutcome::Win(Color::Black)
    } else if word(" lose", black) && word(" win", white) {
        GameOutcome::Win(Color::White)
    } else if word(" draw", black) && word(" draw", white) {
        GameOutcome::Draw
    } else {
        GameOutcome::Undecided
    };
    Some(ServerSummary { reason, outcome })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csa::read_csa;

    fn commented(comment: &str) -> GameNode {
        let mut node = GameNode::default();
        node.comments.push(comment.to_owned());
        node
    }

    #[test]
    fn scores_are_found_in_comments() {
        for (comment, player, analysis) in [
            ("* 30 +7776FU", Some(30), None),
            ("* -1234", Some(-1234), None),
            ("*+5", Some(5), None),
            ("* 12.7 +7776FU", Some(12), None),
            ("* 99999999999", Some(i32::MAX), None),
            ("*評価値=-210", Some(-210), None),
            ("*詰み=先手勝ち:15手", Some(31_985), None),
            ("*詰み=後手勝ち", Some(-32_000), None),
            ("#評価値=158", None, Some(158)),
            ("#詰み=後手勝ち:3手", None, Some(-31_997)),
            (
                "*対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 88 読み筋 ▲３四飛(24) △３三角(22)",
                Some(88),
                None,
            ),
            (
                "*解析 0 ○ 候補1 時間 00:00.0 深さ 32 ノード数 1 評価値 -150 読み筋 △３三角(22)",
                None,
                Some(-150),
            ),
            ("*対局 時間 00:00.8", None, None),
            ("30", None, None),
            ("* 良い手", None, None),
            ("* 3手詰", None, None),
            ("*読み筋=▲２六歩", None, None),
            ("", None, None),
        ] {
            let node = commented(comment);
            assert_eq!(node.player_score(), player, "{comment}");
            assert_eq!(node.analysis_score(), analysis, "{comment}");
        }
        let mut node = GameNode::default();
        node.set_player_score(-7);
        assert_eq!(node.player_score(), Some(-7));
    }

    #[test]
    fn the_server_says_who_won() {
        let read =
            |tail: &str| read_csa(&format!("N+a\nN-b:c\nPI\n+\n+7776FU\nT1\n{tail}")).unwrap();
        for (tail, reason, outcome) in [
            (
                "'summary:time up:a win:b lose\n",
                "time up",
                GameOutcome::Win(Color::Black),
            ),
            (
                "'summary:sennichite:a draw:b draw\n'$END_TIME:2024/01/02 03:04:05\n",
                "sennichite",
                GameOutcome::Draw,
            ),
            (
                "%TORYO\n'summary:toryo:a win:b lose\n",
                "toryo",
                GameOutcome::Win(Color::Black),
            ),
            (
                "%KACHI\n'summary:illegal kachi:a win:b lose\n",
                "illegal kachi",
                GameOutcome::Win(Color::Black),
            ),
        ] {
            let record = read(tail);
            assert_eq!(
                record.server_summary(),
                Some(ServerSummary { reason, outcome }),
                "{tail}"
            );
            assert_eq!(record.outcome(), outcome, "{tail}");
        }
        assert_eq!(read("").server_summary(), None);
        let abnormal = read("'summary:abnormal:a win:b lose\n");
        assert_eq!(abnormal.outcome(), GameOutcome::Undecided);
    }
}
