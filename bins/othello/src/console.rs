//! `console`: commands that are typed, as in Egaroucid's console or Edax's.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use othello_core::Counting;
use othello_engine::{ConsoleMode, EdaxConsole, EgaroucidConsole, Heard, MoveOutput};
use othello_search::Control;
use yane_cli::{InputLines, Settings, UsageError, print};
use yane_io::Error;

use crate::args::{Command, ConsoleArgs, ConsoleStyle, Numbers, Task};
use crate::games::today;
use crate::protocol::{self, NAME, VERSION, pondering};

/// An option of Egaroucid's console: its names, ours, and the number of its values, which become one with commas.
type Foreign = (&'static [&'static str], &'static str, usize);

const OPTIONS: [Foreign; 33] = [
    (&["-l", "-level"], "--level", 1),
    (&["-t", "-thread", "-threads"], "--threads", 1),
    (&["-hash", "-hashlevel"], "--hash-level", 1),
    (&["-b", "-book"], "--book", 1),
    (&["-nobook"], "--no-book", 0),
    (&["-eval", "-evaluation"], "--eval", 1),
    (&["-m", "-mode"], "--mode", 1),
    (&["-time"], "--game-time", 1),
    (&["-ponder"], "--ponder", 0),
    (&["-noboard"], "--no-board", 0),
    (&["-noautopass"], "--no-auto-pass", 0),
    (&["-noautocacheclear"], "--keep-cache", 0),
    (&["-gtp"], "--gtp", 0),
    (&["-q", "-quiet", "-silent"], "--quiet", 0),
    (&["-showvalue", "-showval"], "--show-value", 0),
    (&["-noise"], "--verbose", 0),
    (&["-logfile"], "--log-file", 1),
    (&["-logdir"], "--log-dir", 1),
    (&["-playloss"], PLAY_LOSS, 2),
    (&["-dpr", "-depthprobrange"], "--depth-range", 4),
    (&["-s", "-sol", "-solve"], "--solve", 1),
    (
        &["-spt", "-solveparalleltranscript"],
        "--solve-transcripts",
        1,
    ),
    (&["-sr", "-solverandom"], "--solve-random", 2),
    (&["-sf", "-selfplay"], "--self-play", 2),
    (&["-sfl", "-selfplayline"], "--self-play-lines", 1),
    (&["-sfb", "-selfplayboard"], "--self-play-boards", 1),
    (&["-sfr", "-selfplayrandomboard"], "--self-play-random", 4),
    (&["-grb", "-genrandboard"], "--random-boards", 4),
    (&["-lllb", "-losslesslinesboard"], LOSSLESS, 2),
    (&["-perft"], "--perft", 2),
    (&["-minimax"], "--minimax", 1),
    (&["-linfo", "-levelinfo"], "--level-info", 0),
    (&["-h", "-help", "-?"], "--help", 0),
];

/// Its share of moves is a number up to 1 there, and per cent here.
const PLAY_LOSS: &str = "--play-loss";

/// Its two values stay two.
const LOSSLESS: &str = "--lossless-lines";

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
            && text != "-V"
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
        let is_value = |word: &OsString| !word.as_encoded_bytes().starts_with(b"--");
        let found = std::iter::from_fn(|| words.next_if(is_value));
        let mut found: Vec<OsString> = found.take(values).collect();
        if found.len() < values {
            return Err(UsageError(format!("{text}: {values} values were expected")).into());
        }
        translated.push(ours.into());
        if ours == PLAY_LOSS
            && let Some(ratio) = found.first_mut()
        {
            *ratio = percent(ratio)?.to_string().into();
        }
        if ours == LOSSLESS {
            translated.append(&mut found);
        } else if !found.is_empty() {
            translated.push(found.join(std::ffi::OsStr::new(",")));
        }
    }
    Ok(translated)
}

/// A share from 0 to 1 in per cent.
fn percent(ratio: &OsStr) -> Result<u32, UsageError> {
    let text = ratio.to_string_lossy();
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    let share: f64 = share.ok_or_else(|| {
        UsageError(format!(
            "-playloss {text}: a share from 0.0 to 1.0 was expected"
        ))
    })?;
    Ok((share * 100.0).round() as u32)
}

