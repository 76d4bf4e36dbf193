//! The commands for people and scripts, as data.

use std::path::PathBuf;

use crate::bench::Bench;
use crate::error::LineError;

/// The deepest `perft`; what is deeper would not end.
pub(crate) const DEEPEST_PERFT: u32 = 30;
/// Depths that `perft` takes.
const DEPTHS: &str = "a depth up to 30";
/// What `bench` takes.
const BENCHES: &str =
    "a depth up to 30, or HASH THREADS LIMIT POSITIONS movetime|depth|nodes|perft|eval";

/// The only word of `rest` as a depth.
fn depth(rest: &[&str]) -> Option<u32> {
    let [word] = rest else { return None };
    word.parse()
        .ok()
        .filter(|&plies: &u32| plies <= DEEPEST_PERFT)
}

/// The arguments of `qsearch_psv`.
fn leaves(rest: &[&str]) -> Option<Query> {
    let (input, output, threads) = match rest {
        [input, output] => (input, output, None),
        [input, output, threads] => (input, output, Some(threads.parse().ok()?)),
        _ => return None,
    };
    Some(Query::Leaves {
        input: input.into(),
        output: output.into(),
        threads: threads.filter(|&threads: &usize| threads > 0),
    })
}

/// What follows `d`: nothing, or the file of a picture.
fn board(rest: &[&str]) -> Option<Query> {
    let (overwrite, words) = match rest {
        [] => return Some(Query::Board),
        ["svg", words @ .., "--force"] | ["svg", "--force", words @ ..] => (true, words),
        ["svg", words @ ..] => (false, words),
        _ => return None,
    };
    let file = path(words)?;
    Some(Query::Picture { file, overwrite })
}

/// All of `rest` as a path, if there is any.
fn path(rest: &[&str]) -> Option<PathBuf> {
    (!rest.is_empty()).then(|| rest.join(" ").into())
}

/// A command that is not part of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// `d`: the board.
    Board,
    /// `d svg FILE [--force]`: the board as a picture.
    Picture {
        /// The file to write.
        file: PathBuf,
        /// Whether it may be there already.
        overwrite: bool,
    },
    /// `side`: who is to move.
    Side,
    /// `moves`: all legal moves.
    Moves,
    /// `perft N`: move sequences of N plies.
    Perft(u32),
    /// `mate1`: every move that mates at once.
    MateInOne,
    /// `rep`: whether the position repeats an earlier one of its game.
    Repetition,
    /// `declare`: whether the side to move can declare a win.
    Declare,
    /// `psfen`: the packed form of `YaneuraOu`.
    PackedSfen,
    /// `hcp`: the packed form of Apery.
    Hcp,
    /// `see MOVE`: static exchange evaluation.
    See(String),
    /// `e`: static evaluation.
    Evaluate,
    /// `qsearch_psv IN OUT [THREADS]`: teacher positions moved on to quiet ones.
    Leaves {
        /// The file to read.
        input: PathBuf,
        /// The file to write.
        output: PathBuf,
        /// Number of threads; as the option says without it.
        threads: Option<usize>,
    },
    /// `flip`: turns the board.
    Flip,
    /// `matsuri`: sets up a position with many moves.
    Matsuri,
    /// `eval`: the same with what every piece contributes.
    Trace,
    /// `bench`, `speedtest`: an amount of search.
    Bench(Bench),
    /// `compiler`, `config`: what this program is.
    Build,
    /// `f NAME`: runs the commands in NAME.txt.
    FileOfCommands(String),
    /// `log`: copies all input and output to a file.
    Log,
    /// `params`: the numbers that shape the search.
    Params,
    /// `help`: the commands.
    Help,
    /// `version`: name and version.
    Version,
    /// `getoption [NAME]`: the value of an option, or of all.
    GetOption(Option<String>),
    /// `wait`: reads on when the running search is done.
    Wait,
    /// `file NAME`: runs the commands in a file.
    File(String),
    /// `nn`, `evalconvert`, `evalzero`, perhaps after `test`: all words.
    EvalFiles(Vec<String>),
    /// `evalsave [FOLDER]`, perhaps after `test`: writes the evaluation that is loaded.
    EvalSave(Option<PathBuf>),
    /// `export_net [FILE]`: writes the network that is loaded.
    ExportNet(Option<PathBuf>),
}

impl Query {
    /// Whether it asks about a position of a game.
    pub(crate) fn needs_game(&self) -> bool {
        match self {
            Self::Bench(bench) => bench.is_about_current(),
            Self::Moves
            | Self::Perft(_)
            | Self::MateInOne
            | Self::Repetition
            | Self::Declare
            | Self::PackedSfen
            | Self::Hcp
            | Self::See(_)
            | Self::Flip
            | Self::Trace => true,
            _ => false,
        }
    }

    /// Whether it asks about pieces, which need not be a position of a game.
    pub(crate) fn needs_pieces(&self) -> bool {
        self.needs_game()
            || matches!(
                self,
                Self::Board | Self::Picture { .. } | Self::Side | Self::Evaluate
            )
    }

