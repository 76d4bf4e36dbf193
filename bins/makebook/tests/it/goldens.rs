//! Outputs of other programs, reproduced by the same command lines.

use crate::util::{Refused, RunMakebook, fixture, folder_with};
use std::collections::{BTreeMap, BTreeSet};

/// Comparison of an output with its expected file.
#[derive(Clone, Copy, Debug)]
enum Equal {
    /// Byte for byte.
    Bytes,
    /// Text but for the line ends.
    Text,
    /// Lines in any order.
    Lines,
    /// Positions with moves and values; the rest of a move and the order of equal values are free.
    Values,
}

/// Runs `line` with the files of the golden folder `from`; it must give `outputs`.
#[track_caller]
fn golden(from: &str, line: &str, outputs: &[&str], equal: Equal) {
    let words = line.split(' ').skip(2);
    let is_input = |word: &&str| fixture(&format!("{from}/{word}")).is_file();
    let inputs: Vec<_> = words
        .filter(|word| !outputs.contains(word))
        .filter(is_input)
        .map(|word| format!("{from}/{word}"))
        .collect();
    let inputs: Vec<_> = inputs.iter().map(String::as_str).collect();
    let folder = folder_with(&inputs);
    let args = line.split(' ').skip(1);
    let run = folder.run_args(args);
    assert_eq!(run.code, Some(0), "{line}: {run:?}");
    for output in outputs {
        let expected = std::fs::read(fixture(&format!("{from}/{output}"))).unwrap();
        compare(&folder.read(output), &expected, equal, line);
    }
}

#[track_caller]
fn compare(made: &[u8], expected: &[u8], equal: Equal, line: &str) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().replace('\r', "");
    match equal {
        Equal::Bytes => assert!(made == expected, "{line}"),
        Equal::Text => assert_eq!(text(made), text(expected), "{line}"),
        Equal::Lines => {
            let (made, expected) = (text(made), text(expected));
            let set = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
            assert_eq!(set(&made), set(&expected), "{line}");
        }
        Equal::Values => assert_eq!(values(&text(made)), values(&text(expected)), "{line}"),
    }
}

/// Positions with moves and values, and whether the values fall.
fn values(book: &str) -> BTreeMap<String, (BTreeMap<String, i32>, bool)> {
    let mut positions = BTreeMap::new();
    for record in book.split("sfen ").skip(1) {
        let mut lines = record.lines();
        let sfen = lines.next().unwrap().trim_end().to_owned();
        let moves: Vec<(String, i32)> = lines
            .map(|line| {
                let words: Vec<_> = line.split(' ').collect();
                (words[0].to_owned(), words[2].parse().unwrap())
            })
            .collect();
        let falling = moves.is_sorted_by(|a, b| a.1 >= b.1);
        positions.insert(sfen, (moves.into_iter().collect(), falling));
    }
    positions
}

#[test]
fn from_sfen() {
    for (line, output) in [
        ("makebook from_sfen games.sfen fs16.db moves 16", "fs16.db"),
        ("makebook from_sfen games.sfen fs16.db", "fs16.db"),
        ("makebook from_sfen games.sfen fs3.db moves 3", "fs3.db"),
        (
            "makebook from_sfen bw black.sfen white.sfen fsbw.db moves 12",
            "fsbw.db",
        ),
        (
            "makebook from_sfen bw no_file white.sfen fsnob.db moves 12",
            "fsnob.db",
        ),
        (
            "makebook from_sfen bw black.sfen no_file fsnow.db moves 12",
            "fsnow.db",
        ),
        ("makebook from_sfen --moves 3 games.sfen fs3.db", "fs3.db"),
    ] {
        golden("from_sfen", line, &[output], Equal::Bytes);
    }
}

