//! Output of a run, for people and for scripts.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use farm::{GroupStatus, worker_rows};
use selfplay::{GameEvent, GameFormat, GameReport, GameSummary, SelfplaySettings, Starts};
use serde_json::json;
use shogi_farm::EnginePool;
use yane_cli::{HumanCount, RunScreen, Stage, counted};
use yane_io::{Shard, Unit};

/// Progress on standard error, and events on standard output when they are asked for.
pub(crate) struct Screen {
    run: RunScreen,
    /// The name of the engine of each worker.
    names: Vec<String>,
    progress: Cell<Progress>,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Games that earlier runs finished.
    before: u64,
    /// Games in all, if that is known.
    total: Option<u64>,
    /// Games of this run.
    games: u64,
    /// Positions of these games.
    positions: u64,
}

impl Progress {
    /// Positions of all games, and positions per second. The positions of games of earlier runs, and of games to
    /// come, are estimated by those of this run.
    fn text(&self, time: Duration) -> String {
        let of_games = |games: u64| {
            let mean = self.positions as f64 / self.games.max(1) as f64;
            (games as f64 * mean) as u64
        };
        let finished = self.before + self.games;
        let about = if self.before > 0 { "about " } else { "" };
        let all = match self.total.filter(|&total| total > finished) {
            Some(total) if self.games > 0 => format!(" of about {}", HumanCount(of_games(total))),
            _ => String::new(),
        };
        let positions = self.positions + of_games(self.before);
        let positions = match all.as_str() {
            "" => counted(positions, "position", "positions"),
            all => format!("{}{all} positions", HumanCount(positions)),
        };
        let rate = self.positions as f64 / time.as_secs_f64().max(1e-3);
        format!("{about}{positions}, {}/s", HumanCount(rate as u64))
    }
}

impl Screen {
    pub(crate) fn new(run: RunScreen, pool: &EnginePool) -> Self {
        Self {
            run,
            names: pool.engine_names(),
            progress: Cell::default(),
        }
    }

    /// A note on standard error.
    pub(crate) fn note(&self, text: &str) {
        self.run.note(text);
    }

    /// Describes the games to be played.
    pub(crate) fn header(
        &self,
        settings: &SelfplaySettings,
        pool: &EnginePool,
        starts: &Starts,
        shard: Shard,
        path: Option<&Path>,
    ) {
        let engines = pool.by_name();
        let engines: Vec<_> = engines
            .iter()
            .map(|(name, workers)| format!("{name} x {workers}"))
            .collect();
        let format = match &settings.format {
            GameFormat::Pack => "pack".to_owned(),
            GameFormat::Hcpe3(hcpe3) => format!("hcpe3, {} candidates", hcpe3.lines),
        };
        let games = settings
            .games
            .map_or("no end".to_owned(), |games| games.to_string());
        let or_off = |text: Option<String>| text.unwrap_or_else(|| "off".to_owned());
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
        let nodes = match settings.nodes_jitter * 100.0 {
            percent if percent > 0.0 => {
                format!("{}, up to {percent} % more or fewer", settings.nodes)
            }
            _ => settings.nodes.to_string(),
        };
        let sampling = settings.random_multi_pv.map(|rule| {
            format!(
                "among the best {}, within {} cp ({} nodes)",
                rule.lines, rule.spread, rule.nodes
            )
        });
        let by_visits = settings.random_visits.map(|rule| {
            format!(
                "{} plies, temperature {}, within {} ‰",
                rule.plies,
                f64::from(rule.temperature) / 1000.0,
                rule.cutoff
            )
        });
        let filter = settings.start_filter;
        let filter =
            filter.map(|rule| format!("within {} cp ({} nodes)", rule.max_score, rule.nodes));
        let choice = |is_on: bool, [on, off]: [&str; 2]| if is_on { on } else { off }.to_owned();
        for (name, value) in [
            ("engines", engines.join(", ")),
            ("nodes a move", nodes),
            ("games", games),
            ("shard", shard.to_string()),
            ("seed", settings.seed.to_string()),
            ("start positions", starts.len().to_string()),
            ("random plies", settings.random_plies.to_string()),
            ("random moves", sampling.unwrap_or("all legal".to_owned())),
            ("moves by visits", or_off(by_visits)),
            ("start filter", or_off(filter)),
            ("last ply", settings.max_game_ply.to_string()),
            ("declaration", settings.entering_king_rule.name().to_owned()),
            ("resignation by score", or_off(resign)),
            ("draw by score", or_off(draw)),
            (
                "dedup of games",
                choice(settings.dedup_games, ["on", "off"]),
            ),
            ("forget", choice(settings.forget, ["yes", "no"])),
            ("format", format),
            ("output", path_text(path)),
        ] {
            self.note(&format!("{name:21}: {value}"));
        }
    }

