//! The protocol of `XBoard` and `WinBoard`, as Edax speaks it for the variant `reversi`.
//!
//! Moves are `P@f5`, or `f5`; a pass is `@@@@`. Boards are in chess's FEN with `P` for black, who begins and is `w`, and `p`
//! for white; the row of rank 8 comes first. A search runs on a thread of its own, and plays its move on the game that it
//! shares with the lines that come in.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use othello_core::{Board, BoardError, Game, ImpossibleBoard, Move, Position, Side, Square};
use othello_search::{Control, Goal, Observer, PlayLevel, SearchLine};
use yane_clock::Instant;

use crate::background::{Background, Heard, LineOutput};
use crate::clock::{Clock, ClockPeriod};
use crate::ponder::Ponder;
use crate::session::Session;

/// What lines and searches share.
#[derive(Debug)]
struct Table {
    session: Session,
    /// The side that the engine plays; `None`: it watches.
    engine: Option<Side>,
    /// True if lines of thought are told.
    posts: bool,
    games: u64,
    nodes: u64,
    time: Duration,
}

/// An engine that speaks the protocol of `XBoard`.
pub struct XBoard {
    table: Arc<Mutex<Table>>,
    name: String,
    output: LineOutput,
    running: Option<(Background, Arc<AtomicBool>)>,
    ponder: Option<Ponder>,
    analyses: bool,
}

impl std::fmt::Debug for XBoard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("XBoard")
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}

impl XBoard {
    /// An engine of a name that writes to `output`.
    pub fn new(session: Session, name: &str, output: LineOutput) -> Self {
        let table = Table {
            session,
            engine: Some(Side::White),
            posts: false,
            games: 0,
            nodes: 0,
            time: Duration::ZERO,
        };
        Self {
            table: Arc::new(Mutex::new(table)),
            name: name.to_owned(),
            output,
            running: None,
            ponder: None,
            analyses: false,
        }
    }

