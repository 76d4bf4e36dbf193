//! Files of weights: read as they were written, and one error for each damage.

use othello_core::Board;
use othello_eval::{
    PatternEvaluator, PatternLayout, PhaseTables, PlyPhases, Weights, WeightsFormat,
};
use yane_base::random::SplitMix64;

/// The bytes of an `eval.dat` with random weights, and the weights.
fn edax() -> (Vec<u8>, Vec<i16>) {
    let mut random = SplitMix64::new(1);
    let weights: Vec<i16> = (0..61 * 114_364)
        .map(|_| random.next_u64() as i16)
        .collect();
    let mut bytes = b"XADELAVE".to_vec();
    bytes.resize(28, 0);
    bytes.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
    (bytes, weights)
}

/// The bytes of an `eval.egev2`: zeros but for some values of phase 20, and those values with their places.
fn egaroucid() -> (Vec<u8>, Vec<(usize, i16)>) {
    let mut random = SplitMix64::new(2);
    let per_phase = 612_360 + 65;
    let begin = 20 * per_phase;
    let mut places: Vec<usize> = (0..500)
        .map(|_| begin + random.index(per_phase))
        .chain([begin + 612_360, begin + 612_361])
        .collect();
    places.sort_unstable();
    places.dedup();
    let mut values = Vec::new();
    let mut written = Vec::new();
    let (mut at, end) = (0, 60 * per_phase);
    for place in places.into_iter().map(Some).chain([None]) {
        let mut zeros = place.unwrap_or(end) - at;
        while zeros > 0 {
            let run = zeros.min(28_671);
            values.push(4096 + run as i16);
            zeros -= run;
        }
        if let Some(place) = place {
            let value = random.below(8000) as i16 - 4000;
            values.push(value);
            written.push((place - begin, value));
            at = place + 1;
        }
    }
    let mut bytes = (values.len() as u32).to_le_bytes().to_vec();
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    (bytes, written)
}

/// The pattern tables of weights.
fn patterns(weights: &Weights) -> &PatternEvaluator<4> {
    weights.main().as_patterns().expect("pattern tables")
}

#[test]
fn edax_weights_are_where_edax_reads_them() {
    let (bytes, weights) = edax();
    let read = Weights::from_bytes(&bytes).unwrap();
    assert_eq!(read.format(), WeightsFormat::Edax);
    assert_eq!(patterns(&read).phases().count(), 61);
    // An empty board has only places whose squares are all empty, the last state of each block.
    let empty = Board::new(0, 0).unwrap();
    let blocks = [
        (10206, 4),
        (29889, 4),
        (29646, 4),
        (29646, 4),
        (3321, 4),
        (3321, 4),
        (3321, 4),
        (3321, 2),
        (1134, 4),
        (378, 4),
        (135, 4),
        (45, 4),
        (1, 1),
    ];
    let (mut end, mut expected) = (0, 0);
    for (len, places) in blocks {
        end += len;
        expected += places * i32::from(weights[end - 1]);
    }
    assert_eq!(end, 114_364);
    assert_eq!(read.main().evaluate(empty), expected);
    // A disc of the mover on a1: digit 0 in each place with a1. By hand for the 3x3 corner, its first digit:
    // 3^9 − 1 − 2 * 3^8 = 6560 is its number, and its mirror image is itself.
    let tables = patterns(&read).phase_tables(0);
    let indices = PatternLayout::edax().patterns()[0].indices();
    assert_eq!(indices.canonical[6560], 6560);
    let place = usize::from(indices.packed[6560]);
    assert_eq!(tables.patterns[0][6560], weights[place]);
    assert_eq!(read.main().discs(10_000), 63);
}

