//! Training of three-piece evaluations, KPPT and `KPP_KKPT`, by `AdaGrad` (Duchi, Hazan, Singer 2011).
//!
//! Each position asks for one value of KK, 38 of KKP and 1,406 of KPP. Values that symmetry makes the same are one number ("lower
//! dimensions"): the board mirrored left to right and, for KK and KKP, the players exchanged. Gradients of a class are summed up,
//! and an entry that is its own image counts once for each image, as in the classic learner.
//!
//! This takes 1.7 GB of address space; memory for numbers that are never touched is never used.

mod numbers;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use shogi_core::{Color, Position};
use shogi_eval::PieceList;
use shogi_eval::kppt::{FileTables, KpptLayout, KpptTable};
use yane_io::{Checksum, RunIdentity};

use crate::batch::Target;
use crate::checkpoint::{Parsed, Progress, Reader, Writer};
use crate::data::{Drawn, Record};
use crate::epochs::{Examples, Learner, train_epochs};
use crate::event::{LearnEvent, LearnReport};
use crate::loss::{Curve, LossSum, OUTPUT_UNIT};
use crate::options::LearnOptions;
use crate::samples::Sampler;
use crate::{LearnError, Result};
use numbers::{Gradients, Numbers};

/// Positions whose gradients one thread collects.
const CHUNK: usize = 64;

/// A training of a three-piece evaluation.
#[derive(Clone, Debug)]
pub struct KpptLearnOptions {
    /// [`KpptLayout::Kppt`] or [`KpptLayout::KppKkpt`].
    pub layout: KpptLayout,
    /// The rate of `AdaGrad`, 30 in the classic learner. Values of the turn take an eighth of it.
    pub eta: f64,
    /// Tables that stay as they are.
    pub frozen: Vec<KpptTable>,
    /// A folder with tables to begin with, instead of zeros.
    pub initial: Option<PathBuf>,
    /// Data, target, filters, epochs, batch, seed, threads and output. What is about networks alone is not looked at: the architecture,
    /// initial network, optimiser, learning rate, factors and mirror images (tables are symmetric anyway).
    pub common: LearnOptions,
    /// True if tables are written, hundreds of megabytes; else the checkpoint alone has what was
    /// learnt.
    pub writes_tables: bool,
}

impl KpptLearnOptions {
    /// A training with tables in `output`: rate 30, batches of 10,000, one epoch.
    ///
    /// # Panics
    /// Never.
    pub fn new(layout: KpptLayout, output: impl Into<PathBuf>) -> Self {
        let any = "kp_32x2-8-8".parse().expect("a known architecture");
        let mut common = LearnOptions::new(any, output);
        common.batch = 10_000;
        common.epochs = 1;
        Self {
            layout,
            eta: 30.0,
            frozen: Vec::new(),
            initial: None,
            common,
            writes_tables: true,
        }
    }

    /// All that decides the bytes that the training gives.
    fn identity(&self) -> Result<RunIdentity> {
        let Self {
            layout,
            eta,
            frozen,
            initial,
            common,
            ..
        } = self;
        let initial = initial.as_deref().map(Checksum::of_path).transpose()?;
        let initial = initial.map_or_else(|| "zeros".to_owned(), |tables| tables.to_string());
        let identity = common.identity("tables")?;
        Ok(identity
            .with("layout", format!("{layout:?}"))
            .with("eta", eta)
            .with("frozen tables", format!("{frozen:?}"))
            .with("initial tables", initial))
    }

    /// Makes `numbers` those to begin with.
    fn fill_initial(&self, numbers: &mut Numbers) -> Result<()> {
        if let Some(initial) = &self.initial {
            let tables = FileTables::open(initial).map_err(|error| LearnError::Network {
                path: initial.clone(),
                reason: error.to_string(),
            })?;
            numbers.fill(&tables);
        }
        Ok(())
    }
}

/// Trains tables, or goes on with a training as [`crate::learn`] does. The tables of the best epoch so far are in the folder `final` of
/// the output.
///
/// When `stop` becomes true, the training ends after the current step with a checkpoint.
///
/// # Errors
/// When options make no sense, data are damaged or nothing is left of them, or files cannot be read or written.
pub fn learn_kppt(
    options: &KpptLearnOptions,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<LearnReport> {
    if options.layout == KpptLayout::Kppt16 || options.eta.is_nan() || options.eta <= 0.0 {
        let text = "three-piece tables are trained as kppt32 or kpp_kkpt32, with an eta above 0";
        return Err(LearnError::Option(text.to_owned()));
    }
    let blank = || KpptLearner {
        options,
        numbers: Numbers::zeros(options.layout),
    };
    let initial = |learner: &mut KpptLearner<'_>| options.fill_initial(&mut learner.numbers);
    let identity = options.identity()?;
    let trained = train_epochs(&options.common, identity, (blank, initial), stop, on_event)?;
    Ok(trained.0)
}

/// The tables in training.
struct KpptLearner<'a> {
    options: &'a KpptLearnOptions,
    numbers: Numbers,
}

