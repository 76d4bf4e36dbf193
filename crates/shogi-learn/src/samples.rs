//! Records become samples: the position's active features, its stack, and what the network shall give for it.

use std::sync::Arc;

use pack_format::record::{InvalidRecord, TeacherRecord};
use pack_format::{InvalidData, Psv, TeacherError};
use rayon::prelude::*;
use shogi_core::Position;
use shogi_eval::PieceList;
use shogi_eval::nnue::GameProgress;
use shogi_packed::PackedSfen;
use yane_base::random::Sequence;

use crate::Result;
use crate::batch::{Samples, Target};
use crate::data::{Record, mirrored};
use crate::loss::{Curve, WinRate};
use crate::options::{LearnOptions, LearnSource, LearnValidation};
use crate::shape::Shape;

/// Records that one thread takes at once.
const CHUNK: usize = 256;

/// Makes samples of records.
#[derive(Clone, Debug)]
pub(crate) struct Sampler {
    shape: Shape,
    options: Arc<LearnOptions>,
    sources: Arc<Vec<LearnSource>>,
    /// The scale of scores at the beginning of the training.
    scale: f64,
    /// The part of the training that is done, 0 to 1.
    done: f64,
    mirror: Sequence,
    /// The progress of the game, where stacks are chosen by it.
    progress: Option<Arc<GameProgress>>,
}

impl Sampler {
    /// A sampler of records of `sources`, whose scores are winning rates on `scale` when the training begins.
    fn new(
        shape: Shape,
        options: &Arc<LearnOptions>,
        sources: Vec<LearnSource>,
        scale: f64,
    ) -> Self {
        Self {
            shape,
            options: Arc::clone(options),
            sources: Arc::new(sources),
            scale,
            done: 0.0,
            mirror: Sequence::new(options.seed, "mirror"),
            progress: None,
        }
    }

    /// Chooses stacks by the progress of the game.
    pub(crate) fn set_progress(&mut self, progress: Option<&Arc<GameProgress>>) {
        self.progress = progress.cloned();
    }

    /// Makes targets those of a training of which `done` (0 to 1) is done.
    pub(crate) fn set_done(&mut self, done: f64) {
        self.done = done;
    }

    /// The winning rate of scores.
    fn rate(&self) -> WinRate {
        self.options.target.rate_at(self.scale, self.done)
    }

    /// The loss against its targets, and the winning rate of the network's outputs.
    pub(crate) fn curve(&self) -> Curve {
        let rate = self.options.target.rate_out(self.rate());
        Curve::of(rate, self.options.loss)
    }

    /// The samplers of the records to train on and of those to test on. All tests are with the targets of the end of the training, so that
    /// their losses can be compared.
    pub(crate) fn both(shape: Shape, options: &Arc<LearnOptions>, scale: f64) -> [Self; 2] {
        let testers = match &options.validation {
            LearnValidation::Split { .. } | LearnValidation::First(_) => &options.sources,
            LearnValidation::Files(files) => files,
        };
        let [trainer, mut tester] = [&options.sources, testers]
            .map(|files| Self::new(shape, options, files.clone(), scale));
        tester.set_done(1.0);
        [trainer, tester]
    }

    /// Makes `samples` those of `records`; some are mirrored in an epoch, none without.
    pub(crate) fn fill(
        &self,
        records: &[Record],
        epoch: Option<u32>,
        samples: &mut Samples,
    ) -> Result<()> {
        let chunks: Result<Vec<Samples>> = records
            .par_chunks(CHUNK)
            .map(|records| {
                let mut samples = Samples::default();
                let active = 2 * self.shape.features.active_count();
                samples.features.reserve(records.len() * active);
                for record in records {
                    self.push(record, epoch, &mut samples)?;
                }
                Ok(samples)
            })
            .collect();
        samples.clear();
        chunks?.iter().for_each(|chunk| samples.append(chunk));
        Ok(())
    }

