//! Random games through the formats and back, handicap games among them.

use std::fs;
use std::path::{Path, PathBuf};

use pack_format::convert::{TeacherConvertOptions, convert};
use pack_format::pack::{Game, GameBuilder, PackReader, PackWriter, games};
use pack_format::record::{TeacherRecord, records};
use pack_format::stream::Input;
use pack_format::text::csv;
use pack_format::{EndReason, Hcpe, Psv, TeacherError, TeacherFormat, TeacherResult, TeacherScore};
use proptest::prelude::*;
use shogi_core::Position;
use shogi_core::movegen::Legal;
use shogi_packed::{Hcp, PackedSfen};
use test_support::SplitMix64;
use yane_io::Job;

/// Even, with a lance, both bishops, four, six, ten pieces less, bare kings, from a middle game.
const STARTS: [&str; 8] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/7R1/LNSGKGSNL b - 7",
    "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 65535",
];

/// A random game of up to `plies` moves.
fn game(start: usize, plies: usize, seed: u64, end: (TeacherResult, EndReason)) -> Game {
    let start = Position::from_sfen(STARTS[start % STARTS.len()]).unwrap();
    let mut game = GameBuilder::new(start).unwrap();
    let mut random = SplitMix64::new(seed);
    for _ in 0..plies {
        let moves = game.position().moves::<Legal>();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.index(moves.len())];
        let score = TeacherScore(random.next_u64() as i16);
        game.play(mv, score).unwrap();
    }
    game.finish(end.0, end.1).unwrap()
}

fn ends() -> impl Strategy<Value = (TeacherResult, EndReason)> {
    prop_oneof![
        Just((TeacherResult::BlackWin, EndReason::RESIGN)),
        Just((TeacherResult::WhiteWin, EndReason::RESIGN)),
        Just((TeacherResult::Draw, EndReason::REPETITION)),
        Just((TeacherResult::Draw, EndReason::MAX_MOVES)),
        Just((TeacherResult::Draw, EndReason::INTERRUPT)),
        Just((TeacherResult::WhiteWin, EndReason::WIN_CSA24)),
        Just((TeacherResult::Draw, EndReason::DRAW_CSA24)),
    ]
}

fn some_games(max_start: usize) -> impl Strategy<Value = Vec<Game>> {
    let one = (0..max_start, 0usize..60, any::<u64>(), ends())
        .prop_map(|(start, plies, seed, end)| game(start, plies, seed, end));
    prop::collection::vec(one, 0..12)
}

/// A folder with the games as a pack file.
struct Files(tempfile::TempDir);

impl Files {
    fn new(games: &[Game]) -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        let mut writer =
            PackWriter::new(fs::File::create(files.path(TeacherFormat::Pack)).unwrap());
        for game in games {
            writer.write(game).unwrap();
        }
        writer.finish().unwrap();
        files
    }

    fn path(&self, format: TeacherFormat) -> PathBuf {
        self.0.path().join("games").with_extension(format.name())
    }

    /// Converts the file of one format into that of another; its bytes.
    fn convert(&self, from: TeacherFormat, to: TeacherFormat) -> Vec<u8> {
        let out = self.0.path().join("out").with_extension(to.name());
        let inputs = [Input::File(self.path(from))];
        let options = TeacherConvertOptions::new(from, to);
        match convert(&inputs, &out, &options, &Job::default()) {
            Ok(_) => fs::rename(&out, self.path(to)).unwrap(),
            // Nothing is made of nothing.
            Err(TeacherError::File(_)) if !out.exists() => {
                let header = if to == TeacherFormat::Csv {
                    csv::HEADER
                } else {
                    ""
                };
                fs::write(self.path(to), header).unwrap();
            }
            Err(error) => panic!("{error}"),
        }
        self.read(to)
    }

    fn read(&self, format: TeacherFormat) -> Vec<u8> {
        fs::read(self.path(format)).unwrap()
    }
}

