//! Cases from the field, under `fixtures/trials/shogi`.

use test_support::SplitMix64;

use crate::util::{Folder, golden};

const GOOD: &str = "../trials/shogi/19-psv-damage/good.psv";
const GOOD_HCPE: &str = "../trials/shogi/19-psv-damage/good.hcpe";

fn damaged(name: &str) -> String {
    format!("../trials/shogi/19-psv-damage/{name}")
}

fn shifted(name: &str) -> String {
    format!("../trials/shogi/20-psv-with-a-byte-too-much/{name}")
}

/// Records of `len` bytes.
fn records(bytes: &[u8], len: usize) -> Vec<&[u8]> {
    bytes.chunks(len).collect()
}

/// Returns the number of records of `of` in `found`, which must contain no others.
#[track_caller]
fn common(found: &[u8], of: &[u8], len: usize) -> usize {
    let all = records(of, len);
    let found = records(found, len);
    for record in &found {
        assert!(
            all.contains(record),
            "a record that was not there: {record:?}"
        );
    }
    found.len()
}

/// A folder with 60 PSV records, every third of which has no move.
fn without_moves() -> Folder {
    let folder = Folder::new();
    let mut bytes = golden(GOOD);
    for record in bytes.chunks_mut(40).step_by(3) {
        record[34..36].fill(0);
    }
    folder.write("a.psv", bytes);
    folder
}

#[test]
fn records_without_a_move_are_whole_and_counted() {
    let folder = without_moves();
    let run = folder.run("check a.psv").silent();
    let text = run.text();
    assert!(
        text.starts_with("a.psv: good; 60 positions in order\n"),
        "{text}"
    );
    assert!(
        text.contains("a.psv: 20 positions without a move (0x0000)"),
        "{text}"
    );
    let json = folder.run("check a.psv --json").succeeded().json();
    assert_eq!(json["files"][0]["without_move"], 20);

    let run = folder.run("stats a.psv").silent();
    assert!(
        run.text()
            .lines()
            .any(|line| line.contains("without a move") && line.ends_with("20    33.3 %")),
        "{run:?}"
    );
    let json = folder.run("stats a.psv --json").succeeded().json();
    assert_eq!(json["positions"]["without_move"], 20);

    let run = folder.run("head a.psv -n 2").silent();
    let second = run.text().lines().nth(1).unwrap();
    assert!(run.text().starts_with("      1  none  "), "{run:?}");
    assert!(!second.contains("none"), "{run:?}");
    folder.run("sample a.psv -n 60").silent();

    let run = folder.run("filter a.psv -o b.psv --quiet-move").succeeded();
    assert!(run.err.contains("20 records without a move"), "{run:?}");
    assert!(
        folder
            .read("b.psv")
            .chunks(40)
            .all(|record| record[34..36] != [0, 0])
    );
    folder
        .run("filter a.psv -o with.psv --with-move")
        .succeeded();
    folder
        .run("filter a.psv -o without.psv --without-move")
        .succeeded();
    assert_eq!(folder.read("with.psv").len(), 40 * 40);
    assert_eq!(folder.read("without.psv").len(), 20 * 40);
    folder
        .run("filter a.psv -o c.psv --with-move --without-move")
        .failed(2, &["--with-move"]);

    let run = folder.run("repair a.psv r.psv").succeeded();
    assert!(run.err.contains("20 records without a move"), "{run:?}");
    assert!(folder.read("r.psv") == folder.read("a.psv"));
    for line in [
        "shuffle a.psv -o out.psv",
        "dedup a.psv -o out2.psv",
        "concat a.psv -o out3.psv",
        "split a.psv -o part.psv --parts 2",
    ] {
        let run = folder.run(line).succeeded();
        assert!(run.err.contains("20 records without a move"), "{run:?}");
        let json = folder
            .run(&format!("{line} --json --force"))
            .succeeded()
            .json();
        assert_eq!(json["without_move"], 20, "{line}");
    }
}

