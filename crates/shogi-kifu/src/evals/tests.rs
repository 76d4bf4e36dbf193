use super::*;
use crate::csa::read_csa;
use crate::kif::read_kif;

fn commented(comment: &str) -> GameNode {
    let mut node = GameNode::default();
    node.comments.push(comment.to_owned());
    node
}

#[test]
fn scores_are_found_in_comments() {
    for (comment, player, analysis) in [
        ("* 30 +7776FU", Some(30), None),
        ("* -1234", Some(-1234), None),
        ("*+5", Some(5), None),
        ("* 12.7 +7776FU", Some(12), None),
        ("* 99999999999", Some(i32::MAX), None),
        ("*評価値=-210", Some(-210), None),
        ("*詰み=先手勝ち:15手", Some(31_985), None),
        ("*詰み=後手勝ち", Some(-32_000), None),
        ("#評価値=158", None, Some(158)),
        ("#詰み=後手勝ち:3手", None, Some(-31_997)),
        (
            "*対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 88 読み筋 ▲３四飛(24) △３三角(22)",
            Some(88),
            None,
        ),
        ("*対局 評価値 -186 読み筋 △３四歩(33)", Some(-186), None),
        ("*対局 評価値 +詰 13 読み筋 △３四歩(33)", Some(31_987), None),
        ("*対局 評価値 -詰", Some(-32_000), None),
        ("対局 時間 00:00.8 評価値 88", Some(88), None),
        (
            "*解析 0 ○ 候補1 時間 00:00.0 深さ 32 ノード数 1 評価値 -150 読み筋 △３三角(22)",
            None,
            Some(-150),
        ),
        (
            "*検討 候補1 時間 00:06.0 深さ 27/43 評価値 -7 読み筋 △８四歩(83)",
            None,
            Some(-7),
        ),
        (
            "* 解析 0 ○ 候補1 時間 00:10.0 評価値 450 読み筋 ▲７六歩",
            None,
            Some(450),
        ),
        ("#指し手[62]△７五歩  ▲３三桂成", None, Some(62)),
        ("#形勢[-1500]", None, Some(-1500)),
        ("*対局 時間 00:00.8", None, None),
        ("30", None, None),
        ("* 良い手", None, None),
        ("* 3手詰", None, None),
        ("*読み筋=▲２六歩", None, None),
        ("この手の評価値 300 は高い", None, None),
        ("", None, None),
    ] {
        let node = commented(comment);
        assert_eq!(node.player_score(), player, "{comment}");
        assert_eq!(node.analysis_score(), analysis, "{comment}");
    }
    let mut node = GameNode::default();
    node.set_player_score(-7);
    assert_eq!(node.player_score(), Some(-7));
}

#[test]
fn fields_of_several_lines_belong_together() {
    let text = "手合割：平手\n1 ２六歩(27)\n*先手有望\n**評価値=210\n**読み筋=△３四歩▲２五歩\n**深さ=10\n**ノード数=12345678\n*\n*互角\n*#詰み=後手勝ち:8手\n*#評価値=-30000\n*#深さ=8\n";
    let record = read_kif(text).unwrap();
    let id = record.main_line().next().unwrap();
    let found = record.node(id).evaluations();
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(
        (found[0].depth, found[0].nodes),
        (Some(10), Some(12_345_678))
    );
    let line = record.expected_line(id, &found[0]);
    let line: Vec<String> = line.iter().map(ToString::to_string).collect();
    assert_eq!(line, ["3c3d", "2f2e"]);
    assert_eq!(found[1].score, CommentScore::Mate(Color::White, Some(8)));
    assert_eq!((found[1].is_analysis, found[1].depth), (true, Some(8)));
}

#[test]
fn an_analysis_of_two_lines_is_read() {
    let text = "手合割：平手\n1 ７六歩(77)\n**解析 0\n*評価値 +44  読み筋 3c3d 2g2f 8c8d\n";
    let record = read_kif(text).unwrap();
    let id = record.main_line().next().unwrap();
    let found = record.node(id).evaluations();
    assert_eq!(record.node(id).analysis_score(), Some(44));
    assert_eq!(record.expected_line(id, &found[0]).len(), 3);
}

#[test]
fn values_from_the_movers_side_are_turned() {
    let text = "手合割：平手\n1 ７六歩(77)\n*info\n**評価値=+50\n2 ３四歩(33)\n*info\n**評価値=+50\n3 ２六歩(27)\n*info\n**詰み=-5\n";
    let record = read_kif(text).unwrap();
    let scores: Vec<_> = record
        .main_line()
        .map(|id| record.node(id).player_score())
        .collect();
    assert_eq!(scores, [Some(50), Some(-50), Some(-31_995)]);
}

#[test]
fn lines_are_read_in_every_notation() {
    for line in [
        "-3334FU +2726FU",
        "3c3d 2g2f",
        "△３四歩(33) ▲２六歩(27)",
        "△３四歩▲２六歩",
        "+7776FU -3334FU +2726FU",
        "-3334FU +2726FU +9999FU",
    ] {
        let mut record = read_csa("PI\n+\n+7776FU\n").unwrap();
        let id = record.main_line().next().unwrap();
        record.node_mut(id).comments.push(format!("* 30 {line}"));
        let found = record.node(id).evaluations();
        let line_len = record.expected_line(id, &found[0]).len();
        let whole = if line.starts_with("+7776FU") { 3 } else { 2 };
        assert_eq!(line_len, whole, "{line}");
    }
}

#[test]
fn visits_of_a_search_are_read() {
    let text = "V2\nPI\n+\n+7776FU,'v=0.545,800,7776FU,400,2726FU,200\n-3334FU,v=0.750,r=0.50,800,3334FU,800,9999FU,3\n+2726FU,'v=1.000,800\n%TORYO\n";
    let record = read_csa(text).unwrap();
    let ids: Vec<GameNodeId> = record.main_line().collect();
    let first = record.search_visits(ids[0]).unwrap();
    assert_eq!((first.value, first.total), (0.545, 800));
    assert_eq!(
        first
            .moves
            .iter()
            .map(|(_, visits)| *visits)
            .collect::<Vec<_>>(),
        [400, 200]
    );
    assert_eq!(record.node(ids[0]).player_score(), Some(136));
    let second = record.search_visits(ids[1]).unwrap();
    assert_eq!((second.total, second.moves.len()), (800, 1));
    // 0.75 for white.
    assert_eq!(record.node(ids[1]).player_score(), Some(-831));
    assert_eq!(record.node(ids[2]).player_score(), Some(30_000));
    assert_eq!(record.search_visits(ids[3]), None);
}
