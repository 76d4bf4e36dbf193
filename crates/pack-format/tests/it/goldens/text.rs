//! JSON lines and CSV.

use pack_format::pack::{self, Game, GameBuilder};
use pack_format::record::{TeacherRecord, records};
use pack_format::text::{TextLine, csv, jsonl};
use pack_format::{EndReason, Hcpe, Psv, Sample, SampleError, TeacherResult, TeacherScore, hcpe3};
use shogi_core::Position;

use super::util::{json_lines, names, read};

/// The frames of a pack file with their offsets.
fn pack_frames(bytes: &[u8]) -> Vec<(u64, pack::PackFrame<'_>)> {
    let mut frames = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let frame = pack::frame(&bytes[at..]).unwrap();
        frames.push((at as u64, frame));
        at += frame.len;
    }
    frames
}

fn pack_lines(bytes: &[u8]) -> Vec<u8> {
    let (mut lines, mut replayer) = (Vec::new(), pack::PackReplayer::default());
    for (game, (offset, frame)) in pack_frames(bytes).iter().enumerate() {
        jsonl::write_frame(&mut lines, game as u64, *offset, frame, &mut replayer).unwrap();
    }
    lines
}

fn hcpe3_lines(bytes: &[u8]) -> Vec<u8> {
    let (mut lines, mut replayer) = (Vec::new(), hcpe3::Hcpe3Replayer::default());
    let (mut game, mut at) = (0, 0);
    while at < bytes.len() {
        let frame = hcpe3::frame(&bytes[at..]).unwrap();
        jsonl::write_hcpe3_frame(&mut lines, game, at as u64, &frame, &mut replayer).unwrap();
        game += 1;
        at += frame.len;
    }
    lines
}

pub(crate) fn read_jsonl(text: &[u8]) -> Vec<TextLine> {
    jsonl::JsonlReader::new(text).map(Result::unwrap).collect()
}

pub(crate) fn read_csv(text: &[u8]) -> Vec<TextLine> {
    csv::CsvReader::new(text).map(Result::unwrap).collect()
}

pub(crate) fn in_csv(rows: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut text = csv::HEADER.as_bytes().to_vec();
    rows(&mut text);
    text
}

#[test]
fn lines_of_games_are_the_golden_ones() {
    for name in names("selfplay", ".pack") {
        let expected = read(&name.replace(".pack", ".jsonl"));
        let bytes = read(&name);
        assert!(pack_lines(&bytes) == expected, "{name}");
        let mut lines = Vec::new();
        let offsets = pack_frames(&bytes);
        for (number, game) in pack::games(&bytes).enumerate() {
            let offset = offsets[number].0;
            jsonl::write_game(&mut lines, number as u64, offset, &game.unwrap());
        }
        assert!(lines == expected, "{name}");
    }
    for name in names("hcpe3", ".hcpe3") {
        let expected = read(&name.replace(".hcpe3", ".jsonl"));
        let bytes = read(&name);
        assert!(hcpe3_lines(&bytes) == expected, "{name}");
        let (mut lines, mut offset) = (Vec::new(), 0);
        for (number, game) in hcpe3::games(&bytes).enumerate() {
            let game = game.unwrap();
            jsonl::write_hcpe3(&mut lines, number as u64, offset, &game);
            let mut written = Vec::new();
            game.write_to(&mut written);
            offset += written.len() as u64;
        }
        assert!(lines == expected, "{name}");
    }
}

#[test]
fn games_at_the_edge_are_as_listed() {
    let mut games = 0;
    for listed in json_lines("edge/expected.jsonl") {
        let name = listed["file"].as_str().unwrap();
        if !name.starts_with("good/") {
            continue;
        }
        let lines = pack_lines(&read(&format!("edge/{name}")));
        let lines = std::str::from_utf8(&lines).unwrap().lines();
        // Of files with many games only the first are listed, of the long game only its beginning.
        for (line, expected) in lines.zip(listed["games"].as_array().unwrap()) {
            if name.contains("long_game") {
                continue;
            }
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(&line, expected, "{name}");
            games += 1;
        }
    }
    assert!(games > 50, "{games}");
}

#[test]
fn golden_lines_become_the_binary_files() {
    for name in names("selfplay", ".pack")
        .into_iter()
        .chain(names("edge/good", ".pack"))
    {
        let bytes = read(&name);
        let mut written = Vec::new();
        for line in read_jsonl(&pack_lines(&bytes)) {
            let TextLine::Game(game) = line else {
                panic!("{name}: {line:?}");
            };
            game.write_to(&mut written);
        }
        // These hold the initial position as an hcp, which writers do not.
        if name.contains("startpos_as_hcp") || name.contains("handicap_starts") {
            continue;
        }
        assert_eq!(written, bytes, "{name}");
    }
    for name in names("hcpe3", ".jsonl") {
        let mut written = Vec::new();
        for line in read_jsonl(&read(&name)) {
            let TextLine::Hcpe3(game) = line else {
                panic!("{name}: {line:?}");
            };
            game.write_to(&mut written);
        }
        assert_eq!(written, read(&name.replace(".jsonl", ".hcpe3")), "{name}");
    }
}

/// Writes the samples as JSON lines and as CSV, reads both, and gives what came of it.
fn there_and_back(samples: &[Sample]) -> [Vec<Sample>; 2] {
    let mut lines = Vec::new();
    let rows = in_csv(|rows| {
        for sample in samples {
            jsonl::write_sample(&mut lines, sample);
            csv::write_sample(rows, sample);
        }
    });
    [read_jsonl(&lines), read_csv(&rows)].map(|lines| {
        let samples = lines.into_iter().map(|line| match line {
            TextLine::Sample(sample) => sample,
            other => panic!("{other:?}"),
        });
        samples.collect()
    })
}

