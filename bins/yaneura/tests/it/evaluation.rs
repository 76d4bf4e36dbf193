//! Evaluation files in games: finding, loading, messages, errors.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use shogi_core::Position;
use shogi_eval::kppt::{KpptLayout, KpptTable};
use shogi_eval::nnue::file::NetworkReadOptions;
use shogi_eval::nnue::{FvScale, Network, reference};
use tempfile::TempDir;
use test_networks::RandomNetwork;

use crate::util::{Engine, copy_with, is_about_memory};

const CLASSIC: &str = "kp_32x2-8-8";
const STACKED: &str = "SFNN_ka2_32_7_8_k3k3";
const POSITIONS: [&str; 3] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
];

/// The program in a folder of its own, with an evaluation folder `eval`.
struct Place {
    folder: TempDir,
    program: PathBuf,
}

impl Place {
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(files: &[(&str, &[u8])]) -> Self {
        let (folder, program) = copy_with(files);
        fs::create_dir_all(folder.path().join("eval")).unwrap();
        Self { folder, program }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn show(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn network(&self, name: &str, architecture: &str, seed: u64) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let network = RandomNetwork::new(architecture.parse().unwrap(), seed);
        network
            .write(BufWriter::new(File::create(path).unwrap()))
            .unwrap();
    }

    /// Tables of zeros that take no room on the disk.
    fn tables(&self, folder: &str, layout: KpptLayout) {
        fs::create_dir_all(self.path(folder)).unwrap();
        for table in KpptTable::ALL {
            let file = File::create(table.path(&self.path(folder))).unwrap();
            file.set_len(layout.file_len(table)).unwrap();
        }
    }

    fn start(&self) -> Game {
        let mut engine = Engine::start_program(&self.program);
        engine.set(&[("USI_Hash", "1"), ("BookFile", "no_book")]);
        Game(engine)
    }
}

/// A running engine.
struct Game(Engine);

impl Game {
    fn set(&mut self, name: &str, value: &str) {
        self.0.set(&[(name, value)]);
    }

    /// The messages before `readyok`, without `info string`.
    fn get_ready(&mut self) -> Vec<String> {
        self.0.send("isready");
        let mut lines = self.0.until("readyok");
        lines.pop();
        lines.retain(|line| !is_about_memory(line));
        let plain = |line: String| {
            let rest = line.strip_prefix("info string ").expect("info string");
            rest.to_owned()
        };
        lines.into_iter().map(plain).collect()
    }

    /// The message of [`Self::get_ready`] about the evaluation that was loaded.
    fn loaded(&mut self) -> String {
        let line = self.get_ready().pop().expect("something is loaded");
        let rest = line.strip_prefix("evaluation : ").expect("it is loaded");
        rest.to_owned()
    }

    fn evaluate(&mut self, sfen: &str) -> i32 {
        self.0.send(&format!("position sfen {sfen}"));
        self.0.send("e");
        let line = self.0.answer("eval");
        let value = line.strip_prefix("eval = ").expect("eval");
        value.parse().expect("a number")
    }

    fn values(&mut self) -> Vec<i32> {
        POSITIONS.map(|sfen| self.evaluate(sfen)).to_vec()
    }

    /// Everything that a short search prints.
    fn go(&mut self) -> Vec<String> {
        self.0.send("position startpos");
        self.0.send("go depth 2");
        self.0.until("bestmove")
    }

    fn plays_embedded(&mut self) -> bool {
        self.values() == [embedded(0), embedded(1), embedded(2)]
    }
}

fn embedded(index: usize) -> i32 {
    use shogi_eval::Evaluator;
    let position = position(POSITIONS[index]);
    let opened = shogi_eval::loader::Evaluation::embedded().unwrap();
    let mut evaluator = opened.evaluation.evaluator(None);
    evaluator.reset(&position);
    evaluator.evaluate(&position)
}

/// The beginning of the name of what is embedded: it may be built without a network.
fn embedded_name() -> &'static str {
    match shogi_eval::loader::embedded_network() {
        Some(_) => "embedded (",
        None => "positional",
    }
}

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