    /// Starts the display of a worker, which does not know how many games there are.
    pub(crate) fn wait_for_work(&self, workers: usize) {
        self.run
            .event(&json!({"event": "begin", "workers": workers}));
        self.start(None, 0);
    }

    fn start(&self, total: Option<u64>, finished: u64) {
        self.progress.set(Progress {
            before: finished,
            total,
            ..Progress::default()
        });
        self.run.start(Some(Stage {
            name: "playing".to_owned(),
            total,
            unit: Unit::Games,
            done: finished,
            details: true,
        }));
    }

    /// Shows an event.
    pub(crate) fn on_event(&self, event: &GameEvent<'_>) {
        match event {
            GameEvent::Report(report) => self.on_report(report),
            GameEvent::Saved { path, count } => {
                self.run.saved(path);
                self.run.event(
                    &json!({"event": "saved", "output": path.to_string_lossy(), "games": count}),
                );
            }
            GameEvent::Tick { workers } => {
                self.run.tell_progress();
                let names = self.names.iter().map(String::as_str);
                self.run.tell_workers(|| worker_rows(names, workers));
                self.run.draw(|time| {
                    let mut details = vec![self.progress.get().text(time)];
                    let names = self.names.iter().map(String::as_str);
                    details.extend(GroupStatus::texts(names, workers, time));
                    details
                });
            }
            GameEvent::TransientError { reason } if !self.run.is_new_error(reason) => {}
            error => {
                error.message().iter().for_each(|text| self.note(text));
                error.json().iter().for_each(|event| self.run.event(event));
            }
        }
    }

    fn on_report(&self, report: &GameReport<'_>) {
        match report {
            GameReport::Started {
                workers,
                finished,
                total,
                lost,
                path,
            } => {
                self.start(*total, *finished);
                if *total == Some(*finished) {
                    let there = match finished {
                        1 => "The game is there already.".to_owned(),
                        all => format!("All {} games are there already.", HumanCount(*all)),
                    };
                    self.note(&there);
                } else if *finished > 0 {
                    self.note(&format!("Resuming after {}.", games(*finished)));
                }
                if *lost > 0 {
                    self.note(&format!(
                        "{} of an incomplete game left out after a crash.",
                        counted(*lost, "byte", "bytes")
                    ));
                }
                self.run.event(
                    &json!({"event": "begin", "workers": workers, "finished": finished,
                    "total": total, "output": path.to_string_lossy()}),
                );
            }
            GameReport::Game {
                worker,
                number,
                game,
                summary,
            } => {
                self.progress.set(Progress {
                    games: summary.finished + summary.given_up,
                    positions: summary.totals.positions,
                    ..self.progress.get()
                });
                self.run.advance(1);
                let mut event = json!({"event": "game", "game": number, "plies": game.plies,
                    "result": game.result.name(), "reason": game.reason.to_string()});
                if let Some(worker) = worker {
                    event["worker"] = (*worker).into();
                }
                self.run.event(&event);
            }
            _ => {}
        }
    }

