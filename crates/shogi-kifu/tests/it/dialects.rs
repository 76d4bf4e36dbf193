//! Records as other programs write them: each format with its blanks, widths, numbers, times, endings and remarks at random, read as
//! the same moves, times and ending.

use std::fmt::Write as _;

use proptest::prelude::*;
use shogi_core::Color;
use shogi_kifu::{
    CsaVersion, GameEnding, GameRecord, KifuFormat, RecordBuilder, read_games, write_bod,
};
use test_support::SplitMix64;

use crate::generate::{Richness, game};

/// Words of KIF, KI2 and JKF for an ending, as programs write them.
const WORDS: [(GameEnding, &[&str]); 15] = [
    (GameEnding::Resign, &["投了"]),
    (GameEnding::Interrupt, &["中断"]),
    (GameEnding::Repetition, &["千日手", "千日手成立"]),
    (GameEnding::Impasse, &["持将棋"]),
    (GameEnding::Draw, &["引き分け", "引分", "引分け"]),
    (GameEnding::MaxMoves, &["最大手数", "手数制限"]),
    (GameEnding::Mate, &["詰み", "詰", "61手詰", "三手詰め"]),
    (GameEnding::NoMate, &["不詰", "不詰み"]),
    (
        GameEnding::TimeUp,
        &["切れ負け", "時間切れ", "時間切れ負け", "切負"],
    ),
    (GameEnding::FoulWin, &["反則勝ち", "反則勝"]),
    (GameEnding::FoulLoss, &["反則負け", "反則負"]),
    (
        GameEnding::EnteringKing,
        &["入玉勝ち", "入玉宣言", "宣言勝ち", "勝ち宣言"],
    ),
    (GameEnding::TryWin, &["トライ勝ち", "トライ"]),
    (GameEnding::WinByDefault, &["不戦勝"]),
    (GameEnding::LossByDefault, &["不戦敗"]),
];

/// A game of a seed with one of the endings and times in whole seconds, and the word of its ending.
fn plain(seed: u64, random: &mut SplitMix64) -> (GameRecord, Option<(GameEnding, &'static str)>) {
    let moves = game(seed, Richness::Plain);
    let mut builder = RecordBuilder::new(moves.start().clone());
    for m in moves.moves() {
        builder.play(m);
        builder.node_mut().time = Some(random.below(4000) * 1000);
    }
    if random.below(8) == 0 {
        return (builder.finish(), None);
    }
    let (ending, words) = random.choose(&WORDS).clone();
    builder.end(ending.clone());
    builder.node_mut().time = Some(random.below(100) * 1000);
    (builder.finish(), Some((ending, any(random, words))))
}

/// Characters of ASCII as those of double width.
fn wide(text: &str) -> String {
    let wide = |c: char| match c {
        '!'..='~' => char::from_u32(c as u32 + 0xFEE0).unwrap(),
        ' ' => '\u{3000}',
        _ => c,
    };
    text.chars().map(wide).collect()
}

/// One of some words.
fn any<'a>(random: &mut SplitMix64, words: &[&'a str]) -> &'a str {
    words[random.remainder(words.len())]
}

fn blanks(random: &mut SplitMix64) -> &'static str {
    any(
        random,
        &[" ", "  ", "   ", "\t", "\u{3000}", " \t", "\u{3000} "],
    )
}

fn line_end(random: &mut SplitMix64) -> &'static str {
    any(random, &["\n", "\r\n", "\r"])
}

/// A line that says nothing of the moves.
fn aside(random: &mut SplitMix64) -> &'static str {
    any(
        random,
        &[
            "",
            "*コメント",
            "**対局 評価値 -186 読み筋 △３四歩(33)",
            "*",
            "# remark",
            "#解析済み",
            "備考：何もなし",
            "手合の説明がここに続く",
            "  ",
        ],
    )
}

