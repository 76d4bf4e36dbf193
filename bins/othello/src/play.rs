//! `play`: a game on the terminal.

use std::io::{BufRead as _, IsTerminal as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use othello_core::{Move, Side, State};
use othello_engine::{PlayedMove, Ponder, Session};
use othello_record::diagram;
use othello_search::Control;
use serde_json::json;
use yane_cli::{Settings, UsageError, print};
use yane_io::Error;

use crate::args::{EngineSide, Play};
use crate::book::lookup::game;
use crate::hint::name;
use crate::protocol::session;

/// What a player typed.
enum Typed {
    Move,
    Quit,
}

pub(crate) fn run(args: &Play, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut session = session(&args.player, settings)?;
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
    let start = Instant::now();
    let mut nodes = 0;
    loop {
        let position = session.position();
        match position.board().state() {
            State::Over => break,
            State::Pass => {
                tell(settings, "pass")?;
                session.play(Move::Pass);
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
            session.play(chosen.mv);
            nodes += chosen.nodes;
            tell(settings, &played(&chosen))?;
            continue;
        }
        if !settings.json {
            print::lines([diagram(position)])?;
        }
        let ponder = Ponder::start(&session);
        let typed = read_move(&mut session, &control, settings)?;
        drop(ponder);
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Cancelled.into());
        }
        if matches!(typed, Typed::Quit) {
            break;
        }
    }
    finish(&session, settings, nodes, start.elapsed())?;
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

/// Reads lines until a move is played.
fn read_move(
    session: &mut Session,
    control: &Control,
    settings: &Settings,
) -> anyhow::Result<Typed> {
    let is_typed = std::io::stdin().is_terminal();
    let mut bytes = Vec::new();
    loop {
        if is_typed && !settings.quiet {
            eprint!("Your move: ");
        }
        bytes.clear();
        if std::io::stdin().lock().read_until(b'\n', &mut bytes)? == 0 {
            return Ok(Typed::Quit);
        }
        if control.is_stopped() {
            return Ok(Typed::Quit);
        }
        let text = String::from_utf8_lossy(&bytes).trim().to_ascii_lowercase();
        match text.as_str() {
            "" => {}
            "quit" | "exit" | "q" => return Ok(Typed::Quit),
            "undo" | "u" => {
                // The engine's move, and the own one before it.
                let side = session.position().side();
                while let Some(mv) = session.undo() {
                    if session.position().side() == side && mv != Move::Pass {
                        break;
                    }
                }
                tell(settings, &diagram(session.position()))?;
            }
            "hint" | "h" => {
                let hints = session.hints(1, control, &mut ());
                for hint in &hints.moves {
                    let (mv, score) = (name(hint.mv), hint.score);
                    tell(settings, &format!("{mv} ({score:+}, {})", hint.source))?;
                }
            }
            text => match text.parse() {
                Ok(square) if session.play(Move::Place(square)) => return Ok(Typed::Move),
                answer => {
                    let error = match answer {
                        Ok(square) => format!("{square} is not a legal move"),
                        Err(_) => {
                            format!("'{text}': a move such as f5 was expected, or undo, hint, quit")
                        }
                    };
                    if !is_typed {
                        anyhow::bail!(error);
                    }
                    eprintln!("{error}");
                }
            },
        }
    }
}

/// Prints the game, and its result if it is over.
fn finish(
    session: &Session,
    settings: &Settings,
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
