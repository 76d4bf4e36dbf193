//! The table of commands: one entry each, for dispatch, help, "did you mean" and shell completion. A new command is one
//! new entry.

use shogi_core::{Game, Position};
use shogi_usi::nearest;

use crate::error::LineError;
use crate::queries;
use crate::usi_loop::UsiLoop;

/// A command.
pub(crate) struct CommandSpec {
    /// First words that mean it, the usual one first.
    names: &'static [&'static str],
    /// The arguments after the name, as the help shows them.
    arguments: &'static str,
    /// The expected arguments, for error messages.
    expected: &'static str,
    /// A short description.
    doc: &'static str,
    handler: Handler,
}

/// The function that runs a command.
#[derive(Clone, Copy)]
enum Handler {
    /// The command loop, after [`shogi_usi::Command`] has read the line.
    Protocol,
    /// A function, for a name that nothing follows.
    Plain(fn(&mut UsiLoop) -> Result<(), LineError>),
    /// A function that reads the words behind the name.
    Words(fn(&mut UsiLoop, &Call<'_>) -> Result<(), LineError>),
}

/// A command with the words of its line.
pub(crate) struct Call<'a> {
    /// The name that was used.
    pub(crate) name: &'static str,
    /// The words behind it.
    pub(crate) words: Vec<&'a str>,
    spec: &'static CommandSpec,
}

const NOTHING: &str = "nothing more";

const fn protocol(
    names: &'static [&'static str],
    arguments: &'static str,
    doc: &'static str,
) -> CommandSpec {
    CommandSpec {
        names,
        arguments,
        expected: NOTHING,
        doc,
        handler: Handler::Protocol,
    }
}

const fn plain(
    names: &'static [&'static str],
    doc: &'static str,
    run: fn(&mut UsiLoop) -> Result<(), LineError>,
) -> CommandSpec {
    CommandSpec {
        names,
        arguments: "",
        expected: NOTHING,
        doc,
        handler: Handler::Plain(run),
    }
}

const fn words(
    names: &'static [&'static str],
    arguments: &'static str,
    expected: &'static str,
    doc: &'static str,
    run: fn(&mut UsiLoop, &Call<'_>) -> Result<(), LineError>,
) -> CommandSpec {
    CommandSpec {
        names,
        arguments,
        expected,
        doc,
        handler: Handler::Words(run),
    }
}

