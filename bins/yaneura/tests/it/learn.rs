//! `yaneura learn`: from teacher data to a network that the engine plays with.

use std::time::Duration;

use serde_json::Value;
use test_support::{TestFolder, fixture, run_program};

use crate::util::PROGRAM;

/// Longest time of a run, on a busy machine.
const RUN_TIME: Duration = Duration::from_secs(600);

/// Runs `yaneura learn` with `line` in `folder`; exit code, standard output, standard error.
fn learn(folder: &TestFolder, line: &str) -> (Option<i32>, String, String) {
    let words: Vec<_> = std::iter::once("learn")
        .chain(line.split_whitespace())
        .collect();
    let run = run_program(PROGRAM, &folder.path(""), words, Vec::new(), RUN_TIME);
    (run.code, run.text().to_owned(), run.err)
}

/// A folder with 5,000 positions in `teacher.psv`.
fn data() -> TestFolder {
    let folder = TestFolder::new();
    std::fs::copy(fixture("learning/valid5k.psv"), folder.path("teacher.psv")).expect("a copy");
    folder
}

const SMALL: &str =
    "--train teacher.psv --valid 10% --arch kp_32x2-8-8 --batch 256 --mirror 0 --quiet";

#[test]
fn a_network_that_the_engine_reads() {
    let folder = data();
    let line = format!("{SMALL} --epochs 3 --json --html curves.html -o net");
    let (code, out, err) = learn(&folder, &line);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    assert_eq!(lines[0]["data"]["read"], 5000, "{out}");
    let losses: Vec<_> = lines[1..]
        .iter()
        .map(|line| line["valid_excess"].as_f64().expect("a loss"))
        .collect();
    assert_eq!(losses.len(), 4, "{out}");
    assert!(losses[3] < losses[0] && losses[3] < 0.2, "{out}");
    assert!(
        lines[4]["positions_per_second"].as_f64() > Some(0.0),
        "{out}"
    );
    let page = String::from_utf8(folder.read("curves.html")).expect("text");
    assert!(
        page.contains("kp_32x2-8-8") && page.contains("<svg"),
        "{page}"
    );

    let words = [
        "setoption",
        "name",
        "EvalDir",
        "value",
        "net/final",
        ",",
        "isready",
        ",",
        "e",
        ",",
        "quit",
    ];
    let run = run_program(PROGRAM, &folder.path(""), words, Vec::new(), RUN_TIME);
    assert!(run.text().contains("net/final"), "{}", run.text());
    assert!(!run.text().contains("Error"), "{}", run.text());
}

/// A JSON line for each line of an output.
fn values(out: &str) -> Vec<Value> {
    let value = |line| serde_json::from_str(line).expect(line);
    out.lines().map(value).collect()
}

#[test]
fn what_is_left_out_is_counted_by_reason() {
    let folder = data();
    let line = format!("{SMALL} --epochs 1 --skip-upsets 200 --skip-sharp 500 -o net");
    let (code, out, err) = learn(&folder, &format!("{line} --json"));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let data = &values(&out)[0]["data"];
    let count = |name: &str| data["filtered_by"][name].as_u64().expect(name);
    let (upsets, sharp) = (count("upsets"), count("sharp"));
    assert!(upsets > 0 && sharp > 0, "{out}");
    let [all, scores] = ["filtered", "read"].map(|name| data[name].as_u64().expect(name));
    assert!(upsets + sharp == all && all < scores, "{out}");
    // Another evaluation, another training.
    let (code, _, err) = learn(&folder, &format!("{line} --static embedded"));
    assert_eq!(code, Some(0), "{err}");
    let first = folder.path("net/1/nn.bin");
    let (code, _, err) = learn(&folder, &format!("{line} --static {}", first.display()));
    assert!(code == Some(1) && err.contains("filter differs"), "{err}");
    let (code, out, err) = learn(
        &folder,
        &format!("{line} --static {} --force", first.display()),
    );
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(
        out.contains(" upsets, ") && out.contains(" sharp): "),
        "{out}"
    );
}

