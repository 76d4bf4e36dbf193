//! How every training begins: where its checkpoint is, and the first look at the data.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::data::{Reading, Scan, scan};
use crate::event::{LearnEvent, LearnReport};
use crate::options::LearnOptions;
use crate::{LearnError, Result};

/// The name of the checkpoint in the output folder.
pub(crate) const CHECKPOINT: &str = "checkpoint";

/// Time between two reports of progress.
pub(crate) const REPORT_EVERY: Duration = Duration::from_secs(1);

/// The report of a training that was stopped before it began.
pub(crate) fn stopped_early() -> LearnReport {
    LearnReport {
        finished: false,
        epochs: 0,
        steps: 0,
        best_epoch: 0,
        best_loss: None,
        scale: 0.0,
        network: None,
    }
}

/// Looks at the data and reports the progress of that; `None` when it was stopped meanwhile.
pub(crate) fn scan_data(
    options: &LearnOptions,
    reading: &Reading,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<Option<Scan>> {
    let mut reported = Instant::now();
    let mut tick = |positions| {
        if reported.elapsed() >= REPORT_EVERY {
            reported = Instant::now();
            on_event(LearnEvent::Scanning(positions));
        }
        if stop.load(Ordering::Relaxed) {
            return Err(yane_io::Error::Cancelled.into());
        }
        Ok(())
    };
    match scan(options, reading, &mut tick) {
        Err(LearnError::File(yane_io::Error::Cancelled)) => Ok(None),
        scan => scan.map(Some),
    }
}