/// The commands, in the order of the help.
static COMMANDS: [CommandSpec; 44] = [
    protocol(&["usi"], "", "name, author and options"),
    protocol(&["isready"], "", "load evaluation and book, get ready"),
    protocol(&["setoption"], "name NAME [value VALUE]", "set an option"),
    protocol(&["usinewgame"], "", "begin a new game"),
    protocol(
        &["position"],
        "startpos|[sfen] SFEN [moves MOVE...] | file PATH [game N] [ply N]",
        "set the position, also of a game record (KIF, KI2, CSA, JKF, USI)",
    ),
    protocol(
        &["go"],
        "[LIMITS]",
        "search, or solve a mate with `go mate`",
    ),
    protocol(&["stop"], "", "end the search or a long command"),
    protocol(&["ponderhit"], "[TIMES]", "the expected move was played"),
    protocol(&["gameover"], "[win|lose|draw]", "as stop"),
    protocol(&["quit"], "", "end the program"),
    words(
        &["help", "--help", "-h", "?"],
        "",
        NOTHING,
        "this text",
        |engine, _| engine.help(),
    ),
    plain(
        &["version", "--version", "-V"],
        "name and version",
        |engine| engine.answer(queries::version()),
    ),
    words(
        &["d"],
        "[svg FILE [--force]]",
        "nothing more, or svg FILE [--force]",
        "show the board, or write it as a picture",
        UsiLoop::board,
    ),
    plain(&["side"], "side to move", |engine| {
        engine.answer(queries::side(engine.shown_pieces()?))
    }),
    plain(&["moves"], "legal moves", |engine| {
        engine.answer(queries::moves(engine.playable_position()?))
    }),
    words(
        &["perft"],
        "N",
        "a depth up to 30",
        "count move sequences of N plies",
        UsiLoop::perft,
    ),
    words(
        &["mate"],
        "[MS|infinite]",
        "nothing more, milliseconds or infinite; collections: mate FILE alone on the command line",
        "solve the position for mate; quit waits for it",
        UsiLoop::mate,
    ),
    plain(&["mate1"], "moves that mate at once", |engine| {
        engine.answer(queries::mate_in_one(engine.playable_position()?))
    }),
    plain(&["rep"], "repetition of the position", |engine| {
        engine.playable_position()?;
        engine.answer(queries::repetition(engine.session.game()))
    }),
    plain(&["declare"], "declaration win", |engine| {
        engine.playable_position()?;
        engine.answer(queries::declaration(&engine.session))
    }),
    plain(&["psfen"], "PackedSfen in hexadecimal", |engine| {
        engine.answer(queries::packed_sfen(engine.playable_position()?)?)
    }),
    plain(&["hcp"], "HuffmanCodedPos in hexadecimal", |engine| {
        engine.answer(queries::hcp(engine.playable_position()?)?)
    }),
    words(
        &["see"],
        "MOVE",
        "a move",
        "static exchange evaluation",
        |engine, call| {
            let mv = call.one_word()?;
            engine.answer(queries::see(engine.playable_position()?, mv)?)
        },
    ),
    plain(&["e"], "static evaluation", UsiLoop::static_evaluation),
    plain(
        &["eval"],
        "static evaluation, piece by piece",
        UsiLoop::trace_evaluation,
    ),
    plain(&["flip"], "turn the board by 180 degrees", |engine| {
        let flipped = engine.playable_position()?.flip();
        engine.set_game(Game::new(flipped));
        Ok(())
    }),
    plain(
        &["matsuri"],
        "set up a position with many moves",
        |engine| {
            let position = Position::from_sfen(queries::MATSURI).expect("a valid SFEN");
            engine.set_game(Game::new(position));
            Ok(())
        },
    ),
    words(
        &["bench"],
        "[DEPTH] | HASH THREADS [LIMIT [POSITIONS [KIND]]]",
        "a depth up to 30, or HASH THREADS LIMIT POSITIONS movetime|depth|nodes|perft|eval",
        "search fixed positions and show the speed",
        UsiLoop::bench,
    ),
    words(
        &["speedtest"],
        "[THREADS [HASH [SECONDS]]]",
        "threads, MiB and seconds",
        "show the speed in a game",
        UsiLoop::speed_test,
    ),
    plain(
        &["compiler", "config"],
        "version, system and kind of build",
        |engine| engine.answer(queries::build()),
    ),
    words(
        &["getoption"],
        "[NAME]",
        "one name",
        "value of one option, or of all",
        |engine, call| {
            let name = match call.words[..] {
                [] => None,
                _ => Some(call.one_word()?),
            };
            engine.answer(engine.option_values(name)?)
        },
    ),
    plain(
        &["wait"],
        "read on when the search is done",
        UsiLoop::wait_for_search,
    ),
    words(
        &["file"],
        "NAME",
        "the name of a file",
        "run the commands in a file",
        |engine, call| engine.run_file(&call.rest()?),
    ),
    words(
        &["f"],
        "NAME",
        "the name of a file",
        "the same for NAME.txt",
        |engine, call| {
            let name = format!("{}.txt", call.one_word()?);
            engine.run_file_with_message(&name)
        },
    ),
    plain(&["log"], "log input and output to io_log.txt", UsiLoop::log),
    plain(
        &["params"],
        "search parameters, for tuning frameworks",
        |engine| engine.answer(queries::params()),
    ),
    words(
        &["qsearch_psv"],
        "IN OUT [THREADS]",
        "IN OUT [THREADS]",
        "replace teacher positions by the leaves of their quiescence search",
        UsiLoop::qsearch_psv,
    ),
    words(
        &["learn"],
        "[OPTIONS] FILE...",
        "the words of the classic command",
        "learn a network from teacher data (*)",
        UsiLoop::learn,
    ),
    words(
        &["evalsave"],
        "[FOLDER]",
        NOTHING,
        "save the evaluation that is loaded",
        UsiLoop::save_evaluation,
    ),
    words(
        &["export_net"],
        "[FILE]",
        NOTHING,
        "save the network that is loaded",
        UsiLoop::export_network,
    ),
    words(
        &["nn"],
        "info FILE... | export IN OUT",
        NOTHING,
        "show or rewrite networks (*)",
        UsiLoop::evaluation_files,
    ),
    words(
        &["evalconvert"],
        "KIND FROM KIND TO",
        NOTHING,
        "convert three-piece tables (*)",
        UsiLoop::evaluation_files,
    ),
    words(
        &["evalzero"],
        "KIND FOLDER",
        NOTHING,
        "write an evaluation of zeros (*)",
        UsiLoop::evaluation_files,
    ),
    words(
        &["test"],
        "evalconvert|evalsave ...",
        NOTHING,
        "the older spelling of these",
        |engine, call| match call.words[..] {
            ["evalsave", ..] => {
                let words = call.words[1..].to_vec();
                engine.save_evaluation(&Call { words, ..*call })
            }
            _ => engine.evaluation_files(call),
        },
    ),
];

impl<'a> Call<'a> {
    /// The error about the words behind the name.
    pub(crate) fn wrong(&self) -> LineError {
        LineError::Argument {
            command: self.name,
            expected: self.spec.expected,
            found: self.words.join(" "),
        }
    }

    /// The only word behind the name.
    pub(crate) fn one_word(&self) -> Result<&'a str, LineError> {
        match self.words[..] {
            [word] => Ok(word),
            _ => Err(self.wrong()),
        }
    }

    /// All words behind the name as one text, which has to be there: names of files may have blanks.
    pub(crate) fn rest(&self) -> Result<String, LineError> {
        if self.words.is_empty() {
            return Err(self.wrong());
        }
        Ok(self.words.join(" "))
    }

    /// Runs the command.
    pub(crate) fn run(&self, engine: &mut UsiLoop) -> Result<(), LineError> {
        match self.spec.handler {
            Handler::Plain(_) if !self.words.is_empty() => Err(self.wrong()),
            Handler::Plain(run) => run(engine),
            Handler::Words(run) => run(engine, self),
            Handler::Protocol => unreachable!("not found by parse"),
        }
    }
}