#[test]
fn a_training_says_that_it_is_out_of_patience() {
    let folder = data();
    let line = format!(
        "{SMALL} --epochs 30 --lr 0.03 --schedule constant --clip 0.001 --ema 0.5 --patience 1 -o net"
    );
    let (code, out, err) = learn(&folder, &format!("{line} --json"));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let lines = values(&out);
    let last = lines.last().expect("a line");
    let (stopped, best) = (&last["stopped"], &last["best_epoch"]);
    assert_eq!(
        stopped.as_u64(),
        best.as_u64().map(|epoch| epoch + 1),
        "{out}"
    );
    let epoch = &lines[lines.len() - 2];
    assert_eq!(&epoch["epoch"], stopped, "{out}");
    assert!(epoch["gradient_length"].as_f64() > Some(0.001), "{out}");
    assert!(epoch["clipped_steps"].as_u64() > Some(0), "{out}");
    let (code, out, _) = learn(&folder, &line);
    let told = format!("stopped after epoch {stopped}: none was better than epoch {best}");
    assert!(code == Some(0) && out.contains(&told), "{out}");
}

#[test]
fn the_same_bytes_with_any_number_of_threads() {
    let folder = data();
    for threads in ["1", "3"] {
        let (code, _, err) = learn(
            &folder,
            &format!("{SMALL} --epochs 2 --threads {threads} -o net{threads}"),
        );
        assert_eq!((code, err.as_str()), (Some(0), ""));
    }
    assert!(folder.read("net1/final/nn.bin") == folder.read("net3/final/nn.bin"));
}

#[test]
fn a_finished_training_is_not_done_again_and_force_begins_anew() {
    let folder = data();
    let line = format!("{SMALL} --epochs 2 --json -o net");
    let first = learn(&folder, &line);
    assert_eq!(first.0, Some(0));
    let network = folder.read("net/final/nn.bin");
    // The data alone are told again.
    let again = learn(&folder, &line);
    assert_eq!(
        (again.0, again.1.lines().count()),
        (Some(0), 1),
        "{again:?}"
    );
    let forced = learn(&folder, &format!("{line} --force"));
    assert_eq!(forced.1.lines().count(), first.1.lines().count());
    assert!(folder.read("net/final/nn.bin") == network);
}

#[test]
fn a_training_that_cannot_resume_names_the_options() {
    let folder = data();
    let line = format!("{SMALL} --epochs 2 -o net");
    assert_eq!(learn(&folder, &line).0, Some(0));
    let refused = |line: &str| {
        let (code, out, err) = learn(&folder, line);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert!(err.contains("pass --force to begin anew"), "{err}");
        err
    };
    let err = refused(&line.replace("--epochs 2", "--epochs 3"));
    assert!(
        err.contains(": epochs differ (expected 3, found 2)."),
        "{err}"
    );
    let err = refused(&format!("{line} --lr 0.5"));
    assert!(err.contains("learning rate differs"), "{err}");
    // Another number of threads is no other training.
    assert_eq!(learn(&folder, &format!("{line} --threads 2")).0, Some(0));
    let line = line.replace("--epochs 2", "--epochs 1 --force");
    let (code, _, err) = learn(&folder, &line);
    assert_eq!(code, Some(0), "{err}");
}

/// Writes files of 470 MB, so only when slow tests are wanted.
#[test]
fn tables_that_the_engine_reads() {
    if std::env::var_os("SHOGI_SLOW_TESTS").is_none() {
        return;
    }
    let folder = data();
    let line = "--train teacher.psv --arch kpp_kkpt --epochs 1 --quiet --json -o tables";
    let (code, out, err) = learn(&folder, line);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert_eq!(out.lines().count(), 3, "{out}");
    let line = "setoption name EvalDir value tables/final , isready , e , quit";
    let words = line.split_whitespace();
    let run = run_program(PROGRAM, &folder.path(""), words, Vec::new(), RUN_TIME);
    assert!(run.text().contains("kpp_kkpt32"), "{}", run.text());
}

