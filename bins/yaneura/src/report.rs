//! Turns the events of the session (lines and decisions of searches and mate searches, files that are loaded) into
//! lines of the protocol.

use std::num::NonZeroI32;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use shogi_core::{Move, MoveText};
use shogi_deep::BOARD_PLANES;
use shogi_engine::{
    BookEvent, EvalEvent, EvalOrigin, EvalReport, Listener, MateListener, Message, PvEnd,
    SearchOutcome, score_bound, usi_score,
};
use shogi_eval::loader::EvalFiles;
use shogi_eval::nnue::shared::Sharing;
use shogi_mate::{Answer, Length, MateLine, MateProgress, MateScore, Role, Solution};
use shogi_search::{SearchInfo, Value};
use shogi_usi::{BestMove, CheckMate, Info, PvItem, Response, Score};

use crate::picture::BestLine;
use crate::streams::{Event, OutputHandle};

/// Prints the lines and the decision of a search, and sends the command loop its end.
pub(crate) struct Reporter {
    pub(crate) output: OutputHandle,
    pub(crate) events: Sender<Event>,
    /// The best line found so far, for pictures of the board.
    pub(crate) best_line: BestLine,
}

impl Listener for Reporter {
    fn line(&self, info: &SearchInfo) {
        self.best_line.keep(info);
        self.output
            .respond(&Response::Info(Box::new(info_of(info))));
    }

    fn line_with_end(&self, info: &SearchInfo, end: PvEnd) {
        self.best_line.keep(info);
        let mut info = info_of(info);
        info.pv.push(match end {
            PvEnd::Repetition(kind) => PvItem::Repetition(kind),
            PvEnd::Win => PvItem::Win,
            PvEnd::Resign => PvItem::Resign,
        });
        self.output.respond(&Response::Info(Box::new(info)));
    }

    fn decided(&self, outcome: &SearchOutcome) {
        if let Some(info) = without_search(outcome) {
            self.output.respond(&Response::Info(Box::new(info)));
        }
    }

    fn message(&self, text: &str) {
        self.output.say(text);
    }

    fn book(&self, message: &Message) {
        self.output.line(format!("info {message}"));
    }

    fn book_event(&self, event: &BookEvent) {
        report_book(&self.output, event);
    }

    fn finished(&self, outcome: &SearchOutcome) {
        if matches!(outcome, SearchOutcome::Failed { .. }) {
            self.output
                .error("the search failed; any legal move is played");
        }
        self.output.respond(&Response::BestMove(answer(outcome)));
        // Fails only when the loop has ended.
        self.events.send(Event::SearchDone).ok();
    }
}

/// A line of a search.
pub(crate) fn info_of(info: &SearchInfo) -> Info {
    let ms = (info.elapsed.as_millis() as u64).max(1);
    Info {
        depth: Some(info.depth),
        sel_depth: Some(info.sel_depth).filter(|&depth| depth > 0),
        multi_pv: Some(info.multi_pv as u32),
        score: Some(usi_score(info.score)),
        bound: score_bound(info.bound),
        nodes: Some(info.nodes),
        nps: Some(info.nodes.saturating_mul(1000) / ms),
        hash_full: Some(info.hash_full),
        time: Some(Duration::from_millis(ms)),
        pv: info.pv.iter().map(|&m| PvItem::Move(m.into())).collect(),
        ..Info::default()
    }
}

/// The answer.
pub(crate) fn answer(outcome: &SearchOutcome) -> BestMove {
    let plain = |m: Move| BestMove::Move {
        best: m.into(),
        ponder: None,
    };
    match *outcome {
        SearchOutcome::Move { best, ponder } => BestMove::Move {
            best: best.into(),
            ponder: ponder.map(MoveText::from),
        },
        SearchOutcome::DeclareWin => BestMove::Win,
        SearchOutcome::Try(m) => plain(m),
        SearchOutcome::Mated | SearchOutcome::Resign => BestMove::Resign,
        SearchOutcome::Failed { fallback } => plain(fallback),
    }
}

