//! Games: a start position, its moves, and transcripts; perft, the number of games of a length.

use std::fmt;
use std::str::FromStr;

use crate::{Board, IllegalMove, Move, Position, Side, Square, State, TranscriptError, simd};

/// A start position and the moves from there.
///
/// As text it is a transcript of two characters a move, `f5d6c3d3c4`. Parsing takes either case, blanks between moves, and
/// passes written (`pa`, `ps`, `--`) or left out; `othello-record` reads all other spellings. Passes are not written, as
/// they follow from the moves.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Game {
    start: Position,
    position: Position,
    moves: Vec<Move>,
}

impl Game {
    /// A game without moves.
    pub const fn new(start: Position) -> Self {
        Self {
            start,
            position: start,
            moves: Vec::new(),
        }
    }

    /// Parses a transcript that begins at a position.
    ///
    /// # Errors
    ///
    /// The first move that is unreadable or not legal.
    pub fn from_transcript(start: Position, text: &str) -> Result<Self, TranscriptError> {
        let mut game = Self::new(start);
        let mut chars = text.chars().filter(|c| !c.is_whitespace());
        let mut ply = 0;
        while let Some(first) = chars.next() {
            ply += 1;
            let text: String = [first].into_iter().chain(chars.next()).collect();
            let played = match text.to_ascii_lowercase().as_str() {
                "pa" | "ps" | "--" => game.try_play(Move::Pass),
                name => match name.parse() {
                    Ok(square) => game.try_play_square(square),
                    Err(_) => return Err(TranscriptError::Move { ply, text }),
                },
            };
            if played.is_err() {
                return Err(TranscriptError::Illegal { ply, text });
            }
        }
        Ok(game)
    }

    /// The start position.
    pub const fn start(&self) -> Position {
        self.start
    }

    /// The position after the last move.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The moves, passes included.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The positions of the game: the start, and that after each move.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        let mut position = self.start;
        let after = self.moves.iter().map_while(move |&mv| {
            // Legal, as all were when they were played.
            let board = position.board().after(mv)?;
            position = Position::new(board, position.side().other());
            Some(position)
        });
        std::iter::once(self.start).chain(after)
    }

    /// Plays a move or a pass. For moves from outside; [`play_unchecked`](Self::play_unchecked) spares those the check that are
    /// known to be legal.
    ///
    /// # Errors
    ///
    /// A move that is not legal. Nothing is changed then.
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let board = self.position.board().after(mv).ok_or(IllegalMove(mv))?;
        self.go_on(mv, board);
        Ok(())
    }

    /// Plays a move or a pass, which must be legal. What stands on the board after another one is unspecified; builds with debug
    /// assertions notice it.
    pub fn play_unchecked(&mut self, mv: Move) {
        let board = self.position.board();
        debug_assert!(board.after(mv).is_some(), "{mv} on {}", self.position);
        let next = match mv {
            Move::Place(square) => board.play_unchecked(square),
            Move::Pass => board.passed(),
        };
        self.go_on(mv, next);
    }

    fn go_on(&mut self, mv: Move, board: Board) {
        self.position = Position::new(board, self.position.side().other());
        self.moves.push(mv);
    }

    /// Plays a disc, and before it a forced pass if there is one.
    ///
    /// # Errors
    ///
    /// A move that is not legal. Nothing is changed then.
    pub fn try_play_square(&mut self, square: Square) -> Result<(), IllegalMove> {
        if self.position.board().state() == State::Pass
            && self.position.passed().try_play(square).is_ok()
        {
            self.play_unchecked(Move::Pass);
        }
        self.try_play(Move::Place(square))
    }

    /// Takes back the last move or pass and returns it; `None` if there is none.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.position = self.positions().last().unwrap_or(self.start);
        Some(mv)
    }

    /// The transcript with passes written (`pa`) and white's moves in upper case, as Edax prints it.
    pub fn to_edax(&self) -> String {
        let mut side = self.start.side();
        let mut text = String::new();
        for mv in &self.moves {
            let mv = mv.to_string();
            match side {
                Side::Black => text.push_str(&mv),
                Side::White => text.push_str(&mv.to_ascii_uppercase()),
            }
            side = side.other();
        }
        text
    }
}

/// Parses a transcript from the start position.
impl FromStr for Game {
    type Err = TranscriptError;

    fn from_str(text: &str) -> Result<Self, TranscriptError> {
        Self::from_transcript(Position::START, text)
    }
}

/// Writes the transcript without passes, in lower case.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mv in &self.moves {
            if let Move::Place(square) = mv {
                square.fmt(f)?;
            }
        }
        Ok(())
    }
}

// Perft: the number of games of a certain length, which tests move generation.
//
// Programs count passes and finished games in three ways; they differ from depth 9 on.

/// The way of counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counting {
    /// Moves and passes made at the last ply; games that ended before do not count. Edax's way.
    Moves,
    /// Leaf positions: a pass is a ply, a finished game counts as one. The published numbers; Egaroucid's mode 1.
    Positions,
    /// As [`Positions`](Self::Positions), but a pass is no ply. Egaroucid's mode 2.
    PositionsPassFree,
}