#[test]
fn numbers_of_the_positional_evaluation_that_the_engine_reads() {
    let folder = data();
    let start = shogi_eval::PositionalWeights {
        pieces: [144, 504, 648, 792, 864, 864, 1368, 1584, 1512, 2232],
        ..shogi_eval::PositionalWeights::DEFAULT
    };
    folder.write("start.params", start.to_text());
    let line = "--train teacher.psv --arch positional --init start.params --valid 10% --batch 256 --epochs 3 --lr 1 \
                --freeze guard,attack,behind,rank,file,hand,danger,hand_force --quiet --json -o tuned";
    let (code, out, err) = learn(&folder, line);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let last: Value = serde_json::from_str(out.lines().last().expect("a line")).expect(&out);
    let tuned = &last["tuned"];
    let (before, after) = (tuned["before"].as_f64(), tuned["after"].as_f64());
    assert!(after < before, "{last}");
    let changes = tuned["changes"].as_object().expect("an object");
    assert!(
        changes.contains_key("piece_rook") && !changes.contains_key("guard_gold_1"),
        "{last}"
    );
    let e = |file: &str| {
        let line = format!("setoption name EvalDir value {file} , isready , e , quit");
        let words = line.split_whitespace();
        let run = run_program(PROGRAM, &folder.path(""), words, Vec::new(), RUN_TIME);
        run.text().to_owned()
    };
    let text = e("tuned/final");
    let (name, file) = (
        "evaluation : positional, ",
        "tuned/final/positional.params, ",
    );
    assert!(text.contains(name) && text.contains(file), "{text}");
    // A file that is wrong is told with its line.
    let numbers = String::from_utf8(folder.read("tuned/final/positional.params")).expect("text");
    let wrong = numbers.replacen("piece_pawn, int, ", "piece_pawn, int, much", 1);
    folder.write("wrong.params", wrong);
    let text = e("wrong.params");
    let (place, expected) = (
        "wrong.params: line 2: \"much",
        " is no whole number; expected NAME, int, VALUE",
    );
    assert!(text.contains(place) && text.contains(expected), "{text}");
    let (code, out, _) = learn(&folder, &format!("{} --force", line.replace(" --json", "")));
    assert_eq!(code, Some(0));
    let last = out.lines().last().expect("a line");
    assert!(
        last.starts_with("excess loss ") && last.contains(" numbers changed, most of all "),
        "{out}"
    );
}

#[test]
fn wrong_data_is_one_error() {
    let folder = data();
    folder.write("short.psv", &folder.read("teacher.psv")[..100]);
    folder.write("empty.psv", "");
    folder.write("text.txt", "hello");
    for (file, words) in [
        ("short.psv", "short.psv: "),
        ("empty.psv", "empty.psv: "),
        ("missing.psv", "missing.psv: "),
        ("text.txt", "text.txt: "),
    ] {
        let (code, out, err) = learn(&folder, &format!("--train {file} --quiet -o net"));
        assert_eq!((code, out.as_str()), (Some(1), ""), "{file}: {err}");
        assert!(
            err.contains(words) && err.lines().count() == 1,
            "{file}: {err}"
        );
    }
    for wrong in [
        "--valid 100%",
        "--freeze kk",
        "--arch kppt --optimiser sgd",
        "--arch kppt --init random",
        "--arch kpp_kkpt --freeze all",
        "--arch positional --init zero",
        "--arch positional --optimiser sgd",
    ] {
        let (code, _, err) = learn(&folder, &format!("--train teacher.psv {wrong} -o net"));
        assert_eq!(code, Some(2), "{wrong}: {err}");
    }
    assert!(!folder.path("net/final").exists());
}

const CLASSIC: &str = "EvalArchitecture kp_32x2-8-8 SkipLoadingEval true Threads 2 teacher.psv loop 3 batchsize 1000 \
     nn_batch_size 20 eta 0.2 lambda 0.5 eval_limit 3000 mirror_percentage 50 loss_output_interval 2000 \
     eval_save_interval 3000";

/// The value behind `name = ` in a line of progress.
fn value_of(line: &str, name: &str) -> f64 {
    let behind = line.split(&format!(" {name} = ")).nth(1).expect(line);
    behind
        .split([' ', ',', '%'])
        .next()
        .expect(line)
        .parse()
        .expect(line)
}