    fn push(&self, record: &Record, epoch: Option<u32>, samples: &mut Samples) -> Result<()> {
        let mut position = self.open(record)?;
        if epoch.is_some_and(|epoch| self.is_mirrored(record, epoch)) {
            position = mirrored(&position);
        }
        let list = PieceList::new(&position);
        self.shape
            .features
            .append(&position, &list, &mut samples.features);
        samples.targets.push(self.target(record));
        let stack = self.shape.sfnn().map_or(0, |sfnn| {
            let progress = self.progress.as_ref();
            let progress = progress.map_or(0, |progress| GameProgress::at(progress.sum(&list)));
            sfnn.stacks()
                .index(&position, |color| list.own_king(color), progress)
        });
        samples.stacks.push(stack as u32);
        Ok(())
    }

    /// The position of a record.
    pub(crate) fn open(&self, record: &Record) -> Result<Position> {
        let position = PackedSfen(record.position).decode().map_err(|problem| {
            // Only records of psv files are not looked at before: the file was changed.
            let invalid = InvalidData::from(InvalidRecord {
                record: record.number() + 1,
                offset: record.number() * Psv::LEN as u64,
                problem: problem.into(),
            });
            TeacherError::invalid(&self.sources[usize::from(record.source)].path, invalid)
        })?;
        Ok(position)
    }

    /// Returns whether a record is mirrored in an epoch.
    pub(crate) fn is_mirrored(&self, record: &Record, epoch: u32) -> bool {
        let share = self.options.mirror;
        share > 0.0 && {
            let file = self
                .mirror
                .child(u64::from(epoch) << 16 | u64::from(record.source));
            file.unit(record.number()) < share
        }
    }

