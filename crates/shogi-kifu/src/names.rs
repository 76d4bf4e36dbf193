//! Names of moves for people: as Japanese books print them, and in Western notation.

use shogi_core::{Game, Move, PieceKind, Position, Square};

use crate::words::{ki2_move, reaching};

/// How moves are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MoveNotation {
    /// By the official rules, as in KI2 files: `▲７六歩`, `△同　銀左上成`.
    #[default]
    Japanese,
    /// `P-7f`, `Bx2b+`, `G6i-5h`, `P*5e`, `Sx4c=`: letter, origin where several pieces can go there, `-`, `x` or `*`, square,
    /// `+` for a promotion and `=` for one that was declined.
    Western,
}

impl MoveNotation {
    /// The name of a legal move of `position`, after a move that went to `last_to`.
    ///
    /// ```
    /// use shogi_core::Position;
    /// use shogi_kifu::MoveNotation;
    ///
    /// let start = Position::startpos();
    /// let m = start.move_from_usi("7g7f")?;
    /// assert_eq!(MoveNotation::Japanese.name(&start, m, None), "▲７六歩");
    /// assert_eq!(MoveNotation::Western.name(&start, m, None), "P-7f");
    /// # Ok::<(), shogi_core::MoveError>(())
    /// ```
    pub fn name(self, position: &Position, m: Move, last_to: Option<Square>) -> String {
        match self {
            Self::Japanese => {
                let mark = match position.side_to_move() {
                    shogi_core::Color::Black => '▲',
                    shogi_core::Color::White => '△',
                };
                format!("{mark}{}", ki2_move(position, m, last_to))
            }
            Self::Western => western_move(position, m),
        }
    }

    /// The names of moves from the current position of a game, all of them legal in turn. Behind the first that is not legal nothing
    /// is named.
    pub fn line(self, game: &Game, moves: &[Move]) -> Vec<String> {
        let mut position = game.position().clone();
        let mut last_to = game.last_move().map(Move::to);
        let mut names = Vec::with_capacity(moves.len());
        for &m in moves {
            if !position.is_legal(m) {
                break;
            }
            names.push(self.name(&position, m, last_to));
            let _ = position.do_move_unchecked(m);
            last_to = Some(m.to());
        }
        names
    }
}

/// The letter of a kind: `P`, `+R`.
fn letter(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Pawn => "P",
        PieceKind::Lance => "L",
        PieceKind::Knight => "N",
        PieceKind::Silver => "S",
        PieceKind::Gold => "G",
        PieceKind::Bishop => "B",
        PieceKind::Rook => "R",
        PieceKind::King => "K",
        PieceKind::ProPawn => "+P",
        PieceKind::ProLance => "+L",
        PieceKind::ProKnight => "+N",
        PieceKind::ProSilver => "+S",
        PieceKind::Horse => "+B",
        PieceKind::Dragon => "+R",
    }
}

fn western_move(position: &Position, m: Move) -> String {
    let (to, piece) = (m.to(), m.piece_before());
    let kind = piece.kind();
    let Some(from) = m.from() else {
        return format!("{}*{to}", letter(kind));
    };
    let is_other = |&other: &Square| other != from;
    let origin = if reaching(position, piece, to).iter().any(is_other) {
        from.to_string()
    } else {
        String::new()
    };
    let sign = if position.piece_on(to).is_some() {
        'x'
    } else {
        '-'
    };
    let in_zone = [from, to]
        .iter()
        .any(|square| square.is_promotion_zone(m.color()));
    let end = match (m.is_promotion(), kind.can_promote() && in_zone) {
        (true, _) => "+",
        (false, true) => "=",
        (false, false) => "",
    };
    format!("{}{origin}{sign}{to}{end}", letter(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sfen: &str, usi: &str) -> (String, String) {
        let position = Position::from_sfen(sfen).unwrap();
        let m = position.move_from_usi(usi).unwrap();
        (
            MoveNotation::Japanese.name(&position, m, None),
            MoveNotation::Western.name(&position, m, None),
        )
    }

    #[test]
    fn both_notations_tell_pieces_apart() {
        const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        for (sfen, usi, japanese, western) in [
            (START, "6i5h", "▲５八金左", "G6i-5h"),
            (START, "2h5h", "▲５八飛", "R-5h"),
            (
                "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3",
                "8h2b+",
                "▲２二角成",
                "Bx2b+",
            ),
            (
                "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3",
                "8h2b",
                "▲２二角不成",
                "Bx2b=",
            ),
            ("4k4/9/9/9/9/9/9/9/4K4 b P 1", "P*5e", "▲５五歩", "P*5e"),
            ("4k4/9/9/9/4S4/9/9/9/4K4 b S 1", "S*5d", "▲５四銀打", "S*5d"),
            ("4k4/9/9/9/4+r4/9/9/9/K8 w - 1", "5e5f", "△５六龍", "+R-5f"),
        ] {
            assert_eq!(names(sfen, usi), (japanese.to_owned(), western.to_owned()));
        }
    }

    #[test]
    fn a_line_knows_the_move_before() {
        let mut game = Game::new(Position::startpos());
        let mut walked = game.clone();
        let moves = ["7g7f", "3c3d", "8h2b+", "3a2b"].map(|usi| {
            let m = walked.position().move_from_usi(usi).unwrap();
            walked.play_unchecked(m);
            m
        });
        let names = MoveNotation::Japanese.line(&game, &moves);
        assert_eq!(names, ["▲７六歩", "△３四歩", "▲２二角成", "△同　銀"]);
        game.play_unchecked(moves[0]);
        assert_eq!(MoveNotation::Western.line(&game, &moves[1..]).len(), 3);
        assert!(MoveNotation::Western.line(&game, &moves).is_empty());
    }
}
