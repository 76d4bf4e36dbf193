//! From what happens to files at `isready` to the lines of the protocol.

use shogi_engine::{BookNews, EvalNews, EvalOrigin, EvalReport};
use shogi_eval::loader::EvalFiles;
use shogi_eval::nnue::shared::Sharing;

use crate::output::OutputHandle;

/// Shows what happens to the opening book.
pub(crate) fn tell_book(output: &OutputHandle, news: &BookNews) {
    let text = match news {
        BookNews::Reading(path) => format!("read book file : {}", path.display()),
        BookNews::Read {
            positions: Some(count),
        } => format!("read book done. number of positions = {count}"),
        BookNews::Unsorted { path, line } => format!(
            "Error! : {}: line {line}: the book is not sorted (this position should stand before the one in front of it), so \
             BookOnTheFly would miss positions; reading it into memory (makebook sort writes a sorted one)",
            path.display()
        ),
        BookNews::NoDefault(path) => format!("no opening book : {} is not there", path.display()),
        // The error begins with the path.
        BookNews::Failed { error, .. } => format!("Error! : can't read file : {error}"),
        // A book that is looked up in place does not tell its size.
        _ => return,
    };
    output.say(&text);
}

/// Shows what happens to the evaluation.
pub(crate) fn tell_evaluation(output: &OutputHandle, news: &EvalNews) {
    match news {
        EvalNews::Reading(files) => {
            output.say(&format!("loading eval file : {}", files.place().display()));
            if let EvalFiles::Network {
                tables_too: true, ..
            } = files
            {
                output.say("eval file : there are KPPT files beside it, which are not used");
            }
        }
        EvalNews::Note(note) => output.say(&format!("eval file : {note}")),
        EvalNews::Sharing(sharing) => output.say(&sharing_line(sharing)),
        EvalNews::Loaded(report) => output.say(&format!("evaluation : {}", description(report))),
        EvalNews::NothingThere(place) => output.say(&format!(
            "no evaluation files in {} : playing with the embedded evaluation",
            place.display()
        )),
        EvalNews::Failed(problem) => {
            output.error(&format!("{problem} : PLAYING WITH THE EMBEDDED EVALUATION"));
        }
        EvalNews::Skipped(problem) => output.say(&format!(
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
    use std::time::Duration;

    use super::*;

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