fn expected(path: &Path, scale: i32) -> Vec<i32> {
    let loaded = Network::open(path, &NetworkReadOptions::default()).unwrap();
    let scale = FvScale::new(scale).unwrap();
    let value = |sfen: &str| reference::evaluate(&loaded.network, &position(sfen), scale);
    POSITIONS.map(value).to_vec()
}

fn material(sfen: &str) -> i32 {
    let position = position(sfen);
    let black = position.side_to_move() == shogi_core::Color::Black;
    position.material() * if black { 1 } else { -1 }
}

fn material9(sfen: &str) -> i32 {
    use shogi_eval::{Evaluator, LevelEvaluator, MaterialLevel};
    let mut evaluator = LevelEvaluator::new(MaterialLevel::LAST);
    evaluator.reset(&position(sfen));
    evaluator.evaluate(&position(sfen))
}

fn positional(sfen: &str) -> i32 {
    use shogi_eval::{Evaluator, PositionalEvaluator};
    let mut evaluator = PositionalEvaluator::new();
    evaluator.reset(&position(sfen));
    evaluator.evaluate(&position(sfen))
}

#[test]
fn any_network_is_taken_from_the_folder_beside_the_program() {
    for architecture in [CLASSIC, STACKED] {
        let place = Place::new();
        place.network("eval/nn.bin", architecture, 3);
        let mut game = place.start();
        // Nothing before it is needed: GUIs wait only seconds for the answer.
        game.0.send("usi");
        let lines = game.0.until("usiok");
        assert!(lines.iter().all(|line| !line.starts_with("info")));
        let lines = game.get_ready();
        let path = place.path("eval/nn.bin");
        assert_eq!(lines[0], format!("loading eval file : {}", path.display()));
        let start = format!("evaluation : {architecture}, {}, 0.1 MiB, ", path.display());
        assert!(
            lines[1].starts_with(&start) && lines[1].ends_with(" ms, FV_SCALE 16"),
            "{lines:?}"
        );
        assert_eq!(lines.len(), 2);
        assert_eq!(game.values(), expected(&path, 16));
        assert!(game.go().last().unwrap().starts_with("bestmove "));
        assert_eq!(game.get_ready(), [""; 0]);
        game.0.quit();
    }
}

#[test]
fn without_isready_it_is_loaded_when_it_is_needed() {
    let place = Place::new();
    place.network("eval/nn.bin", CLASSIC, 3);
    place.write("eval/eval_options.txt", "FV_SCALE 8\n");
    for command in ["e", "go depth 1", "bench 1"] {
        let mut game = place.start();
        game.0.send(command);
        let lines: Vec<_> = (0..4).map(|_| game.0.line()).collect();
        assert!(lines[0].contains("read engine options"), "{lines:?}");
        assert!(lines[2].contains("loading eval file"), "{lines:?}");
        assert!(lines[3].ends_with(" ms, FV_SCALE 8"), "{lines:?}");
        let mut rest = game
            .0
            .until(command.split(' ').next().map_or("", |word| match word {
                "e" => "eval",
                "go" => "bestmove",
                _ => "Nodes",
            }));
        rest.retain(|line| line.starts_with("info string"));
        assert_eq!(rest, [""; 0]);
        game.0.quit();
    }
}

#[test]
fn searches_use_it() {
    let place = Place::new();
    place.network("eval/nn.bin", CLASSIC, 3);
    let score = |game: &mut Game| -> String {
        game.0.send("position startpos");
        game.0.send("go depth 1 searchmoves 7g7f");
        let lines = game.0.until("bestmove");
        let line = lines.iter().rev().find(|line| line.contains(" score "));
        let words = line.expect("a score").split(' ');
        words
            .skip_while(|word| *word != "cp")
            .nth(1)
            .unwrap()
            .to_owned()
    };
    let mut game = place.start();
    // Entries that helper threads leave in the table change scores from run to run.
    game.set("Threads", "1");
    game.loaded();
    let with_network = score(&mut game);
    game.set("FV_SCALE", "1");
    let enlarged = score(&mut game);
    // Without another isready: a search is never made with another evaluation than the one asked for.
    game.set("Evaluation", "material");
    assert_eq!(score(&mut game), "0");
    let all = [with_network, enlarged, "0".to_owned()];
    assert!(
        all[0] != all[1] && all[1] != all[2] && all[0] != all[2],
        "{all:?}"
    );
    game.0.quit();
}