    /// The first words of all queries.
    pub(crate) const NAMES: [&str; 33] = [
        "d",
        "side",
        "help",
        "version",
        "moves",
        "perft",
        "mate1",
        "rep",
        "declare",
        "psfen",
        "hcp",
        "see",
        "e",
        "eval",
        "flip",
        "matsuri",
        "bench",
        "speedtest",
        "compiler",
        "config",
        "params",
        "getoption",
        "wait",
        "file",
        "f",
        "log",
        "qsearch_psv",
        "nn",
        "evalconvert",
        "evalzero",
        "evalsave",
        "export_net",
        "test",
    ];

    /// Reads a line; `None` when it begins with another word.
    pub(crate) fn parse(line: &str) -> Option<Result<Self, LineError>> {
        let mut words = line.split_ascii_whitespace();
        let name = match words.next()? {
            "--help" | "-h" | "?" => "help",
            "--version" | "-V" => "version",
            name => name,
        };
        let name = Self::NAMES.into_iter().find(|known| *known == name)?;
        let rest: Vec<&str> = words.collect();
        Some(Self::from_words(name, &rest))
    }

    fn from_words(name: &'static str, rest: &[&str]) -> Result<Self, LineError> {
        let wrong = |expected| LineError::Argument {
            command: name,
            expected,
            found: rest.join(" "),
        };
        let one = |expected| match rest {
            [word] => Ok((*word).to_owned()),
            _ => Err(wrong(expected)),
        };
        let query = match name {
            "d" => return board(rest).ok_or_else(|| wrong("nothing more, or svg FILE [--force]")),
            "perft" => return depth(rest).map(Self::Perft).ok_or_else(|| wrong(DEPTHS)),
            "bench" => {
                let bench = Bench::parse(rest).map(Self::Bench);
                return bench.ok_or_else(|| wrong(BENCHES));
            }
            "qsearch_psv" => return leaves(rest).ok_or_else(|| wrong("IN OUT [THREADS]")),
            "speedtest" => {
                let test = Bench::parse_speed_test(rest).map(Self::Bench);
                return test.ok_or_else(|| wrong("threads, MiB and seconds"));
            }
            "see" => return one("a move").map(Self::See),
            "file" if rest.is_empty() => return Err(wrong("the name of a file")),
            "file" => return Ok(Self::File(rest.join(" "))),
            "f" => return one("the name of a file").map(Self::FileOfCommands),
            "test" if rest.first() == Some(&"evalsave") => {
                return Self::from_words("evalsave", &rest[1..]);
            }
            // Names may have blanks.
            "evalsave" => return Ok(Self::EvalSave(path(rest))),
            "export_net" => return Ok(Self::ExportNet(path(rest))),
            "nn" | "evalconvert" | "evalzero" | "test" => {
                let words = std::iter::once(&name).chain(rest);
                return Ok(Self::EvalFiles(
                    words.map(|&word| word.to_owned()).collect(),
                ));
            }
            // About what, makes no difference.
            "help" => return Ok(Self::Help),
            "getoption" if rest.is_empty() => return Ok(Self::GetOption(None)),
            "getoption" => return one("one name").map(|name| Self::GetOption(Some(name))),
            "side" => Self::Side,
            "version" => Self::Version,
            "moves" => Self::Moves,
            "mate1" => Self::MateInOne,
            "rep" => Self::Repetition,
            "declare" => Self::Declare,
            "psfen" => Self::PackedSfen,
            "hcp" => Self::Hcp,
            "e" => Self::Evaluate,
            "eval" => Self::Trace,
            "compiler" | "config" => Self::Build,
            "log" => Self::Log,
            "flip" => Self::Flip,
            "matsuri" => Self::Matsuri,
            "params" => Self::Params,
            "wait" => Self::Wait,
            _ => unreachable!("{name} is in the list of names"),
        };
        if rest.is_empty() {
            Ok(query)
        } else {
            Err(wrong("nothing more"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read() {
        for name in Query::NAMES {
            let argument = match name {
                "perft" => " 3",
                "see" => " 7g7f",
                "file" => " my commands.txt",
                "f" => " commands",
                "qsearch_psv" => " in.psv out.psv",
                _ => "",
            };
            assert!(
                Query::parse(&format!("{name}{argument}")).unwrap().is_ok(),
                "{name}"
            );
        }
        assert!(Query::parse("go").is_none());
        assert!(Query::parse("").is_none());
    }

    #[test]
    fn names_of_pictures() {
        let read = |line: &str| Query::parse(line).unwrap().unwrap();
        let picture = |file: &str, overwrite| Query::Picture {
            file: file.into(),
            overwrite,
        };
        assert_eq!(read("d"), Query::Board);
        assert_eq!(read("d svg my board.svg"), picture("my board.svg", false));
        assert_eq!(read("d svg board.svg --force"), picture("board.svg", true));
        assert_eq!(read("d svg --force board.svg"), picture("board.svg", true));
        assert!(Query::parse("d svg").unwrap().is_err());
    }

    #[test]
    fn wrong_arguments() {
        let error = |line: &str| Query::parse(line).unwrap().unwrap_err().to_string();
        assert_eq!(
            error("perft"),
            "perft: expected a depth up to 30, found \"\""
        );
        assert_eq!(
            error("perft x"),
            "perft: expected a depth up to 30, found \"x\""
        );
        assert_eq!(
            error("d 5"),
            "d: expected nothing more, or svg FILE [--force], found \"5\""
        );
        assert_eq!(error("see"), "see: expected a move, found \"\"");
    }
}
