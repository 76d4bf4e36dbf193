//! The board as a picture: `d svg FILE`.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use shogi_core::{Color, Diagram, Game, JapaneseMove, Move};
use shogi_engine::usi_score;
use shogi_kifu::BoardSvg;
use shogi_search::SearchInfo;
use shogi_usi::Score;
use yane_io::{AtomicFile, Overwrite};

/// Moves of the line that get arrows.
const ARROWS: usize = 2;
/// Moves of the line that are written below the board.
const WRITTEN: usize = 4;

/// The best line that a search has found so far. Clones are the same line.
#[derive(Clone, Debug, Default)]
pub(crate) struct BestLine(Arc<Mutex<Option<SearchInfo>>>);

impl BestLine {
    /// Keeps a line of a search if it is the best one.
    pub(crate) fn keep(&self, info: &SearchInfo) {
        if info.multi_pv == 1 {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(info.clone());
        }
    }

    fn get(&self) -> Option<SearchInfo> {
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        line.clone()
    }
}

/// The picture of a game's position with its last move, and with arrows, evaluation and line if it was searched.
pub(crate) fn of_game(game: &Game, best_line: &BestLine) -> String {
    let position = game.position();
    let picture = BoardSvg::new(position).last_move(game.last_move());
    let side = match position.side_to_move() {
        Color::Black => "先手番",
        Color::White => "後手番",
    };
    let turn = format!("{}手目 {side}", position.ply());
    let Some(info) = best_line.get() else {
        return picture.captions(&[turn]).to_string();
    };
    let score = score_of_black(usi_score(info.score), position.side_to_move());
    let captions = [
        format!("{turn}　評価値 {score}　深さ {}", info.depth),
        format!("読み筋 {}", line(game, &info.pv)),
    ];
    let arrows = &info.pv[..info.pv.len().min(ARROWS)];
    picture.arrows(arrows).captions(&captions).to_string()
}

/// The picture of a placement that is no position of a game.
pub(crate) fn of_diagram(diagram: &Diagram) -> String {
    BoardSvg::new(diagram.pieces()).to_string()
}

/// Writes a picture.
///
/// # Errors
/// When the file is there already and may not be replaced, or cannot be written.
pub(crate) fn save(svg: &str, path: &Path, overwrite: bool) -> yane_io::Result<()> {
    let allowed = if overwrite {
        Overwrite::Allow
    } else {
        Overwrite::Never
    };
    let _claim = allowed.claim::<&Path>(path, &[])?;
    let mut file = AtomicFile::create(path)?;
    file.put(svg.as_bytes())?;
    file.commit()
}

/// A score from the view of black, as shogi programs show it.
fn score_of_black(score: Score, side: Color) -> String {
    let sign = match side {
        Color::Black => 1,
        Color::White => -1,
    };
    let winner = |wins: bool| match (side, wins) {
        (Color::Black, true) | (Color::White, false) => "先手勝ち",
        _ => "後手勝ち",
    };
    match score {
        Score::Cp(0) => "0".to_owned(),
        Score::Cp(cp) => format!("{:+}", cp * sign),
        Score::Mate(plies) => format!(
            "{}手詰 {}",
            plies.get().unsigned_abs(),
            winner(plies.get() > 0)
        ),
        Score::MateUnknown => winner(true).to_owned(),
        Score::MatedUnknown => winner(false).to_owned(),
    }
}

/// The beginning of a line in Japanese notation.
fn line(game: &Game, moves: &[Move]) -> String {
    let mut last_to = game.last_move().map(Move::to);
    let mut texts = Vec::new();
    for &m in moves.iter().take(WRITTEN) {
        texts.push(JapaneseMove { m, last_to }.to_string());
        last_to = Some(m.to());
    }
    if moves.len() > WRITTEN {
        texts.push("…".to_owned());
    }
    texts.join(" ")
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroI32;

    use super::*;

    #[test]
    fn scores_are_from_the_view_of_black() {
        let mate = |plies| Score::Mate(NonZeroI32::new(plies).unwrap());
        for (score, black, white) in [
            (Score::Cp(30), "+30", "-30"),
            (Score::Cp(-7), "-7", "+7"),
            (Score::Cp(0), "0", "0"),
            (mate(5), "5手詰 先手勝ち", "5手詰 後手勝ち"),
            (mate(-4), "4手詰 後手勝ち", "4手詰 先手勝ち"),
            (Score::MateUnknown, "先手勝ち", "後手勝ち"),
            (Score::MatedUnknown, "後手勝ち", "先手勝ち"),
        ] {
            assert_eq!(score_of_black(score, Color::Black), black);
            assert_eq!(score_of_black(score, Color::White), white);
        }
    }

    #[test]
    fn a_file_is_replaced_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("board.svg");
        save("one", &path, false).unwrap();
        let refused = save("two", &path, false);
        assert!(matches!(refused, Err(yane_io::Error::OutputExists(_))));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        save("two", &path, true).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
    }
}