/// A move's words in another spelling: squares, pieces, origins.
fn respelled(text: &str, random: &mut SplitMix64) -> String {
    let mut text = text.to_owned();
    let mut swap = |from: &str, to: &str| {
        if random.below(2) == 0 {
            text = text.replace(from, to);
        }
    };
    for (from, to) in [
        ("同　", "同"),
        ("同　", "同 "),
        ("玉", "王"),
        ("龍", "竜"),
        ("成銀(", "全("),
        ("成桂(", "圭("),
        ("成香(", "杏("),
        ("打", "打(00)"),
        ("成(", "成り("),
        ("(", " ("),
    ] {
        swap(from, to);
    }
    if random.below(3) == 0 {
        // ７六 as 76 and ７６.
        let mut chars: Vec<char> = text.chars().collect();
        if let Some(rank) = chars
            .get(1)
            .and_then(|c| "一二三四五六七八九".chars().position(|k| k == *c))
        {
            let digit = |value: u32, half: bool| {
                char::from_u32(value + if half { '1' as u32 } else { '１' as u32 }).unwrap()
            };
            let half = random.below(2) == 0;
            let file = chars[0] as u32 - '１' as u32;
            chars[0] = digit(file, half);
            chars[1] = digit(rank as u32, half);
            text = chars.into_iter().collect();
        }
    }
    if random.below(4) == 0 {
        text = text.replace('(', "（").replace(')', "）");
    }
    text
}

fn kif_time(seconds: u64, random: &mut SplitMix64) -> String {
    let (minutes, rest, hours) = (seconds / 60, seconds % 60, seconds / 3600);
    let text = match random.below(8) {
        0 => format!("({minutes}:{rest}/{hours}:0:0)"),
        1 => format!("( {minutes}:{rest:02}/)"),
        2 => format!("( {minutes}:{rest:02})"),
        3 => format!("({hours:02}:{:02}:{rest:02}/00:00:00)", minutes % 60),
        4 => wide(&format!("( {minutes}:{rest:02}/00:00:00)")),
        5 => format!("({minutes:02}:{rest:02} / 00:00:00)"),
        6 => format!("( {minutes}:{rest:02}/00:00:00)+"),
        _ => format!("( {minutes}:{rest:02}/00:00:00)"),
    };
    format!("{}{text}", blanks(random))
}

/// The start as headers.
fn head(record: &GameRecord, random: &mut SplitMix64) -> String {
    let mut text = String::new();
    if random.below(3) == 0 {
        text.push_str(any(
            random,
            &[
                "#KIF version=2.0 encoding=UTF-8\n",
                "# ---- Kifu for Windows V7 ----\n",
                "# ----  ぴよ将棋 棋譜ファイル  ----\n",
            ],
        ));
    }
    for header in [
        "開始日時：2024/01/02(火) 10:00:00",
        "先手：太郎\u{3000}",
        "後手：\u{3000}花子",
        "消費時間：▲10△20",
    ] {
        if random.below(2) == 0 {
            text.push_str(header);
            text.push('\n');
        }
    }
    match record.handicap() {
        Some(handicap) => {
            let name = handicap.kif();
            let name = match random.below(3) {
                0 => name.trim_end_matches('ち').to_owned(),
                1 => format!("{name}\u{3000}\u{3000}"),
                _ => name.to_owned(),
            };
            writeln!(text, "手合割：{name}").unwrap();
        }
        None => text.push_str(&bod(record, random)),
    }
    text
}

/// The board of the start in another spelling.
fn bod(record: &GameRecord, random: &mut SplitMix64) -> String {
    let mut text = write_bod(record.start());
    for (from, to) in [
        ("の持駒", "の持ち駒"),
        ("：なし", "："),
        ("先手の", "下手の"),
        ("後手の", "上手の"),
        ("|v", "|V"),
        (" ・", " ･"),
    ] {
        if random.below(3) == 0 {
            text = text.replace(from, to);
        }
    }
    if record.start().side_to_move() == Color::Black && random.below(2) == 0 {
        text.push_str("先手番\n");
    }
    text
}

/// The lines with ends of one kind, with or without a byte order mark.
fn file(text: &str, random: &mut SplitMix64) -> Vec<u8> {
    let text = text.replace('\n', line_end(random));
    match random.below(4) {
        0 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        1 => {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes);
            [0xff, 0xfe].into_iter().chain(units).collect()
        }
        2 => {
            let (bytes, lost) = shogi_kifu::encode_record(
                &text,
                shogi_kifu::Charset::ShiftJis,
                shogi_kifu::LineEnds::Lf,
            );
            if lost.is_empty() {
                bytes
            } else {
                text.into_bytes()
            }
        }
        _ => text.into_bytes(),
    }
}