#[test]
fn what_needs_a_move_says_so() {
    let folder = without_moves();
    let line = "convert a.psv -o a.hcpe";
    folder.run(line).failed(
        1,
        &[
            "without a move",
            "readers of hcpe need",
            "--no-move skip",
            "--no-move keep",
        ],
    );
    assert!(!folder.path("a.hcpe").exists());
    let run = folder
        .run("convert a.psv -o a.hcpe --no-move skip")
        .succeeded();
    assert!(
        run.err
            .contains("20 records without a move (0x0000), left out"),
        "{run:?}"
    );
    assert_eq!(folder.read("a.hcpe").len(), 40 * 38);
    folder.run("check a.hcpe --strict").silent();
    let run = folder
        .run("convert a.psv -o b.hcpe --no-move keep")
        .succeeded();
    assert!(
        run.err
            .contains("20 records without a move (0x0000), kept so"),
        "{run:?}"
    );
    assert_eq!(folder.read("b.hcpe").len(), 60 * 38);
    let run = folder.run("check b.hcpe").silent();
    assert!(
        run.text().contains("20 positions without a move"),
        "{run:?}"
    );
    // There and back.
    folder.run("convert b.hcpe -o c.psv").succeeded();
    let [there, back] = [folder.read("a.psv"), folder.read("c.psv")];
    for (a, b) in there.chunks(40).zip(back.chunks(40)) {
        assert_eq!((&a[..36], a[38]), (&b[..36], b[38]));
    }

    folder
        .run("convert a.psv -o a.hcpe3")
        .failed(1, &["readers of hcpe3 need", "--no-move skip"]);
    folder
        .run("convert a.psv -o a.hcpe3 --no-move keep")
        .failed(2, &["hcpe3"]);
    folder
        .run("convert a.psv -o a.hcpe3 --no-move skip")
        .succeeded();
    let run = folder.run("check a.hcpe3").silent();
    assert!(run.text().contains("40 games, 40 positions"), "{run:?}");

    for text in ["jsonl", "csv"] {
        folder
            .run(&format!("convert a.psv -o a.{text}"))
            .succeeded();
        folder
            .run(&format!("convert a.{text} -o {text}.psv"))
            .succeeded();
        assert!(
            folder.read(format!("{text}.psv")) == folder.read("a.psv"),
            "{text}"
        );
        let line = format!("convert a.{text} -o {text}.hcpe");
        folder.run(&line).failed(1, &["readers of hcpe need"]);
        folder.run(&format!("{line} --no-move skip")).succeeded();
        assert!(
            folder.read(format!("{text}.hcpe")) == folder.read("a.hcpe"),
            "{text}"
        );
    }
}

#[test]
fn the_unused_byte_is_told_only_by_a_strict_check() {
    for (good, padded) in [(GOOD, "padding.psv"), (GOOD_HCPE, "padding.hcpe")] {
        let folder = Folder::with(&[good]);
        let name = std::path::Path::new(good).file_name().unwrap();
        let bytes = folder.read(name);
        let len = bytes.len() / 60;
        let mut unused = bytes.clone();
        for record in unused.chunks_mut(len).skip(7) {
            record[len - 1] = 171;
        }
        folder.write(padded, &unused);
        let run = folder.run(&format!("check {padded}")).silent();
        assert!(run.text().contains("good; 60 positions"), "{run:?}");
        let run = folder
            .run(&format!("check {padded} --strict"))
            .failed(1, &[]);
        let place = format!(
            "byte {}: record 8 (begins at byte {}): the last byte",
            8 * len - 1,
            7 * len
        );
        assert!(
            run.text().contains(&place) && run.text().contains("53 damaged places"),
            "{run:?}"
        );
        let out = format!("out.{}", padded.rsplit_once('.').unwrap().1);
        folder.run(&format!("repair {padded} {out}")).succeeded();
        assert!(folder.read(&out) == bytes, "{padded}");
        folder
            .run(&format!("dedup {padded} -o d{out} --by record"))
            .succeeded();
    }
    let folder = Folder::with(&[&damaged("padding.psv"), GOOD]);
    folder.run("check padding.psv").silent();
    folder.run("check padding.psv --strict").failed(1, &[]);
    folder.run("check good.psv --strict").silent();
    folder.run("repair padding.psv out.psv").succeeded();
    assert!(folder.read("out.psv") == folder.read("good.psv"));
}

