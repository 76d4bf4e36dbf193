//! Writing files with new scores.

use std::path::Path;

use sha2::{Digest, Sha256};
use yane_io::{Error, Job, hexadecimal};

use super::{NewScore, RescoreFiles, RescoreSurvey};
use crate::record::{MOVE, SCORE};
use crate::stream::StreamOutput;
use crate::units::each;
use crate::{Result, TeacherFormat, hcpe3, pack};

impl RescoreFiles {
    /// Writes everything to `output` (`-`: the standard output), with the scores that `next` gives, one for each position
    /// in order.
    ///
    /// # Errors
    /// The first error of `next`; [`crate::TeacherError::File`], also when the files are not those of `survey` any more. No
    /// output is made then.
    pub fn write(
        &self,
        survey: &RescoreSurvey,
        output: &Path,
        mut next: impl FnMut() -> Result<NewScore>,
        job: &Job,
    ) -> Result<()> {
        let mut file = StreamOutput::create(output)?;
        self.begin("writing the scores of", job);
        let mut hasher = Sha256::new();
        for batch in self.reader(job)?.batches() {
            let mut batch = batch?;
            hasher.update(&batch.bytes);
            for (at, place) in places(self.format, &batch.bytes) {
                let NewScore { score, code } = next()?;
                let bytes = &mut batch.bytes[at..];
                bytes[place].copy_from_slice(&score.0.to_le_bytes());
                if code != 0 {
                    bytes[MOVE].copy_from_slice(&code.to_le_bytes());
                }
            }
            file.put(&batch.bytes)?;
            batch.recycle();
        }
        if hexadecimal(hasher.finalize()) != survey.digest {
            let path = self.inputs[0].path();
            return Err(Error::file(path, "an input has changed while it was worked on").into());
        }
        file.commit()
    }
}

/// Where the scores are in whole games or records: the offset of the record, or ply, and the place of the score in it.
fn places(format: TeacherFormat, bytes: &[u8]) -> Vec<(usize, std::ops::Range<usize>)> {
    const IN_PLY: std::ops::Range<usize> = 2..4;
    if let Some(len) = format.record_len() {
        return (0..bytes.len() / len).map(|n| (n * len, SCORE)).collect();
    }
    let mut places = Vec::new();
    let mut at = 0;
    for game in each(format, bytes) {
        match format {
            TeacherFormat::Pack => {
                if let Ok(frame) = pack::frame(game) {
                    let begin = at + frame.start.len();
                    let plies = 0..frame.plies.len();
                    places.extend(plies.map(|n| (begin + n * pack::PLY_LEN, IN_PLY)));
                }
            }
            _ => {
                if let Ok(frame) = hcpe3::frame(game) {
                    places.extend(frame.plies().map(|ply| (at + ply.at, IN_PLY)));
                }
            }
        }
        at += game.len();
    }
    places
}