#[test]
fn merge_and_sort() {
    for (line, output) in [
        ("makebook merge ma.db mb.db mab.db", "mab.db"),
        ("makebook merge mb.db ma.db mba.db", "mba.db"),
        ("makebook merge ma.db mb.db mab_s.db", "mab_s.db"),
        ("makebook merge bw ma.db mb.db mab_bw.db", "mab_bw.db"),
        ("makebook merge wb ma.db mb.db mab_wb.db", "mab_wb.db"),
        (
            "makebook merge --bw ma.db mb.db mab_bw.db --threads 1",
            "mab_bw.db",
        ),
    ] {
        golden("merge", line, &[output], Equal::Text);
    }
    for (line, output) in [
        ("makebook sort messy.db messy_sorted.db", "messy_sorted.db"),
        (
            "makebook sort messy.db messy_sorted_ip.db",
            "messy_sorted_ip.db",
        ),
        (
            "makebook sort ma.db ma_sorted_s.db --memory 1M",
            "ma_sorted_s.db",
        ),
    ] {
        golden("sort", line, &[output], Equal::Text);
    }
}

#[test]
fn extract() {
    let line = "makebook extract_sfen_from_db read_book messy.db write_sfen xdb.txt";
    golden("extract", line, &["xdb.txt"], Equal::Text);
    let line = "makebook extract_sfen_from_sfen read_sfen games.sfen write_sfen xsf.txt";
    golden("extract", line, &["xsf.txt"], Equal::Text);
}

#[test]
fn extend_tree() {
    for (line, output) in [
        (
            "makebook extend_tree acyclic_bt.db ex_startpos.txt ex_default.out",
            "ex_default.out",
        ),
        (
            "makebook extend_tree acyclic.db ex_startpos.txt ex_raw.out",
            "ex_raw.out",
        ),
        (
            "makebook extend_tree acyclic.db ex_startpos.txt ex_limits.out black_eval_limit -200 white_eval_limit -300",
            "ex_limits.out",
        ),
        (
            "makebook extend_tree acyclic.db ex_startpos.txt ex_tight.out black_eval_limit 20 white_eval_limit 20",
            "ex_tight.out",
        ),
        (
            "makebook extend_tree acyclic.db ex_startpos.txt ex_range.out extend_range -20 30 black_eval_limit -200 white_eval_limit -200",
            "ex_range.out",
        ),
        (
            "makebook extend_tree acyclic.db ex_multi.txt ex_multi.out",
            "ex_multi.out",
        ),
        (
            "makebook extend_tree acyclic.db ex_startpos.txt ex_maxply.out max_game_ply 4 black_eval_limit -200 white_eval_limit -200",
            "ex_maxply.out",
        ),
        (
            "makebook extend_tree acyclic.db ex_startpos.txt ex_maxply.out --max-game-ply 4 --black_eval_limit -200 --white-eval-limit=-200",
            "ex_maxply.out",
        ),
    ] {
        golden("extend_tree", line, &[output], Equal::Lines);
    }
}

#[test]
fn build_tree() {
    for (line, output) in [
        (
            "makebook build_tree acyclic.db acyclic_bt.db",
            "acyclic_bt.db",
        ),
        ("makebook build_tree ties.db ties_bt.db", "ties_bt.db"),
        (
            "makebook build_tree handicap.db handicap_bt.db",
            "handicap_bt.db",
        ),
    ] {
        golden("build_tree", line, &[output], Equal::Values);
    }
    // Cycles: what the other program makes of them depends on its order; contempt is read here.
    let folder = folder_with(&["build_tree/mini_cycle.db"]);
    let tree = |contempt: &str| {
        let line = format!("build_tree mini_cycle.db out.db{contempt}");
        folder.run(&line).silent();
        folder.read("out.db")
    };
    let usual = tree("");
    assert_eq!(usual, tree(" black_contempt 50 white_contempt 150"));
    assert_ne!(usual, tree(" black_contempt -500 white_contempt 0"));
}

#[test]
fn stera_convert() {
    for name in ["stera", "stera_missing"] {
        let out = match name {
            "stera" => "stera_out.db".to_owned(),
            _ => format!("{name}_out.db"),
        };
        let input = match name {
            "stera" => "stera_in.db".to_owned(),
            _ => format!("{name}.db"),
        };
        let line = format!(
            "makebook stera_convert read_book {input} write_book {out} root_sfens_name stera_roots.txt"
        );
        golden("stera", &line, &[&out], Equal::Values);
    }
}