/// The number of games of `depth` plies from a board on. The last two plies are counted, not played.
///
/// ```
/// use othello_core::{Board, Counting, perft};
///
/// assert_eq!(perft(Board::START, 7, Counting::Positions), 55092);
/// ```
pub fn perft(board: Board, depth: u32, counting: Counting) -> u64 {
    let moves = board.legal_moves();
    if depth == 0 {
        return 1;
    }
    if moves.is_empty() {
        return without_move(board, depth, counting);
    }
    match depth {
        1 => u64::from(moves.len()),
        2 => {
            let (mut count, dead) = simd::replies(board, moves.0);
            for square in crate::Squares(dead) {
                count += without_move(board.play_unchecked(square), 1, counting);
            }
            count
        }
        _ => moves
            .iter()
            .map(|square| perft(board.play_unchecked(square), depth - 1, counting))
            .sum(),
    }
}

/// [`perft()`] of a board without a legal move; `depth` is not 0.
#[cold]
fn without_move(board: Board, depth: u32, counting: Counting) -> u64 {
    match (board.state(), counting) {
        (State::Over, Counting::Moves) => 0,
        (State::Over, _) => 1,
        (_, Counting::PositionsPassFree) => perft(board.passed(), depth, counting),
        _ => perft(board.passed(), depth - 1, counting),
    }
}

/// The counts of one ply of all games from a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PlyCounts {
    /// Moves and passes made: [`perft()`] with [`Counting::Moves`].
    pub moves: u64,
    /// Passes among them.
    pub passes: u64,
    /// Games found to be over when this ply would be made, won by the player whose turn it would be.
    pub wins: u64,
    /// Games found to be over, drawn.
    pub draws: u64,
    /// Games found to be over, lost by the player whose turn it would be.
    pub losses: u64,
}

/// Counts of plies 1 to `depth` from a board on. Everything is played, so it is many times slower than
/// [`perft()`].
pub fn perft_table(board: Board, depth: u32) -> Vec<PlyCounts> {
    let mut table = vec![PlyCounts::default(); depth as usize];
    fill(board, &mut table);
    table
}

fn fill(board: Board, table: &mut [PlyCounts]) {
    let Some((now, rest)) = table.split_first_mut() else {
        return;
    };
    match board.state() {
        State::Moves => {
            for square in board.legal_moves() {
                now.moves += 1;
                fill(board.play_unchecked(square), rest);
            }
        }
        State::Pass => {
            now.moves += 1;
            now.passes += 1;
            fill(board.passed(), rest);
        }
        State::Over => match board.score() {
            0 => now.draws += 1,
            score if score > 0 => now.wins += 1,
            _ => now.losses += 1,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game with passes, of a fixed choice among the legal moves.
    fn with_passes() -> Game {
        let mut games = (3..50).map(|step| {
            let mut game = Game::default();
            for n in 0.. {
                let board = game.position().board();
                let moves = board.legal_moves();
                let mv = match board.state() {
                    State::Moves => {
                        let chosen = n * step % moves.len() as usize;
                        moves.iter().nth(chosen).map(Move::Place)
                    }
                    State::Pass => Some(Move::Pass),
                    State::Over => None,
                };
                let Some(mv) = mv else { break };
                game.play_unchecked(mv);
            }
            game
        });
        let passes = |game: &Game| game.moves().contains(&Move::Pass);
        games.find(passes).expect("a game with a pass")
    }

    #[test]
    fn case_and_blanks_do_not_matter() {
        let game: Game = " F5 d6\nC3d3\tc4".parse().unwrap();
        assert_eq!(game.to_string(), "f5d6c3d3c4");
        assert_eq!(game.to_edax(), "f5D6c3D3c4");
        assert_eq!(game.moves().len(), 5);
        assert_eq!(game.position().side(), Side::White);
    }

    #[test]
    fn errors_name_the_move() {
        let illegal = |ply, text: &str| TranscriptError::Illegal {
            ply,
            text: text.to_owned(),
        };
        assert_eq!("f5f5".parse::<Game>(), Err(illegal(2, "f5")));
        assert_eq!("a1".parse::<Game>(), Err(illegal(1, "a1")));
        assert_eq!("pa".parse::<Game>(), Err(illegal(1, "pa")));
        for (text, bad) in [("f5d", "d"), ("f5z9", "z9"), ("f5é6", "é6")] {
            let text_of = bad.to_owned();
            assert_eq!(
                text.parse::<Game>(),
                Err(TranscriptError::Move {
                    ply: 2,
                    text: text_of
                })
            );
        }
    }

    #[test]
    fn passes_may_be_written_or_not() {
        let game = with_passes();
        assert!(game.to_edax().to_lowercase().contains("pa"));
        assert!(!game.to_string().contains("pa"));
        assert_eq!(game.to_edax().parse().as_ref(), Ok(&game));
        assert_eq!(game.to_string().parse().as_ref(), Ok(&game));
    }

    #[test]
    fn undo_takes_back_one_move() {
        let mut game: Game = "f5d6c3".parse().unwrap();
        assert_eq!(game.undo().map(|mv| mv.to_string()).as_deref(), Some("c3"));
        assert_eq!(game, "f5d6".parse().unwrap());
        game.undo();
        game.undo();
        assert_eq!(game.undo(), None);
        assert_eq!(game, Game::default());
    }
}