/// The console if someone sits at a terminal.
pub(crate) fn without_command(settings: &Settings) -> anyhow::Result<ExitCode> {
    if !std::io::stdin().is_terminal() {
        let text = "a command was expected; 'othello --help' lists them".to_owned();
        return Err(UsageError(text).into());
    }
    let cli = crate::parsed(["othello", "console"].map(OsString::from).into());
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
    let mut session = pondering(&args.player, settings)?;
    if let Some(level) = args.hash_level {
        let bytes = 24u64 << level;
        let mut search = session.search_settings();
        search.hash_bytes = crate::settings::hash_bytes(bytes)?;
        session.set_search(search);
    }
    session.depths = args.depth_ranges.iter().map(|range| range.0).collect();
    let stop: Arc<AtomicBool> = Arc::default();
    print::stop_on_request(&stop)?;
    let control = Control::with_stop(Arc::clone(&stop));
    let mode = ConsoleMode::of_number(args.mode).unwrap_or_default();
    let mut out = Out::default();
    let openings = args.openings.openings()?;
    let mut console = match args.like {
        ConsoleStyle::Egaroucid => {
            let mut console = EgaroucidConsole::new(session, VERSION, control);
            (console.shows_board, console.passes) = (!args.no_board, !args.no_auto_pass);
            console.move_output = match (settings.quiet, args.show_value) {
                (false, _) => MoveOutput::Table,
                (true, false) => MoveOutput::Move,
                (true, true) => MoveOutput::MoveAndValue,
            };
            if args.keep_cache {
                console.keep_cache();
            }
            console.set_openings(Some(openings));
            if let Some(log) = log(args)? {
                console.set_log(log);
            }
            if args.task.is_any() {
                let done = args.task.run(&mut console, &mut |text| out.write(text));
                return finish(&mut out, &stop, done);
            }
            console.set_mode(mode);
            console.start(&mut |text| out.write(text));
            Console::Egaroucid(console)
        }
        ConsoleStyle::Edax => {
            if args.task.is_any() {
                let text = "--like edax: this option is Egaroucid's".to_owned();
                return Err(UsageError(text).into());
            }
            let mut console = EdaxConsole::new(session, NAME, VERSION, control);
            console.set_mode(mode);
            console.set_openings(Some(openings));
            console.today = today();
            console.start(&mut |text| out.write(text));
            Console::Edax(console)
        }
    };
    converse(&mut console, &mut out, &stop)
}

/// Carries out line after line. Ctrl-C ends a search, and the program while it waits for a line.
fn converse(console: &mut Console, out: &mut Out, stop: &AtomicBool) -> anyhow::Result<ExitCode> {
    let lines = InputLines::stdin()?;
    let is_typed = std::io::stdin().is_terminal();
    loop {
        if is_typed {
            // Ctrl-C ended a search.
            stop.store(false, Ordering::Relaxed);
        } else if stop.load(Ordering::Relaxed) {
            return Err(Error::Cancelled.into());
        }
        let line = lines.next(stop);
        if is_typed && !matches!(line, Ok(Some(_))) {
            out.write("\n");
        }
        let Some(line) = line? else { break };
        let heard = console.line(&line, &mut |text| out.write(text));
        if !out.check()? || heard != Heard::Open {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The end of what an option asked for.
fn finish(out: &mut Out, stop: &AtomicBool, done: anyhow::Result<()>) -> anyhow::Result<ExitCode> {
    out.check()?;
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Cancelled.into());
    }
    done.map(|()| ExitCode::SUCCESS)
}

type Log = Box<dyn FnMut(&str) + Send>;

/// Who receives the lines of searches.
fn log(args: &ConsoleArgs) -> anyhow::Result<Option<Log>> {
    let path = args.log_file.clone().or_else(|| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seconds = since.map_or(0, |time| time.as_secs());
        let folder = args.log_dir.as_ref()?;
        Some(folder.join(format!("othello-{seconds}-{}.log", std::process::id())))
    });
    let file = match &path {
        Some(path) => {
            let file = File::options().append(true).create(true).open(path);
            Some(file.map_err(Error::io(path))?)
        }
        None => None,
    };
    let is_shown = args.verbose;
    if file.is_none() && !is_shown {
        return Ok(None);
    }
    let mut file = file;
    Ok(Some(Box::new(move |line: &str| {
        if is_shown {
            eprintln!("{line}");
        }
        // The search goes on when the disk is full; the log ends.
        file = file
            .take()
            .filter(|mut file| writeln!(file, "{line}").is_ok());
    })))
}