fn as_kif(record: &GameRecord, word: Option<&str>, timed: bool, random: &mut SplitMix64) -> String {
    let (canonical, _) = KifuFormat::Kif.write(record, CsaVersion::V22);
    let mut text = head(record, random);
    text.push_str(any(
        random,
        &["手数----指手---------消費時間--\n", "手数----指手--\n", ""],
    ));
    let numbering = random.below(6);
    let moves = canonical.lines().filter(|line| {
        line.starts_with(' ') && line.trim_start().starts_with(|c: char| c.is_ascii_digit())
    });
    let ids: Vec<_> = record.main_line().collect();
    for (index, line) in moves.enumerate() {
        let (number, rest) = line.trim_start().split_once(' ').unwrap();
        let written = rest.split('\u{20}').next().unwrap();
        let node = record.node(ids[index]);
        let is_end = node.played_move().is_none();
        let written = match word {
            Some(word) if is_end => word.to_owned(),
            _ => respelled(written, random),
        };
        let number = match numbering {
            0 => wide(number),
            1 => "1".to_owned(),
            2 => format!("{number}."),
            3 => format!("{number}手"),
            _ => number.to_owned(),
        };
        let mark = match (is_end, node.played_move()) {
            (false, Some(m)) if random.below(9) == 0 => any(
                random,
                if m.color() == Color::Black {
                    &["▲", "☗"]
                } else {
                    &["△", "☖"]
                },
            ),
            _ => "",
        };
        if numbering == 4 {
            write!(text, "{mark}{written}").unwrap();
        } else {
            write!(
                text,
                "{}{number}{}{mark}{written}",
                any(random, &["", "  ", "\t"]),
                blanks(random)
            )
            .unwrap();
        }
        if timed {
            text.push_str(&kif_time(node.time.unwrap_or(0) / 1000, random));
        }
        text.push('\n');
        if random.below(5) == 0 {
            text.push_str(aside(random));
            text.push('\n');
        }
    }
    if word.is_some() {
        text.push_str(any(
            random,
            &[
                "",
                "まで5手で中断\n",
                "*終わり\n",
                "# 終わり\n",
                "\n\n",
                "99 中断\n",
                "   9 投了   ( 0:01/00:00:01)\n",
            ],
        ));
    }
    text
}

/// The moves of a KI2 with their marks, one by one.
fn ki2_moves(record: &GameRecord) -> Vec<String> {
    let (canonical, _) = KifuFormat::Ki2.write(record, CsaVersion::V22);
    let mut found = Vec::new();
    for line in canonical
        .lines()
        .filter(|line| line.starts_with(['▲', '△']))
    {
        let starts: Vec<usize> = line.match_indices(['▲', '△']).map(|(at, _)| at).collect();
        for (index, &start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(line.len());
            found.push(line[start..end].trim_end().to_owned());
        }
    }
    found
}

fn as_ki2(record: &GameRecord, word: Option<&str>, random: &mut SplitMix64) -> String {
    let mut text = head(record, random);
    let mut in_line = 0;
    let mut side = record.start().side_to_move();
    for written in ki2_moves(record) {
        if in_line == 0 {
            text.push_str(any(
                random,
                &["", "", "", " ", "\u{3000}", "（図）", "12 ", "第一譜 "],
            ));
        }
        let written = written.replace("不成", any(random, &["不成", "生"]));
        let written = written
            .replace('▲', any(random, &["▲", "☗", "▼"]))
            .replace('△', any(random, &["△", "☖", "▽"]));
        text.push_str(&written);
        in_line += 1;
        side = side.flip();
        if in_line > 5 || random.below(4) == 0 {
            text.push('\n');
            in_line = 0;
            if random.below(5) == 0 {
                text.push_str(any(random, &["*コメント\n", "\n", "# remark\n"]));
            }
        } else {
            text.push_str(any(random, &["", " ", "    ", "\u{3000}"]));
        }
    }
    if let Some(word) = word {
        let mark = if side == Color::Black { "▲" } else { "△" };
        let end = match random.below(4) {
            0 => format!("{mark}{word}\n"),
            1 => format!(" {word}\n"),
            2 => format!("\nまで{}手で{word}\n", record.moves().count()),
            _ => format!("\n{word}\nまで3手で中断\n"),
        };
        text.push_str(&end);
        text.push_str(any(random, &["", "*感想\n", "\n# end\n"]));
    }
    text
}