    /// Carries out a line.
    pub fn line(&mut self, line: &str) -> Heard {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "" | "xboard" | "accepted" | "rejected" | "random" | "computer" | "name" | "rating"
            | "ics" | "draw" | "." | "nps" | "egtpath" | "option" | "pause" | "resume" => {}
            "quit" => {
                self.abort();
                let table = self.table();
                let (games, nodes) = (table.games, table.nodes);
                let seconds = table.time.as_secs_f64();
                self.tell(&format!(
                    "{games} games played in {seconds:.2} s. {nodes} nodes searched"
                ));
                return Heard::Quit;
            }
            "protover" => self.tell(&format!(
                "feature setboard=1 playother=1 ping=1 draw=0 sigint=0 sigterm=0 analyze=1 myname=\"{}\" \
                 variants=\"reversi\" colors=0 nps=0 memory=1 smp=1 done=1",
                self.name
            )),
            "variant" if rest == "reversi" => {
                self.tell("setup (P.....p.....) 8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1");
            }
            "variant" => self.tell(&format!("Error (variant is not reversi): {rest}")),
            "ping" => self.tell(&format!("pong {rest}")),
            "post" | "nopost" => self.table().posts = command == "post",
            "easy" | "hard" => {
                self.ponder = None;
                self.table().session.ponders = command == "hard";
            }
            // The move of a search that is going on comes at once.
            "?" => self.stop(),
            "hint" => self.hint(),
            "bk" => self.book(),
            "sd" | "st" | "level" | "time" | "otim" | "memory" | "cores" => {
                if let Err(text) = self.set(command, rest) {
                    self.tell(&format!("Error ({text}): {line}"));
                }
            }
            _ => self.game_line(command, rest),
        }
        Heard::Open
    }

    /// Waits until the search that is going on is over by itself.
    pub fn wait(&mut self) {
        if let Some((running, _)) = &mut self.running {
            running.wait();
        }
    }

    /// Lines that change the game, or who plays.
    fn game_line(&mut self, command: &str, rest: &str) {
        self.abort();
        match command {
            "new" => {
                let mut table = self.table();
                table.session.new_game();
                table.engine = Some(Side::White);
                drop(table);
                self.analyses = false;
            }
            "result" => {
                let mut table = self.table();
                table.games += 1;
                table.engine = None;
                return;
            }
            "force" => {
                self.table().engine = None;
                return;
            }
            "go" => {
                let mut table = self.table();
                table.engine = Some(table.session.position().side());
            }
            "playother" => {
                let mut table = self.table();
                table.engine = Some(table.session.position().side().other());
            }
            "undo" | "remove" => {
                let count = if command == "undo" { 1 } else { 2 };
                let undone = (0..count).filter(|_| self.table().session.undo().is_some());
                if undone.count() < count {
                    self.tell(&format!("Error (no move to take back): {command}"));
                    return;
                }
            }
            "setboard" => {
                let set = from_fen(rest).and_then(|position| {
                    let set = self.table().session.set_game(Game::new(position));
                    Ok(set?)
                });
                if let Err(error) = set {
                    self.tell(&format!("tellusererror Illegal position: {error}"));
                    return;
                }
            }
            "analyze" => {
                self.table().engine = None;
                self.analyses = true;
            }
            "exit" => {
                self.analyses = false;
                return;
            }
            "usermove" => {
                if !self.user_move(rest) {
                    self.tell(&format!("Illegal move {rest}"));
                    return;
                }
            }
            text if parse_move(text).is_some() => {
                if !self.user_move(text) {
                    self.tell(&format!("Illegal move {text}"));
                    return;
                }
            }
            unknown => {
                self.tell(&format!("Error (unknown command): {unknown}"));
            }
        }
        self.go_on();
    }

    /// Plays a move of the other side; returns `false` if it is illegal.
    fn user_move(&mut self, text: &str) -> bool {
        let is_played =
            parse_move(text).is_some_and(|mv| self.table().session.try_play(mv).is_ok());
        if is_played {
            self.tell_result();
        }
        is_played
    }

    /// Analyses, plays, or thinks ahead: what the position calls for.
    fn go_on(&mut self) {
        let table = self.table();
        let position = table.session.position();
        let is_own = table.engine == Some(position.side());
        if position.board().is_over() {
            return;
        }
        drop(table);
        if self.analyses {
            self.run(|table, output, control, _| {
                let session = lock(table).session.clone();
                let board = session.position().board();
                let mut observer = Posts::new(output, board);
                session.search_until(Goal::exact(1), control, &mut observer);
            });
        } else if is_own {
            self.run(play);
        }
    }

    fn run(
        &mut self,
        task: impl FnOnce(&Mutex<Table>, &LineOutput, &Control, &AtomicBool) + Send + 'static,
    ) {
        let (table, output) = (Arc::clone(&self.table), Arc::clone(&self.output));
        let is_aborted = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&is_aborted);
        let started = Background::start("xboard", move |control| {
            task(&table, &output, control, &own);
        });
        match started {
            Ok(running) => self.running = Some((running, is_aborted)),
            Err(error) => self.tell(&format!("Error (no thread: {error}): go")),
        }
    }

    /// Ends the search; its move is played.
    fn stop(&mut self) {
        if let Some((mut running, _)) = self.running.take() {
            running.stop();
        }
    }

    /// Ends the search; its move is not played.
    fn abort(&mut self) {
        self.ponder = None;
        if let Some((mut running, is_aborted)) = self.running.take() {
            is_aborted.store(true, Ordering::SeqCst);
            running.stop();
        }
    }

    fn hint(&mut self) {
        self.stop();
        self.run(|table, output, control, _| {
            let session = lock(table).session.clone();
            if let Some(found) = session.choose(control, &mut ()) {
                output(&format!("Hint:{}", move_name(found.mv)));
            }
        });
    }

    fn book(&self) {
        let moves = self.table().session.book_moves();
        if !moves.is_empty() {
            let moves: Vec<_> = moves
                .iter()
                .map(|found| format!("{}:{:+}", move_name(found.mv), found.score))
                .collect();
            self.tell(&format!("\tBook: {}", moves.join(" ")));
            self.tell("");
        }
    }

    fn set(&mut self, command: &str, rest: &str) -> Result<(), &'static str> {
        let number = |most: u64| {
            let number = rest
                .parse()
                .ok()
                .filter(|number| (1..=most).contains(number));
            number.ok_or("a number was expected")
        };
        if command == "time" || command == "otim" {
            let time = rest.parse().ok().filter(|&time: &i64| time.abs() < 1 << 32);
            let time = time.ok_or("centiseconds were expected")?.max(0);
            let mut table = self.table();
            let engine = table.engine.unwrap_or(table.session.position().side());
            let side = if command == "time" {
                engine
            } else {
                engine.other()
            };
            let clock = table.session.clock(side).unwrap_or_default();
            let time = Duration::from_millis(time.unsigned_abs() * 10);
            table.session.set_clock(side, Some(Clock { time, ..clock }));
            return Ok(());
        }
        // The others change the search itself.
        self.abort();
        match command {
            "sd" => {
                let level = number(u64::from(PlayLevel::MOST))?;
                let session = &mut self.table().session;
                session.level = session.level.with_number(level as u32);
            }
            "st" => {
                let seconds: f64 = rest.parse().map_err(|_| "seconds were expected")?;
                let time = Duration::try_from_secs_f64(seconds);
                self.table().session.move_time = Some(time.map_err(|_| "seconds were expected")?);
            }
            "level" => {
                let clock =
                    level_clock(rest).ok_or("level MOVES MINUTES INCREMENT was expected")?;
                let mut table = self.table();
                table.session.move_time = None;
                for side in [Side::Black, Side::White] {
                    table.session.set_clock(side, Some(clock));
                }
            }
            _ => {
                let table = self.table();
                let mut settings = table.session.search_settings();
                if command == "memory" {
                    settings.hash_bytes = (number(1 << 20)? as usize) << 20;
                } else {
                    settings.threads = number(1024)? as usize;
                }
                table.session.set_search(settings);
            }
        }
        Ok(())
    }

    fn tell_result(&self) {
        tell_result(&self.output, self.table().session.position());
    }

    fn tell(&self, text: &str) {
        (self.output)(text);
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        lock(&self.table)
    }
}

