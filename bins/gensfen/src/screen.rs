//! What people and scripts see of a run.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use selfplay::{EngineStatus, Event, Format, Observer, Players, Seat, Settings, Starts, Summary};
use serde_json::json;
use yane_io::Shard;

use crate::progress::Progress;

/// How often the line that tells where things stand is written anew on a terminal.
const REDRAW: Duration = Duration::from_millis(500);
/// How often such a line is written to a file or a pipe.
const LINE: Duration = Duration::from_secs(60);

/// Progress on standard error, and events on standard output when they are asked for.
pub(crate) struct Screen {
    quiet: bool,
    is_terminal: bool,
    json: bool,
    /// The engine of each seat.
    names: Vec<String>,
    bar: OnceLock<ProgressBar>,
    state: Mutex<State>,
}

/// Where things stand.
#[derive(Default)]
struct State {
    progress: Progress,
    /// When the run began, a file was brought up to date, and all of this was written.
    begun: Option<Instant>,
    saved: Option<Instant>,
    drawn: Option<Instant>,
    /// What was told last of the queue.
    trouble: String,
}

impl Screen {
    pub(crate) fn new(quiet: bool, json: bool, players: &Players) -> Self {
        let names = (0..players.seats()).map(|seat| players.name(seat).to_owned());
        Self {
            quiet,
            is_terminal: std::io::stderr().is_terminal(),
            json,
            names: names.collect(),
            bar: OnceLock::new(),
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A remark on standard error.
    pub(crate) fn say(&self, text: &str) {
        if self.quiet {
            return;
        }
        match self.bar.get() {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => eprintln!("{text}"),
        }
    }

    fn event(&self, value: &serde_json::Value) {
        if self.json {
            // That nobody listens does not end a run.
            writeln!(std::io::stdout().lock(), "{value}").ok();
        }
    }

    /// What will be played.
    pub(crate) fn header(
        &self,
        settings: &Settings,
        players: &Players,
        starts: &Starts,
        shard: Shard,
        path: Option<&Path>,
    ) {
        let engines = players.by_name();
        let engines: Vec<_> = engines
            .iter()
            .map(|(name, seats)| format!("{name} x {seats}"))
            .collect();
        let format = match &settings.format {
            Format::Pack => "pack".to_owned(),
            Format::Hcpe3(hcpe3) => format!("hcpe3, {} candidates", hcpe3.lines),
        };
        let games = settings
            .games
            .map_or("no end".to_owned(), |games| games.to_string());
        let or_off = |told: Option<String>| told.unwrap_or_else(|| "off".to_owned());
        let resign = settings.adjudication.resign.map(|rule| {
            let never = rule.never * 100.0;
            format!(
                "{} cp behind for {} moves, never in {never} % of the games",
                rule.value, rule.moves
            )
        });
        let draw = settings.adjudication.draw.map(|rule| {
            format!(
                "within {} cp for {} plies from ply {}",
                rule.value, rule.plies, rule.min_ply
            )
        });
        for (name, value) in [
            ("engines", engines.join(", ")),
            ("nodes a move", settings.nodes.to_string()),
            ("games", games),
            ("shard", shard.to_string()),
            ("seed", settings.seed.to_string()),
            ("start positions", starts.len().to_string()),
            ("random plies", settings.random_plies.to_string()),
            ("last ply", settings.max_game_ply.to_string()),
            ("declaration", settings.entering_king_rule.name().to_owned()),
            ("resignation by score", or_off(resign)),
            ("draw by score", or_off(draw)),
            (
                "dedup of games",
                if settings.dedup_games { "on" } else { "off" }.to_owned(),
            ),
            (
                "forget",
                if settings.forget { "yes" } else { "no" }.to_owned(),
            ),
            ("format", format),
            ("output", shown(path)),
        ] {
            self.say(&format!("{name:21}: {value}"));
        }
    }

    /// Tells that a worker begins, who does not know how many games there are.
    pub(crate) fn wait_for_work(&self, seats: usize) {
        self.event(&json!({"event": "begin", "seats": seats}));
        self.begin(None, 0);
    }

    fn begin(&self, total: Option<u64>, finished: u64) {
        {
            let mut state = self.state();
            state.begun = Some(Instant::now());
            state.drawn = state.begun;
            state.progress = Progress {
                before: finished,
                total,
                ..Progress::default()
            };
        }
        if self.quiet || !self.is_terminal {
            return;
        }
        let bar = ProgressBar::new(total.unwrap_or(0));
        let template = match total {
            Some(_) => "{wide_bar} {percent}%\n{wide_msg}",
            None => "{spinner} {elapsed}\n{wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if total.is_none() {
            bar.unset_length();
        }
        bar.set_position(finished);
        bar.reset_eta();
        bar.enable_steady_tick(REDRAW);
        self.bar.set(bar).ok();
    }

    /// Shows one more game.
    fn count(&self, summary: &Summary) {
        {
            let mut state = self.state();
            state.progress.games = summary.games + summary.given_up;
            state.progress.positions = summary.positions;
        }
        if let Some(bar) = self.bar.get() {
            bar.inc(1);
        }
    }

    /// The line under the bar, or by itself: games, positions, time, engines with what they do, the last save.
    fn draw(&self, seats: &[Arc<Seat>]) {
        let mut state = self.state();
        let Some(begun) = state.begun else {
            return;
        };
        let pause = if self.is_terminal { REDRAW } else { LINE };
        if self.quiet || state.drawn.is_some_and(|drawn| drawn.elapsed() < pause) {
            return;
        }
        state.drawn = Some(Instant::now());
        let time = begun.elapsed();
        let mut told = vec![state.progress.told(time)];
        let names = self.names.iter().map(String::as_str);
        told.extend(EngineStatus::all_told(names, seats, time));
        if let Some(saved) = state.saved {
            told.push(format!("saved {} ago", HumanDuration(saved.elapsed())));
        }
        let told = told.join("  ");
        match self.bar.get() {
            Some(bar) => bar.set_message(told),
            None => eprintln!("{}  {told}", jiff::Zoned::now().strftime("%H:%M:%S")),
        }
    }

    /// What came of the run.
    pub(crate) fn summary(&self, summary: &Summary, path: Option<&Path>) -> anyhow::Result<()> {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
        let progress = self.state().progress;
        let (finished, total) = (
            progress.before + summary.games + summary.given_up,
            progress.total,
        );
        let of_all = match (path, total) {
            (Some(_), Some(total)) => format!(" ({finished} of {total} are there)"),
            (Some(_), None) if progress.before > 0 => format!(" ({finished} are there)"),
            _ => String::new(),
        };
        let reasons = summary
            .reasons
            .iter()
            .map(|(reason, games)| (reason.to_string(), *games));
        let reasons: serde_json::Map<_, _> = reasons
            .map(|(reason, games)| (reason, games.into()))
            .collect();
        if self.json {
            self.event(&json!({
                "event": "end",
                "complete": summary.is_complete,
                "games": summary.games,
                "finished": finished,
                "total": total,
                "positions": summary.positions,
                "black_wins": summary.black_wins,
                "white_wins": summary.white_wins,
                "draws": summary.draws,
                "reasons": reasons,
                "failures": summary.failures,
                "given_up": summary.given_up,
                "seconds": summary.elapsed.as_secs_f64(),
                "positions_per_second": summary.rate(),
                "output": path,
            }));
            return Ok(());
        }
        let reasons: Vec<_> = reasons
            .iter()
            .map(|(reason, games)| format!("{reason} {games}"))
            .collect();
        yane_cli::print::lines([
            format!("games       : {}{of_all}", summary.games),
            format!("positions   : {}", summary.positions),
            format!(
                "results     : black {} white {} draw {}",
                summary.black_wins, summary.white_wins, summary.draws
            ),
            format!("ended by    : {}", reasons.join(", ")),
            format!(
                "failures    : {} of engines, {} games given up",
                summary.failures, summary.given_up
            ),
            format!(
                "speed       : {:.0} positions a second in {:.1} s",
                summary.rate(),
                summary.elapsed.as_secs_f64()
            ),
            format!("output      : {}", shown(path)),
        ])?;
        if !summary.is_complete && path.is_some() {
            let output = shown(path);
            self.say(&format!(
                "Interrupted. Run the same command with -o {output} to continue."
            ));
        }
        Ok(())
    }
}

/// Where games go.
fn shown(path: Option<&Path>) -> String {
    path.map_or("to the queue".to_owned(), |path| path.display().to_string())
}

impl Observer for Screen {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Begun {
                seats,
                finished,
                total,
                lost,
                path,
            } => {
                self.begin(*total, *finished);
                if *total == Some(*finished) {
                    self.say(&format!("all {finished} games are there already"));
                } else if *finished > 0 {
                    self.say(&format!("going on after {finished} games"));
                }
                if *lost > 0 {
                    self.say(&format!(
                        "{lost} bytes of a game that a crash cut off are left out"
                    ));
                }
                self.event(
                    &json!({"event": "begin", "seats": seats, "finished": finished,
                    "total": total, "output": path}),
                );
            }
            Event::Game {
                seat,
                number,
                played,
                summary,
            } => {
                self.count(summary);
                self.event(&json!({"event": "game", "seat": seat, "game": number,
                    "plies": played.plies.len(), "result": played.result().name(),
                    "reason": played.verdict.reason.to_string()}));
            }
            Event::Received {
                number,
                game,
                summary,
            } => {
                self.count(summary);
                self.event(
                    &json!({"event": "game", "game": number, "plies": game.plies,
                    "result": game.result.name(), "reason": game.reason.to_string()}),
                );
            }
            Event::Trouble { reason } => {
                let last = std::mem::replace(&mut self.state().trouble, (*reason).to_owned());
                if last != *reason {
                    self.say(&format!("queue: {reason}; trying again"));
                    self.event(&json!({"event": "trouble", "reason": reason}));
                }
            }
            Event::Failed { seat, name, reason } => {
                self.say(&format!("seat {seat}, {name}: {reason}; starting it again"));
                self.event(
                    &json!({"event": "failed", "seat": seat, "engine": name, "reason": reason}),
                );
            }
            Event::Closed { seat, name, reason } => {
                self.say(&format!(
                    "seat {seat}, {name}: failed too often, plays no more: {reason}"
                ));
                self.event(
                    &json!({"event": "closed", "seat": seat, "engine": name, "reason": reason}),
                );
            }
            Event::Saved { path, games } => {
                self.state().saved = Some(Instant::now());
                self.event(&json!({"event": "saved", "output": path, "games": games}));
            }
            Event::Tick { seats } => self.draw(seats),
            _ => {}
        }
    }
}