#[test]
fn damaged_records_are_named_and_left_out() {
    for (name, place, left) in [
        ("twokings.psv", "record ", 59),
        ("king81.psv", "record ", 59),
        ("result2.psv", "record ", 59),
        ("zerorec.psv", "record ", 59),
        (
            "trunc.psv",
            "byte 2360: record 60 (begins at byte 2360): the file ends in a record",
            59,
        ),
        (
            "trunc.hcpe",
            "byte 2242: record 60 (begins at byte 2242): the file ends in a record",
            59,
        ),
        ("twokings.hcpe", "record ", 59),
    ] {
        let folder = Folder::with(&[&damaged(name)]);
        let run = folder.run(&format!("check {name}")).failed(1, &[]);
        assert!(run.text().contains(place), "{run:?}");
        assert!(
            run.text().contains("1 damaged place; 59 positions"),
            "{run:?}"
        );
        let (good, len) = if name.ends_with("psv") {
            (GOOD, 40)
        } else {
            (GOOD_HCPE, 38)
        };
        let out = format!("out.{}", name.rsplit_once('.').unwrap().1);
        folder
            .run(&format!("repair {name} {out}"))
            .failed(1, &["1 damaged place"]);
        assert_eq!(
            common(&folder.read(&out), &golden(good), len),
            left,
            "{name}"
        );
    }
}

#[test]
fn records_are_found_again_behind_a_byte_too_many() {
    let folder = Folder::with(&[&shifted("shift1.psv"), GOOD]);
    let run = folder.run("check shift1.psv").failed(1, &[]);
    // The zero byte too many may stand before byte 400 or, in front of other zeros, in the record before.
    let place = "shift1.psv: byte 360: record 10 (begins at byte 360): 1 byte too many";
    assert!(run.text().contains(place), "{run:?}");
    assert!(
        run.text().contains("1 damaged place; 59 positions"),
        "{run:?}"
    );
    let good = folder.read("good.psv");
    let kept = [&good[..360], &good[400..]].concat();
    let told = ["byte 360", "1 damaged place, 41 bytes lost"];
    folder.run("repair shift1.psv out.psv").failed(1, &told);
    assert!(folder.read("out.psv") == kept);
    let run = folder.run("repair --resync shift1.psv out2.psv");
    run.failed(1, &told);
    assert!(folder.read("out2.psv") == kept);
    let run = folder.run("convert shift1.psv -o out.hcpe --resync");
    run.failed(1, &told);
    assert_eq!(folder.read("out.hcpe").len(), 59 * 38);
    // A byte that cannot belong there.
    let mut bytes = good.clone();
    bytes.insert(800, 200);
    folder.write("x.psv", bytes);
    let run = folder.run("repair x.psv y.psv");
    run.failed(1, &["byte 800: record 21", "1 byte too many"]);
    assert!(common(&folder.read("y.psv"), &good, 40) >= 59);
}

/// Bytes that begin in the middle of a record, and look like a position without a king.
#[test]
fn positions_without_a_king_are_damage() {
    for record in [
        "9b51120cab447cfc3a058b43221e5e49e037119e57128ef54cc4c7c29884015e000100000000007a",
        "a31403a435589c52f8393e5f292009cf2b111e270ebe56c92fcb886000804801bc4000000000591c",
        "9651220c0f00391c000000006ab751120ceb67227e161201670a8797141e2f5238a5f01ceb6f123e",
        "a31500000000471cc6140c48c10f6b8ae5e04c81570a808f781ea4580eeb2b890fe3ef29858193f8",
    ] {
        let hex = |at| u8::from_str_radix(&record[at..at + 2], 16).unwrap();
        let mut bytes = golden(GOOD);
        bytes.extend((0..record.len()).step_by(2).map(hex));
        let folder = Folder::new();
        folder.write("x.psv", &bytes);
        let run = folder.run("check x.psv").failed(1, &[]);
        assert!(run.text().contains("60 positions in order"), "{run:?}");
        folder
            .run("convert x.psv -o x.hcpe")
            .failed(1, &["record 61"]);
        folder.run("repair x.psv out.psv").failed(1, &["record 61"]);
        assert!(folder.read("out.psv") == golden(GOOD));
        for line in ["stats x.psv", "filter x.psv -o y.psv", "head x.psv -n 100"] {
            folder.run(line).failed(1, &["record 61"]);
        }
    }
}

