//! The words of the classic command: `learn targetdir D loop N … FILE…`.
//!
//! A word that is not an option is the name of a file, as it was in YaneuraOu's learner. Its options and their
//! defaults: `docs/USI拡張コマンド.txt` of YaneuraOu 4.91.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use yane_io::{path_of_text, shown_text};

/// The task of a classic command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ClassicTask {
    /// Learns.
    #[default]
    Learn,
    /// Writes PSV files as text blocks.
    ConvertPlain,
    /// Writes text blocks as a PSV file.
    ConvertBin,
    /// One of the shuffles, which are `teacher shuffle` now; by the word that was given.
    Shuffle(&'static str),
}

/// A classic command line. Scores and limits are in the unit of the records.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClassicLearn {
    /// The task.
    pub(crate) task: ClassicTask,
    /// Folder whose `*.bin` files replace the named ones.
    pub(crate) target_dir: Option<PathBuf>,
    /// Put before relative names of files and folders.
    pub(crate) base_dir: Option<PathBuf>,
    /// The named files.
    pub(crate) files: Vec<PathBuf>,
    /// Number of times that the files are read.
    pub(crate) loops: u32,
    /// Positions between two updates of the learning rate and the quantised weights.
    pub(crate) batch_size: u64,
    /// Learning rates; `eta[0]` moves linearly to `eta[1]` and then to `eta[2]`.
    pub(crate) eta: [f64; 3],
    /// Updates of `batch_size` after which `eta[1]` and `eta[2]` are reached; 0 leaves them out.
    pub(crate) eta_epoch: [u64; 2],
    /// Weight of the score in the target, the rest being the result's.
    pub(crate) lambda: f64,
    /// The same where the score is `lambda_limit` or more.
    pub(crate) lambda2: f64,
    /// Absolute score from which `lambda2` counts.
    pub(crate) lambda_limit: i32,
    /// Records with a greater absolute score are left out.
    pub(crate) eval_limit: i32,
    /// Records of a smaller ply than a random one below this are left out.
    pub(crate) reduction_gameply: u32,
    /// Percentage of positions that are mirrored when read.
    pub(crate) mirror_percentage: u32,
    /// Weight of the positions along the line of the quiescence search.
    pub(crate) discount_rate: f64,
    /// Tables of the KPPT family that stay as they are: KK, KKP, KPP.
    pub(crate) freeze: [bool; 3],
    /// Keep the order of the records.
    pub(crate) no_shuffle: bool,
    /// Save into the folder itself instead of numbered ones.
    pub(crate) save_only_once: bool,
    /// Positions between two saved folders.
    pub(crate) eval_save_interval: u64,
    /// Positions between two lines of progress; `batch_size` without it.
    pub(crate) loss_output_interval: Option<u64>,
    /// File of validation records; without it the first 2,000 positions are kept back.
    pub(crate) validation_set_file_name: Option<PathBuf>,
    /// Positions of a step of gradient descent.
    pub(crate) nn_batch_size: u32,
    /// Messages to the network's trainer, separated by commas.
    pub(crate) nn_options: String,
    /// Factor of the learning rate after a validation that was no better; 1 is off.
    pub(crate) newbob_decay: f64,
    /// Such validations in a row after which learning ends.
    pub(crate) newbob_num_trials: u32,
    /// Records in memory when files are shuffled.
    pub(crate) buffer_size: u64,
    /// The output of conversions and shuffles.
    pub(crate) output_file_name: PathBuf,
    /// Options of the engine with their values: where there is no `setoption`, they stand among the words.
    pub(crate) engine_options: Vec<(String, String)>,
}

/// Options of the engine that the command takes.
const ENGINE_OPTIONS: [&str; 5] = [
    "EvalArchitecture",
    "EvalDir",
    "EvalSaveDir",
    "SkipLoadingEval",
    "Threads",
];