impl Drop for XBoard {
    fn drop(&mut self) {
        self.abort();
    }
}

fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Finds a move and plays it, unless the search was aborted.
fn play(table: &Mutex<Table>, output: &LineOutput, control: &Control, is_aborted: &AtomicBool) {
    let (session, posts) = {
        let table = lock(table);
        (table.session.clone(), table.posts)
    };
    let position = session.position();
    let start = Instant::now();
    let mut observer = Posts::new(output, position.board());
    let chosen = if posts {
        session.choose(control, &mut observer)
    } else {
        session.choose(control, &mut ())
    };
    let mut table = lock(table);
    let Some(chosen) = chosen.filter(|_| !is_aborted.load(Ordering::SeqCst)) else {
        return;
    };
    let elapsed = start.elapsed();
    table.nodes += chosen.nodes;
    table.time += elapsed;
    table.session.spend(position.side(), elapsed);
    table.session.try_play(chosen.mv).ok();
    output(&format!("move {}", move_name(chosen.mv)));
    tell_result(output, table.session.position());
    let session = table.session.clone();
    drop(table);
    // Until the next line stops it.
    if session.ponders {
        crate::ponder::think(&session, session.position().board(), control);
    }
}

/// Tells the result of a finished game.
fn tell_result(output: &LineOutput, position: Position) {
    if !position.board().is_over() {
        return;
    }
    let (black, white) = (position.black().count_ones(), position.white().count_ones());
    output(&match black.cmp(&white) {
        std::cmp::Ordering::Greater => format!("1-0 {{Black wins {black}-{white}}}"),
        std::cmp::Ordering::Less => format!("0-1 {{White wins {white}-{black}}}"),
        std::cmp::Ordering::Equal => format!("1/2-1/2 {{Draw {black}-{white}}}"),
    });
}

/// Tells lines of thought: depth, value in hundredths of a disc, time in hundredths of a second, boards, best play.
struct Posts<'a> {
    output: &'a LineOutput,
    board: Board,
}

impl<'a> Posts<'a> {
    const fn new(output: &'a LineOutput, board: Board) -> Self {
        Self { output, board }
    }
}

impl Observer for Posts<'_> {
    fn line(&mut self, _: usize, line: &SearchLine, nodes: u64, elapsed: Duration) {
        debug_assert!(self.board.after(line.best).is_some());
        let moves = line.pv.iter().enumerate().map(|(n, mv)| {
            let name = mv.to_string();
            if n % 2 == 0 {
                name
            } else {
                name.to_ascii_uppercase()
            }
        });
        let play: Vec<_> = moves.collect();
        (self.output)(&format!(
            "{:>2} {:>4} {:>6} {nodes:>10} {}",
            line.depth,
            line.score * 100,
            elapsed.as_millis() / 10,
            play.join(" ")
        ));
    }
}

/// `P@f5`, or `@@@@` for a pass.
fn move_name(mv: Move) -> String {
    match mv {
        Move::Place(square) => format!("P@{square}"),
        Move::Pass => "@@@@".to_owned(),
    }
}

