//! An annotated record in the reader of `ShogiHome`, which is the package tsshogi, by node.
//!
//! Runs where `YANEURA_TSSHOGI` names the folder of an installed tsshogi (`npm install tsshogi`, then its `node_modules/tsshogi`).

use std::process::Command;

use shogi_kifu::{CsaVersion, KifuFormat};
use shogi_review::{AnnotateOptions, ReviewOptions, annotate, review};
use test_support::TestFolder;

use crate::{record, scripted};

/// Prints of each node: number, move, whether there are variations of it, the score and the line in its comment. The words are those
/// that `ShogiHome` looks for in comments of an analysis.
const SCRIPT: &str = r#"
const tsshogi = await import(process.argv[2]);
const fs = await import("node:fs");
const record = tsshogi.importKIF(fs.readFileSync(process.argv[3], "utf8"));
if (record instanceof Error) throw record;
const variations = (node) => node.prev && (!node.isFirstBranch || node.branch) ? "+" : "-";
const visit = (node, position) => {
  const score = /^#評価値=([+-]?[.0-9]+)/m.exec(node.comment);
  const line = /^#読み筋=(.*)$/m.exec(node.comment);
  const pv = line ? tsshogi.parsePV(position, line[1]).map((move) => move.usi).join(" ") : "";
  console.log([node.ply, node.displayText, variations(node), score ? score[1] : "", pv].join("|"));
  for (let next = node.next; next; next = next.branch) {
    const after = position.clone();
    if (next.move instanceof tsshogi.Move) after.doMove(next.move, { ignoreValidation: true });
    visit(next, after);
  }
};
visit(record.first, record.initialPosition);
"#;

#[test]
fn shogihome_reads_scores_and_variations() {
    let Some(package) = std::env::var_os("YANEURA_TSSHOGI") else {
        eprintln!("SKIPPED: YANEURA_TSSHOGI does not name a folder of tsshogi");
        return;
    };
    let folder = TestFolder::new();
    let record = record();
    let review = review(&record, ReviewOptions::default(), &mut scripted(), |_| {}).unwrap();
    let annotated = annotate(&record, &review, AnnotateOptions::default());
    folder.write(
        "game.kif",
        &KifuFormat::Kif.write(&annotated, CsaVersion::V22).0,
    );
    folder.write("read.mjs", SCRIPT);
    let package = std::path::Path::new(&package).join("dist/esm/index.mjs");
    let output = Command::new("node")
        .arg(folder.path("read.mjs"))
        .arg(package)
        .arg(folder.path("game.kif"))
        .output()
        .expect("node");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let expected = [
        "0|開始局面|-|40|7g7f 3c3d",
        "1|☗７六歩|-|40|8c8d",
        "5|☗５八玉|+|-900|8c8d 7i8h",
        "5|☗３八銀|+|10|2b3c",
    ];
    for line in expected {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}
