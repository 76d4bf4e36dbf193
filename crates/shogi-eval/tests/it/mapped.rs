//! Networks prepared for evaluation, in files: they are the network that was read, or an error.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use shogi_core::Position;
use shogi_core::movegen::Legal;
use shogi_eval::Evaluator;
use shogi_eval::nnue::arch::Architecture;
use shogi_eval::nnue::file::{NetworkReadOptions, Note};
use shogi_eval::nnue::{
    FvScale, MappedError, MappedKey, MappedNetwork, Network, NnueEvaluator, PreparedNetwork,
    reference,
};
use tempfile::TempDir;
use test_networks::RandomNetwork;
use test_support::SplitMix64;
use yane_io::Map;

const PAGE: usize = 4096;
/// The places of the header's fields that are used.
const TABLE: usize = 48;
const HEADER_END: usize = TABLE + 16 * 13;

/// Small networks of all families.
const ARCHITECTURES: [&str; 14] = [
    "halfkp_64x2-32-32",
    "halfkp_40x2-9-5",
    "halfkpvm_32x2-8-32",
    "halfkpe9_16x2-8-16",
    "k_256x2-32-32",
    "p_192x2-24-64",
    "kp_256x2-32-32",
    "sfnn_halfka1_64_15_32_k9k9",
    "sfnn_halfka2_48_7_64_k3k3",
    "sfnn_halfkahm1_32_16_8_k21k21",
    "sfnn_halfkahm2_128_15_32_c64_s16x4_k29k29",
    "sfnn_a2_256_23_16_hand256_k3k3",
    "sfnn_ka2_256_8_32_hand64z_k3k3_progress2",
    "sfnn_kp_512_31_64_hand4_k13k13z_progress4",
];

fn file(architecture: &str, seed: u64) -> Vec<u8> {
    let mut file = Vec::new();
    let random = RandomNetwork::new(architecture.parse().unwrap(), seed);
    random.write(&mut file).unwrap();
    file
}

fn read(file: &[u8], options: &NetworkReadOptions) -> (Network, Vec<Note>) {
    let loaded = Network::from_bytes(file, options).unwrap();
    (loaded.network, loaded.notes)
}

/// A file of a prepared network, and its key.
struct Sample {
    folder: TempDir,
    key: MappedKey,
    bytes: Vec<u8>,
}

impl Sample {
    fn new(file: &[u8], options: &NetworkReadOptions) -> Self {
        let (network, notes) = read(file, options);
        let mapped = MappedNetwork {
            network: PreparedNetwork::new(network),
            notes,
        };
        let key = MappedKey::new(file, options);
        let mut bytes = Vec::new();
        mapped.write(key, &mut bytes).unwrap();
        let folder = tempfile::tempdir().unwrap();
        Self { folder, key, bytes }
    }

    fn open(&self, bytes: &[u8]) -> Result<MappedNetwork, MappedError> {
        self.open_as(bytes, self.key)
    }

    fn open_as(&self, bytes: &[u8], key: MappedKey) -> Result<MappedNetwork, MappedError> {
        let path = self.folder.path().join("network");
        fs::write(&path, bytes).unwrap();
        MappedNetwork::of_map(&Arc::new(Map::open(&path).unwrap()), key)
    }
}

fn positions() -> Vec<Position> {
    let mut random = SplitMix64::new(1);
    let mut position = Position::startpos();
    let mut positions = Vec::new();
    while positions.len() < 40 {
        positions.push(position.clone());
        for _ in 0..3 {
            let moves = position.moves::<Legal>();
            if moves.is_empty() {
                position = Position::startpos();
                break;
            }
            let _ = position.do_move_unchecked(moves[random.index(moves.len())]);
        }
    }
    positions
}

#[test]
fn mapped_networks_evaluate_as_those_that_were_read() {
    let positions = positions();
    for architecture in ARCHITECTURES {
        let file = file(architecture, 3);
        let shape: Architecture = architecture.parse().unwrap();
        let options = NetworkReadOptions {
            architecture: Some(shape),
        };
        let (network, _) = read(&file, &options);
        let sample = Sample::new(&file, &options);
        let mapped = sample.open(&sample.bytes).unwrap();
        assert!(mapped.notes.is_empty(), "{:?}", mapped.notes);
        assert_eq!(mapped.network.architecture(), &shape);
        assert_eq!(mapped.network.description(), network.description());
        let mut again = Vec::new();
        mapped.write(sample.key, &mut again).unwrap();
        assert!(again == sample.bytes, "{architecture}");
        let scale = FvScale::DEFAULT;
        let mut evaluator = NnueEvaluator::new(Arc::new(mapped.network), scale);
        let mut values = HashSet::new();
        for position in &positions {
            evaluator.reset(position);
            let value = evaluator.evaluate(position);
            let expected = reference::evaluate(&network, position, scale);
            assert_eq!(value, expected, "{architecture} {}", position.to_sfen());
            values.insert(value);
        }
        assert!(values.len() > 5, "{architecture}: {values:?}");
    }
}

#[test]
fn what_was_odd_is_remembered() {
    // HalfKP and HalfKPE9 files with a text that names another shape, and a wrong hash.
    let mut odd = file("kp_32x2-8-8", 1);
    odd[4] ^= 1;
    let options = NetworkReadOptions::default();
    let (_, notes) = read(&odd, &options);
    assert!(!notes.is_empty());
    let sample = Sample::new(&odd, &options);
    assert_eq!(sample.open(&sample.bytes).unwrap().notes, notes);
}