fn parse_move(text: &str) -> Option<Move> {
    if ["@@@@", "pass", "pa"].contains(&text.to_ascii_lowercase().as_str()) {
        return Some(Move::Pass);
    }
    let square = text.get(..2).filter(|sign| sign.eq_ignore_ascii_case("p@"));
    let name = if square.is_some() { &text[2..] } else { text };
    name.parse().ok().map(Move::Place)
}

/// The clock of `level MOVES MINUTES[:SECONDS] INCREMENT`.
fn level_clock(text: &str) -> Option<Clock> {
    let words: Vec<_> = text.split_whitespace().collect();
    let &[moves, base, increment] = words.as_slice() else {
        return None;
    };
    let (minutes, seconds) = base.split_once(':').unwrap_or((base, "0"));
    let (minutes, seconds): (u32, u32) = (minutes.parse().ok()?, seconds.parse().ok()?);
    let time = Duration::from_secs(u64::from(minutes.min(100_000)) * 60 + u64::from(seconds));
    let moves: u32 = moves.parse().ok()?;
    let moves = (moves > 0).then_some(moves);
    let increment: f64 = increment.parse().ok()?;
    Some(Clock {
        time,
        moves,
        period: moves.map(|moves| ClockPeriod { time, moves }),
        increment: Duration::try_from_secs_f64(increment)
            .ok()?
            .min(time.max(Duration::from_secs(3600))),
    })
}

/// What is wrong with a board of `setboard`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum FenError {
    #[error("a board was expected")]
    NoBoard,
    #[error("{0} rows instead of 8")]
    Rows(usize),
    #[error("'{0}' is neither P, p nor a number of squares")]
    Sign(char),
    #[error("row '{0}' has not 8 squares")]
    Row(String),
    #[error("'{0}' is no side to move")]
    Side(String),
    #[error(transparent)]
    Discs(#[from] BoardError),
    #[error(transparent)]
    Board(#[from] ImpossibleBoard),
}

/// Parses a board of eight rows, rank 8 first, and the side to move.
fn from_fen(text: &str) -> Result<Position, FenError> {
    let mut words = text.split_whitespace();
    let board = words.next().ok_or(FenError::NoBoard)?;
    let (mut black, mut white) = (0u64, 0u64);
    let rows: Vec<_> = board.split('/').collect();
    if rows.len() != 8 {
        return Err(FenError::Rows(rows.len()));
    }
    for (row, rank) in rows.iter().zip((0..8u8).rev()) {
        let mut file = 0u8;
        for sign in row.chars() {
            let square = Square::new(rank * 8 + file.min(7)).map_or(0, Square::bit);
            match sign {
                '1'..='8' => file += sign as u8 - b'0',
                'P' | 'p' => {
                    if sign == 'P' {
                        black |= square;
                    } else {
                        white |= square;
                    }
                    file += 1;
                }
                _ => return Err(FenError::Sign(sign)),
            }
            if file > 8 {
                break;
            }
        }
        if file != 8 {
            return Err(FenError::Row((*row).to_owned()));
        }
    }
    let side = match words.next() {
        Some("w") | None => Side::Black,
        Some("b") => Side::White,
        Some(other) => return Err(FenError::Side(other.to_owned())),
    };
    let [mover, opponent] = match side {
        Side::Black => [black, white],
        Side::White => [white, black],
    };
    let board = Board::new(mover, opponent)?;
    Ok(Position::new(board, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_read_with_rank_8_first() {
        let start = "8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1";
        assert_eq!(from_fen(start), Ok(Position::START));
        for bad in [
            "",
            "8/8",
            "8/8/8/3Pp3/3pP3/8/8/9 w",
            "8/8/8/3Pp4/3pP3/8/8/8 w",
            "8/8/8/3Qp3/3pP3/8/8/8 w",
            "8/8/8/3Pp3/3pP3/8/8/8 x",
            "8888888888888888888888888888888888888888888888/8/8/8/8/8/8/8 w",
        ] {
            assert!(from_fen(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn moves_and_times() {
        assert_eq!(parse_move("P@f5"), parse_move("f5"));
        assert_eq!(parse_move("@@@@"), Some(Move::Pass));
        assert_eq!(parse_move("é5"), None);
        let clock = level_clock("40 5:30 2").unwrap();
        assert_eq!((clock.time.as_secs(), clock.moves), (330, Some(40)));
        assert_eq!(clock.increment.as_secs(), 2);
        assert_eq!(level_clock("0 5 -1"), None);
    }
}