#[test]
fn evaluations_without_files() {
    let place = Place::new();
    place.write("eval/nn.bin", "damaged");
    let mut game = place.start();
    game.set("Evaluation", "material");
    assert_eq!(game.loaded(), "material");
    assert_eq!(game.values(), POSITIONS.map(material));
    game.set("MaterialLevel", "9");
    assert_eq!(game.loaded(), "material9");
    assert_eq!(game.values(), POSITIONS.map(material9));
    game.set("Evaluation", "embedded");
    assert!(game.loaded().starts_with(embedded_name()));
    assert!(game.plays_embedded());
    game.set("Evaluation", "positional");
    assert_eq!(game.loaded(), "positional");
    assert_eq!(game.values(), POSITIONS.map(positional));
    game.0.quit();
}

#[test]
fn a_program_without_files_says_so_and_plays() {
    // The folder is empty, or there is none.
    for remove in [false, true] {
        let place = Place::new();
        if remove {
            fs::remove_dir(place.path("eval")).unwrap();
        }
        let mut game = place.start();
        let lines = game.get_ready();
        let expected = format!(
            "no evaluation files in {} : playing with the embedded evaluation",
            place.show("eval")
        );
        assert_eq!(lines[0], expected);
        let name = lines[1].strip_prefix("evaluation : ");
        assert!(
            name.is_some_and(|name| name.starts_with(embedded_name())),
            "{lines:?}"
        );
        assert!(game.plays_embedded());
        // It is no error, so it is not repeated.
        assert_eq!(game.get_ready(), [""; 0]);
        assert!(game.go().iter().all(|line| !line.contains("Error!")));
        game.0.quit();
    }
}

#[test]
fn an_unusable_evaluation_is_reported_again_and_again() {
    let place = Place::new();
    place.network("good.bin", CLASSIC, 1);
    let good = fs::read(place.path("good.bin")).unwrap();
    let longer = [&good[..], b"x"].concat();
    let wrong_version = [b"hello", &good[5..]].concat();
    for (content, reasons) in [
        (&good[..good.len() - 1], "1 are missing"),
        (&good[..1000], "are missing"),
        (&good[..3], "the file is cut off or damaged"),
        (&[][..], "cut off or damaged"),
        (&longer, "1 are too many"),
        (&wrong_version, "expected 7AF32F16"),
    ] {
        fs::write(place.path("eval/nn.bin"), content).unwrap();
        let mut game = place.start();
        let lines = game.get_ready();
        let found: Vec<_> = lines
            .iter()
            .filter(|line| line.starts_with("Error! "))
            .collect();
        let [error] = found[..] else {
            panic!("{lines:?}")
        };
        assert!(error.contains(&place.show("eval/nn.bin")), "{error}");
        assert!(error.contains(reasons), "{error}");
        assert!(error.contains("set EvalDir"), "{error}");
        assert!(
            error.ends_with("PLAYING WITH THE EMBEDDED EVALUATION"),
            "{error}"
        );
        assert!(game.plays_embedded());
        // Before every search and at every isready, until it is solved.
        let before_search = &game.go()[0];
        let start = "info string Error! playing with the embedded evaluation : ";
        assert!(
            before_search.starts_with(start) && before_search.contains(reasons),
            "{before_search}"
        );
        assert_eq!(game.get_ready(), [error.as_str()]);
        fs::copy(place.path("good.bin"), place.path("eval/nn.bin")).unwrap();
        assert!(game.loaded().starts_with(CLASSIC));
        assert!(!game.go()[0].contains("Error!"));
        game.0.quit();
    }
}