#[test]
fn the_classic_command_learns_and_prints_its_lines() {
    let folder = data();
    let (code, out, err) = learn(&folder, CLASSIC);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    for line in [
        "learn command , learn from teacher.psv , ",
        "loop              : 3",
        "eval_limit        : 3000",
        "Loss Function     : ELMO_METHOD(WCSC27)",
        "mini-batch size   : 1000",
        "nn_batch_size     : 20",
        "learning rate     : 0.2 , 0.2 , 0.2",
        "LAMBDA            : 0.5",
        "init..",
        "init done.",
        "open filename = teacher.psv",
        "save_eval() start. folder = evalsave/0",
        "save_eval() finished. folder = evalsave/final",
        "..end of files.",
    ] {
        assert!(out.lines().any(|found| found == line), "{line}: {out}");
    }
    let progress: Vec<_> = out
        .lines()
        .filter(|line| line.starts_with("PROGRESS: "))
        .collect();
    assert!(progress.len() > 2, "{out}");
    assert!(
        progress[0].contains(", 2000 sfens, iteration 2, eta = 0.2, hirate eval = "),
        "{out}"
    );
    let losses = ["test", "learn"].map(|data| {
        let excess = |line: &&str| {
            let value = |name: &str| value_of(line, &format!("{data}_{name}"));
            let mixed = 0.5 * (value("cross_entropy_eval") + value("cross_entropy_win"));
            assert!((mixed - value("cross_entropy")).abs() < 1e-3, "{line}");
            value("cross_entropy") - value("entropy")
        };
        progress.iter().map(excess).collect::<Vec<_>>()
    });
    let [test, learn_losses] = losses;
    assert!(test.iter().all(|&excess| excess > 0.0), "{test:?}");
    let last = learn_losses[learn_losses.len() - 1];
    assert!(
        last > 0.0 && last < 0.5 * learn_losses[0],
        "{learn_losses:?}"
    );
    let accuracies: Vec<_> = progress
        .iter()
        .map(|line| value_of(line, "move accuracy"))
        .collect();
    assert!(
        accuracies
            .iter()
            .all(|percent| (0.0..=100.0).contains(percent)),
        "{accuracies:?}"
    );
    assert!(
        accuracies.iter().any(|&percent| percent > 0.0),
        "{accuracies:?}"
    );
    for saved in ["0", "1", "final"] {
        assert!(
            folder.path(format!("evalsave/{saved}/nn.bin")).exists(),
            "{saved}"
        );
    }
    // The network is what the next training begins with.
    let (code, out, err) = learn(
        &folder,
        "EvalDir evalsave/final EvalSaveDir next save_only_once teacher.psv eta 0.1",
    );
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(folder.path("next/nn.bin").exists() && !folder.path("next/final").exists());
}

#[test]
fn newbob_takes_networks_back() {
    let folder = data();
    let line = format!(
        "{CLASSIC} discount_rate 0.5 loop 20 nn_batch_size 100 eta 30 newbob_decay 0.5 newbob_num_trials 2"
    );
    let (code, out, err) = learn(&folder, &line);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(
        out.contains("scheduling        : newbob with decay = 0.5, 2 trials"),
        "{out}"
    );
    assert!(out.contains(" < best (inf), accepted"), "{out}");
    assert!(out.contains("restoring parameters from evalsave/"), "{out}");
    assert!(
        out.contains("reducing learning rate scale from 1 to 0.5 (1 more trials)"),
        "{out}"
    );
}

#[test]
fn the_classic_command_is_a_line_of_the_loop_too() {
    let folder = data();
    let line = "setoption name SkipLoadingEval value true , setoption name EvalArchitecture value kp_32x2-8-8 , \
                setoption name EvalSaveDir value saved , learn teacher.psv loop 2 nn_batch_size 100 eta 0.5 , quit";
    let run = run_program(
        PROGRAM,
        &folder.path(""),
        line.split_whitespace(),
        Vec::new(),
        RUN_TIME,
    );
    assert!(
        run.text()
            .contains("\nsave_eval() finished. folder = saved/final\n"),
        "{}",
        run.text()
    );
    assert!(folder.path("saved/final/nn.bin").exists());
    for (line, error) in [
        ("learn , quit", "Error! learn: name at least one file"),
        (
            "learn --train teacher.psv , quit",
            "Error! learn: --train is for the command line",
        ),
        (
            "learn loop x , quit",
            "Error! learn: \"x\" is no value of loop",
        ),
    ] {
        let run = run_program(
            PROGRAM,
            &folder.path(""),
            line.split_whitespace(),
            Vec::new(),
            RUN_TIME,
        );
        assert!(run.text().contains(error), "{line}: {}", run.text());
    }
}

