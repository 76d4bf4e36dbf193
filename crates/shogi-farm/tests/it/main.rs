//! New scores for small files, by both engines.

mod errors;
mod resuming;
mod scores;

use std::path::{Path, PathBuf};

use pack_format::TeacherFormat;
use pack_format::stream::Input;
use shogi_farm::rescore::{
    RescoreDepth, RescoreEngine, RescoreError, RescoreOptions, RescoreReport, rescore,
};
use test_support::{fixture, fixture_bytes};
use yane_io::Job;

/// The options of an engine that is quick.
fn material() -> Vec<(String, String)> {
    vec![("Evaluation".to_owned(), "material".to_owned())]
}

/// The options of the deep engine with a small network of random weights.
fn deep() -> Vec<(String, String)> {
    let network = fixture("deep/mtiny.onnx");
    vec![("EvalDir".to_owned(), network.to_str().unwrap().to_owned())]
}

/// A file of few positions in each format, and its format.
fn small_files() -> [(Vec<u8>, TeacherFormat); 4] {
    let bytes = |name: &str| fixture_bytes(format!("teacher/{name}"));
    // Several games, so that plies have other places.
    let games = bytes("hcpe3/multipv8_visits1000_temp200_nodrop_resign1000.hcpe3");
    let (mut len, mut plies) = (0, 0);
    while plies < 40 {
        let game = pack_format::hcpe3::frame(&games[len..]).unwrap();
        len += game.len;
        plies += usize::from(game.ply_count);
    }
    [
        (bytes("edge/good/all_end_reasons.pack"), TeacherFormat::Pack),
        (games[..len].to_vec(), TeacherFormat::Hcpe3),
        (bytes("selfplay/declaration_n50.hcpe"), TeacherFormat::Hcpe),
        (bytes("selfplay/declaration_n50.psv"), TeacherFormat::Psv),
    ]
}

/// A run over one file.
#[derive(Clone)]
struct Run {
    input: PathBuf,
    output: PathBuf,
    format: TeacherFormat,
    engine: Vec<(String, String)>,
    options: RescoreOptions,
    job: Job,
}

impl Run {
    fn new(input: PathBuf, output: PathBuf, format: TeacherFormat, nodes: u64) -> Self {
        Self {
            input,
            output,
            format,
            engine: material(),
            options: RescoreOptions::new(RescoreDepth::Nodes(nodes)),
            job: Job {
                threads: 2,
                ..Job::default()
            },
        }
    }

    fn run(&self) -> Result<RescoreReport, RescoreError> {
        let mut engine = RescoreEngine::new(self.format, &self.engine, &[PathBuf::new()])?;
        let inputs = [Input::named(&self.input)];
        rescore(&inputs, &self.output, &mut engine, &self.options, &self.job)
    }
}

/// The file with the scores of an interrupted run.
fn journal(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}
