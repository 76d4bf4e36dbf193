//! `play`: a game on the terminal.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use othello_core::{Move, Side, State};
use othello_engine::{OpeningNamer, PlayedMove, Ponder, Session, did_you_mean};
use othello_record::diagram;
use othello_search::Control;
use serde_json::json;
use yane_cli::{InputLines, Settings, UsageError, print};
use yane_io::Error;

use crate::args::{EngineSide, Play};
use crate::book::lookup::game;
use crate::hint::name;
use crate::protocol::pondering;

/// What a player typed.
enum Typed {
    Move,
    Quit,
}

pub(crate) fn run(args: &Play, settings: &Settings) -> anyhow::Result<ExitCode> {
    let openings = args.openings.openings()?;
    let mut session = pondering(&args.player, settings)?;
    let start = game(&args.start, settings)?;
    let set = session.set_game(start);
    set.map_err(|error| UsageError(error.to_string()))?;
    let stop: Arc<AtomicBool> = Arc::default();
    print::stop_on_request(&stop)?;
    let control = Control::with_stop(Arc::clone(&stop));
    let plays = |side: Side| match args.engine_side {
        EngineSide::Black => side == Side::Black,
        EngineSide::White => side == Side::White,
        EngineSide::Both => true,
    };
    let mut input = Input {
        lines: InputLines::stdin()?,
        is_typed: std::io::stdin().is_terminal(),
        settings,
    };
    let start = Instant::now();
    let mut nodes = 0;
    let mut opening = None;
    loop {
        let name = openings.name(session.game());
        if name != opening {
            opening = name;
            tell(settings, &opening_line(opening))?;
        }
        let position = session.position();
        match position.board().state() {
            State::Over => break,
            State::Pass => {
                tell(settings, "pass")?;
                session.play_unchecked(Move::Pass);
                continue;
            }
            State::Moves => {}
        }
        if plays(position.side()) {
            let begun = Instant::now();
            let Some(chosen) = session.choose(&control, &mut ()) else {
                break;
            };
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Cancelled.into());
            }
            session.spend(position.side(), begun.elapsed());
            session.play_unchecked(chosen.mv);
            nodes += chosen.nodes;
            tell(settings, &played(&chosen))?;
            continue;
        }
        if !settings.json {
            print::lines([diagram(position)])?;
        }
        let ponder = Ponder::start(&session);
        let typed = input.read_move(&mut session, &control, &stop)?;
        drop(ponder);
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Cancelled.into());
        }
        if matches!(typed, Typed::Quit) {
            break;
        }
    }
    finish(&session, settings, &openings, nodes, start.elapsed())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a line of the game, unless only its result is wanted.
fn tell(settings: &Settings, text: &str) -> anyhow::Result<()> {
    if !settings.json {
        print::lines([text])?;
    }
    Ok(())
}

fn played(chosen: &PlayedMove) -> String {
    let value = chosen.hint.as_ref().map(|hint| (hint.score, hint.source));
    let value = value.map(|(score, source)| format!(" ({score:+}, {source})"));
    format!("{}{}", name(chosen.mv), value.unwrap_or_default())
}

/// The line that names the opening.
fn opening_line(name: Option<&str>) -> String {
    format!("Opening: {}", name.unwrap_or("without a name"))
}

/// The player's lines.
struct Input<'a> {
    lines: InputLines,
    /// True if someone sits at a terminal.
    is_typed: bool,
    settings: &'a Settings,
}

impl Input<'_> {
    /// Reads lines until a move is played. What is none is told, and the game goes on.
    fn read_move(
        &mut self,
        session: &mut Session,
        control: &Control,
        stop: &AtomicBool,
    ) -> anyhow::Result<Typed> {
        let settings = self.settings;
        loop {
            if self.is_typed && !settings.quiet {
                eprint!("Your move: ");
            }
            let line = self.lines.next(stop);
            if self.is_typed && line.is_err() {
                eprintln!();
            }
            let Some(line) = line? else {
                return Ok(Typed::Quit);
            };
            let text = line.trim().to_ascii_lowercase();
            match text.as_str() {
                "" => {}
                "quit" | "exit" | "q" => return Ok(Typed::Quit),
                "undo" | "u" => {
                    take_back(session);
                    tell(settings, &diagram(session.position()))?;
                }
                "hint" | "h" => {
                    let hints = session.hints(1, control, &mut ());
                    if control.is_stopped() {
                        return Err(Error::Cancelled.into());
                    }
                    for hint in &hints.moves {
                        let (mv, score) = (name(hint.mv), hint.score);
                        tell(settings, &format!("{mv} ({score:+}, {})", hint.source))?;
                    }
                }
                text => match text.parse() {
                    Ok(square) if session.try_play(Move::Place(square)).is_ok() => {
                        return Ok(Typed::Move);
                    }
                    Ok(square) => eprintln!("{square} is not a legal move"),
                    Err(_) => eprintln!("{}", wrong_word(text)),
                },
            }
        }
    }
}

/// What is told of a word that is neither a move nor a command.
fn wrong_word(text: &str) -> String {
    let question = did_you_mean(text, &["undo", "hint", "quit", "exit"]);
    format!("'{text}': a move such as f5 was expected, or undo, hint, quit{question}")
}

/// Takes back the engine's move, and the own one before it.
fn take_back(session: &mut Session) {
    let side = session.position().side();
    while let Some(mv) = session.undo() {
        if session.position().side() == side && mv != Move::Pass {
            break;
        }
    }
}

/// Prints the game, and its result if it is over.
fn finish(
    session: &Session,
    settings: &Settings,
    openings: &OpeningNamer,
    nodes: u64,
    elapsed: Duration,
) -> anyhow::Result<()> {
    let (game, position) = (session.game(), session.position());
    let (black, white) = (position.black().count_ones(), position.white().count_ones());
    let is_over = position.board().is_over();
    let score = match position.side() {
        Side::Black => position.board().score(),
        Side::White => -position.board().score(),
    };
    if settings.json {
        print::json(&json!({
            "start": game.start().to_string(),
            "game": game.to_string(),
            "opening": openings.name(game),
            "black": black,
            "white": white,
            "score": is_over.then_some(score),
            "nodes": nodes,
            "seconds": elapsed.as_secs_f64(),
        }))?;
        return Ok(());
    }
    print::lines([diagram(position), game.to_string()])?;
    if is_over {
        let result = match score {
            0 => "Draw".to_owned(),
            1.. => format!("Black wins by {score}"),
            _ => format!("White wins by {}", -score),
        };
        print::lines([format!("{result} ({black}-{white})")])?;
    }
    Ok(())
}
