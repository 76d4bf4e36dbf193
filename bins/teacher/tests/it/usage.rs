//! Wrong command lines, missing files.

use crate::util::{Folder, golden};

#[test]
fn wrong_usage_is_named() {
    let folder = Folder::with(&[
        "edge/good/one_game_resign.pack",
        "selfplay/declaration_n50.psv",
    ]);
    folder.write("nameless", "");
    for (line, word) in [
        ("", "Usage"),
        ("nonsense", "nonsense"),
        ("convert one_game_resign.pack", "--to"),
        ("convert --to hcpe", "IN"),
        ("convert one_game_resign.pack --to bin", "hcpe3"),
        ("convert nameless --to hcpe", "--from"),
        ("convert one_game_resign.pack -o nameless", "--to"),
        (
            "convert declaration_n50.psv --to pack",
            "psv cannot become pack",
        ),
        (
            "convert declaration_n50.psv --to hcpe --smoothing 2",
            "smoothing is for games",
        ),
        (
            "convert one_game_resign.pack --to hcpe --smoothing 2 --discount 0",
            "discount 0",
        ),
        (
            "convert one_game_resign.pack -o - --to hcpe --json",
            "--json",
        ),
        ("check", "FILE"),
        ("check nameless", "--from"),
        ("check - - --from pack", "only once"),
        ("check one_game_resign.pack --max many", "many"),
        ("repair one_game_resign.pack", "OUT"),
        ("repair nameless out", "--from"),
        ("stats", "FILE"),
        ("stats nameless", "--from"),
        ("head one_game_resign.pack -n many", "many"),
        ("sample one_game_resign.pack --seed many", "many"),
    ] {
        let run = folder.run(line).failed(2, &[word]);
        assert!(run.out.is_empty(), "{line}");
    }
    assert_eq!(
        folder.names(),
        ["declaration_n50.psv", "nameless", "one_game_resign.pack"]
    );
}

#[test]
fn a_missing_input_is_named() {
    let folder = Folder::new();
    for line in [
        "convert absent.pack --to hcpe",
        "check absent.pack",
        "repair absent.pack out.pack",
        "stats absent.pack",
        "head absent.pack",
        "sample absent.pack",
        "filter absent.pack -o out.pack",
        "shuffle absent.pack -o out.pack",
        "dedup absent.pack -o out.pack",
        "split absent.pack -o out.pack --parts 2",
        "split absent.pack -o out.pack --each 2",
        "concat absent.pack -o out.pack",
    ] {
        folder.run(line).failed(1, &["absent.pack: "]);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn an_input_is_not_overwritten() {
    let folder = Folder::with(&["selfplay/declaration_n50.psv"]);
    folder.write("x.hcpe", "");
    let psv = golden("selfplay/declaration_n50.psv");
    for line in [
        "convert declaration_n50.psv -o ./declaration_n50.psv",
        "convert x.hcpe declaration_n50.psv --from psv -o declaration_n50.psv",
        "repair declaration_n50.psv declaration_n50.psv",
    ] {
        folder
            .run(line)
            .failed(1, &["declaration_n50.psv is an input"]);
        assert!(folder.read("declaration_n50.psv") == psv, "{line}");
    }
    let line = "repair declaration_n50.psv declaration_n50.psv --force";
    folder.run(line).succeeded();
    assert!(folder.read("declaration_n50.psv") == psv);
}