#[test]
fn a_folder_that_the_user_named_must_have_an_evaluation() {
    let place = Place::new();
    place.network("nets/suisho.bin", CLASSIC, 1);
    let mut game = place.start();
    game.set("EvalDir", "no/such folder");
    let lines = game.get_ready();
    let expected = format!(
        "Error! no evaluation in {}: neither nn.bin nor KK_synthesized.bin, KKP_synthesized.bin, \
         KPP_synthesized.bin nor positional.params nor a model.onnx; there is no such folder : PLAYING WITH THE EMBEDDED \
         EVALUATION",
        place.show("no/such folder")
    );
    assert_eq!(lines[0], expected);
    // A network under another name.
    game.set("EvalDir", "nets");
    let lines = game.get_ready();
    let hint = format!(
        "if suisho.bin is a network, rename it to nn.bin or set EvalDir to {}",
        place.show("nets/suisho.bin")
    );
    assert!(lines[0].contains(&hint), "{lines:?}");
    game.set("EvalDir", "nets/suisho.bin");
    assert!(game.loaded().starts_with(CLASSIC));
    game.set("EvalDir", &place.show("nets/suisho.bin"));
    assert!(game.loaded().starts_with(CLASSIC));
    game.0.quit();
    // The default folder with something in it that looks like an evaluation.
    place.network("eval/tanuki.nnue", CLASSIC, 1);
    let mut game = place.start();
    let lines = game.get_ready();
    assert!(
        lines[0].starts_with("Error! ") && lines[0].contains("tanuki.nnue"),
        "{lines:?}"
    );
    game.0.quit();
}

#[test]
fn a_file_that_was_replaced_is_loaded_again() {
    let place = Place::new();
    place.network("eval/nn.bin", CLASSIC, 1);
    let mut game = place.start();
    let path = place.path("eval/nn.bin");
    game.loaded();
    assert_eq!(game.values(), expected(&path, 16));
    place.network("new.bin", STACKED, 2);
    fs::rename(place.path("new.bin"), &path).unwrap();
    // Games go on with what they began with.
    let old = game.values();
    assert_ne!(old, expected(&path, 16));
    assert!(game.loaded().starts_with(STACKED));
    assert_eq!(game.values(), expected(&path, 16));
    fs::remove_file(&path).unwrap();
    let lines = game.get_ready();
    assert!(lines[0].starts_with("no evaluation files in "), "{lines:?}");
    game.0.quit();
}

#[test]
fn the_divisor_is_the_users_or_the_networks() {
    let place = Place::new();
    place.network("eval/nn.bin", CLASSIC, 1);
    let path = place.path("eval/nn.bin");
    let mut game = place.start();
    game.set("FV_SCALE", "24");
    assert!(game.loaded().ends_with(", FV_SCALE 24"));
    assert_eq!(game.values(), expected(&path, 24));
    // Without another isready, as the field has it.
    game.set("FV_SCALE", "16");
    assert_eq!(game.values(), expected(&path, 16));
    game.0.quit();
    // A file that states its own.
    let stated = with_text(&fs::read(&path).unwrap(), ",fv_scale=28");
    fs::write(&path, stated).unwrap();
    let mut game = place.start();
    // GUIs send the default.
    game.set("FV_SCALE", "16");
    let line = game.loaded();
    assert!(
        line.ends_with(", FV_SCALE 28 (stated by the file)"),
        "{line}"
    );
    assert_eq!(game.values(), expected(&path, 28));
    game.set("FV_SCALE", "20");
    assert_eq!(game.values(), expected(&path, 20));
    game.0.quit();
    place.write("eval/eval_options.txt", "FV_SCALE 16\n");
    let mut game = place.start();
    assert!(game.loaded().ends_with(", FV_SCALE 16"));
    assert_eq!(game.values(), expected(&path, 16));
    game.0.quit();
}

/// The file of a network with more text in its header.
fn with_text(file: &[u8], more: &str) -> Vec<u8> {
    let (head, rest) = file.split_at(8);
    let len = u32::from_le_bytes(rest[..4].try_into().unwrap());
    let (text, rest) = rest[4..].split_at(len as usize);
    let longer = (len + more.len() as u32).to_le_bytes();
    [head, &longer, text, more.as_bytes(), rest].concat()
}

