//! How a server says that a game came out.

use shogi_core::Color;

use crate::ending::GameOutcome;
use crate::record::GameRecord;

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