fn as_csa(record: &GameRecord, timed: bool, random: &mut SplitMix64) -> String {
    let (canonical, _) = KifuFormat::Csa.write(record, CsaVersion::V22);
    let mut text = String::new();
    let notes = [
        "'* 30 -3334FU",
        "'** -5000 win",
        "'v=0.545,800,7776FU,400",
        "'000:01 ",
        "'",
    ];
    let lines: Vec<&str> = canonical.lines().collect();
    let mut index = 0;
    while index < lines.len() {
        let line = lines[index];
        index += 1;
        let is_move = line.len() > 1 && line.starts_with(['+', '-', '%']);
        if !is_move {
            text.push_str(line);
            text.push('\n');
            continue;
        }
        let time = lines.get(index).filter(|next| next.starts_with('T'));
        index += usize::from(time.is_some());
        text.push_str(line);
        if timed && let Some(time) = time {
            text.push_str(any(random, &["\n", ",", " ,", "\r\n"]));
            text.push_str(time);
            text.push_str(any(random, &["", "  ", ".000"]));
        }
        match random.below(5) {
            0 => write!(text, ",{}", any(random, &notes)).unwrap(),
            1 => write!(text, "\n{}", any(random, &notes)).unwrap(),
            2 => text.push_str("\n\n"),
            _ => {}
        }
        text.push('\n');
        if line.starts_with('%') {
            text.push_str(any(
                random,
                &[
                    "",
                    "%CHUDAN\n",
                    "T1\n",
                    "'summary\n",
                    "$END_TIME:2024/01/02\n",
                    "some words\n",
                ],
            ));
            text.push_str(if random.below(3) == 0 { line } else { "" });
        }
    }
    text
}

fn as_jkf(record: &GameRecord, word: Option<&str>, random: &mut SplitMix64) -> String {
    let (canonical, _) = KifuFormat::Jkf.write(record, CsaVersion::V22);
    let mut json: serde_json::Value = serde_json::from_str(&canonical).unwrap();
    for entry in json["moves"].as_array_mut().unwrap() {
        let entry = entry.as_object_mut().unwrap();
        if let Some(mv) = entry
            .get_mut("move")
            .and_then(serde_json::Value::as_object_mut)
        {
            for name in ["color", "capture", "same"] {
                if random.below(2) == 0 {
                    mv.remove(name);
                }
            }
            if mv.contains_key("from") && random.below(2) == 0 {
                mv.remove("relative");
            }
            mv.insert("program".to_owned(), 1.into());
        }
        if let Some(word) = word
            && entry.contains_key("special")
            && random.below(2) == 0
        {
            entry.insert("special".to_owned(), word.into());
        }
        match random.below(4) {
            0 => drop(entry.insert("comments".to_owned(), serde_json::Value::Null)),
            1 => drop(entry.insert("comments".to_owned(), serde_json::json!(["a", "b\r\nc"]))),
            2 => drop(entry.insert("forks".to_owned(), serde_json::json!([]))),
            _ => {}
        }
    }
    match random.below(3) {
        0 => serde_json::to_string_pretty(&json).unwrap(),
        1 => format!("[{json}]"),
        _ => json.to_string(),
    }
}

const USI_WORDS: [(&str, GameEnding); 7] = [
    ("resign", GameEnding::Resign),
    ("win", GameEnding::EnteringKing),
    ("break", GameEnding::Interrupt),
    ("rep_draw", GameEnding::Repetition),
    ("draw", GameEnding::Draw),
    ("timeout", GameEnding::TimeUp),
    ("jishogi", GameEnding::Impasse),
];