#[test]
fn options_beside_the_evaluation_count_while_it_does() {
    let place = Place::with(&[("engine_options.txt", b"FV_SCALE 40\nMultiPV 2\n")]);
    place.network("a/nn.bin", CLASSIC, 1);
    place.network("b/nn.bin", CLASSIC, 2);
    place.write(
        "a/eval_options.txt",
        "option name FV_SCALE type spin default 20\nNothing 1\n",
    );
    let mut game = place.start();
    game.set("EvalDir", "a");
    game.set("FV_SCALE", "30");
    let lines = game.get_ready();
    let read = |name: &str| format!("read engine options, path = {}", place.show(name));
    let message =
        |name: &str, value| format!("engine option override. name = {name} , value = {value}");
    assert_eq!(
        lines[..6],
        [
            read("engine_options.txt"),
            message("FV_SCALE", 40),
            message("MultiPV", 2),
            read("a/eval_options.txt"),
            message("FV_SCALE", 20),
            "Error! No such option: Nothing".to_owned(),
        ]
    );
    assert_eq!(game.values(), expected(&place.path("a/nn.bin"), 20));
    game.set("FV_SCALE", "30");
    assert_eq!(game.0.ask("getoption FV_SCALE"), "Options[FV_SCALE] = 20");
    // Another evaluation is not divided by what was meant for this one.
    game.set("EvalDir", "b");
    game.get_ready();
    assert_eq!(game.values(), expected(&place.path("b/nn.bin"), 40));
    fs::remove_file(place.path("engine_options.txt")).unwrap();
    game.0.quit();
    let mut game = place.start();
    game.set("EvalDir", "a");
    game.get_ready();
    game.set("FV_SCALE", "30");
    game.set("EvalDir", "b");
    game.get_ready();
    assert_eq!(game.0.ask("getoption FV_SCALE"), "Options[FV_SCALE] = 30");
    assert_eq!(game.values(), expected(&place.path("b/nn.bin"), 30));
    game.0.quit();
}

#[test]
fn the_architecture_can_be_named() {
    let place = Place::new();
    // Two ways to choose among 81 stacks; the size does not tell them apart.
    place.network("eval/nn.bin", "SFNN_ka2_32_7_8_k9k9", 1);
    let mut game = place.start();
    game.set("EvalArchitecture", CLASSIC);
    let lines = game.get_ready();
    assert!(
        lines[1].starts_with("Error! ") && lines[1].contains("name the file's own architecture"),
        "{lines:?}"
    );
    game.set("EvalArchitecture", "nonsense");
    let error = &game.get_ready()[0];
    assert!(
        error.starts_with("Error! option EvalArchitecture: "),
        "{error}"
    );
    game.set("EvalArchitecture", "SFNN_ka2_32_7_8_k9k9");
    assert!(game.loaded().starts_with("SFNN_ka2_32_7_8_k9k9, "));
    game.0.quit();
}

#[test]
#[cfg(unix)]
fn tables_of_zeros_are_worth_the_material() {
    for layout in [KpptLayout::Kppt, KpptLayout::KppKkpt] {
        let place = Place::new();
        place.tables("eval", layout);
        let mut game = place.start();
        // Has no effect: what tables are divided by is part of them.
        game.set("FV_SCALE", "1");
        let lines = game.get_ready();
        assert_eq!(
            lines[0],
            format!("loading eval file : {}", place.show("eval"))
        );
        let start = format!("evaluation : {}, {}, ", layout.name(), place.show("eval"));
        assert!(
            lines[1].starts_with(&start) && lines[1].contains(" MiB mapped, "),
            "{lines:?}"
        );
        assert_eq!(game.values(), POSITIONS.map(material));
        assert!(game.go().last().unwrap().starts_with("bestmove "));
        game.0.quit();
    }
}

