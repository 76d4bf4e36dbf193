//! What Egaroucid's console does by an option and then leaves: solving files, games against itself, random boards, perft.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use othello_core::{Board, Counting, Game, Move, State, perft};
use othello_record::{LineMode, RecordItem, read_file};
use othello_search::{Goal, Selectivity};
use yane_clock::Instant;

use super::egaroucid::{EgaroucidConsole, Out};
use super::egaroucid_tables as tables;
use super::error::ConsoleTaskError;
use crate::random::RandomRule;
use crate::session::Session;

/// Games that are tried for one random board.
const TRIALS: u32 = 25;

type Done = Result<(), ConsoleTaskError>;

impl EgaroucidConsole {
    /// Searches the positions of a file at the level, as the option `-solve` does.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or a line of it that is no position.
    pub fn solve_file(&mut self, path: &Path, out: Out<'_>) -> Done {
        let (mut nodes, mut time) = (0, Duration::ZERO);
        out(tables::HINTS);
        for (_, game) in games(path)? {
            let session = self.session_at(Game::new(game.position()));
            let hints = session.hints(1, &self.game.control, &mut ());
            for hint in &hints.moves {
                out(&tables::hint(self.game.level(), hint));
            }
            nodes += hints.nodes;
            time += hints.elapsed;
            self.check()?;
        }
        out(&tables::total(nodes, time));
        Ok(())
    }

    /// The value for the side to move at the end of each transcript of a file, as the option `-spt` tells it.
    ///
    /// # Errors
    ///
    /// As [`solve_file`](Self::solve_file).
    pub fn solve_transcripts(&mut self, path: &Path, out: Out<'_>) -> Done {
        for (_, game) in games(path)? {
            let session = self.session_at(Game::new(game.position().after_forced_pass()));
            out(&format!(
                "{} X {}\n",
                squares(session.position().board()),
                self.value(&session)?
            ));
        }
        Ok(())
    }

    /// The values of boards after so many moves, each any of the legal ones, as the option `-sr` tells them.
    ///
    /// # Errors
    ///
    /// A stop.
    pub fn solve_random(&mut self, boards: u32, moves: u32, out: Out<'_>) -> Done {
        for _ in 0..boards {
            let games = (0..40 * TRIALS).map(|_| self.any_moves(moves));
            let game = games
                .into_iter()
                .find(|game| !game.position().board().is_over());
            let game = game.ok_or(ConsoleTaskError::NoSuchBoard)?;
            let session = self.session_at(Game::new(game.position().after_forced_pass()));
            out(&format!(
                "{} {}\n",
                squares(session.position().board()),
                self.value(&session)?
            ));
        }
        Ok(())
    }

    /// Games of the engine against itself after so many moves, each any of the legal ones; a transcript a line, as the
    /// option `-sf` writes them.
    ///
    /// # Errors
    ///
    /// A stop.
    pub fn self_play(&mut self, games: u32, moves: u32, out: Out<'_>) -> Done {
        for _ in 0..games {
            let game = self.play_out(self.any_moves(moves))?;
            out(&format!("{game}\n"));
        }
        Ok(())
    }

    /// Games of the engine against itself from the openings of a file; whole transcripts, as the option `-sfl` writes them.
    ///
    /// # Errors
    ///
    /// As [`solve_file`](Self::solve_file).
    pub fn self_play_lines(&mut self, path: &Path, out: Out<'_>) -> Done {
        for (_, game) in games(path)? {
            let game = self.play_out(game)?;
            out(&format!("{game}\n"));
        }
        Ok(())
    }

    /// Games of the engine against itself from the boards of a file; each line and the moves behind it, as the option `-sfb`
    /// writes them.
    ///
    /// # Errors
    ///
    /// As [`solve_file`](Self::solve_file).
    pub fn self_play_boards(&mut self, path: &Path, out: Out<'_>) -> Done {
        for (text, game) in games(path)? {
            let game = self.play_out(Game::new(game.position()))?;
            out(&format!("{text} {game}\n"));
        }
        Ok(())
    }

    /// Random boards after so many moves with a value for black in a range, as transcripts, as the option `-grb` writes them.
    ///
    /// # Errors
    ///
    /// A stop, or no such board.
    pub fn random_boards(
        &mut self,
        boards: u32,
        values: RangeInclusive<i32>,
        moves: u32,
        out: Out<'_>,
    ) -> Done {
        for _ in 0..boards {
            let game = self.board_of_value(&values, moves)?;
            out(&format!("{game}\n"));
        }
        Ok(())
    }

    /// Games of the engine against itself from such boards, as the option `-sfr` writes them.
    ///
    /// # Errors
    ///
    /// As [`random_boards`](Self::random_boards).
    pub fn self_play_random(
        &mut self,
        games: u32,
        values: RangeInclusive<i32>,
        moves: u32,
        out: Out<'_>,
    ) -> Done {
        for _ in 0..games {
            let start = self.board_of_value(&values, moves)?;
            let game = self.play_out(start)?;
            out(&format!("{game}\n"));
        }
        Ok(())
    }