#[test]
fn a_transfer_in_text_mode_is_undone() {
    let folder = Folder::with(&[&shifted("crlf.psv"), GOOD]);
    let run = folder
        .run("repair crlf.psv out.psv")
        .failed(1, &["a carriage return before a line feed"]);
    assert!(
        run.err.contains("6 damaged places, 6 bytes lost"),
        "{run:?}"
    );
    assert!(folder.read("out.psv") == folder.read("good.psv"));
    let run = folder.run("check crlf.psv").failed(1, &[]);
    assert!(
        run.text().contains("a carriage return before a line feed"),
        "{run:?}"
    );
    // The same in hcpe.
    let good = golden(GOOD_HCPE);
    let mut text = Vec::new();
    for &byte in &good {
        if byte == b'\n' {
            text.push(b'\r');
        }
        text.push(byte);
    }
    assert!(text.len() > good.len());
    folder.write("crlf.hcpe", &text);
    folder
        .run("repair crlf.hcpe out.hcpe")
        .failed(1, &["carriage return"]);
    assert!(folder.read("out.hcpe") == good);
}

/// Bytes put in and taken out all over a file.
#[test]
fn several_bytes_too_many_and_missing() {
    for (good, name, len) in [(GOOD, "x.psv", 40), (GOOD_HCPE, "x.hcpe", 38)] {
        let bytes = golden(good);
        let mut random = SplitMix64::new(12345);
        let mut next = |below: usize| random.index(below);
        for _ in 0..60 {
            let mut broken = bytes.clone();
            // From the end to the start, in every twelfth record.
            for record in (0..5).rev() {
                let at = (record * 12 + 3) * len + next(len);
                match next(3) {
                    0 => broken.insert(at, next(256) as u8),
                    1 => drop(broken.drain(at..at + 1 + next(3))),
                    _ => drop(broken.splice(at..at, [7, 7, 7])),
                }
            }
            let folder = Folder::new();
            folder.write(name, &broken);
            let out = format!("out.{name}");
            folder
                .run(&format!("repair {name} {out}"))
                .failed(1, &["damaged place"]);
            let found = common(&folder.read(&out), &bytes, len);
            assert!(found >= 45, "{found} records of {name}");
            folder.run(&format!("check {out}")).silent();
        }
    }
}

