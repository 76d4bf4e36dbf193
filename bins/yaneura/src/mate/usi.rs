//! From what a mate search finds to the lines of the protocol.

use std::num::NonZeroI32;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use shogi_core::Move;
use shogi_engine::MateListener;
use shogi_mate::{Answer, Length, MateLine, MateProgress, MateScore, Role, Solution};
use shogi_usi::{CheckMate, Info, PvItem, Response, Score};

use crate::input::Event;
use crate::output::OutputHandle;

/// Scores of undecided searches stay within this, in centipawns.
const LARGEST_CP: f64 = 3000.0;
/// How far a ratio of proof and disproof numbers moves the score, in centipawns.
const CP_UNIT: f64 = 600.0;

/// Prints what a mate search finds and tells the command loop about its end.
pub(crate) struct MateReporter {
    output: OutputHandle,
    events: Sender<Event>,
    /// The latest result shown of each first move, so that none is shown twice.
    shown: Mutex<Vec<(usize, Score, Vec<Move>)>>,
}

impl MateReporter {
    pub(crate) fn new(output: OutputHandle, events: Sender<Event>) -> Self {
        Self {
            output,
            events,
            shown: Mutex::default(),
        }
    }

    /// Shows a line unless it is a result that was shown before.
    fn show(&self, info: Info, number: usize, score: Score, pv: &[Move]) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let result = (number, score, pv.to_vec());
        if !matches!(score, Score::Cp(_)) {
            if shown.contains(&result) {
                return;
            }
            shown.retain(|(other, ..)| *other != number);
            shown.push(result);
        }
        self.output.respond(&Response::Info(Box::new(Info {
            multi_pv: Some(number as u32),
            score: Some(score),
            pv: pv.iter().map(|&m| PvItem::Move(m.into())).collect(),
            ..info
        })));
    }

    /// The result for one first move.
    fn result(&self, solution: &Solution, number: usize, line: &MateLine) {
        let plies = line.moves.len() as u32;
        let info = Info {
            depth: Some(plies),
            sel_depth: Some(plies).filter(|&plies| plies > 0),
            ..counts(solution.nodes, solution.elapsed, solution.hashfull)
        };
        let score = mate_score(solution.role, line.length);
        self.show(info, number, score, &line.moves);
    }
}

impl MateListener for MateReporter {
    fn progress(&self, role: Role, progress: &MateProgress<'_>) {
        let score = match progress.score {
            MateScore::Mate(length) => mate_score(role, length),
            MateScore::Unproven { pn, dn } => Score::Cp(estimate(role, pn, dn)),
            // Told at the end.
            MateScore::NoMate => return,
        };
        let info = Info {
            depth: Some(progress.depth),
            sel_depth: Some(progress.seldepth).filter(|&depth| depth > 0),
            ..counts(progress.nodes, progress.elapsed, progress.hashfull)
        };
        self.show(info, progress.multipv, score, progress.pv);
    }

    fn finished(&self, solution: &Solution) {
        let answer = match &solution.answer {
            Answer::Mate(line) => {
                self.result(solution, 1, line);
                for (i, other) in solution.others.iter().enumerate() {
                    if let Answer::Mate(line) = &other.answer {
                        self.result(solution, i + 2, line);
                    }
                }
                if line.moves.is_empty() {
                    // Whoever asks whether there is a mate has to be told that it is the other way round.
                    self.output.say("the side to move is mated already");
                    CheckMate::NoMate
                } else {
                    CheckMate::Mate(line.moves.iter().map(|&m| m.into()).collect())
                }
            }
            Answer::NoMate => {
                let info = counts(solution.nodes, solution.elapsed, solution.hashfull);
                self.output.respond(&Response::Info(Box::new(info)));
                CheckMate::NoMate
            }
            Answer::Unknown(_) => {
                let info = counts(solution.nodes, solution.elapsed, solution.hashfull);
                self.output.respond(&Response::Info(Box::new(info)));
                CheckMate::Timeout
            }
        };
        self.output.respond(&Response::CheckMate(answer));
        // Fails only when the loop has ended.
        self.events.send(Event::SearchDone).ok();
    }
}

/// What every line has.
fn counts(nodes: u64, elapsed: Duration, hash_full: u32) -> Info {
    let ms = (elapsed.as_millis() as u64).max(1);
    let seconds = elapsed.as_secs_f64().max(1e-6);
    Info {
        nodes: Some(nodes),
        nps: Some((nodes as f64 / seconds) as u64),
        hash_full: Some(hash_full),
        time: Some(Duration::from_millis(ms)),
        ..Info::default()
    }
}

/// Plies to mate for the side to move.
fn mate_score(role: Role, length: Length) -> Score {
    let plies = i32::try_from(length.plies()).unwrap_or(i32::MAX);
    match role {
        Role::Attacker => NonZeroI32::new(plies).map_or(Score::MateUnknown, Score::Mate),
        Role::Defender => NonZeroI32::new(-plies).map_or(Score::MatedUnknown, Score::Mate),
    }
}

/// How near the proof numbers are to a mate or to none, in the form of a score for the side to move.
fn estimate(role: Role, pn: u32, dn: u32) -> i32 {
    let [pn, dn] = [pn, dn].map(|number| f64::from(number.max(1)));
    let cp = (CP_UNIT * (dn / pn).ln()).clamp(-LARGEST_CP, LARGEST_CP) as i32;
    match role {
        Role::Attacker => cp,
        Role::Defender => -cp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_for_the_side_to_move() {
        let text = |role, plies| mate_score(role, Length::Exact(plies)).to_string();
        assert_eq!(text(Role::Attacker, 7), "mate 7");
        assert_eq!(text(Role::Defender, 8), "mate -8");
        assert_eq!(text(Role::Defender, 0), "mate -");
        assert!(estimate(Role::Attacker, 1, 1000) > 1000);
        assert!(estimate(Role::Defender, 1, 1000) < -1000);
        assert_eq!(estimate(Role::Attacker, 5, 5), 0);
        assert_eq!(estimate(Role::Attacker, 0, u32::MAX), 3000);
    }
}