impl Default for ClassicLearn {
    fn default() -> Self {
        Self {
            task: ClassicTask::Learn,
            target_dir: None,
            base_dir: None,
            files: Vec::new(),
            loops: 1,
            batch_size: 1_000_000,
            eta: [0.0; 3],
            eta_epoch: [0; 2],
            lambda: 0.33,
            lambda2: 0.33,
            lambda_limit: 32_000,
            eval_limit: 32_000,
            reduction_gameply: 1,
            mirror_percentage: 0,
            discount_rate: 0.0,
            freeze: [false; 3],
            no_shuffle: false,
            save_only_once: false,
            eval_save_interval: 1_000_000_000,
            loss_output_interval: None,
            validation_set_file_name: None,
            nn_batch_size: 1000,
            nn_options: String::new(),
            newbob_decay: 1.0,
            newbob_num_trials: 2,
            buffer_size: 20_000_000,
            output_file_name: PathBuf::from("shuffled_sfen.bin"),
            engine_options: Vec::new(),
        }
    }
}

impl ClassicLearn {
    /// Reads the words behind `learn`. The error says which word lacks which value.
    pub(crate) fn parse(words: &[String]) -> Result<Self, String> {
        let mut learn = Self::default();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            learn.read_word(word, &mut words)?;
        }
        Ok(learn)
    }

    fn read_word<'a>(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) -> Result<(), String> {
        match word {
            "convert_plain" => self.task = ClassicTask::ConvertPlain,
            "convert_bin" => self.task = ClassicTask::ConvertBin,
            "shuffle" => self.task = ClassicTask::Shuffle("shuffle"),
            "shuffleq" => self.task = ClassicTask::Shuffle("shuffleq"),
            "shufflem" => self.task = ClassicTask::Shuffle("shufflem"),
            "no_shuffle" => self.no_shuffle = true,
            "save_only_once" => self.save_only_once = true,
            "targetdir" => self.target_dir = Some(path(word, rest)?),
            "basedir" => self.base_dir = Some(path(word, rest)?),
            "validation_set_file_name" => self.validation_set_file_name = Some(path(word, rest)?),
            "output_file_name" => self.output_file_name = path(word, rest)?,
            "nn_options" => self.nn_options = value(word, rest)?,
            _ if ENGINE_OPTIONS.contains(&word) => {
                self.engine_options
                    .push((word.to_owned(), value(word, rest)?));
            }
            _ => return self.read_number(word, rest),
        }
        Ok(())
    }

    fn read_number<'a>(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) -> Result<(), String> {
        match word {
            "loop" => self.loops = value(word, rest)?,
            "batchsize" => self.batch_size = value(word, rest)?,
            "bat" => self.batch_size = value::<u64>(word, rest)?.saturating_mul(10_000),
            "eta" | "eta1" => self.eta[0] = value(word, rest)?,
            "eta2" => self.eta[1] = value(word, rest)?,
            "eta3" => self.eta[2] = value(word, rest)?,
            "eta1_epoch" => self.eta_epoch[0] = value(word, rest)?,
            "eta2_epoch" => self.eta_epoch[1] = value(word, rest)?,
            "lambda" => self.lambda = value(word, rest)?,
            "lambda2" => self.lambda2 = value(word, rest)?,
            "lambda_limit" => self.lambda_limit = value(word, rest)?,
            "eval_limit" => self.eval_limit = value(word, rest)?,
            "reduction_gameply" => self.reduction_gameply = value::<u32>(word, rest)?.max(1),
            "mirror_percentage" => self.mirror_percentage = value(word, rest)?,
            "discount_rate" => self.discount_rate = value(word, rest)?,
            "freeze_kk" => self.freeze[0] = value::<u8>(word, rest)? != 0,
            "freeze_kkp" => self.freeze[1] = value::<u8>(word, rest)? != 0,
            "freeze_kpp" => self.freeze[2] = value::<u8>(word, rest)? != 0,
            "eval_save_interval" => self.eval_save_interval = value(word, rest)?,
            "loss_output_interval" => self.loss_output_interval = Some(value(word, rest)?),
            "nn_batch_size" => self.nn_batch_size = value(word, rest)?,
            "newbob_decay" => self.newbob_decay = value(word, rest)?,
            "newbob_num_trials" => self.newbob_num_trials = value(word, rest)?,
            "buffer_size" => self.buffer_size = value(word, rest)?,
            file => self.files.push(path_of_text(file)),
        }
        Ok(())
    }

    /// The three rates, with their defaults.
    pub(crate) fn etas(&self) -> [f64; 3] {
        let [eta1, eta2, eta3] = self.eta;
        let or = |eta: f64, default: f64| if eta == 0.0 { default } else { eta };
        let eta1 = or(eta1, 30.0);
        let eta2 = or(eta2, eta1);
        [eta1, eta2, or(eta3, eta2)]
    }

    /// `name` below the base folder, if there is one and `name` is relative.
    pub(crate) fn based(&self, name: &Path) -> PathBuf {
        self.base_dir
            .as_ref()
            .map_or_else(|| name.to_owned(), |base| base.join(name))
    }

    /// The files to read: those named, or all `*.bin` of the target folder in the order of their names.
    pub(crate) fn inputs(&self) -> Result<Vec<PathBuf>, String> {
        let Some(folder) = &self.target_dir else {
            return Ok(self.files.iter().map(|file| self.based(file)).collect());
        };
        let folder = self.based(folder);
        let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
        let mut files = Vec::new();
        for entry in folder.read_dir().map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.extension().is_some_and(|extension| extension == "bin") {
                files.push(path);
            }
        }
        files.sort();
        if files.is_empty() {
            return Err(format!(
                "{}: no *.bin file in this folder",
                folder.display()
            ));
        }
        Ok(files)
    }
}

