//! Real games.

use pack_format::pack::{PackReader, PackWriter, games};
use pack_format::record::{TeacherRecord, records};
use pack_format::{Hcpe, Psv};
use shogi_core::AperyMove16;
use shogi_packed::{Hcp, PackedSfen};

use super::util::{json_lines, names, path, read};

#[test]
fn games_are_as_listed() {
    for name in names("selfplay", ".pack") {
        let bytes = read(&name);
        let listed = json_lines(&name.replace(".pack", ".jsonl"));
        let read: Vec<_> = games(&bytes).map(Result::unwrap).collect();
        assert_eq!(read.len(), listed.len(), "{name}");
        for (game, listed) in read.iter().zip(listed) {
            assert_eq!(game.start().to_string(), listed["start_sfen"]);
            assert_eq!(game.result() as u8, listed["result"]);
            assert_eq!(game.reason().0, listed["reason"]);
            let moves: Vec<_> = game.plies().iter().map(|ply| ply.mv.to_string()).collect();
            assert_eq!(moves.join(" "), listed["moves"]);
            let scores: Vec<_> = game.plies().iter().map(|ply| ply.score.0).collect();
            assert_eq!(serde_json::json!(scores), listed["scores"]);
        }
    }
}

#[test]
fn written_games_are_the_same_bytes() {
    for name in names("selfplay", ".pack")
        .into_iter()
        .chain(names("edge/good", ".pack"))
    {
        let file = std::fs::File::open(path(&name)).unwrap();
        let mut writer = PackWriter::new(Vec::new());
        for game in PackReader::new(file) {
            writer.write(&game.unwrap()).unwrap();
        }
        let written = writer.finish().unwrap();
        // These hold the initial position as an hcp, which writers do not.
        if name.contains("startpos_as_hcp") || name.contains("handicap_starts") {
            continue;
        }
        assert_eq!(written, read(&name), "{name}");
    }
}

#[test]
fn positions_are_those_of_the_converted_files() {
    for name in names("selfplay", ".pack")
        .into_iter()
        .chain(names("edge/good", ".pack"))
    {
        let pack = read(&name);
        let expected = read(&name.replace(".pack", ".hcpe"));
        if name.contains("game_ply_values") {
            assert!(
                expected.is_empty(),
                "the public converter does not read ply 0"
            );
            continue;
        }
        let mut written = Vec::new();
        for game in games(&pack) {
            let game = game.unwrap();
            for (position, ply) in game.positions() {
                let record = Hcpe {
                    position: Hcp::encode(&position).unwrap(),
                    score: ply.score,
                    mv: AperyMove16::from(ply.mv),
                    result: game.result(),
                };
                record.write_to(&mut written);
            }
        }
        assert!(written == expected, "{name}");
    }
}

#[test]
fn records_open_and_come_back() {
    for name in names("selfplay", ".hcpe")
        .into_iter()
        .chain(names("smoothing", ".hcpe"))
    {
        let bytes = read(&name);
        let mut written = Vec::new();
        for record in records::<Hcpe>(&bytes) {
            let record = record.unwrap();
            let (position, _) = record.open().unwrap();
            assert_eq!(Hcp::encode(&position), Ok(record.position));
            record.write_to(&mut written);
        }
        assert!(written == bytes, "{name}");
    }
    for name in names("selfplay", ".psv")
        .into_iter()
        .chain(names("psv_with_ply", ".psv"))
    {
        let bytes = read(&name);
        let mut written = Vec::new();
        for record in records::<Psv>(&bytes) {
            let record = record.unwrap();
            let (position, _) = record.open().unwrap();
            if !name.contains("rook_first") {
                assert_eq!(PackedSfen::encode(&position), Ok(record.position));
            }
            record.write_to(&mut written);
        }
        assert!(written == bytes, "{name}");
    }
}