/// A position with what is to be learnt from it.
struct KpptSample {
    position: Position,
    list: PieceList,
    target: Target,
}

impl KpptSample {
    fn new(sampler: &Sampler, record: &Record) -> Result<Self> {
        let position = sampler.open(record)?;
        Ok(Self {
            list: PieceList::new(&position),
            position,
            target: sampler.target(record),
        })
    }
}

impl Learner for KpptLearner<'_> {
    fn rate(&self, _: &Progress, _: f64) -> f64 {
        self.options.eta
    }

    fn step(
        &mut self,
        examples: &Examples,
        drawn: &Drawn,
        _: &Progress,
        rate: f64,
    ) -> Result<LossSum> {
        let records = &drawn.records[..];
        let (numbers, sampler) = (&self.numbers, &examples.sampler);
        let curve = sampler.curve();
        let chunks: Result<Vec<(LossSum, Gradients)>> = records
            .par_chunks(CHUNK)
            .map(|records| {
                let mut gradients = Gradients::new();
                let mut sum = LossSum::default();
                for record in records {
                    let sample = KpptSample::new(sampler, record)?;
                    let (loss, gradient) = loss_of(numbers, curve, &sample);
                    sum.add(loss);
                    let side = sample.position.side_to_move();
                    gradients.add(&sample.list, side, gradient);
                }
                Ok((sum, gradients))
            })
            .collect();
        let (losses, gradients): (Vec<_>, Vec<_>) = chunks?.into_iter().unzip();
        self.numbers
            .update(&gradients, rate as f32, &self.options.frozen);
        Ok(LossSum::of(losses))
    }

    fn loss(&self, examples: &Examples, records: &[Record]) -> Result<LossSum> {
        let curve = examples.tester.curve();
        let losses: Result<Vec<LossSum>> = records
            .par_chunks(CHUNK)
            .map(|records| {
                let mut sum = LossSum::default();
                for record in records {
                    let sample = KpptSample::new(&examples.tester, record)?;
                    sum.add(loss_of(&self.numbers, curve, &sample).0);
                }
                Ok(sum)
            })
            .collect();
        Ok(LossSum::of(losses?))
    }

    fn keep(&mut self, folder: &Path) -> Result<bool> {
        if self.options.writes_tables {
            self.numbers.save(folder)?;
        }
        Ok(self.options.writes_tables)
    }

    fn write(&self, writer: &mut Writer) -> Result<()> {
        self.numbers.write(writer)
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Parsed<()> {
        self.numbers.read(reader)
    }
}

/// The loss of a sample, and the gradient of its logit.
fn loss_of(numbers: &Numbers, curve: Curve, sample: &KpptSample) -> (LossSum, f32) {
    let value = numbers.value(&sample.position, &sample.list);
    let (loss, gradient) = curve.loss((value / OUTPUT_UNIT) as f32, sample.target);
    (loss, (gradient / curve.slope()) as f32)
}

impl Numbers {
    /// Writes the three files of an evaluation.
    fn save(&self, folder: &Path) -> Result<()> {
        for table in KpptTable::ALL {
            let path = table.path(folder);
            let mut file = yane_io::AtomicFile::create(&path)?;
            for part in 0..Self::parts(table) {
                file.put(&self.bytes(table, part))?;
            }
            file.commit()?;
        }
        Ok(())
    }

    /// The value of a position for the side to move, in internal units.
    fn value(&self, position: &Position, list: &PieceList) -> f64 {
        let [board, turn] = self.sums(list);
        let board = board + 32.0 * f64::from(position.material());
        let board = match position.side_to_move() {
            Color::Black => board,
            Color::White => -board,
        };
        (board + turn) / 32.0
    }
}

#[cfg(test)]
mod tests {
    use shogi_eval::kppt::evaluate;
    use std::sync::atomic::Ordering;
    use std::time::Duration;
    use test_support::{TestFolder, fixture_bytes};