    /// The target of the network for a position.
    pub(crate) fn target(&self, record: &Record) -> Target {
        let options = &self.options.target;
        let lambda = match options.large_scores {
            Some((from, lambda)) if record.score.unsigned_abs() >= from => lambda,
            _ => options.lambda_at(record.ply, self.done),
        };
        let score = self.rate().at(options.unit.internal(record.score));
        let result = 0.5 + 0.5 * f64::from(record.outcome);
        let result = options.smoothing + (1.0 - 2.0 * options.smoothing) * result;
        let mut weight = self.sources[usize::from(record.source)].weight;
        if record.on_the_way != 0 {
            weight *= self.options.filter.line_weight as f32;
        }
        Target {
            value: (lambda * score + (1.0 - lambda) * result) as f32,
            weight: weight * self.options.ply_weight(record.ply),
            score: score as f32,
            result: result as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LossFunction;
    use crate::options::{Lambda, PlyWeight};
    use crate::unit::ScoreUnit;

    fn record(position: &Position) -> Record {
        Record {
            position: PackedSfen::encode(position).unwrap().0,
            score: 500,
            ply: 60,
            source: 0,
            outcome: -1,
            on_the_way: 0,
            tag: 7,
        }
    }

    fn sampler(change: impl FnOnce(&mut LearnOptions)) -> Sampler {
        let mut options = LearnOptions::new("kp_32x2-8-8".parse().unwrap(), "out");
        options.sources = vec![LearnSource::new("a.psv")];
        change(&mut options);
        let shape = Shape::new(options.architecture, true);
        let sources = options.sources.clone();
        Sampler::new(shape, &Arc::new(options), sources, 450.0)
    }

    #[test]
    fn targets_mix_score_and_result() {
        let sampler = sampler(|options| {
            options.target.lambda = Lambda::constant(0.75);
            options.target.unit = ScoreUnit::Centipawns;
            options.target.smoothing = 0.1;
            options.sources[0].weight = 0.5;
            options.ply_weights = [(0, 1.0), (50, 3.0), (80, 9.0)]
                .map(|(from, weight)| PlyWeight { from, weight })
                .to_vec();
        });
        let target = sampler.target(&record(&Position::startpos()));
        // 500 centipawns are 450 internal units, and that is the scale.
        let expected = 0.75 / (1.0 + (-1f64).exp()) + 0.25 * 0.1;
        assert!((f64::from(target.value) - expected).abs() < 1e-6);
        assert!((target.weight - 1.5).abs() < 1e-6);
    }

    #[test]
    fn targets_change_over_the_training() {
        let mut sampler = sampler(|options| {
            options.target.lambda = Lambda::constant(1.0);
            options.target.lambda_end = Some(Lambda::constant(0.5));
            options.target.scale_end = Some(900.0);
        });
        let record = record(&Position::startpos());
        for (done, lambda, scale) in [(0.0, 1.0, 450.0), (0.5, 0.75, 675.0), (1.0, 0.5, 900.0)] {
            sampler.set_done(done);
            let target = sampler.target(&record);
            // 500 centipawns are 450 internal units.
            let score = 1.0 / (1.0 + f64::exp(-450.0 / scale));
            assert!((f64::from(target.score) - score).abs() < 1e-6);
            assert!((f64::from(target.value) - lambda * score).abs() < 1e-6);
            assert_eq!(sampler.curve(), Curve::new(scale));
        }
    }

    #[test]
    fn scores_and_values_have_curves_of_their_own() {
        let rate = |scale, offset| WinRate { scale, offset };
        let alike = sampler(|options| options.target.offset = 100.0);
        let own = sampler(|options| {
            options.target.offset = 100.0;
            options.target.scale_out = Some(300.0);
            options.target.offset_out = Some(50.0);
            options.loss = LossFunction::Power(2.5);
        });
        for sampler in [&alike, &own] {
            let target = sampler.target(&record(&Position::startpos()));
            let expected = rate(450.0, 100.0).at(450.0);
            assert!((f64::from(target.score) - expected).abs() < 1e-6);
        }
        let entropy = Curve::of(rate(450.0, 100.0), LossFunction::CrossEntropy);
        assert_eq!(alike.curve(), entropy);
        let power = Curve::of(rate(300.0, 50.0), LossFunction::Power(2.5));
        assert_eq!(own.curve(), power);
    }

    #[test]
    fn large_scores_have_a_weight_of_their_own() {
        let target = |from| {
            let sampler = sampler(|options| {
                options.target.lambda = Lambda::constant(0.5);
                options.target.large_scores = Some((from, 1.0));
            });
            sampler.target(&record(&Position::startpos()))
        };
        let (small, large) = (target(501), target(500));
        assert!((large.value - large.score).abs() < 1e-6, "{large:?}");
        assert!((small.value - 0.5 * small.score).abs() < 1e-6, "{small:?}");
    }

    #[test]
    fn mirrored_positions_are_the_same_seen_in_a_mirror() {
        let position = Position::from_sfen(
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        )
        .unwrap();
        let mirror = mirrored(&position);
        assert_eq!(mirrored(&mirror), position);
        let plain = sampler(|_| ());
        let sampler = sampler(|options| options.mirror = 1.0);
        let mut samples = [Samples::default(), Samples::default()];
        sampler
            .fill(&[record(&position)], Some(0), &mut samples[0])
            .unwrap();
        plain
            .fill(&[record(&mirror)], Some(0), &mut samples[1])
            .unwrap();
        for samples in &mut samples {
            samples.features[..40].sort_unstable();
            samples.features[40..].sort_unstable();
        }
        assert_eq!(samples[0].features, samples[1].features);
        let unmirrored = &mut samples[1];
        sampler
            .fill(&[record(&position)], None, unmirrored)
            .unwrap();
        unmirrored.features[..40].sort_unstable();
        assert_ne!(samples[0].features[..40], samples[1].features[..40]);
    }

    #[test]
    fn a_record_that_is_no_position_is_named() {
        let mut broken = record(&Position::startpos());
        broken.position = [0xff; 32];
        let error = sampler(|_| ()).open(&broken).unwrap_err().to_string();
        assert!(
            error.contains("a.psv") && error.contains("record 8"),
            "{error}"
        );
    }
}