#[test]
fn a_file_of_another_kind_is_named() {
    let folder = Folder::with(&[
        &shifted("hcpe_named.psv"),
        &shifted("psv_named.hcpe"),
        "selfplay/declaration_n50.pack",
    ]);
    folder.write("pack.hcpe", golden("selfplay/declaration_n50.pack"));
    folder.write("pack.psv", golden("selfplay/declaration_n50.pack"));
    folder.write("hcpe.pack", golden(GOOD_HCPE));
    folder.write("psv.bin", golden(GOOD_HCPE));
    folder.write("hcpe3.hcpe", golden("hcpe3/multipv4_default.hcpe3"));
    folder.write("jsonl.psv", golden("selfplay/declaration_n50.jsonl"));
    folder.write(
        "sfen.psv",
        "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n",
    );
    folder.write(
        "book.psv",
        "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/9 b - 1\n",
    );
    folder.write("csa.hcpe", "V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n");
    folder.write(
        "kif.pack",
        "手合割：平手\n手数----指手---------消費時間--\n",
    );
    folder.write(
        "page.psv",
        "<!DOCTYPE html>\n<html><body>404</body></html>\n",
    );
    folder.write("gzip.psv", b"\x1f\x8b\x08\x00\0\0\0\0\0\x03abcdefgh");
    folder.write("net.bin", b"\x16\x2f\xf3\x7a\0\0\0\0abcdefghijklmnop");
    folder.write("zeros.psv", [0; 400]);
    folder.write("none.psv", "");
    folder.write("none.pack", "");
    folder.write("none.jsonl", "");
    let cases = [
        ("hcpe_named.psv", "this is an hcpe file"),
        ("psv_named.hcpe", "this is a psv file"),
        ("pack.hcpe", "this is a pack file"),
        ("pack.psv", "this is a pack file"),
        ("hcpe.pack", "this is an hcpe file"),
        ("psv.bin", "this is an hcpe file"),
        ("hcpe3.hcpe", "this is an hcpe3 file"),
        ("jsonl.psv", "this is a file of JSON lines"),
        ("sfen.psv", "this is a text file"),
        ("book.psv", "this is a"),
        ("csa.hcpe", "this is a"),
        ("kif.pack", "this is a"),
        ("page.psv", "this is a"),
        ("gzip.psv", "this is a gzip file"),
        ("net.bin", "this is an NNUE evaluation file"),
        ("zeros.psv", "this is a file of nothing but zero bytes"),
        ("none.psv", "this is an empty file"),
        ("none.pack", "this is an empty file"),
        ("none.jsonl", "this is an empty file"),
    ];
    for (name, what) in cases {
        let extension = match name.rsplit_once('.').unwrap().1 {
            "bin" => "psv",
            extension => extension,
        };
        let out = format!("out.{extension}");
        folder.write(&out, "old");
        let to = if extension == "hcpe" { "psv" } else { "hcpe" };
        folder.write(format!("to.{to}"), "old");
        let parts = format!("split {name} -o {out} --parts 2");
        let mut lines = vec![
            format!("check {name}"),
            format!("convert {name} -o to.{to} --force"),
            format!("repair {name} {out} --force"),
            format!("shuffle {name} -o {out} --force"),
            format!("dedup {name} -o {out} --force"),
            format!("concat {name} -o {out} --force"),
            parts,
        ];
        if extension != "jsonl" {
            lines.push(format!("stats {name}"));
            lines.push(format!("filter {name} -o {out} --force"));
            lines.push(format!("head {name}"));
            lines.push(format!("sample {name}"));
        }
        for line in lines {
            let run = folder.run(&line);
            let said = format!("{}{}", run.text(), run.err);
            assert!(
                said.contains(what) && said.contains(name),
                "{line}: {run:?}"
            );
            assert_eq!(run.code, Some(1), "{line}: {run:?}");
        }
        assert_eq!(folder.read(&out), b"old", "{name}");
        assert_eq!(folder.read(format!("to.{to}")), b"old", "{name}");
    }
    // The same from a pipe.
    let bytes = folder.read("hcpe_named.psv");
    let line = "convert - --from psv -o piped.hcpe";
    folder
        .run_with_input(line, bytes)
        .failed(1, &["this is an hcpe file"]);
    folder
        .run_with_input("check - --from psv", Vec::new())
        .failed(1, &["this is an empty file"]);
}

#[test]
fn nothing_usable_leaves_the_output_alone() {
    let folder = Folder::with(&[GOOD]);
    let noise: Vec<u8> = (0u32..4000)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 21) as u8)
        .collect();
    folder.write("noise.psv", &noise);
    folder.write("out.psv", "old");
    for line in [
        "repair noise.psv out.psv --force",
        "convert noise.psv -o out.psv --recover --force",
        "filter noise.psv -o out.psv --skip-bad --force",
        "shuffle noise.psv -o out.psv --force",
        "concat noise.psv -o out.psv --force",
        "dedup noise.psv -o out.psv --force",
        "filter good.psv -o out.psv --score 32000.. --force",
    ] {
        let run = folder.run(line).failed(1, &[]);
        assert!(!run.err.is_empty(), "{line}");
        assert_eq!(folder.read("out.psv"), b"old", "{line}");
    }
}

/// Records whose moves have the codes of hcpe.
const OTHER_CODES: &str = "../trials/books/other-move-codes.psv";