#[test]
fn conversions_append_and_shuffles_are_elsewhere() {
    let folder = data();
    let records = folder.read("teacher.psv");
    folder.write("two.bin", &records[..80]);
    for _ in 0..2 {
        let done = learn(&folder, "convert_plain output_file_name a.txt two.bin");
        assert_eq!((done.0, done.2.as_str()), (Some(0), ""));
    }
    let text = String::from_utf8(folder.read("a.txt")).expect("text");
    assert_eq!(
        (text.matches("sfen ").count(), text.matches("\ne\n").count()),
        (4, 4),
        "{text}"
    );
    let done = learn(&folder, "convert_bin output_file_name back.bin a.txt");
    assert_eq!((done.0, done.2.as_str()), (Some(0), ""));
    assert!(folder.read("back.bin")[..80].len() == 80 && folder.read("back.bin").len() == 160);
    let again = learn(&folder, "convert_plain output_file_name b.txt back.bin");
    assert_eq!(again.0, Some(0));
    assert!(folder.read("b.txt") == text.as_bytes());
    // A conversion that fails leaves the output as it was.
    folder.write("broken.txt", "sfen nonsense\ne\n");
    let (code, _, err) = learn(&folder, "convert_bin output_file_name back.bin broken.txt");
    assert_eq!(
        (code, err.contains("broken.txt: line 1: ")),
        (Some(1), true),
        "{err}"
    );
    assert_eq!(folder.read("back.bin").len(), 160);
    let (code, _, err) = learn(&folder, "shuffle targetdir . output_file_name all.bin");
    assert_eq!(code, Some(2), "{err}");
    assert!(
        err.contains("teacher shuffle ./back.bin ./two.bin -o all.bin"),
        "{err}"
    );
}

#[test]
fn wrong_classic_words_are_one_error() {
    let folder = data();
    for (line, expected, words) in [
        ("loop 2", 2, "name at least one file"),
        ("loop", 2, "expected a value after loop"),
        ("targetdir none", 2, "none: "),
        ("teacher.psv", 1, "no network (nn.bin) in this folder"),
        ("SkipLoadingEval true missing.bin", 1, "missing.bin: "),
    ] {
        let (code, _, err) = learn(&folder, line);
        assert_eq!(code, Some(expected), "{line}: {err}");
        assert!(
            err.contains(words) && err.lines().count() == 1,
            "{line}: {err}"
        );
    }
}

#[cfg(unix)]
#[test]
fn the_classic_command_takes_names_that_are_no_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    // 評価, 教師.psv and 次 in Shift JIS.
    let [network, teacher, next]: [&[u8]; 3] =
        [b"\x95\x5d\x89\xbf", b"\x8b\xb3\x8e\x74.psv", b"\x8e\x9f"];
    let [network, teacher, next] = [network, teacher, next].map(OsStr::from_bytes);
    let folder = data();
    let line = format!("{CLASSIC} EvalSaveDir net save_only_once");
    let (code, out, err) = learn(&folder, &line);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    std::fs::rename(folder.path("net"), folder.path(network)).unwrap();
    std::fs::rename(folder.path("teacher.psv"), folder.path(teacher)).unwrap();
    // With the leaves of a search, which reads the network by itself.
    let words = "learn eta 0.1 discount_rate 0.5 nn_batch_size 100 save_only_once EvalDir";
    let words = words.split(' ').map(OsStr::new);
    let words = words.chain([network, OsStr::new("EvalSaveDir"), next, teacher]);
    let run = run_program(PROGRAM, &folder.path(""), words, Vec::new(), RUN_TIME);
    assert_eq!(
        (run.code, run.err.as_str()),
        (Some(0), ""),
        "{}",
        run.text()
    );
    assert!(folder.path(next).join("nn.bin").is_file());
}