    use super::*;
    use crate::options::{LearnSource, LearnValidation, TeacherScale};

    fn options(folder: &TestFolder) -> KpptLearnOptions {
        let bytes = fixture_bytes("learning/valid5k.psv");
        folder.write("data.psv", &bytes[..40 * 1200]);
        folder.write("validation.psv", &bytes[40 * 1200..40 * 1500]);
        let mut options = KpptLearnOptions::new(KpptLayout::KppKkpt, folder.path("out"));
        let source = |name| vec![LearnSource::new(folder.path(name))];
        options.common.sources = source("data.psv");
        options.common.validation = LearnValidation::Files(source("validation.psv"));
        options.common.target.scale = TeacherScale::Fixed(600.0);
        options.common.batch = 300;
        options.common.threads = 2;
        options
    }

    /// Trains until `saves` files were saved; the losses of the epochs, and whether it was finished.
    fn run(options: &KpptLearnOptions, saves: usize) -> (Vec<(u32, u64)>, bool) {
        let stop = AtomicBool::new(false);
        let (mut losses, mut saved) = (Vec::new(), 0);
        let report = learn_kppt(options, &stop, &mut |event| match event {
            LearnEvent::Epoch(report) => {
                losses.push((report.epoch, report.validation_loss.unwrap().to_bits()));
            }
            LearnEvent::Saved(_) => {
                saved += 1;
                stop.store(saved >= saves, Ordering::Relaxed);
            }
            _ => {}
        });
        (losses, report.unwrap().finished)
    }

    #[test]
    fn tables_are_learnt_the_same_on_any_number_of_threads_with_any_interruption() {
        let folder = TestFolder::new();
        let mut options = options(&folder);
        options.writes_tables = false;
        options.common.epochs = 2;
        options.common.output = folder.path("whole");
        let (whole, finished) = run(&options, usize::MAX);
        assert!(finished && whole.len() == 3);
        assert_ne!(whole[0].1, whole[1].1);
        options.common.output = folder.path("parts");
        options.common.threads = 1;
        options.common.checkpoint_every = Duration::ZERO;
        let (mut parts, mut runs) = (Vec::new(), 1);
        loop {
            let (losses, finished) = run(&options, 2);
            parts.extend(losses);
            if finished {
                break;
            }
            runs += 1;
        }
        assert!(runs > 2, "{runs}");
        assert_eq!(parts, whole);
        let checkpoint = |output| folder.read(format!("{output}/checkpoint"));
        let bytes = checkpoint("whole");
        assert!(checkpoint("parts") == bytes);
        // A finished training stays finished, and other options are refused.
        assert_eq!(run(&options, 2), (Vec::new(), true));
        options.frozen.push(KpptTable::Kpp);
        let refused = learn_kppt(&options, &AtomicBool::new(false), &mut |_| ()).unwrap_err();
        assert!(
            refused.to_string().contains("frozen tables differ"),
            "{refused}"
        );
        options.frozen.clear();
        for (at, value) in [
            (bytes.len() - 9, 1),
            (bytes.len() - 12, 1),
            (bytes.len() - 30, 77),
        ] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            // The one before it takes its place, from which the training ends as any other.
            folder.write("parts/checkpoint", &damaged);
            let mut notes = Vec::new();
            learn_kppt(&options, &AtomicBool::new(false), &mut |event| {
                if let LearnEvent::Note(note) = event {
                    notes.push(note);
                }
            })
            .unwrap();
            assert!(
                notes.len() == 1 && notes[0].contains("damaged"),
                "{notes:?}"
            );
            assert!(checkpoint("parts") == bytes);
        }
    }

    /// Writes files of 470 MB, so only when slow tests are wanted.
    #[test]
    fn files_are_read_by_the_evaluation() {
        if std::env::var_os("SHOGI_SLOW_TESTS").is_none() {
            return;
        }
        let folder = TestFolder::new();
        let options = options(&folder);
        assert!(run(&options, usize::MAX).1);
        let tables = FileTables::open(&folder.path("out/final")).unwrap();
        let mut numbers = Numbers::zeros(options.layout);
        numbers.fill(&tables);
        let bytes = fixture_bytes("learning/golden64.psv");
        for record in bytes.chunks_exact(40) {
            use pack_format::record::TeacherRecord as _;
            let record = pack_format::Psv::from_bytes(record).unwrap();
            let (position, _) = record.open().unwrap();
            let value = evaluate(&tables, &position);
            assert_eq!(evaluate(&numbers, &position), value);
        }
    }
}
