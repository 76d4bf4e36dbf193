//! Why commands of consoles are not carried out, in the words that both programs have for it.

use std::path::PathBuf;

use othello_core::ImpossibleBoard;
use othello_record::WthorError;

/// Extensions of games, and how they are written.
const KNOWN: &str = ".txt, .ggf, .sgf, .pgn, .wtb, .edx or .obf";

/// Why moves were not played.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MoveError {
    /// A text that is no square.
    #[error("invalid coordinate {0}")]
    NoSquare(String),
    /// An illegal move.
    #[error("illegal move {0}")]
    Illegal(String),
}

/// Why a game was not saved.
#[derive(Debug, thiserror::Error)]
pub(super) enum SaveError {
    /// The name says no format.
    #[error("{}: a name that ends in {KNOWN} was expected", .0.display())]
    Extension(PathBuf),
    /// The file cannot be written.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// The format cannot hold the game.
    #[error("{}: {problem}", path.display())]
    Wthor { path: PathBuf, problem: WthorError },
    /// A file of names stands there without its games.
    #[error("{}: there are names of other games", .0.display())]
    OtherNames(PathBuf),
}

/// What is wrong with a game for a command.
#[derive(Debug, thiserror::Error)]
pub(super) enum GameProblem {
    /// A file that cannot be read.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// A file without a game.
    #[error("{0} is empty")]
    EmptyFile(String),
    /// No game.
    #[error(transparent)]
    Record(#[from] othello_record::Error),
    /// A board of no game.
    #[error(transparent)]
    Board(#[from] ImpossibleBoard),
    /// No name of a file to write.
    #[error("the name of a file was expected")]
    NoName,
    /// A game that cannot be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
}

/// Why a command of Edax's console is not carried out.
#[derive(Debug, thiserror::Error)]
pub(super) enum EdaxError {
    /// Neither a command nor a move.
    #[error("Unknown command/Illegal move: \"{line}\"{question}")]
    Unknown {
        line: String,
        /// `; did you mean hint?`, or nothing.
        question: String,
    },
    /// No count behind a command.
    #[error("{0}: a number from 1 on was expected")]
    Count(String),
    /// The value of an option is none.
    #[error("{name}: '{value}' is no value of it")]
    Value { name: String, value: String },
    /// The value of a command is none.
    #[error("{command}: '{value}' is none of its values")]
    Argument { command: String, value: String },
    /// No depth to count games to.
    #[error("a depth from 1 to 14 was expected")]
    Depth,
    /// No moves are left.
    #[error("the game is over")]
    Over,
    /// A command that changes books.
    #[error("book {0}: books are changed with the commands of 'othello book'")]
    Book(String),
    /// A game that a command cannot use.
    #[error("{command}: {problem}")]
    Game {
        command: String,
        problem: GameProblem,
    },
    /// A line of a file that a command cannot use.
    #[error("{command}: line {line}: {problem}")]
    Line {
        command: &'static str,
        line: usize,
        problem: GameProblem,
    },
}

impl EdaxError {
    /// What is wrong with the game of a command.
    pub(super) fn game<P: Into<GameProblem>>(command: &str) -> impl Fn(P) -> Self {
        move |problem| Self::Game {
            command: command.to_owned(),
            problem: problem.into(),
        }
    }

    /// What is wrong with the game in a line of a file.
    pub(super) fn line<P: Into<GameProblem>>(
        command: &'static str,
        line: usize,
    ) -> impl Fn(P) -> Self {
        move |problem| Self::Line {
            command,
            line,
            problem: problem.into(),
        }
    }
}

/// Why a command of Egaroucid's console is not carried out.
#[derive(Debug, thiserror::Error)]
pub(super) enum EgaroucidError {
    /// No command.
    #[error("command `{command}` not found{question}")]
    Unknown {
        command: String,
        /// `; did you mean hint?`, or nothing.
        question: String,
    },
    /// Arguments that are none.
    #[error("invalid argument")]
    Argument,
    /// No count.
    #[error("invalid argument: a number from 1 on was expected")]
    Count,
    /// No side.
    #[error("invalid argument: a color (X / B / O / W) was expected")]
    Color,
    /// No time.
    #[error("invalid argument: a time in seconds was expected")]
    Time,
    /// No board, by the number of its characters.
    #[error("invalid argument got length {0} expected 65")]
    Length(usize),
    /// No board.
    #[error("invalid argument: {0}")]
    Record(othello_record::Error),
    /// A board of no game.
    #[error("invalid argument: {0}")]
    Board(ImpossibleBoard),
    /// No such level.
    #[error("level out of range")]
    Level,
    /// Moves that are not played.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// Fewer moves than are to be taken back or played again.
    #[error("can't {0}")]
    Cannot(String),
    /// No moves are left.
    #[error("the game is over")]
    Over,
    /// The opening has no name.
    #[error("this opening has no name")]
    NoName,
    /// No random board has such a value.
    #[error("no such board found")]
    NoSuchBoard,
}

/// Why the work that a console does by an option ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConsoleTaskError {
    /// A file that cannot be read.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// A line of a file that is no game and no position.
    #[error("{}: line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: othello_record::Error,
    },
    /// A line of a file with a board of no game.
    #[error("{}: line {line}: {problem}", path.display())]
    Board {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: ImpossibleBoard,
    },
    /// No random board has such a value.
    #[error("no such board found")]
    NoSuchBoard,
    /// Somebody stopped it.
    #[error("stopped")]
    Stopped,
}