#[test]
fn egaroucid_weights_are_where_egaroucid_reads_them() {
    let (bytes, written) = egaroucid();
    let read = Weights::from_bytes(&bytes).unwrap();
    assert_eq!(read.format(), WeightsFormat::Egaroucid);
    let tables = patterns(&read).phase_tables(20);
    let flat: Vec<i16> = tables
        .patterns
        .concat()
        .into_iter()
        .chain(tables.discs)
        .collect();
    assert_eq!(
        flat.iter().filter(|&&value| value != 0).count(),
        written.len()
    );
    assert!(written.iter().all(|&(place, value)| flat[place] == value));
    // Of a board without a disc of the mover in phase 20, or with one: what differs is in the tables.
    let other: u64 = 0xff_ffff_0000 & !1;
    let board = Board::new(0, other).unwrap();
    assert_eq!(
        (board.discs(), patterns(&read).phase(board.discs())),
        (24, 20)
    );
    let sum = |tables: PhaseTables| {
        let one = PlyPhases::from_first(&[0]);
        let evaluator: PatternEvaluator<4> =
            PatternEvaluator::new(PatternLayout::egaroucid(), one, &[tables], 32, 64);
        evaluator.evaluate(board)
    };
    let tables = patterns(&read).phase_tables(20);
    let without = PhaseTables {
        discs: vec![0; 65],
        ..tables.clone()
    };
    let of_none = written
        .iter()
        .find(|(place, _)| *place == 612_360)
        .unwrap()
        .1;
    assert_eq!(sum(tables.clone()) - sum(without), 4 * i32::from(of_none));
    assert_eq!(read.main().evaluate(board), sum(tables));
}

#[test]
fn our_files_are_read_as_they_were_written() {
    let weights = Weights::untrained();
    let bytes = weights.to_bytes("made of guesses");
    let read = Weights::from_bytes(&bytes).unwrap();
    assert_eq!(read.note(), "made of guesses");
    assert_eq!(read.format(), WeightsFormat::Yaneura);
    assert_eq!(patterns(&read).layout(), patterns(&weights).layout());
    assert_eq!(patterns(&read).phases(), patterns(&weights).phases());
    for phase in 0..patterns(&weights).phases().count() {
        assert_eq!(
            patterns(&read).phase_tables(phase),
            patterns(&weights).phase_tables(phase)
        );
    }
    assert_eq!(read.to_bytes("made of guesses"), bytes);
}

#[test]
fn a_file_cut_anywhere_is_an_error_with_its_byte() {
    let ours = Weights::untrained().to_bytes("");
    for len in (0..ours.len()).step_by(997).chain([ours.len() - 1]) {
        let error = Weights::from_bytes(&ours[..len]).unwrap_err();
        assert!(error.offset <= len as u64, "{len}: {error}");
    }
    let (edax, _) = edax();
    for len in [8, 27, 28, 1000, edax.len() - 1] {
        let error = Weights::from_bytes(&edax[..len]).unwrap_err();
        assert_eq!(error.offset, len as u64, "{error}");
        assert!(error.reason.contains("ends within"), "{error}");
    }
    let longer = [&edax[..], &[0]].concat();
    assert_eq!(
        Weights::from_bytes(&longer).unwrap_err().offset,
        edax.len() as u64
    );
    let (egaroucid, _) = egaroucid();
    for len in [5, 100, egaroucid.len() - 1] {
        let error = Weights::from_bytes(&egaroucid[..len]).unwrap_err();
        assert_eq!(error.offset, len as u64, "{error}");
    }
    let longer = [&egaroucid[..], &[0]].concat();
    let error = Weights::from_bytes(&longer).unwrap_err();
    assert_eq!(error.offset, egaroucid.len() as u64, "{error}");
}

#[test]
fn every_changed_byte_of_ours_is_noticed() {
    let good = Weights::untrained().to_bytes("note");
    for at in (0..good.len()).step_by(1499) {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        assert!(Weights::from_bytes(&bad).is_err(), "byte {at}");
    }
}

#[test]
fn other_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("eval.dat");
    std::fs::write(&path, b"not weights at all").unwrap();
    let error = Weights::load(&path).unwrap_err().to_string();
    assert!(
        error.contains("eval.dat: byte 0: expected weights"),
        "{error}"
    );
    let missing = Weights::load(&folder.path().join("none")).unwrap_err();
    assert!(missing.to_string().contains("none"), "{missing}");
    std::fs::write(&path, b"").unwrap();
    assert!(Weights::load(&path).is_err());
}

