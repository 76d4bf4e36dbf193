//! `console`: commands that are typed, as in Egaroucid's console or Edax's.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser as _;
use othello_engine::{ConsoleMode, EdaxConsole, EgaroucidConsole, Heard};
use othello_search::Control;
use yane_cli::{Settings, UsageError, print};
use yane_io::Error;

use crate::args::{Cli, Command, ConsoleArgs, Levels};
use crate::protocol::{self, NAME, VERSION, each_line, session};

/// Options of Egaroucid's console: their names, ours, and the number of their values.
const OPTIONS: [(&[&str], &str, usize); 18] = [
    (&["-l", "-level"], "--level", 1),
    (&["-t", "-thread", "-threads"], "--threads", 1),
    (&["-hash"], "--hash-level", 1),
    (&["-b", "-book"], "--book", 1),
    (&["-nobook"], "--no-book", 0),
    (&["-eval"], "--eval", 1),
    (&["-m", "-mode"], "--mode", 1),
    (&["-solve"], "--solve", 1),
    (&["-sf", "-selfplay"], "--self-play", 1),
    (&["-sr"], "--random-moves", 1),
    (&["-linfo", "-levelinfo"], "--level-info", 0),
    (&["-time"], "--game-time", 1),
    (&["-ponder"], "--ponder", 0),
    (&["-noboard"], "--no-board", 0),
    (&["-noautopass"], "--no-auto-pass", 0),
    (&["-gtp"], "--gtp", 0),
    (&["-quiet"], "--quiet", 0),
    // Two values there, one with a comma here.
    (&["-playloss"], "--play-loss", 2),
];

/// Translates options of Egaroucid's console behind `console`, which begin with one sign.
///
/// # Errors
///
/// An option of that form that is none of them.
pub(crate) fn with_egaroucids_options(args: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
    if args.get(1).is_none_or(|word| word != "console") {
        return Ok(args);
    }
    let mut translated = Vec::new();
    let mut words = args.into_iter().peekable();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        let is_one_of_them = text.len() > 1
            && text.starts_with('-')
            && !text.starts_with("--")
            && !["-h", "-V", "-q"].contains(&text.as_str())
            && text.parse::<f64>().is_err();
        if !is_one_of_them {
            translated.push(word);
            continue;
        }
        let known = OPTIONS
            .iter()
            .find(|(names, ..)| names.contains(&text.as_str()));
        let &(_, ours, values) = known.ok_or_else(|| {
            UsageError(format!(
                "{text}: this option of Egaroucid is not known here"
            ))
        })?;
        translated.push(ours.into());
        let values: Vec<OsString> = words.by_ref().take(values).collect();
        if !values.is_empty() {
            translated.push(values.join(std::ffi::OsStr::new(",")));
        }
    }
    Ok(translated)
}

/// The console if someone sits at a terminal.
pub(crate) fn without_command(settings: &Settings) -> anyhow::Result<ExitCode> {
    if !std::io::stdin().is_terminal() {
        let text = "a command was expected; 'othello --help' lists them".to_owned();
        return Err(UsageError(text).into());
    }
    let cli = Cli::parse_from(["othello", "console"]);
    match &cli.command {
        Some(Command::Console(args)) => run(args, settings),
        _ => Ok(ExitCode::SUCCESS),
    }
}

enum Console {
    Egaroucid(EgaroucidConsole),
    Edax(EdaxConsole),
}

impl Console {
    fn line(&mut self, line: &str, out: &mut dyn FnMut(&str)) -> Heard {
        match self {
            Self::Egaroucid(console) => console.line(line, out),
            Self::Edax(console) => console.line(line, out),
        }
    }
}

/// Standard output, until nobody reads it any more.
#[derive(Default)]
struct Out {
    error: Option<std::io::Error>,
}

impl Out {
    fn write(&mut self, text: &str) {
        let mut out = std::io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }

    /// The error of writing, if there was one. Readers that are gone are none.
    fn check(&mut self) -> anyhow::Result<bool> {
        match self.error.take() {
            None => Ok(true),
            Some(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
            Some(error) => Err(Error::io("standard output")(error).into()),
        }
    }
}

pub(crate) fn run(args: &ConsoleArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    if args.gtp {
        return protocol::gtp(&args.player, settings);
    }
    let mut session = session(&args.player, settings)?;
    if let Some(level) = args.hash_level {
        let bytes = 24u64 << level;
        let mut search = session.search_settings();
        search.hash_bytes = protocol::hash_bytes(bytes)?;
        session.set_search(search);
    }
    session.uses_book = !args.no_book;
    let stop: Arc<AtomicBool> = Arc::default();
    print::stop_on_request(&stop)?;
    let control = Control::with_stop(Arc::clone(&stop));
    let mode = ConsoleMode::of_number(args.mode).unwrap_or_default();
    let mut out = Out::default();
    let mut console = match args.like {
        Levels::Egaroucid => {
            let mut console = EgaroucidConsole::new(session, VERSION, control);
            (console.shows_board, console.passes) = (!args.no_board, !args.no_auto_pass);
            if let Some(path) = &args.solve {
                let solved = console.solve_file(path, &mut |text| out.write(text));
                out.check()?;
                solved.map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
                return Ok(ExitCode::SUCCESS);
            }
            if let Some(games) = args.self_play {
                console.self_play(games, args.random_moves, &mut |text| out.write(text));
                return finish(&mut out, &stop);
            }
            if args.level_info {
                out.write(&EgaroucidConsole::levels());
                return finish(&mut out, &stop);
            }
            console.set_mode(mode);
            console.start(&mut |text| out.write(text));
            Console::Egaroucid(console)
        }
        Levels::Edax => {
            if args.solve.is_some() || args.self_play.is_some() || args.level_info {
                let text = "--solve, --self-play and --level-info are Egaroucid's".to_owned();
                return Err(UsageError(text).into());
            }
            let mut console = EdaxConsole::new(session, NAME, VERSION, control);
            console.set_mode(mode);
            console.start(&mut |text| out.write(text));
            Console::Edax(console)
        }
    };
    let is_typed = std::io::stdin().is_terminal();
    each_line(|line| {
        // Ctrl-C while nothing went on.
        if is_typed {
            stop.store(false, Ordering::Relaxed);
        }
        let heard = console.line(line, &mut |text| out.write(text));
        let is_read = out.check()?;
        if stop.load(Ordering::Relaxed) && !is_typed {
            return Err(Error::Cancelled.into());
        }
        Ok(is_read && heard == Heard::Open)
    })?;
    if is_typed {
        out.write("\n");
    }
    Ok(ExitCode::SUCCESS)
}

fn finish(out: &mut Out, stop: &AtomicBool) -> anyhow::Result<ExitCode> {
    out.check()?;
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Cancelled.into());
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_egaroucid_are_translated() {
        let translated = |line: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            let words = with_egaroucids_options(words)?;
            let words = words.iter().map(|word| word.to_string_lossy().into_owned());
            anyhow::Ok(words.collect::<Vec<_>>().join(" "))
        };
        let line = "othello console -l 4 -nobook -t 1 -hash 20 -playloss 20 4 --no-board";
        let ours = "othello console --level 4 --no-book --threads 1 --hash-level 20 --play-loss 20,4 --no-board";
        assert_eq!(translated(line).unwrap(), ours);
        assert!(translated("othello console -spt").is_err());
        assert_eq!(translated("othello solve -x").unwrap(), "othello solve -x");
    }
}
