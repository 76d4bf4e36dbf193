//! Turns the events of the session (lines and decisions of a search, files that are loaded) into lines of the
//! protocol.

use std::sync::mpsc::Sender;
use std::time::Duration;

use shogi_core::MoveText;
use shogi_engine::{
    BookEvent, EvalEvent, EvalOrigin, EvalReport, Listener, Message, PvEnd, SearchOutcome,
    score_bound, usi_score,
};
use shogi_eval::loader::EvalFiles;
use shogi_eval::nnue::shared::Sharing;
use shogi_search::{SearchInfo, Value};
use shogi_usi::{BestMove, Info, PvItem, Response};

use crate::input::Event;
use crate::output::OutputHandle;
use crate::picture::BestLine;

/// Prints what a search finds and tells the command loop about its end.
pub(crate) struct Reporter {
    pub(crate) output: OutputHandle,
    pub(crate) events: Sender<Event>,
    /// Where the best line found so far is kept, for pictures of the board.
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
fn answer(outcome: &SearchOutcome) -> BestMove {
    let plain = |m: shogi_core::Move| BestMove::Move {
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

/// Shows what happens to the opening book.
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
        // A book that is looked up in place does not tell its size.
        _ => return,
    };
    output.say(&text);
}

/// Shows what happens to the evaluation.
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
        EvalEvent::Note(note) => output.say(&format!("eval file : {note}")),
        EvalEvent::Sharing(sharing) => output.say(&sharing_line(sharing)),
        EvalEvent::Loaded(report) => output.say(&format!("evaluation : {}", description(report))),
        EvalEvent::NothingThere(place) => output.say(&format!(
            "no evaluation files in {} : playing with the embedded evaluation",
            place.display()
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

/// Whether other processes share the network, in the words that the field knows.
fn sharing_line(sharing: &Sharing) -> String {
    match sharing {
        Sharing::Found(path) => format!("use shared eval memory : {}", path.display()),
        Sharing::Made(path) => format!("created shared eval memory : {}", path.display()),
        Sharing::Private(reason) => {
            format!("use non-shared eval memory : EvalShare is not possible : {reason}")
        }
    }
}

/// The evaluation in a line: what, from where, how large, how long it took.
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
        EvalOrigin::Program if name.starts_with("material") => return name.clone(),
        EvalOrigin::Program if *bytes == 0 => return format!("embedded ({name})"),
        EvalOrigin::Program => format!("embedded ({name}), {mib:.1} MiB"),
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
}