    /// Prints the result of the run; `evaluations` are those that networks were asked for, and those that were known.
    pub(crate) fn summary(
        &self,
        summary: &GameSummary,
        path: Option<&Path>,
        evaluations: Option<[u64; 2]>,
    ) -> anyhow::Result<()> {
        self.run.clear();
        let Progress { before, total, .. } = self.progress.get();
        let finished = before + summary.finished + summary.given_up;
        let totals = &summary.totals;
        if summary.is_complete {
            self.run.monitor().finish(games(summary.finished));
        } else {
            self.run.monitor().end_stopped();
        }
        let speed = summary.per_second(totals.positions);
        let reasons = totals.reasons.iter();
        let reasons: serde_json::Map<_, _> = reasons
            .map(|(reason, games)| (reason.to_string(), (*games).into()))
            .collect();
        if self.run.has_events() {
            let mut event = json!({
                "event": "end",
                "state": self.run.monitor().status().state.name(),
                "complete": summary.is_complete,
                "games": summary.finished,
                "finished": finished,
                "total": total,
                "positions": totals.positions,
                "black_wins": totals.black_wins,
                "white_wins": totals.white_wins,
                "draws": totals.draws,
                "reasons": reasons,
                "failures": summary.failures,
                "given_up": summary.given_up,
                "seconds": summary.elapsed.as_secs_f64(),
                "positions_per_second": speed,
                "output": path.map(Path::to_string_lossy),
            });
            if let Some([asked, known]) = evaluations {
                event["evaluations"] = asked.into();
                event["known_evaluations"] = known.into();
            }
            self.run.event(&event);
        }
        if self.run.json() {
            return Ok(());
        }
        let of_all = match (path, total) {
            (Some(_), Some(total)) => format!(" ({finished} of {total} are there)"),
            (Some(_), None) if before > 0 => format!(" ({finished} are there)"),
            _ => String::new(),
        };
        let reasons: Vec<_> = reasons
            .iter()
            .map(|(reason, games)| format!("{reason} {games}"))
            .collect();
        let evaluations = evaluations.map(|[asked, known]| {
            let share = 100.0 * known as f64 / asked.max(1) as f64;
            format!("evaluations : {asked}, {share:.1} % of them known")
        });
        let lines = [
            format!("games       : {}{of_all}", summary.finished),
            format!("positions   : {}", totals.positions),
            format!(
                "results     : black {} white {} draw {}",
                totals.black_wins, totals.white_wins, totals.draws
            ),
            format!("ended by    : {}", reasons.join(", ")),
            format!(
                "failures    : {} of engines, {} given up",
                summary.failures,
                games(summary.given_up)
            ),
            format!(
                "speed       : {speed:.0} positions a second in {:.1} s",
                summary.elapsed.as_secs_f64()
            ),
        ];
        let output = format!("output      : {}", path_text(path));
        yane_cli::print::lines(lines.into_iter().chain(evaluations).chain([output]))?;
        if !summary.is_complete && path.is_some() {
            let output = path_text(path);
            self.note(&format!(
                "Interrupted. Run the same command with -o {output} to continue."
            ));
        }
        Ok(())
    }
}

fn games(count: u64) -> String {
    counted(count, "game", "games")
}

/// The destination of the games.
fn path_text(path: Option<&Path>) -> String {
    path.map_or("to the queue".to_owned(), |path| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_all_games_are_estimated() {
        let new = Progress {
            total: Some(1000),
            ..Progress::default()
        };
        let some = Progress {
            games: 100,
            positions: 12_000,
            ..new
        };
        let resumed = Progress {
            before: 500,
            ..some
        };
        let endless = Progress {
            total: None,
            ..some
        };
        let done = Progress {
            total: Some(100),
            ..some
        };
        for (progress, text) in [
            (new, "0 positions, 0/s"),
            (some, "12,000 of about 120,000 positions, 10/s"),
            (resumed, "about 72,000 of about 120,000 positions, 10/s"),
            (endless, "12,000 positions, 10/s"),
            (done, "12,000 positions, 10/s"),
        ] {
            assert_eq!(progress.text(Duration::from_secs(1200)), text);
        }
    }
}
