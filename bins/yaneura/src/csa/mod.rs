//! The program `yaneura csa`: plays on a server that speaks the CSA protocol.

mod cli;
mod engine;

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::CommandFactory as _;
use serde_json::json;
use shogi_csa::{ClientEvent, CsaPlayer, PlayedCsaGame, ThinkSink, UsiPlayer, run_client};
use yane_cli::{FINDINGS, INTERRUPTED, print};

use cli::CsaCli;
use engine::OwnEngine;

/// The first word of the command.
const NAME: &str = "csa";

/// The command, as [`clap`] sees it.
pub(crate) fn command() -> clap::Command {
    CsaCli::command().name(NAME)
}

/// Runs the command that the program's arguments are, if it is this one and nothing else; `None` otherwise.
/// Wrong arguments end the program.
pub(crate) fn run_as_program(words: &[OsString]) -> Option<ExitCode> {
    let cli: CsaCli = crate::parse_alone(words, NAME)?;
    Some(play(&cli).unwrap_or_else(|error| yane_cli::fail("yaneura csa", &error)))
}

fn play(cli: &CsaCli) -> anyhow::Result<ExitCode> {
    let settings = cli.settings()?;
    let mut screen = Screen {
        quiet: cli.quiet,
        json: cli.json,
        log: cli.log.as_deref().map(open_log).transpose()?,
        printing: Ok(()),
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    yane_cli::stop_on_request(&interrupted)?;
    let quiet = cli.quiet;
    let make_player = |sink: ThinkSink| -> Result<Box<dyn CsaPlayer>, _> {
        Ok(match cli.engine() {
            Some(engine) => Box::new(UsiPlayer::start(engine, sink)?),
            None => Box::new(OwnEngine::start(&cli.options(), sink, &|text| {
                if !quiet {
                    eprintln!("{text}");
                }
            })?),
        })
    };
    let played = run_client(&settings, make_player, &interrupted, &mut |event| {
        screen.show(event);
    });
    screen.printing?;
    let outcome = played?;
    if cli.json {
        print::json(&json!({ "summary": outcome }))?;
    } else if outcome.games > 1 {
        print::lines([format!(
            "{} games: {} won, {} lost, {} drawn",
            outcome.games, outcome.wins, outcome.losses, outcome.draws
        )])?;
    }
    Ok(if outcome.interrupted {
        ExitCode::from(INTERRUPTED)
    } else if outcome.unsaved > 0 {
        ExitCode::from(FINDINGS)
    } else {
        ExitCode::SUCCESS
    })
}

fn open_log(path: &Path) -> yane_io::Result<File> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.map_err(yane_io::Error::io(path))
}

/// Results on standard output, the rest on standard error and in the log.
struct Screen {
    quiet: bool,
    json: bool,
    log: Option<File>,
    /// The first error of the standard output.
    printing: anyhow::Result<()>,
}

impl Screen {
    fn show(&mut self, event: &ClientEvent<'_>) {
        let text = match event {
            ClientEvent::Sent(line) => return self.log_line('>', line),
            ClientEvent::Received(line) => return self.log_line('<', line),
            ClientEvent::Ended(game) => return self.game(game),
            ClientEvent::Connected => "connected".to_owned(),
            ClientEvent::LoggedIn => "logged in; waiting for a game".to_owned(),
            ClientEvent::Offered(summary) => {
                let [black, white] = &summary.names;
                format!("offered: {} ({black} - {white})", summary.game_id)
            }
            ClientEvent::Started(game) => format!("begun: {}", game.summary().game_id),
            ClientEvent::Resumed(game) => format!("goes on: {}", game.summary().game_id),
            ClientEvent::Retrying { reason, after } => {
                format!("{reason}; trying again in {} s", after.as_secs())
            }
            ClientEvent::Note(text) => (*text).to_owned(),
            _ => return,
        };
        if !self.quiet {
            // Names and texts of the server may have control characters.
            let text = yane_io::escaped(&text);
            eprintln!("{} {text}", jiff::Zoned::now().strftime("%H:%M:%S"));
        }
    }

    /// A line of the protocol. A log that cannot be written ends with a note, the game goes on.
    fn log_line(&mut self, mark: char, line: &str) {
        let Some(file) = &mut self.log else { return };
        let time = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M:%S%.3f");
        if let Err(error) = file.write_all(format!("{time} {mark} {line}\n").as_bytes()) {
            eprintln!("yaneura csa: the log ends here: {error}");
            self.log = None;
        }
    }

    fn game(&mut self, game: &PlayedCsaGame) {
        let printed = if self.json {
            serde_json::to_value(game)
                .map_err(anyhow::Error::from)
                .and_then(|value| Ok(print::json(&value)?))
        } else {
            let cause = game.cause.map(|cause| format!(" ({cause})"));
            let files = game.files.iter().map(|file| format!(" {}", file.display()));
            let files: String = files.collect();
            let text = format!(
                "{}{} against {} as {}, {} moves{}{files}",
                game.verdict,
                cause.unwrap_or_default(),
                game.opponent(),
                game.color,
                game.moves,
                if files.is_empty() { "" } else { ":" },
            );
            print::lines([text]).map_err(anyhow::Error::from)
        };
        if self.printing.is_ok() {
            self.printing = printed;
        }
    }
}