#[test]
fn peta_shock() {
    for name in [
        "acyclic",
        "ties",
        "handicap",
        "cyclic",
        "mini_cycle",
        "perpetual",
    ] {
        let out = format!("{name}_ps.db");
        let line = format!("makebook peta_shock {name}.db {out}");
        golden("peta_shock", &line, &[&out], Equal::Values);
    }
    for (line, output) in [
        (
            "makebook peta_shock acyclic.db acyclic_pss.db shrink",
            "acyclic_pss.db",
        ),
        (
            "makebook peta_shock ties.db ties_psf.db shrink fast",
            "ties_psf.db",
        ),
    ] {
        golden("peta_shock", line, &[output], Equal::Values);
    }
    let line = "makebook peta_shock acyclic_nd.ybb acyclic_nd_ps.ybb";
    golden("ybb", line, &["acyclic_nd_ps.ybb"], Equal::Bytes);
    let folder = folder_with(&["peta_shock/acyclic.db"]);
    folder
        .run("peta_shock acyclic.db acyclic_x.ybb")
        .refused(1, &["acyclic_x.ybb"]);
    let run = folder.run("peta_shock acyclic.db out.db").silent();
    for line in [
        "write book nodes   : 177",
        "const_nodes        : 177",
        "non-const_nodes    : 0",
        "converged_moves    : 89",
    ] {
        assert!(run.text().contains(line), "{run:?}");
    }
}

#[test]
fn peta_next() {
    for (name, line) in [
        ("diff10", "peta_next --peta-book acyclic_ps.db"),
        (
            "diff60",
            "peta_next --peta-book acyclic_ps.db --peta-eval-diff 60",
        ),
        ("diff60", "peta_next acyclic_ps.db eval_diff 60"),
        (
            "cyc",
            "peta_next cyclic_ps.db --peta-eval-diff 40 --max-ply 30",
        ),
    ] {
        let folder = folder_with(&["peta_next/acyclic_ps.db", "peta_next/cyclic_ps.db"]);
        folder.run(line).silent();
        for list in [
            "",
            "-black",
            "-white",
            "-sfen",
            "-black-sfen",
            "-white-sfen",
        ] {
            let made = folder.read(format!("think_sfens{list}.txt"));
            let golden = fixture(&format!("peta_next/pn_{name}_think_sfens{list}.txt"));
            compare(&made, &std::fs::read(golden).unwrap(), Equal::Lines, line);
        }
    }
}

#[test]
fn conversions() {
    for (line, output) in [
        (
            "makebook convert acyclic_ps.db acyclic_ps.ybb",
            "acyclic_ps.ybb",
        ),
        (
            "makebook convert acyclic.db acyclic_nd.ybb --no-depth",
            "acyclic_nd.ybb",
        ),
        ("makebook convert handicap.db handicap.ybb", "handicap.ybb"),
        (
            "makebook convert handicap.ybb handicap_back.db",
            "handicap_back.db",
        ),
        (
            "makebook convert acyclic_nd.ybb acyclic_nd_back.db",
            "acyclic_nd_back.db",
        ),
    ] {
        golden("ybb", line, &[output], Equal::Bytes);
    }
    for (line, output) in [
        ("makebook convert_to_apery ap_src.db ap.bin", "ap.bin"),
        ("makebook convert ap_src.db ap.bin", "ap.bin"),
        (
            "makebook convert_to_apery messy_sorted.db ap2.bin",
            "ap2.bin",
        ),
        (
            "makebook convert_from_apery ap.bin ap_back.db",
            "ap_back.db",
        ),
    ] {
        golden("apery", line, &[output], Equal::Bytes);
    }
}

#[test]
fn startsfens() {
    let golden = "startsfens/book_a.db-startsfens.txt";
    let expected = std::fs::read(fixture(golden)).unwrap();
    let folder = folder_with(&["startsfens/book_a.db"]);
    folder.run("startsfens book_a.db").silent();
    assert!(folder.read("book_a.db-startsfens.txt") == expected);
    folder
        .run("yanebook2startsfen book_a.db other.txt")
        .silent();
    assert!(folder.read("other.txt") == expected);
    folder
        .run("startsfens book_a.db tips.txt --tips-only")
        .silent();
    assert!(folder.read("tips.txt").len() < expected.len());
}