/// The `info` line of a decision that was made without a search.
fn without_search(outcome: &SearchOutcome) -> Option<Info> {
    match *outcome {
        SearchOutcome::DeclareWin => Some(decided(Value::mate_in(1), PvItem::Win)),
        SearchOutcome::Try(m) => Some(decided(Value::mate_in(1), PvItem::Move(m.into()))),
        SearchOutcome::Mated => Some(decided(Value::mated_in(1), PvItem::Resign)),
        SearchOutcome::Move { .. } | SearchOutcome::Resign | SearchOutcome::Failed { .. } => None,
    }
}

/// The line of a position that needs no search.
fn decided(value: Value, item: PvItem) -> Info {
    Info {
        depth: Some(0),
        multi_pv: Some(1),
        score: Some(usi_score(value)),
        nodes: Some(0),
        nps: Some(0),
        hash_full: Some(0),
        time: Some(Duration::from_millis(1)),
        pv: vec![item],
        ..Info::default()
    }
}

/// Reports an event of the opening book.
pub(crate) fn report_book(output: &OutputHandle, event: &BookEvent) {
    let text = match event {
        BookEvent::Reading(path) => format!("read book file : {}", path.display()),
        BookEvent::Read {
            positions: Some(count),
        } => format!("read book done. number of positions = {count}"),
        BookEvent::Unsorted { path, line } => format!(
            "Error! : {}: line {line}: the book is not sorted (this position should stand before the one in front of it), so \
             BookOnTheFly would miss positions; reading it into memory (makebook sort writes a sorted one)",
            path.display()
        ),
        BookEvent::NoDefault(path) => format!("no opening book : {} is not there", path.display()),
        // The error begins with the path.
        BookEvent::Failed { error, .. } => format!("Error! : can't read file : {error}"),
        // The size of a book that is read in place is not known.
        _ => return,
    };
    output.say(&text);
}

/// Reports an event of the evaluation.
pub(crate) fn report_evaluation(output: &OutputHandle, event: &EvalEvent) {
    match event {
        EvalEvent::Reading(files) => {
            output.say(&format!("loading eval file : {}", files.place().display()));
            if let EvalFiles::Network {
                tables_too: true, ..
            } = files
            {
                output.say("eval file : there are KPPT files beside it, which are not used");
            }
        }
        EvalEvent::ReadingModel(path) => output.say(&format!("loading model : {}", path.display())),
        EvalEvent::Model {
            found,
            is_asked_for,
        } => {
            output.say(&format!(
                "ModelArchitecture = {}, input1 = {BOARD_PLANES}, input2 = {}",
                found.name(),
                found.planes()
            ));
            if !is_asked_for {
                output.say("ModelArchitecture : the option says otherwise; the model counts");
            }
        }
        EvalEvent::NoRuntime(problem) => output.error(&problem.to_string()),
        EvalEvent::ModelOption { path, problem } => {
            output.say(&format!("{}: left out: {problem}", path.display()));
        }
        EvalEvent::Note(note) => output.say(&format!("eval file : {note}")),
        EvalEvent::Sharing(sharing) => output.say(&sharing_line(sharing)),
        EvalEvent::Loaded(report) => output.say(&format!("evaluation : {}", description(report))),
        EvalEvent::NothingThere(place) => output.say(&format!(
            "no evaluation files in {} : playing with the embedded evaluation",
            place.display()
        )),
        EvalEvent::EmbeddedModel(path) => output.say(&format!(
            "no model {} : playing with the network in this program",
            path.display()
        )),
        EvalEvent::Failed(problem) => {
            output.error(&format!("{problem} : PLAYING WITH THE EMBEDDED EVALUATION"));
        }
        EvalEvent::Skipped(problem) => output.say(&format!(
            "SkipLoadingEval : {problem} : playing as with files of zeros (material)"
        )),
        _ => {}
    }
}