/// The name of a file or folder behind `word`.
fn path<'a>(word: &str, rest: &mut impl Iterator<Item = &'a str>) -> Result<PathBuf, String> {
    value::<String>(word, rest).map(|name| path_of_text(&name))
}

/// The value behind `word`.
fn value<'a, T: FromStr>(
    word: &str,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<T, String> {
    let text = rest
        .next()
        .ok_or_else(|| format!("learn: expected a value after {word}"))?;
    text.parse()
        .map_err(|_| format!("learn: {:?} is no value of {word}", shown_text(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<ClassicLearn, String> {
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        ClassicLearn::parse(&words)
    }

    #[test]
    fn options_of_the_classic_command() {
        let learn = parse(
            "a.bin targetdir data loop 100 batchsize 1000000 lambda 0.5 eta1 1e-8 eta2 1.0 eta1_epoch 100 \
             newbob_decay 0.5 nn_batch_size 1000 eval_save_interval 100000000 loss_output_interval 1000000 \
             mirror_percentage 50 eval_limit 32000 nn_options reset,momentum=0.9 no_shuffle b.bin",
        )
        .expect("a good line");
        let expected = ClassicLearn {
            files: vec!["a.bin".into(), "b.bin".into()],
            target_dir: Some("data".into()),
            loops: 100,
            lambda: 0.5,
            eta: [1e-8, 1.0, 0.0],
            eta_epoch: [100, 0],
            newbob_decay: 0.5,
            eval_save_interval: 100_000_000,
            loss_output_interval: Some(1_000_000),
            mirror_percentage: 50,
            nn_options: "reset,momentum=0.9".to_owned(),
            no_shuffle: true,
            ..ClassicLearn::default()
        };
        assert_eq!(learn, expected);
        assert_eq!(
            parse("bat 3").expect("in units of 10,000").batch_size,
            30_000
        );
    }

    #[test]
    fn a_missing_value_is_named() {
        assert_eq!(
            parse("loop").unwrap_err(),
            "learn: expected a value after loop"
        );
        assert_eq!(
            parse("loop x").unwrap_err(),
            "learn: \"x\" is no value of loop"
        );
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "the results are exact")]
    fn rates_that_are_not_given_are_those_before_them() {
        let rates = |line: &str| parse(line).expect("a good line").etas();
        assert_eq!(rates(""), [30.0; 3]);
        assert_eq!(rates("eta 1.0"), [1.0; 3]);
        assert_eq!(rates("eta1 1e-8 eta2 0.5"), [1e-8, 0.5, 0.5]);
    }

    #[test]
    fn options_of_the_engine_stand_among_the_words() {
        let learn = parse("EvalDir eval/a Threads 2 a.bin").expect("a good line");
        let expected = [("EvalDir", "eval/a"), ("Threads", "2")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(learn.engine_options, expected);
        assert_eq!(learn.files, [PathBuf::from("a.bin")]);
    }
}