#[test]
fn records_survive_text() {
    for name in names("selfplay", ".hcpe") {
        let bytes = read(&name);
        let samples: Vec<_> = records::<Hcpe>(&bytes)
            .map(|record| Sample::from_hcpe(&record.unwrap()).unwrap())
            .collect();
        for back in there_and_back(&samples) {
            let mut written = Vec::new();
            for sample in back {
                sample.to_hcpe().unwrap().write_to(&mut written);
            }
            assert!(written == bytes, "{name}");
        }
    }
    for name in names("psv_with_ply", ".psv")
        .into_iter()
        .chain(names("hcpe3", ".psv"))
    {
        if name.contains("rook_first") {
            continue;
        }
        let bytes = read(&name);
        let samples: Vec<_> = records::<Psv>(&bytes)
            .map(|record| Sample::from_psv(&record.unwrap()).unwrap())
            .collect();
        for back in there_and_back(&samples) {
            let mut written = Vec::new();
            for sample in back {
                sample.to_psv().unwrap().write_to(&mut written);
            }
            assert!(written == bytes, "{name}");
        }
    }
}

#[test]
fn games_survive_csv() {
    for name in names("selfplay", ".pack")
        .into_iter()
        .chain(names("edge/good", ".pack"))
    {
        let bytes = read(&name);
        let mut replayer = pack::PackReplayer::default();
        let mut rows = 0;
        let text = in_csv(|text| {
            for (number, (_, frame)) in pack_frames(&bytes).iter().enumerate() {
                rows += csv::write_frame(text, number as u64, frame, &mut replayer).unwrap();
            }
        });
        assert_eq!(text.split(|&byte| byte == b'\n').count(), rows + 2);
        let expected: Vec<_> = pack::games(&bytes)
            .map(Result::unwrap)
            .filter(|game| !game.plies().is_empty())
            .map(TextLine::Game)
            .collect();
        assert!(read_csv(&text) == expected, "{name}");
    }
}

pub(crate) const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
pub(crate) const AFTER_76FU: &str =
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";
pub(crate) const AFTER_34FU: &str =
    "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b -";

/// 7g7f 3c3d, won by black.
pub(crate) fn short_game() -> Game {
    let mut game = GameBuilder::new(Position::startpos()).unwrap();
    for (usi, score) in [("7g7f", 100), ("3c3d", -100)] {
        let mv = game.position().move_from_usi(usi).unwrap();
        game.play(mv, TeacherScore(score)).unwrap();
    }
    game.finish(TeacherResult::BlackWin, EndReason::RESIGN)
        .unwrap()
}

pub(crate) fn sample(ply: Option<u32>) -> Sample {
    let position = Position::startpos().with_ply(ply.unwrap_or(1));
    Sample {
        mv: position.move_from_usi("7g7f").ok(),
        position,
        score: TeacherScore(-30),
        result: TeacherResult::WhiteWin,
        ply,
    }
}

#[test]
fn text_is_as_documented() {
    let mut line = Vec::new();
    jsonl::write_sample(&mut line, &sample(Some(35)));
    jsonl::write_sample(&mut line, &sample(None));
    assert_eq!(
        String::from_utf8(line).unwrap(),
        format!(
            "{{\"sfen\": \"{START} 35\", \"move\": \"7g7f\", \"score\": -30, \"result\": 2, \"ply\": 35}}\n\
             {{\"sfen\": \"{START} 1\", \"move\": \"7g7f\", \"score\": -30, \"result\": 2}}\n"
        )
    );
    let text = in_csv(|rows| {
        assert_eq!(csv::write_game(rows, 4, &short_game()), 2);
        let unnamed = GameBuilder::new(Position::startpos().with_ply(9)).unwrap();
        let mut unnamed = unnamed;
        unnamed
            .play(sample(None).mv.unwrap(), TeacherScore(0))
            .unwrap();
        let unnamed = unnamed.finish(TeacherResult::Draw, EndReason(77)).unwrap();
        csv::write_game(rows, 5, &unnamed);
        csv::write_sample(rows, &sample(Some(35)));
        csv::write_sample(rows, &sample(None));
    });
    assert_eq!(
        String::from_utf8(text).unwrap(),
        format!(
            "game,ply,sfen,move,score,result,reason\n\
             4,1,{START} 1,7g7f,100,black,resign\n\
             4,2,{AFTER_76FU} 2,3c3d,-100,black,resign\n\
             5,9,{START} 9,7g7f,0,draw,77\n\
             ,35,{START} 35,7g7f,-30,white,\n\
             ,,{START} 1,7g7f,-30,white,\n"
        )
    );
}

#[test]
fn plies_that_do_not_fit_are_said() {
    assert_eq!(sample(Some(65535)).to_psv().unwrap().ply, 65535);
    assert_eq!(sample(Some(65536)).to_psv(), Err(SampleError::Ply(65536)));
    assert!(sample(Some(65536)).to_hcpe().is_ok());
    let mut tsume = sample(None);
    tsume.position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1").unwrap();
    assert_eq!(tsume.to_hcpe(), Err(SampleError::MissingKing));
    assert_eq!(tsume.to_psv(), Err(SampleError::MissingKing));
}
