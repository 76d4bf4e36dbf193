//! Checks files against their format and the rules.

use serde::Serialize;
use shogi_packed::Hcp;
use yane_io::{Job, Pool};

use crate::convert::drive::{Drive, Part, Worker};
use crate::convert::generic::{Scribe, from_csv, from_jsonl};
use crate::convert::records::{FromRecord, check_records};
use crate::convert::{Lost, Recover, TeacherConvertReport};
use crate::games::walk;
use crate::move_codes::MoveCodesChoice;
use crate::pack::{Contradictions, Game, PackReplayer, PackStart};
use crate::stream::Input;
use crate::{Hcpe, Hcpe3Game, InvalidData, Psv, Result, TeacherFormat, hcpe3, kind};

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TeacherCheckReport {
    /// Flawless games; 0 for formats without games.
    pub games: u64,
    /// Positions in flawless games or records.
    pub positions: u64,
    /// Bytes that are in order.
    pub bytes: u64,
    /// Games whose end reason cannot go with their result.
    pub contradictions: u64,
    /// Positions whose hands or box are not in canonical order. They mean the same, but their bytes
    /// do not compare equal to the canonical ones.
    pub uncanonical: u64,
    /// Records without a move, which are whole.
    pub without_move: u64,
    /// Damaged places.
    pub damaged: u64,
    /// The first damaged places, with the bytes lost there.
    #[serde(skip)]
    pub lost: Vec<Lost>,
}

impl TeacherCheckReport {
    /// Returns true if no damage was found.
    pub const fn is_good(&self) -> bool {
        self.damaged == 0
    }
}

/// Strictness of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Treatment of games whose end reason contradicts their result.
    pub contradictions: Contradictions,
    /// True if the unused last byte of records must be zero, as most writers leave it. Readers ignore it,
    /// and some writers leave uninitialised memory there.
    pub unused_bytes: bool,
    /// Codes of the moves of a PSV file.
    pub move_codes: MoveCodesChoice,
}

/// Checks every game or record of a file against the format and the rules of shogi. Behind damage
/// it goes on where good games of a pack file, or whole records of one size, provably begin again; of an
/// hcpe3 file nothing behind the first damage can be checked.
///
/// # Errors
/// When the file cannot be read. Invalid data is no error but in the report.
pub fn check(
    input: &Input,
    format: TeacherFormat,
    options: CheckOptions,
    job: &Job,
) -> Result<TeacherCheckReport> {
    let mut report = TeacherConvertReport::default();
    let recover = Recover::Resync;
    let output = &mut |_: &[u8]| Ok(());
    let contradictions = options.contradictions;
    if format == TeacherFormat::Csv {
        from_csv(input, recover, &Scribe::silent(), job, output, &mut report)?;
    } else {
        let (codes, survey) = options.move_codes.resolve(input, format)?;
        if let Some(survey) = survey {
            job.progress.note(&format!("{input}: {survey}"));
        }
        Drive {
            input,
            format,
            codes,
            contradictions,
            recover,
            job,
            overwrites: false,
            restores: false,
            worker: &|skip| Ok(worker(format, options, skip)),
            output,
            report: &mut report,
            buffers: Pool::default(),
        }
        .run()?;
    }
    if report.games + report.positions + report.damaged == 0 {
        return Err(kind::nothing(std::slice::from_ref(input), format));
    }
    Ok(TeacherCheckReport {
        games: report.games,
        positions: report.positions,
        bytes: report.bytes_read,
        contradictions: report.contradictions,
        uncanonical: report.uncanonical,
        without_move: report.without_move,
        damaged: report.damaged,
        lost: report.lost,
    })
}

fn worker(format: TeacherFormat, options: CheckOptions, skip: bool) -> Worker {
    let contradictions = options.contradictions;
    match format {
        TeacherFormat::Pack => Box::new(move |batch, part| {
            check_games(&batch.bytes, &mut PackReplayer::new(contradictions), part)
        }),
        TeacherFormat::Hcpe3 => Box::new(|batch, part| check_hcpe3(&batch.bytes, part)),
        TeacherFormat::Hcpe => records_worker::<Hcpe>(options, skip),
        TeacherFormat::Psv => records_worker::<Psv>(options, skip),
        TeacherFormat::Jsonl => {
            Box::new(move |batch, part| from_jsonl(batch, skip, &Scribe::silent(), part))
        }
        // Not read in batches.
        TeacherFormat::Csv => Box::new(|_, _| None),
    }
}

fn records_worker<T: FromRecord<T> + 'static>(options: CheckOptions, skip: bool) -> Worker {
    Box::new(move |batch, part| check_records::<T>(&batch.bytes, skip, options.unused_bytes, part))
}

fn check_games(bytes: &[u8], replayer: &mut PackReplayer, part: &mut Part) -> Option<InvalidData> {
    walk::<Game>(bytes, replayer, |replayer, frame, at| {
        let result = replayer.replay(frame, |_, _, _| ())?;
        part.games += 1;
        part.positions += frame.plies.len() as u64;
        part.contradictions += u64::from(!frame.reason.allows(result));
        part.uncanonical += u64::from(match frame.start {
            PackStart::Initial => false,
            PackStart::Hcp { hcp, .. } => !is_canonical(&hcp),
        });
        part.good = at + frame.len;
        Ok(())
    })
}

fn check_hcpe3(bytes: &[u8], part: &mut Part) -> Option<InvalidData> {
    let replayer = &mut hcpe3::Hcpe3Replayer::default();
    walk::<Hcpe3Game>(bytes, replayer, |replayer, frame, at| {
        replayer.replay(frame, |_, _, _, _| ())?;
        part.games += 1;
        part.positions += u64::from(frame.ply_count);
        part.uncanonical += u64::from(!is_canonical(&frame.start));
        part.good = at + frame.len;
        Ok(())
    })
}

/// Returns true if a position is encoded in canonical order.
fn is_canonical(hcp: &Hcp) -> bool {
    hcp.decode()
        .is_ok_and(|position| Hcp::encode(&position) == Ok(*hcp))
}