#[test]
fn move_codes_of_others_are_told() {
    let folder = Folder::new();
    folder.write("a.psv", golden(OTHER_CODES));
    for line in [
        "check a.psv",
        "convert a.psv -o b.hcpe",
        "convert a.psv -o b.hcpe --resync",
        "repair a.psv b.psv --force",
    ] {
        let run = folder.run(line);
        assert_eq!(run.code, Some(1), "{line}: {run:?}");
        let told = "6 of the first 6 moves are legal as hcpe codes, 3 as those of the format";
        assert!(run.err.contains(told), "{line}: {run:?}");
        assert!(run.err.contains("--move-codes hcpe"), "{line}: {run:?}");
    }
    // Plain damage is no reason for it.
    folder.write("damaged.psv", golden(&damaged("king81.psv")));
    let run = folder.run("check damaged.psv");
    assert!(!run.err.contains("move-codes"), "{run:?}");
}

#[test]
fn move_codes_of_others_are_read_and_repaired() {
    let folder = Folder::new();
    folder.write("a.psv", golden(OTHER_CODES));
    let run = folder.run("check a.psv --move-codes hcpe").silent();
    assert!(run.text().contains("good; 6 positions in order"), "{run:?}");
    folder
        .run("check a.psv --move-codes rshogi-old")
        .failed(1, &[]);
    folder
        .run("repair a.psv hcpe.psv --move-codes hcpe")
        .succeeded();
    let run = folder
        .run("convert a.psv -o auto.psv --move-codes auto")
        .succeeded();
    assert!(
        run.err
            .contains("6 of the first 6 moves are legal as hcpe codes"),
        "{run:?}"
    );
    assert!(folder.read("auto.psv") == folder.read("hcpe.psv"));
    let run = folder.run("check hcpe.psv").silent();
    assert!(run.text().contains("good; 6 positions in order"), "{run:?}");
    let (old, new) = (folder.read("a.psv"), folder.read("hcpe.psv"));
    for (old, new) in old.chunks(40).zip(new.chunks(40)) {
        assert!(old[..34] == new[..34] && old[36..] == new[36..]);
    }
    // To hcpe the codes are the same again.
    folder
        .run("convert a.psv -o a.hcpe --move-codes auto")
        .succeeded();
    let hcpe = folder.read("a.hcpe");
    for (old, new) in old.chunks(40).zip(hcpe.chunks(38)) {
        assert_eq!(old[34..36], new[34..36]);
    }
    // Good files stay as they are.
    folder.write("good.psv", golden(GOOD));
    folder
        .run("convert good.psv -o same.psv --move-codes auto")
        .succeeded();
    assert!(folder.read("same.psv") == folder.read("good.psv"));
}

#[test]
fn equal_positions_get_the_mean_of_their_scores() {
    let folder = Folder::new();
    let good = golden(GOOD);
    let record = |number: usize, score: i16, result: i8| {
        let mut record = good[number * 40..][..40].to_vec();
        record[32..34].copy_from_slice(&score.to_le_bytes());
        record[38] = result as u8;
        record
    };
    let records = [
        record(0, 100, 1),
        record(1, 7, 0),
        record(0, -20, -1),
        record(2, 5, 1),
        record(0, 31, -1),
    ];
    folder.write("a.psv", records.concat());
    let run = folder.run("unique a.psv -o b.psv --average").succeeded();
    assert!(
        run.err
            .contains("3 of 5 records kept, 2 left out, 1 with a mean score"),
        "{run:?}"
    );
    let expected = [record(0, 37, -1), record(1, 7, 0), record(2, 5, 1)].concat();
    assert!(folder.read("b.psv") == expected);
    folder
        .run("dedup a.psv -o c.psv --average --keep last --memory 1M")
        .succeeded();
    let expected = [record(1, 7, 0), record(2, 5, 1), record(0, 37, -1)].concat();
    assert!(folder.read("c.psv") == expected);
    let json = folder
        .run("uniq a.psv -o d.psv --average --json")
        .succeeded()
        .json();
    assert_eq!(json["averaged"], 1);
    folder
        .run("dedup a.psv -o e.psv --average --by record")
        .failed(2, &["same position"]);
    folder
        .run("dedup a.psv -o e.psv --average --by move")
        .succeeded();
}