/// Games whose plies all fit in a PSV.
const FITTING: usize = STARTS.len() - 1;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn games_come_back_from_bytes_and_streams(all in some_games(STARTS.len())) {
        let files = Files::new(&all);
        let bytes = files.read(TeacherFormat::Pack);
        let read: Vec<_> = games(&bytes).map(Result::unwrap).collect();
        prop_assert_eq!(&read, &all);
        let streamed: Vec<_> = PackReader::new(&bytes[..]).map(Result::unwrap).collect();
        prop_assert_eq!(&streamed, &all);
        prop_assert_eq!(files.convert(TeacherFormat::Pack, TeacherFormat::Pack), bytes);
    }

    #[test]
    fn records_come_back_through_each_other(all in some_games(FITTING)) {
        let files = Files::new(&all);
        let psv = files.convert(TeacherFormat::Pack, TeacherFormat::Psv);
        let hcpe = files.convert(TeacherFormat::Pack, TeacherFormat::Hcpe);
        prop_assert_eq!(files.convert(TeacherFormat::Psv, TeacherFormat::Hcpe), &hcpe[..]);
        let without_ply = files.convert(TeacherFormat::Hcpe, TeacherFormat::Psv);
        let positions = all.iter().flat_map(Game::positions);
        let both = records::<Psv>(&psv).zip(records::<Psv>(&without_ply));
        for ((position, ply), (with, without)) in positions.zip(both) {
            let (with, without) = (with.unwrap(), without.unwrap());
            prop_assert_eq!(with.open().unwrap(), (position.clone(), Some(ply.mv)));
            prop_assert_eq!(u32::from(with.ply), position.ply());
            prop_assert_eq!(Psv { ply: 0, ..with }, without);
        }
        prop_assert_eq!(hcpe.len() / 38, psv.len() / 40);
    }

    #[test]
    fn games_come_back_through_hcpe3(all in some_games(FITTING)) {
        let files = Files::new(&all);
        files.convert(TeacherFormat::Pack, TeacherFormat::Hcpe3);
        let hcpe = files.convert(TeacherFormat::Pack, TeacherFormat::Hcpe);
        prop_assert_eq!(files.convert(TeacherFormat::Hcpe3, TeacherFormat::Hcpe), hcpe);
        let back = files.convert(TeacherFormat::Hcpe3, TeacherFormat::Pack);
        let back: Vec<_> = games(&back).map(Result::unwrap).collect();
        for (game, back) in all.iter().zip(&back) {
            let first = 1 + game.start().side_to_move() as u32;
            prop_assert_eq!(back.start(), &game.start().clone().with_ply(first));
            prop_assert_eq!(back.plies(), game.plies());
            prop_assert_eq!((back.result(), back.reason()), (game.result(), game.reason()));
        }
        prop_assert_eq!(back.len(), all.len());
    }

    #[test]
    fn text_loses_nothing(all in some_games(STARTS.len())) {
        let files = Files::new(&all);
        let bytes = files.read(TeacherFormat::Pack);
        files.convert(TeacherFormat::Pack, TeacherFormat::Jsonl);
        prop_assert_eq!(files.convert(TeacherFormat::Jsonl, TeacherFormat::Pack), &bytes[..]);
        let hcpe3 = files.convert(TeacherFormat::Pack, TeacherFormat::Hcpe3);
        files.convert(TeacherFormat::Hcpe3, TeacherFormat::Jsonl);
        prop_assert_eq!(files.convert(TeacherFormat::Jsonl, TeacherFormat::Hcpe3), hcpe3);
    }

    #[test]
    fn tables_lose_only_games_without_moves(all in some_games(FITTING)) {
        let files = Files::new(&all);
        let psv = files.convert(TeacherFormat::Pack, TeacherFormat::Psv);
        files.convert(TeacherFormat::Psv, TeacherFormat::Csv);
        prop_assert_eq!(files.convert(TeacherFormat::Csv, TeacherFormat::Psv), &psv[..]);
        files.convert(TeacherFormat::Psv, TeacherFormat::Jsonl);
        prop_assert_eq!(files.convert(TeacherFormat::Jsonl, TeacherFormat::Psv), psv);
        files.convert(TeacherFormat::Pack, TeacherFormat::Csv);
        let back = files.convert(TeacherFormat::Csv, TeacherFormat::Pack);
        let back: Vec<_> = games(&back).map(Result::unwrap).collect();
        let with_moves = all.into_iter().filter(|game| !game.plies().is_empty());
        prop_assert_eq!(back, with_moves.collect::<Vec<_>>());
    }

    #[test]
    fn packed_forms_and_sfen_say_the_same(all in some_games(STARTS.len())) {
        for (position, _) in all.iter().flat_map(Game::positions) {
            let again = Position::from_sfen(&position.to_string()).unwrap();
            prop_assert_eq!(&again, &position);
            let hcp = Hcp::encode(&again).unwrap().decode().unwrap();
            let psfen = PackedSfen::encode(&again).unwrap().decode().unwrap();
            prop_assert_eq!(&hcp, &psfen);
            prop_assert_eq!(hcp.with_ply(position.ply()), position);
        }
    }
}

#[test]
fn a_ply_that_does_not_fit_is_named() {
    let last = STARTS.len() - 1;
    let end = (TeacherResult::Draw, EndReason::MAX_MOVES);
    let files = Files::new(&[game(0, 3, 1, end), game(last, 1, 1, end)]);
    let run = |files: &Files| {
        let inputs = [Input::File(files.path(TeacherFormat::Pack))];
        let out = files.path(TeacherFormat::Psv);
        let options = TeacherConvertOptions::new(TeacherFormat::Pack, TeacherFormat::Psv);
        convert(&inputs, &out, &options, &Job::default())
    };
    assert_eq!(run(&files).unwrap().positions, 4);
    let files = Files::new(&[game(0, 3, 1, end), game(last, 2, 1, end)]);
    let error = run(&files).unwrap_err().to_string();
    assert!(error.contains("byte 16: ply 65536"), "{error}");
    assert!(!Path::exists(&files.path(TeacherFormat::Psv)));
}

#[test]
fn positions_by_themselves_are_no_pack() {
    let files = Files::new(&[]);
    files.convert(TeacherFormat::Pack, TeacherFormat::Hcpe);
    for from in [TeacherFormat::Hcpe, TeacherFormat::Psv] {
        let inputs = [Input::File(files.path(from))];
        let out = files.0.path().join("out.pack");
        let options = TeacherConvertOptions::new(from, TeacherFormat::Pack);
        let error = convert(&inputs, &out, &options, &Job::default()).unwrap_err();
        assert!(error.to_string().contains("cannot become pack"), "{error}");
        assert!(!out.exists());
    }
}

#[test]
fn hcpe_is_38_bytes_and_psv_40() {
    assert_eq!((Hcpe::LEN, Psv::LEN), (38, 40));
}