#[test]
#[cfg(unix)]
fn tables_that_are_wrong_or_not_alone() {
    let place = Place::new();
    place.tables("eval", KpptLayout::Kppt16);
    let mut game = place.start();
    let lines = game.get_ready();
    assert!(
        lines[1].contains("convert them to kppt32 first"),
        "{lines:?}"
    );
    place.tables("eval", KpptLayout::Kppt);
    fs::remove_file(place.path("eval/KKP_synthesized.bin")).unwrap();
    let lines = game.get_ready();
    assert!(
        lines[1].contains("KKP_synthesized.bin: not there"),
        "{lines:?}"
    );
    place.tables("eval", KpptLayout::KppKkpt);
    let path = place.path("eval/KK_synthesized.bin");
    let file = File::options().write(true).open(path).unwrap();
    file.set_len(5).unwrap();
    let lines = game.get_ready();
    assert!(
        lines[1].contains("KK_synthesized.bin: 5 bytes, expected 52488"),
        "{lines:?}"
    );
    assert!(game.plays_embedded());
    place.tables("eval", KpptLayout::KppKkpt);
    assert!(game.loaded().starts_with("kpp_kkpt32, "));
    // A network goes first, which is reported.
    place.network("eval/nn.bin", CLASSIC, 1);
    let lines = game.get_ready();
    assert_eq!(
        lines[1],
        "eval file : there are KPPT files beside it, which are not used"
    );
    assert!(
        lines[2].starts_with(&format!("evaluation : {CLASSIC}, ")),
        "{lines:?}"
    );
    // A damaged one does not make way for them.
    place.write("eval/nn.bin", "damaged");
    let lines = game.get_ready();
    assert!(
        lines[2].starts_with("Error! ") && lines[2].contains("nn.bin"),
        "{lines:?}"
    );
    assert!(game.plays_embedded());
    game.0.quit();
}

#[test]
fn skipping_takes_what_zeros_are_worth() {
    let place = Place::new();
    let mut game = place.start();
    game.set("SkipLoadingEval", "true");
    game.set("EvalDir", "xyz");
    let lines = game.get_ready();
    assert!(
        lines[0].starts_with("SkipLoadingEval : no evaluation in "),
        "{lines:?}"
    );
    assert_eq!(lines[1], "evaluation : material");
    assert_eq!(game.values(), POSITIONS.map(material));
    assert_eq!(game.get_ready(), [""; 0]);
    // Files that exist are loaded all the same.
    place.network("xyz/nn.bin", CLASSIC, 1);
    assert!(game.loaded().starts_with(CLASSIC));
    game.0.quit();
}

#[cfg(unix)]
#[test]
fn folders_with_names_in_shift_jis_are_named_by_their_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use test_support::run_program;

    use crate::util::LONG;

    // 評価: as a value on the command line, in a line of standard input, and in a file of options.
    let name = b"\x95\x5d\x89\xbf";
    let place = Place::new();
    place.network("nets/nn.bin", CLASSIC, 1);
    fs::rename(
        place.path("nets"),
        place.folder.path().join(OsStr::from_bytes(name)),
    )
    .unwrap();
    let option = [b"setoption name EvalDir value ", &name[..]].concat();
    let check = |words: &[&[u8]], input: &[u8]| {
        let words = words.iter().map(|word| OsStr::from_bytes(word));
        let folder = Path::new("/");
        let run = run_program(&place.program, folder, words, input.to_vec(), LONG).silent();
        let is_loaded =
            |line: &str| line.starts_with(&format!("info string evaluation : {CLASSIC}"));
        assert!(run.text().lines().any(is_loaded), "{}", run.text());
        run.text().to_owned()
    };
    let mut words: Vec<&[u8]> = option.splitn(5, |&byte| byte == b' ').collect();
    words.extend([&b","[..], b"isready", b",", b"quit"]);
    check(&words, b"");
    let input = [&option[..], b"\ngetoption EvalDir\nisready\nquit\n"].concat();
    let text = check(&[], &input);
    // What is printed is UTF-8.
    let shown = String::from_utf8_lossy(name);
    let line = format!("Options[EvalDir] = {shown}");
    assert!(text.lines().any(|found| found == line), "{text}");
    let file = [b"EvalDir ", &name[..], b"\n"].concat();
    fs::write(place.path("engine_options.txt"), file).unwrap();
    check(&[], b"isready\nquit\n");
}