/// Reads a line; `None` when it begins with another word than the name of a command outside the protocol.
pub(crate) fn parse(line: &str) -> Option<Call<'_>> {
    let mut words = line.split_ascii_whitespace();
    let first = words.next()?;
    let of = |spec: &'static CommandSpec| {
        let name = spec.names.iter().copied().find(|name| *name == first)?;
        let name = if is_word(name) { name } else { spec.names[0] };
        Some((spec, name))
    };
    let mut own = COMMANDS
        .iter()
        .filter(|spec| !matches!(spec.handler, Handler::Protocol));
    let (spec, name) = own.find_map(of)?;
    Some(Call {
        name,
        words: words.collect(),
        spec,
    })
}

/// Returns whether a name is a word rather than a flag of the command line.
fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The names of all commands.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let names = COMMANDS.iter().flat_map(|spec| spec.names);
    names.copied().filter(|name| is_word(name))
}

/// The programs beside this one. Old recipes type some of them as commands of the engine.
const PROGRAMS: [&str; 9] = [
    "arena",
    "egbk-mine",
    "gensfen",
    "kifu",
    "makebook",
    "othello",
    "pack2hcpe",
    "startsfens",
    "teacher",
];
/// Commands of this program that stand alone on the command line.
const ALONE: [&str; 5] = ["analyze", "csa", "deep", "eval-server", "serve"];

/// The error about an unknown command in `line`, with the program, command or option of `options` that was probably meant.
pub(crate) fn unknown<'a>(
    word: String,
    line: &str,
    options: impl Iterator<Item = &'a str>,
) -> LineError {
    let line = line.trim();
    if PROGRAMS.contains(&word.as_str()) {
        let line = line.to_owned();
        return LineError::Program { word, line };
    }
    if ALONE.contains(&word.as_str()) {
        let line = format!("yaneura {line}");
        return LineError::Program { word, line };
    }
    let meant: Option<&str> = match word.to_ascii_lowercase().as_str() {
        "exit" | "bye" | "q" => Some("quit"),
        _ => {
            let names: Vec<&'a str> = names().collect();
            nearest(&word, names.into_iter().chain(options))
        }
    };
    let meant = meant.map(str::to_owned);
    LineError::Unknown { word, meant }
}

/// The part of the help about commands: a line each.
pub(crate) fn help() -> String {
    const COLUMN: usize = 26;
    const END: &str = "  NAME VALUE                 set the option NAME and show it
Mate problems (add --help): mate FILE, mate check FILE
Programs (add --help): analyze GAME..., serve --open, csa HOST, eval-server --model FILE, deep bench
(*) alone on the command line it ends the program with an exit code; add --help";
    let line = |spec: &CommandSpec| {
        let names: Vec<&str> = spec
            .names
            .iter()
            .copied()
            .filter(|name| is_word(name))
            .collect();
        let usage = format!("{} {}", names.join(", "), spec.arguments);
        let usage = usage.trim_end();
        if usage.len() > COLUMN {
            format!("  {usage}\n  {:COLUMN$} {}\n", "", spec.doc)
        } else {
            format!("  {usage:COLUMN$} {}\n", spec.doc)
        }
    };
    let lines: String = COMMANDS.iter().map(line).collect();
    format!("Commands:\n{lines}{END}")
}

#[cfg(test)]
mod tests {
    use shogi_usi::Command;

    use super::*;

    #[test]
    fn the_table_is_whole() {
        let mut names: Vec<_> = COMMANDS.iter().flat_map(|spec| spec.names).collect();
        for name in Command::NAMES {
            assert!(names.contains(&&name), "{name}");
        }
        names.sort();
        assert!(names.is_sorted_by(|a, b| a < b), "a name twice: {names:?}");
        for spec in &COMMANDS {
            assert!(!spec.doc.is_empty() && is_word(spec.names[0]));
            let of_protocol = Command::NAMES.contains(&spec.names[0]);
            assert_eq!(of_protocol, matches!(spec.handler, Handler::Protocol));
        }
    }

    #[test]
    fn names_and_aliases() {
        let name = |line| parse(line).map(|call| call.name);
        assert_eq!(name("config"), Some("config"));
        assert_eq!(name("--help"), Some("help"));
        assert_eq!(name("? now"), Some("help"));
        assert_eq!(name("go"), None);
        assert_eq!(name(""), None);
        assert_eq!(name("D"), None);
        assert_eq!(parse("see 7g7f").unwrap().one_word().unwrap(), "7g7f");
        let error = parse("see").unwrap().one_word().unwrap_err();
        assert_eq!(error.to_string(), "see: expected a move, found \"\"");
        let file = parse("file my commands.txt").unwrap();
        assert_eq!(file.rest().unwrap(), "my commands.txt");
    }
}