/// The message about a shared network, in YaneuraOu's words.
fn sharing_line(sharing: &Sharing) -> String {
    match sharing {
        Sharing::Found(path) => format!("use shared eval memory : {}", path.display()),
        Sharing::Made(path) => format!("created shared eval memory : {}", path.display()),
        Sharing::Private(reason) => {
            format!("use non-shared eval memory : EvalShare is not possible : {reason}")
        }
    }
}

/// The evaluation in a line: name, origin, size, time of loading, divisor.
fn description(report: &EvalReport) -> String {
    let EvalReport {
        name,
        origin,
        bytes,
        time,
        fv_scale,
        fv_scale_is_stated,
    } = report;
    let mib = *bytes as f64 / f64::from(1 << 20);
    let text = match origin {
        EvalOrigin::Program if *bytes == 0 => return name.clone(),
        EvalOrigin::Server => name.clone(),
        EvalOrigin::Program => format!("embedded ({name}), {mib:.1} MiB"),
        EvalOrigin::File(path) if name == "positional" => format!("{name}, {}", path.display()),
        EvalOrigin::File(path) => format!("{name}, {}, {mib:.1} MiB", path.display()),
        EvalOrigin::Folder(path) => format!("{name}, {}, {mib:.1} MiB mapped", path.display()),
    };
    let scale = match fv_scale {
        None => String::new(),
        Some(scale) if *fv_scale_is_stated => format!(", FV_SCALE {scale} (stated by the file)"),
        Some(scale) => format!(", FV_SCALE {scale}"),
    };
    format!("{text}, {} ms{scale}", time.as_millis())
}

/// Scores of undecided searches stay within this, in centipawns.
const LARGEST_CP: f64 = 3000.0;
/// Centipawns for a ratio of disproof to proof number of e.
const CP_UNIT: f64 = 600.0;

/// Prints the lines and the answer of a mate search, and sends the command loop its end.
pub(crate) struct MateReporter {
    output: OutputHandle,
    events: Sender<Event>,
    /// The last result shown of each first move, so that none is shown twice.
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
            // Reported at the end.
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
                    // The side that should mate is mated itself.
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

/// The fields that every line of a mate search has.
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

/// The proof numbers as a score for the side to move: the nearer to a mate, the higher.
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
    fn decisions_without_search() {
        let text = |outcome: SearchOutcome| {
            let info = without_search(&outcome);
            (
                info.map(|info| info.to_string()),
                answer(&outcome).to_string(),
            )
        };
        let line = |rest: &str| Some(format!("info depth 0 multipv 1 score mate {rest}"));
        assert_eq!(
            text(SearchOutcome::Mated),
            (
                line("-1 nodes 0 nps 0 hashfull 0 time 1 pv resign"),
                "resign".to_owned()
            )
        );
        assert_eq!(
            text(SearchOutcome::DeclareWin),
            (
                line("1 nodes 0 nps 0 hashfull 0 time 1 pv win"),
                "win".to_owned()
            )
        );
        assert_eq!(text(SearchOutcome::Resign), (None, "resign".to_owned()));
    }

    #[test]
    fn evaluations_in_a_line() {
        let mut report = EvalReport {
            name: "kppt32".to_owned(),
            origin: EvalOrigin::Folder("eval".into()),
            bytes: 3 << 19,
            time: Duration::from_micros(7900),
            fv_scale: None,
            fv_scale_is_stated: false,
        };
        assert_eq!(description(&report), "kppt32, eval, 1.5 MiB mapped, 7 ms");
        report.name = "kp_256x2-32-32".to_owned();
        report.origin = EvalOrigin::Program;
        (report.fv_scale, report.fv_scale_is_stated) = (Some(28), true);
        assert_eq!(
            description(&report),
            "embedded (kp_256x2-32-32), 1.5 MiB, 7 ms, FV_SCALE 28 (stated by the file)"
        );
    }

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