/// The same start, moves and ending; the same times where they were written.
fn same(
    bytes: &[u8],
    record: &GameRecord,
    ending: Option<&GameEnding>,
    timed: bool,
) -> Result<(), String> {
    let (_, mut games) = read_games(bytes).map_err(|error| error.to_string())?;
    if games.len() != 1 {
        return Err(format!("{} games", games.len()));
    }
    let read = games.remove(0).map_err(|error| error.to_string())?.record;
    if read.start() != record.start() {
        return Err("another start".to_owned());
    }
    if !read.moves().eq(record.moves()) {
        return Err(format!(
            "moves: {}",
            KifuFormat::Usi.write(&read, CsaVersion::V22).0
        ));
    }
    if read.ending() != ending {
        return Err(format!("ending: {:?}", read.ending()));
    }
    let time = |record: &GameRecord| -> Vec<_> {
        record.main_line().map(|id| record.node(id).time).collect()
    };
    if timed && time(&read) != time(record) {
        return Err(format!(
            "times: {:?}, expected {:?}",
            time(&read),
            time(record)
        ));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("SHOGI_SLOW_TESTS").is_some() { 20_000 } else { 300 }))]

    #[test]
    fn kif_of_other_programs(seed: u64) {
        let random = &mut SplitMix64::new(seed);
        let (record, end) = plain(seed, random);
        let timed = random.below(2) == 0;
        let text = as_kif(&record, end.as_ref().map(|end| end.1), timed, random);
        let told = same(&file(&text, random), &record, end.as_ref().map(|end| &end.0), timed);
        prop_assert!(told.is_ok() || record.main_line().next().is_none(), "{}\n{}", told.unwrap_err(), text);
    }

    #[test]
    fn ki2_of_other_programs(seed: u64) {
        let random = &mut SplitMix64::new(seed);
        let (record, end) = plain(seed, random);
        prop_assume!(record.moves().next().is_some());
        let text = as_ki2(&record, end.as_ref().map(|end| end.1), random);
        let told = same(&file(&text, random), &record, end.as_ref().map(|end| &end.0), false);
        prop_assert!(told.is_ok(), "{}\n{}", told.unwrap_err(), text);
    }

    #[test]
    fn csa_of_other_programs(seed: u64) {
        let random = &mut SplitMix64::new(seed);
        let (record, end) = plain(seed, random);
        let timed = random.below(2) == 0;
        let text = as_csa(&record, timed, random);
        // Endings without a word become 中断.
        let side = record.side_at(record.moves().count());
        let end = end.map(|(ending, _)| if ending.csa(side).is_some() { ending } else { GameEnding::Interrupt });
        let told = same(&file(&text, random), &record, end.as_ref(), timed);
        prop_assert!(told.is_ok(), "{}\n{}", told.unwrap_err(), text);
    }

    #[test]
    fn jkf_of_other_programs(seed: u64) {
        let random = &mut SplitMix64::new(seed);
        let (record, end) = plain(seed, random);
        let text = as_jkf(&record, end.as_ref().map(|end| end.1), random);
        let told = same(text.as_bytes(), &record, end.as_ref().map(|end| &end.0), true);
        prop_assert!(told.is_ok(), "{}\n{}", told.unwrap_err(), text);
    }

    #[test]
    fn usi_lines_of_other_programs(seed: u64) {
        let random = &mut SplitMix64::new(seed);
        let (record, _) = plain(seed, random);
        let mut words: Vec<String> = record.usi_line(usize::MAX).split(' ').map(str::to_owned).collect();
        if words[0] == "sfen" && random.below(2) == 0 {
            words.remove(0);
        }
        if random.below(2) == 0 {
            words.insert(0, "position".to_owned());
        }
        let moves = record.moves().count();
        let (word, ending) = random.choose(&USI_WORDS).clone();
        let ends = moves > 0 && random.below(4) > 0;
        if ends {
            words.push(if random.below(4) == 0 { word.to_ascii_uppercase() } else { word.to_owned() });
            if random.below(4) == 0 {
                words.push("break".to_owned());
            }
        }
        let separator = any(random, &[" ", "  ", "\t"]);
        let text = format!("# a game\n{}{}\n", words.join(separator), any(random, &["", " ", "\r"]));
        let told = same(text.as_bytes(), &record, ends.then_some(&ending), false);
        prop_assert!(told.is_ok(), "{}\n{}", told.unwrap_err(), text);
    }

    #[test]
    fn boards_of_other_programs(seed: u64) {
        let random = &mut SplitMix64::new(seed);
        let (record, _) = plain(seed, random);
        let empty = GameRecord::new(record.start().clone());
        let text = bod(&record, random);
        let told = same(&file(&text, random), &empty, None, false);
        prop_assert!(told.is_ok(), "{}\n{}", told.unwrap_err(), text);
    }
}