/// The weights that come with the program are nearer to the exact scores of end games than guesses, and choose better moves.
#[test]
fn built_in_weights_are_better_than_none() {
    let text = test_support::fixture_text("othello/endgame/random.jsonl");
    let rows: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let quality = |weights: &Weights| {
        let (mut error, mut loss) = (0, 0);
        for row in &rows {
            let position: othello_core::Position = row["board"].as_str().unwrap().parse().unwrap();
            let (board, score) = (position.board(), row["score"].as_i64().unwrap());
            let found = weights.main().discs(weights.main().evaluate(board));
            error += (i64::from(found) - score).abs();
            let best = board
                .legal_moves()
                .iter()
                .min_by_key(|&square| weights.main().evaluate(board.play_unchecked(square)));
            if let Some(square) = best {
                loss += score - row["moves"][square.to_string()].as_i64().unwrap();
            }
        }
        (error, loss)
    };
    let (built_in, untrained) = (
        quality(&Weights::built_in()),
        quality(&Weights::untrained()),
    );
    println!("error and loss in discs: {built_in:?}, untrained {untrained:?}");
    assert!(2 * built_in.0 < untrained.0 && built_in.1 < untrained.1);
    assert_eq!(Weights::built_in().format(), WeightsFormat::Yaneura);
}

/// The bytes of an `eval.dat` and an `eval.egev2` with small random weights, with which the peers were run.
fn peers_files() -> [Vec<u8>; 2] {
    let mut random = SplitMix64::new(1);
    let mut edax = b"XADELAVE\x03".to_vec();
    edax.resize(28, 0);
    edax.extend((0..61 * 114_364).flat_map(|_| (random.below(181) as i16 - 90).to_le_bytes()));
    let mut random = SplitMix64::new(2);
    let (mut values, mut at, total) = (Vec::new(), 0, 60 * (612_360 + 65));
    while at < total {
        let number = random.next_u64();
        if number.is_multiple_of(16) {
            let zeros = (1 + (number >> 8) % 200).min(total - at);
            values.push(4096 + zeros as i16);
            at += zeros;
        } else {
            values.push(((number >> 8) % 601) as i16 - 300);
            at += 1;
        }
    }
    let mut egaroucid = (values.len() as u32).to_le_bytes().to_vec();
    egaroucid.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    [edax, egaroucid]
}

/// The sums of weights are those that Edax 4.6 and Egaroucid 7.9 make of the same files, on boards of all plies.
#[test]
fn values_are_those_of_the_peers() {
    let [edax, egaroucid] = peers_files();
    let edax = Weights::from_bytes(&edax).unwrap();
    let egaroucid = Weights::from_bytes(&egaroucid).unwrap();
    let rows: Vec<serde_json::Value> = test_support::fixture_rows("othello/eval/peers.jsonl");
    for row in &rows {
        let position: othello_core::Position = row["board"].as_str().unwrap().parse().unwrap();
        let board = position.board();
        let of = |name: &str| row[name].as_i64().unwrap() as i32;
        assert_eq!(edax.main().evaluate(board), of("edax"), "{board:?}");
        // Parts of a disc: 32, and ours 128.
        assert_eq!(
            egaroucid.main().evaluate(board),
            4 * of("egaroucid"),
            "{board:?}"
        );
    }
    assert!(rows.len() >= 200);
}

/// Real weights of the peers, if their files are at hand: they must make sense.
#[test]
fn real_files_of_peers() {
    for (variable, format) in [
        ("EDAX_EVAL_DAT", WeightsFormat::Edax),
        ("EGAROUCID_EVAL", WeightsFormat::Egaroucid),
    ] {
        let Some(path) = std::env::var_os(variable) else {
            eprintln!("SKIPPED: {variable} is not set, so no real weights of {format} are read");
            continue;
        };
        let weights = Weights::load(path.as_ref()).unwrap();
        assert_eq!(weights.format(), format);
        let start = weights.main().evaluate(Board::START);
        assert!(start.abs() < 10 * othello_eval::UNITS_PER_DISC, "{start}");
    }
}
