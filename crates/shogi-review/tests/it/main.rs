//! Analyses of games by engines that say what the tests want, and by the real one.

mod annotated;
mod goldens;
mod reviews;
mod shogihome;

use shogi_core::{Game, Move};
use shogi_engine::{Decision, ThinkError, ThinkLimits, Thinker, Thought, ThoughtLine};
use shogi_kifu::{GameRecord, KifuFormat};
use shogi_usi::Score;

/// An engine whose scores and best moves are written down, by the number of moves made: the score for the side to move, and the best
/// line.
struct Scripted(Vec<(Score, &'static str)>);

impl Thinker for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn new_game(&mut self) -> Result<(), ThinkError> {
        Ok(())
    }

    fn next_game(&mut self) -> Result<(), ThinkError> {
        Ok(())
    }

    fn think(&mut self, game: &Game, _: &ThinkLimits) -> Result<Thought, ThinkError> {
        let (score, line) = self.0[game.len()];
        let mut position = game.position().clone();
        let mut pv: Vec<Move> = Vec::new();
        for text in line.split_whitespace() {
            let m = position.move_from_usi(text).unwrap();
            let _ = position.try_do_move(m).unwrap();
            pv.push(m);
        }
        let decision = pv.first().map_or(Decision::Resign, |&best| Decision::Play {
            best,
            ponder: None,
        });
        let line = ThoughtLine {
            depth: 12,
            sel_depth: 20,
            score,
            bound: None,
            pv,
            end: None,
        };
        Ok(Thought {
            decision,
            lines: vec![line],
            visits: Vec::new(),
            nodes: 1000,
            elapsed: std::time::Duration::ZERO,
        })
    }
}

const KIF: &str = "\
手合割：平手
先手：太郎
後手：花子
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:03/00:00:03)
*初手
   2 ３四歩(33)   ( 0:05/00:00:05)
   3 ２二角成(88)   ( 0:10/00:00:13)
   4 同　銀(31)   ( 0:01/00:00:06)
   5 ５八玉(59)   ( 0:20/00:00:33)
   6 投了
";

fn record() -> GameRecord {
    KifuFormat::Kif.read(KIF).unwrap()
}

/// Black's fifth move throws the game away.
fn scripted() -> Scripted {
    Scripted(vec![
        (Score::Cp(40), "7g7f 3c3d"),
        (Score::Cp(-40), "8c8d"),
        (Score::Cp(60), "2g2f 8c8d"),
        (Score::Cp(-20), "3a2b 3i3h"),
        (Score::Cp(10), "3i3h 2b3c"),
        (Score::Cp(900), "8c8d 7i8h"),
    ])
}