#[test]
fn another_key_is_an_error() {
    let options = NetworkReadOptions::default();
    let one = file("k_32x2-8-8", 1);
    let sample = Sample::new(&one, &options);
    let asked = NetworkReadOptions {
        architecture: Some("k_32x2-8-8".parse().unwrap()),
    };
    let mut longer = one.clone();
    longer.push(0);
    let keys = [
        MappedKey::new(&file("k_32x2-8-8", 2), &options),
        MappedKey::new(&longer, &options),
        MappedKey::new(&one[..one.len() - 1], &options),
        MappedKey::new(&one, &asked),
    ];
    for key in keys {
        assert_ne!(key.file_name(), sample.key.file_name());
        let error = sample.open_as(&sample.bytes, key).unwrap_err();
        assert_eq!(error, MappedError::Key);
    }
    assert_eq!(sample.key, MappedKey::new(&one, &options));
}

#[test]
fn every_changed_byte_is_an_error() {
    let sample = Sample::new(&file("k_32x2-8-8", 1), &NetworkReadOptions::default());
    assert!(sample.open(&sample.bytes).is_ok());
    let mut bytes = sample.bytes.clone();
    let header = (0..PAGE).filter(|&at| at < HEADER_END + 8 || at % 61 == 0 || at >= PAGE - 16);
    for at in header.chain((PAGE..bytes.len()).step_by(997)) {
        for bit in [0, 7] {
            bytes[at] ^= 1 << bit;
            let error = sample.open(&bytes).err();
            assert!(error.is_some(), "byte {at}, bit {bit}");
            bytes[at] ^= 1 << bit;
        }
    }
    assert!(sample.open(&bytes).is_ok());
}

#[test]
fn files_that_are_too_short_or_too_long_are_errors() {
    let sample = Sample::new(&file("k_32x2-8-8", 1), &NetworkReadOptions::default());
    let len = sample.bytes.len();
    for cut in [
        0,
        1,
        47,
        48,
        PAGE - 1,
        PAGE,
        PAGE + 1,
        len / 2,
        len - PAGE,
        len - 1,
    ] {
        assert!(sample.open(&sample.bytes[..cut]).is_err(), "{cut}");
        let mut sealed = sample.bytes[..cut].to_vec();
        MappedNetwork::seal(&mut sealed);
        assert!(sample.open(&sealed).is_err(), "{cut} sealed");
    }
    for more in [1, 8, PAGE, len] {
        let mut longer = sample.bytes.clone();
        longer.resize(len + more, 0);
        assert!(sample.open(&longer).is_err(), "{more}");
        MappedNetwork::seal(&mut longer);
        assert!(sample.open(&longer).is_err(), "{more} sealed");
        longer[32..40].copy_from_slice(&((len + more) as u64).to_ne_bytes());
        MappedNetwork::seal(&mut longer);
        assert!(sample.open(&longer).is_err(), "{more}, sealed and told");
    }
}

/// Behind the check values: nobody writes this by accident, but it must not end the program either.
#[test]
fn wrong_headers_with_right_check_values_are_errors() {
    let sample = Sample::new(&file("k_32x2-8-8", 1), &NetworkReadOptions::default());
    let numbers = [
        0,
        1,
        63,
        PAGE as u64,
        1 << 31,
        1 << 32,
        u64::MAX - 4095,
        u64::MAX,
    ];
    for at in (32..HEADER_END).step_by(8).filter(|&at| at != 40) {
        for number in numbers {
            let mut bytes = sample.bytes.clone();
            // The text may have zeros behind it.
            let is_text = at == TABLE + 16 + 8 && number == PAGE as u64;
            if is_text || bytes[at..at + 8] == number.to_ne_bytes() {
                continue;
            }
            bytes[at..at + 8].copy_from_slice(&number.to_ne_bytes());
            MappedNetwork::seal(&mut bytes);
            assert!(sample.open(&bytes).is_err(), "byte {at}: {number}");
        }
    }
    // Arrays of another shape.
    for (name, error) in [
        (
            "architecture k_96x2-8-8\n",
            MappedError::Section { section: 2 },
        ),
        ("architecture k_32x2-88\n\n", MappedError::Facts { line: 1 }),
    ] {
        let mut bytes = sample.bytes.clone();
        assert!(bytes[PAGE..].starts_with(b"architecture k_32x2-8-8\n"));
        bytes[PAGE..PAGE + name.len()].copy_from_slice(name.as_bytes());
        MappedNetwork::seal(&mut bytes);
        assert_eq!(sample.open(&bytes).unwrap_err(), error);
    }
}

#[test]
fn random_bytes_are_errors() {
    let sample = Sample::new(&file("k_32x2-8-8", 1), &NetworkReadOptions::default());
    let mut random = SplitMix64::new(2);
    for _ in 0..200 {
        let len = random.index(3 * PAGE);
        let mut bytes: Vec<u8> = (0..len).map(|_| random.next_u64() as u8).collect();
        // Sometimes with a beginning that is right.
        let right = random.index(HEADER_END + 1).min(len);
        bytes[..right].copy_from_slice(&sample.bytes[..right]);
        assert!(sample.open(&bytes).is_err());
        MappedNetwork::seal(&mut bytes);
        assert!(sample.open(&bytes).is_err());
    }
    assert!(Path::new(&sample.key.file_name()).extension().is_some());
}