    /// All lines from the boards of a file to so many discs in which no move loses two discs or more, as the option `-lllb`
    /// writes them: the line of the file and the moves.
    ///
    /// # Errors
    ///
    /// As [`solve_file`](Self::solve_file).
    pub fn lossless_lines(&mut self, path: &Path, discs: u32, out: Out<'_>) -> Done {
        for (text, game) in games(path)? {
            self.lossless(&text, Game::new(game.position()), discs, out)?;
        }
        Ok(())
    }

    fn lossless(&self, text: &str, mut game: Game, discs: u32, out: Out<'_>) -> Done {
        let board = game.position().board();
        if board.discs() >= discs || board.is_over() {
            out(&format!("{text} {game}\n"));
            return Ok(());
        }
        if board.state() == State::Pass {
            game.play_unchecked(Move::Pass);
        }
        let session = self.session_at(game.clone());
        let hints = session.hints(usize::MAX, &self.game.control, &mut ());
        self.check()?;
        let good = |score: i32| score > hints.score - 2;
        for hint in hints.moves.iter().filter(|hint| good(hint.score)) {
            let mut next = game.clone();
            next.play_unchecked(hint.mv);
            self.lossless(text, next, discs, out)?;
        }
        Ok(())
    }

    /// The number of games of so many plies, a pass as a ply or not, as the option `-perft` tells it.
    pub fn perft(depth: u32, counting: Counting, out: Out<'_>) {
        let start = Instant::now();
        let leaves = perft(Board::START, depth, counting);
        let mode = if counting == Counting::PositionsPassFree {
            2
        } else {
            1
        };
        let ms = start.elapsed().as_millis();
        out(&format!(
            "perft mode {mode} depth {depth} {leaves} leaves found in {ms} ms\n"
        ));
    }

    /// The value of the start position by a search of all moves to a depth, as the option `-minimax` tells it.
    ///
    /// # Errors
    ///
    /// A stop.
    pub fn minimax(&mut self, depth: u32, out: Out<'_>) -> Done {
        let goal = Goal::new(depth, Selectivity::Exact, 1);
        let control = &self.game.control;
        let result = self.game.session.search_to(Board::START, goal, control);
        self.check()?;
        let (value, ms) = (result.score, result.elapsed.as_millis());
        out(&format!("minimax depth {depth} value {value} in {ms} ms\n"));
        Ok(())
    }

    fn check(&self) -> Done {
        if self.game.control.is_stopped() {
            return Err(ConsoleTaskError::Stopped);
        }
        Ok(())
    }

    fn session_at(&self, game: Game) -> Session {
        let mut session = self.game.session.clone();
        session.go_on_with(game);
        session
    }

    /// The value of a session's position for the side to move.
    fn value(&self, session: &Session) -> Result<i32, ConsoleTaskError> {
        let hints = session.hints(1, &self.game.control, &mut ());
        self.check()?;
        Ok(hints.score)
    }

    /// A game of so many moves, each any of the legal ones, or one that is over before.
    fn any_moves(&self, moves: u32) -> Game {
        let mut random = self.game.session.random();
        let mut game = Game::default();
        for _ in 0..moves {
            if game.position().board().state() == State::Pass {
                game.play_unchecked(Move::Pass);
            }
            let legal: Vec<_> = game.position().board().legal_moves().iter().collect();
            if legal.is_empty() {
                break;
            }
            game.play_unchecked(Move::Place(*random.choose(&legal)));
        }
        game
    }

    fn board_of_value(
        &self,
        values: &RangeInclusive<i32>,
        moves: u32,
    ) -> Result<Game, ConsoleTaskError> {
        let session = self.session_at(Game::default());
        let rule = RandomRule::InRange(values.clone());
        for _ in 0..TRIALS {
            let found = session.random_game(moves, &rule, &self.game.control);
            self.check()?;
            if let Some(game) = found {
                return Ok(game);
            }
        }
        Err(ConsoleTaskError::NoSuchBoard)
    }

    /// The engine plays both sides to the end.
    fn play_out(&self, game: Game) -> Result<Game, ConsoleTaskError> {
        let mut session = self.session_at(game);
        while let Some(chosen) = session.choose(&self.game.control, &mut ()) {
            self.check()?;
            session.play_unchecked(chosen.mv);
        }
        Ok(session.game().clone())
    }
}

/// The games of a file with their lines' texts.
fn games(path: &Path) -> Result<Vec<(String, Game)>, ConsoleTaskError> {
    let items = read_file(path, LineMode::PerLine)?;
    let game = |item: RecordItem| {
        let line = item.line;
        let record = item.record.map_err(|problem| ConsoleTaskError::Line {
            path: path.to_owned(),
            line,
            problem,
        })?;
        let board = record.game.start().board();
        board.check().map_err(|problem| ConsoleTaskError::Board {
            path: path.to_owned(),
            line,
            problem,
        })?;
        Ok((item.text, record.game))
    };
    items.into_iter().map(game).collect()
}

/// The 64 squares of a board, `X` for the player to move.
fn squares(board: Board) -> String {
    let position = othello_core::Position::new(board, othello_core::Side::Black);
    position.to_string().chars().take(64).collect()
}