impl Task {
    fn is_any(&self) -> bool {
        let files = [
            &self.solve,
            &self.solve_transcripts,
            &self.self_play_lines,
            &self.self_play_boards,
        ];
        files.iter().any(|file| file.is_some())
            || [&self.solve_random, &self.self_play, &self.perft]
                .iter()
                .any(|it| it.is_some())
            || [&self.self_play_random, &self.random_boards]
                .iter()
                .any(|it| it.is_some())
            || self.lossless_lines.is_some()
            || self.minimax.is_some()
            || self.level_info
    }

    fn run(&self, console: &mut EgaroucidConsole, out: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
        let wrong = |text: &str| anyhow::Error::from(UsageError(text.to_owned()));
        let amount = |number: i32| {
            u32::try_from(number).map_err(|_| wrong("a number from 0 on was expected"))
        };
        let moves = |number: i32| match amount(number)? {
            moves @ 0..=60 => Ok(moves),
            _ => Err(wrong("a number of moves up to 60 was expected")),
        };
        let values = |least: i32, most: i32| {
            let is_range = -64 <= least && least <= most && most <= 64;
            is_range
                .then_some(least..=most)
                .ok_or_else(|| wrong("values from -64 to 64 were expected, the least one first"))
        };
        if let Some(path) = &self.solve {
            return Ok(console.solve_file(path, out)?);
        }
        if let Some(path) = &self.solve_transcripts {
            return Ok(console.solve_transcripts(path, out)?);
        }
        if let Some(path) = &self.self_play_lines {
            return Ok(console.self_play_lines(path, out)?);
        }
        if let Some(path) = &self.self_play_boards {
            return Ok(console.self_play_boards(path, out)?);
        }
        if let Some([path, discs]) = self.lossless_lines.as_deref() {
            let discs: Option<u32> = discs.to_str().and_then(|text| text.parse().ok());
            let discs = discs.ok_or_else(|| {
                wrong("--lossless-lines: a number of discs was expected behind the file")
            })?;
            return Ok(console.lossless_lines(path, discs, out)?);
        }
        if let Some(Numbers([boards, after])) = self.solve_random {
            return Ok(console.solve_random(amount(boards)?, moves(after)?, out)?);
        }
        if let Some(Numbers([games, after])) = self.self_play {
            return Ok(console.self_play(amount(games)?, moves(after)?, out)?);
        }
        if let Some(Numbers([games, least, most, after])) = self.self_play_random {
            let (games, values) = (amount(games)?, values(least, most)?);
            return Ok(console.self_play_random(games, values, moves(after)?, out)?);
        }
        if let Some(Numbers([boards, least, most, after])) = self.random_boards {
            let (boards, values) = (amount(boards)?, values(least, most)?);
            return Ok(console.random_boards(boards, values, moves(after)?, out)?);
        }
        if let Some(Numbers([depth, mode])) = self.perft {
            let counting = match mode {
                1 => Counting::Positions,
                2 => Counting::PositionsPassFree,
                _ => return Err(wrong("--perft: 1 or 2 was expected as the mode")),
            };
            let depth = moves(depth)?;
            EgaroucidConsole::perft(depth, counting, out);
        }
        if let Some(depth) = self.minimax {
            return Ok(console.minimax(depth, out)?);
        }
        if self.level_info {
            out(&console.levels());
        }
        Ok(())
    }
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
        let line = "othello console -l 4 -nobook -t 1 -hash 20 -playloss 0.2 4 --no-board";
        let ours = "othello console --level 4 --no-book --threads 1 --hash-level 20 --play-loss 20,4 --no-board";
        assert_eq!(translated(line).unwrap(), ours);
        let line = "othello console -grb 3 -2 2 10 -dpr 1 20 14 99.9 -lllb a,b.txt 20 -q";
        let ours = "othello console --random-boards 3,-2,2,10 --depth-range 1,20,14,99.9 --lossless-lines a,b.txt 20 --quiet";
        assert_eq!(translated(line).unwrap(), ours);
        assert!(translated("othello console -ggs me secret").is_err());
        assert!(translated("othello console -playloss 20 4").is_err());
        assert_eq!(translated("othello solve -x").unwrap(), "othello solve -x");
    }
}
