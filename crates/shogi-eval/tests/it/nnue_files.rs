//! Evaluation files are written and read, their shape is found, and what is wrong with others is
//! said.

use proptest::prelude::*;
use shogi_core::Position;
use shogi_eval::nnue::arch::Architecture;
use shogi_eval::nnue::features::FeatureSet;
use shogi_eval::nnue::file::{FileError, Loaded, NetworkReadOptions, Note};
use shogi_eval::nnue::{FeatureWeights, FvScale, Network, reference};
use test_networks::RandomNetwork;

/// Small networks of all kinds: every feature set, shortcut or none, stacks, progress, shards.
const SHAPES: [&str; 18] = [
    "halfkp_2x2-8-8",
    "halfkpvm_2x2-8-8",
    "halfkpe9_1x2-8-8",
    "k_16x2-8-32",
    "p_16x2-40-8",
    "kp_32x2-32-32",
    "a2_2x2-8-8",
    "halfka1_2x2-8-8",
    "SFNN_ka2_8_7_8",
    "SFNN_halfka2_2_8_8_k3k3",
    "SFNN_halfkahm1_4_15_32_k9k9",
    "SFNN_halfkahm2_4_7_40_k9k9z",
    "SFNN_kp_64_7_32_k13k13z",
    "SFNN_k_64_15_64_hand4_k21k21",
    "SFNN_p_8_8_8_hand16_progress2",
    "SFNN_a2_16_7_8_hand64z_k3k3_progress4",
    "SFNN_ka2_96_15_8_c32_s16x4_k3k3",
    "SFNN_k_40_8_8_k29k29",
];

fn shape(name: &str) -> Architecture {
    name.parse().unwrap()
}

fn random(name: &str) -> RandomNetwork {
    RandomNetwork::new(shape(name), 7)
}

fn file(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    random(name).write(&mut bytes).unwrap();
    bytes
}

/// The file with another text in its header.
fn with_text(file: &[u8], text: &str) -> Vec<u8> {
    let len = u32::from_le_bytes(file[8..12].try_into().unwrap()) as usize;
    let mut bytes = file[..8].to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(&file[12 + len..]);
    bytes
}

fn read(bytes: &[u8]) -> Result<Loaded, FileError> {
    Network::from_bytes(bytes, &NetworkReadOptions::default())
}

fn read_as(bytes: &[u8], name: &str) -> Result<Loaded, FileError> {
    let architecture = Some(shape(name));
    Network::from_bytes(bytes, &NetworkReadOptions { architecture })
}

fn name_of(loaded: &Loaded) -> String {
    loaded.network.architecture().to_string()
}

fn error(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

#[test]
fn files_are_read_as_written() {
    for name in SHAPES {
        let (bytes, made) = (file(name), random(name).network());
        let loaded = read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(name_of(&loaded), name);
        assert!(loaded.notes.is_empty(), "{name}: {:?}", loaded.notes);
        assert_eq!(loaded.network, made, "{name}");
        let mut written = Vec::new();
        loaded.network.write(&mut written).unwrap();
        assert!(written == bytes, "{name}");
        assert_eq!(name_of(&read_as(&bytes, name).unwrap()), name);
        let streamed = Network::read(&bytes[..], &NetworkReadOptions::default()).unwrap();
        assert_eq!(streamed.network, made);
    }
}

/// A network in memory and the same computed row by row give the same values, and values differ.
#[test]
fn values_are_those_of_the_rows() {
    let positions = [
        Position::STARTPOS_SFEN,
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
    ]
    .map(|sfen| Position::from_sfen(sfen).unwrap());
    let mut seen = std::collections::HashSet::new();
    for name in SHAPES {
        let (lazy, network) = (random(name), random(name).network());
        let layers = lazy.layers();
        for position in &positions {
            let value = reference::output(&lazy, &layers, position);
            let scale = FvScale::new(24).unwrap();
            assert_eq!(reference::evaluate(&network, position, scale), value / 24);
            seen.insert(value);
            // The other chair sees the same.
            let turned = reference::output(&lazy, &layers, &position.flip());
            assert_eq!(turned, value, "{name}");
        }
    }
    assert!(seen.len() > 3 * SHAPES.len(), "{}", seen.len());
}

#[test]
fn classic_shapes_follow_from_hashes_and_sizes() {
    for name in SHAPES.into_iter().filter(|name| !name.starts_with("SFNN")) {
        let loaded = read(&with_text(&file(name), "made by hand")).unwrap();
        assert_eq!(name_of(&loaded), name);
        assert!(loaded.notes.is_empty(), "{:?}", loaded.notes);
    }
}

#[test]
fn a_text_with_the_wrong_feature_set_is_noted() {
    let text = shape("halfkp_1x2-8-8").description();
    let loaded = read(&with_text(&file("halfkpe9_1x2-8-8"), &text)).unwrap();
    assert_eq!(name_of(&loaded), "halfkpe9_1x2-8-8");
    let named = shape("halfkp_1x2-8-8");
    assert_eq!(loaded.notes, [Note::Header { named }]);
}

#[test]
fn unnamed_stacks_are_assumed_and_the_user_is_told() {
    let bytes = with_text(
        &file("SFNN_halfkahm2_4_7_40_k9k9z"),
        "ModelType=SFNNWithoutPsqt;Features=HalfKA_hm2(Friend)[73305->4x2],Network=SFNN-4{LayerStack=81}",
    );
    let loaded = read(&bytes).unwrap();
    // Ranks before zones, a shortcut before none.
    let taken = shape("SFNN_halfkahm2_4_7_40_k9k9");
    assert_eq!(*loaded.network.architecture(), taken);
    let [
        Note::Assumed {
            taken: noted,
            others,
        },
    ] = &loaded.notes[..]
    else {
        panic!("{:?}", loaded.notes)
    };
    assert_eq!(*noted, taken);
    let zones = shape("SFNN_halfkahm2_4_7_40_k9k9z");
    assert!(others.contains(&zones) && others.contains(&shape("SFNN_halfkahm2_4_8_40_k9k9")));
    let text = loaded.notes[0].to_string();
    assert!(
        text.contains("may also be SFNN_halfkahm2_4_7_40_k9k9z "),
        "{text}"
    );

    let loaded = read_as(&bytes, "SFNN_halfkahm2_4_7_40_k9k9z").unwrap();
    assert_eq!(*loaded.network.architecture(), zones);
    assert!(loaded.notes.is_empty());
}

#[test]
fn words_of_the_text_settle_what_sizes_cannot() {
    for (text, expected) in [
        (
            "Network=SFNN-4-k9k9z{LayerStack=81}",
            "SFNN_halfkahm2_4_7_40_k9k9z",
        ),
        ("Network=4-8-40 k9k9z", "SFNN_halfkahm2_4_8_40_k9k9z"),
        (
            "Network=AffineTransform[1<-40](ClippedReLU[40](AffineTransform[40<-7]{LayerStack=81}",
            "SFNN_halfkahm2_4_7_40_k9k9",
        ),
    ] {
        let bytes = with_text(&file("SFNN_halfkahm2_4_7_40_k9k9z"), text);
        assert_eq!(name_of(&read(&bytes).unwrap()), expected, "{text}");
    }
}

/// Without any text the number of stacks follows from their hashes.
#[test]
fn sfnn_shapes_follow_from_sizes() {
    for name in SHAPES.into_iter().filter(|name| name.starts_with("SFNN")) {
        let loaded = read(&with_text(&file(name), "")).unwrap();
        let (found, expected) = (*loaded.network.architecture(), shape(name));
        let mut possible = vec![found];
        for note in loaded.notes {
            if let Note::Assumed { others, .. } = note {
                possible.extend(others);
            }
        }
        // Shards cannot be told by size.
        let expected = expected.to_string().replace("_c32_s16x4", "");
        let names: Vec<_> = possible.iter().map(ToString::to_string).collect();
        assert!(names.contains(&expected), "{name}: {names:?}");
        let sizes = |a: &Architecture| (a.stack_bytes(), a.stack_count(), a.layers());
        assert!(possible.iter().all(|a| sizes(a).0 == sizes(&found).0));
        assert_eq!(found.stack_count(), shape(name).stack_count());
    }
}

#[test]
fn wrong_hashes_are_noted() {
    for name in [
        "kp_32x2-32-32",
        "SFNN_ka2_8_7_8",
        "SFNN_p_8_8_8_hand16_progress2",
    ] {
        let good = file(name);
        let text = u32::from_le_bytes(good[8..12].try_into().unwrap()) as usize;
        for (offset, what) in [(4, "the file"), (12 + text, "the feature transformer")] {
            let mut bytes = good.clone();
            bytes[offset] ^= 1;
            let loaded = read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(name_of(&loaded), name);
            let found = u32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap());
            let expected = found ^ 1;
            let note = Note::Hash {
                what,
                offset,
                found,
                expected,
            };
            assert_eq!(loaded.notes, [note], "{name}");
        }
    }
}

#[test]
fn wrong_sizes_have_a_place_and_a_number() {
    let classic = file("kp_32x2-32-32");
    let says = error(&classic[..classic.len() - 5]);
    assert!(
        says.contains("kp_32x2-32-32 has ") && says.contains("5 are missing"),
        "{says}"
    );
    let says = error(&[&classic[..], &[0; 3]].concat());
    assert!(says.contains("3 are too many"), "{says}");

    let sfnn = file("SFNN_kp_64_7_32_k13k13z");
    let says = error(&sfnn[..sfnn.len() - 1]);
    assert!(
        says.contains("SFNN_kp_64_7_32_k13k13z has") && says.contains("1 are missing"),
        "{says}"
    );
    let says = error(&[&sfnn[..], &[0]].concat());
    assert!(says.contains("1 are too many"), "{says}");
    // Within the feature transformer.
    let says = error(&sfnn[..5000]);
    assert!(
        says.contains("the feature transformer's weights should have"),
        "{says}"
    );
    assert!(says.starts_with("byte "), "{says}");

    let says = error(&with_text(&classic[..classic.len() - 5], "no text"));
    assert!(
        says.contains("`no text` is of no known architecture"),
        "{says}"
    );
}

#[test]
fn every_cut_and_every_addition_is_an_error() {
    for name in ["k_16x2-8-32", "SFNN_k_40_8_8_k29k29", "SFNN_ka2_8_7_8"] {
        let bytes = file(name);
        let step = bytes.len() / 500 + 1;
        for end in (0..300).chain((300..bytes.len()).step_by(step)) {
            assert!(!error(&bytes[..end]).is_empty());
        }
        let longer = [&bytes[..], &bytes[..]].concat();
        for end in [1, 4, 100, bytes.len()].map(|more| bytes.len() + more) {
            assert!(!error(&longer[..end]).is_empty());
        }
    }
}

#[test]
fn absurd_numbers_are_errors() {
    let good = file("SFNN_ka2_8_7_8");
    let number = |at: usize| u32::from_le_bytes(good[at..at + 4].try_into().unwrap()) as usize;
    let biases = 12 + number(8) + 4;
    let weights = biases + 21 + number(biases + 17);
    let one_byte = (weights + 21..good.len())
        .find(|&at| good[at - 1..].iter().take(4).all(|&byte| byte < 0x80))
        .unwrap();
    for (offset, with, says) in [
        (
            0,
            &[1, 2, 3, 4][..],
            "found version 04030201, expected 7AF32F16",
        ),
        (8, &[0xff; 4], "the text should have 4294967295 bytes"),
        (
            biases,
            b"UNCOMPRESSED",
            "should begin with COMPRESSED_LEB128",
        ),
        (
            biases + 17,
            &[0xff; 4],
            "biases should have 4294967295 bytes",
        ),
        (
            biases + 17,
            &[0; 4],
            "has 0 biases; expected an even number from 2",
        ),
        (
            weights,
            b"UNCOMPRESSED",
            "should begin with COMPRESSED_LEB128",
        ),
        (
            weights + 17,
            &[0xff; 4],
            "weights should have 4294967295 bytes",
        ),
        (
            one_byte,
            &[0x80],
            "has 14327 weights for 8 biases; no feature set has 1790.875 inputs",
        ),
    ] {
        let mut bytes = good.clone();
        bytes[offset..offset + with.len()].copy_from_slice(with);
        let found = error(&bytes);
        assert!(found.contains(says), "{found}");
    }
    // A weight of more than 16 bits in the place of one, and the size of the weights told so.
    let mut bytes = good.clone();
    bytes.splice(one_byte..=one_byte, [0xff, 0xff, 0x03]);
    let size = number(weights + 17) as u32 + 2;
    bytes[weights + 17..weights + 21].copy_from_slice(&size.to_le_bytes());
    let found = error(&bytes);
    let place = format!("byte {one_byte}: the feature transformer's weights: the number is not");
    assert!(found.starts_with(&place), "{found}");
}

#[test]
fn asking_for_another_shape_is_an_error() {
    for (name, asked, says) in [
        (
            "kp_32x2-32-32",
            "SFNN_ka2_8_7_8",
            "an uncompressed feature transformer",
        ),
        (
            "kp_32x2-32-32",
            "kp_32x2-32-40",
            "that architecture was asked for",
        ),
        (
            "SFNN_ka2_8_7_8",
            "kp_32x2-32-32",
            "a compressed feature transformer",
        ),
        (
            "SFNN_ka2_8_7_8",
            "SFNN_a2_8_7_8",
            "ka2 features and a width of 8",
        ),
        (
            "SFNN_ka2_8_7_8",
            "SFNN_ka2_8_7_8_progress2",
            "no weights of the progress",
        ),
        (
            "SFNN_p_8_8_8_hand16_progress2",
            "SFNN_p_8_8_8_hand16",
            "weights of the progress",
        ),
        ("SFNN_ka2_8_7_8", "SFNN_ka2_8_7_8_k3k3", "are missing"),
    ] {
        let found = read_as(&file(name), asked).unwrap_err().to_string();
        assert!(found.contains(says), "{name} as {asked}: {found}");
    }
}

#[test]
fn a_stream_that_breaks_is_an_error() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("gone"))
        }
    }
    let found = Network::read(Broken, &NetworkReadOptions::default()).unwrap_err();
    assert_eq!(found.to_string(), "cannot be read: gone");
}

#[test]
fn files_are_opened_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nn.bin");
    let open = || Network::open(&path, &NetworkReadOptions::default());
    let missing = open().unwrap_err().to_string();
    assert!(missing.contains("nn.bin"), "{missing}");
    std::fs::write(&path, [1, 2, 3, 4]).unwrap();
    let wrong = open().unwrap_err().to_string();
    assert!(
        wrong.contains("nn.bin: byte 0: found version 04030201"),
        "{wrong}"
    );
    std::fs::write(&path, file("SFNN_ka2_8_7_8")).unwrap();
    assert_eq!(open().unwrap().network, random("SFNN_ka2_8_7_8").network());
}

/// With shards, outputs do not use the weights outside of theirs: with zeros there, the whole matrix
/// gives the same.
#[test]
fn shards_ignore_other_inputs() {
    let (sharded, full) = ("SFNN_ka2_96_15_8_c32_s16x4_k3k3", "SFNN_ka2_96_15_8_k3k3");
    let bytes = file(sharded);
    let mut zeroed = bytes.clone();
    let stack = shape(full).stack_bytes();
    for n in 0..9 {
        let first = bytes.len() - (9 - n) * stack + 4;
        for output in 0..16 {
            let row = first + 16 * 4 + output * 96;
            let group = 32 + output / 4 * 16;
            for input in (32..96).filter(|input| !(group..group + 16).contains(input)) {
                zeroed[row + input] = 0;
            }
        }
    }
    let position = Position::startpos();
    let value = |bytes: &[u8], name: &str| {
        let network = read_as(bytes, name).unwrap().network;
        reference::evaluate(&network, &position, FvScale::new(1).unwrap())
    };
    assert_eq!(value(&bytes, sharded), value(&zeroed, full));
    assert_eq!(value(&zeroed, sharded), value(&zeroed, full));
    assert_ne!(value(&bytes, sharded), value(&bytes, full));
}

#[test]
fn descriptions_tell_sizes_and_ranges() {
    let text = random("SFNN_a2_16_7_8_hand64z_k3k3_progress4")
        .network()
        .describe()
        .to_string();
    let expected = [
        "architecture  SFNN_a2_16_7_8_hand64z_k3k3_progress4",
        "text          ModelType=SFNNWithoutPsqt;Features=A2[1629->16x2],\
         Network=TEST-sfnn_a2_16_7_8_hand64z_k3k3_progress4{LayerStack=2304}",
        "hashes        file 5370697D, transformer 5F134AB8, layers 6333718A",
        // 16 × 1630 + 2304 × (8 × 17 + 8 × 15 + 9)
        "parameters    636640, 1.4 MiB uncompressed",
        "fv_scale      16 unless its author says otherwise",
        "transformer   A2 1629 -> 16 x 2: weights -195 to 175, biases 1 to 72",
        "layer 1       16 -> 8: weights -20 to 20, biases -2000 to 4000",
        "layer 2       14 -> 8: weights -36 to 36, biases -1000 to 3000",
        "layer 3       8 -> 1: weights -60 to 60, biases -1993 to 2000",
        "stacks        2304, by hand64z_k3k3_progress4",
        "shortcut      yes",
        "progress      weights -20000 to 20000",
    ];
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines, expected);
}

#[test]
fn rows_begin_on_cache_lines() {
    let network = random("kp_32x2-32-32").network();
    assert_eq!(network.transformer().row(0).as_ptr().align_offset(64), 0);
    assert_eq!(network.transformer().row(1).as_ptr().align_offset(64), 0);
    assert_eq!(network.transformer().biases().as_ptr().align_offset(64), 0);
    assert_eq!(
        network.transformer().weights().len(),
        32 * FeatureSet::KP.dimensions()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn any_bytes_are_a_file_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = bytes;
        prop_assert!(read(&bytes).is_err());
        if bytes.len() > 12 {
            bytes[..4].copy_from_slice(&0x7af3_2f16u32.to_le_bytes());
            bytes[9..12].fill(0);
            prop_assert!(read(&bytes).is_err());
        }
    }

    /// A file with any bytes changed is read as some file, or an error; what is read can be written.
    #[test]
    fn changed_files_are_files_or_errors(
        which in 0..3usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        near_the_beginning in any::<bool>(),
    ) {
        let mut bytes = file(["k_16x2-8-32", "SFNN_ka2_8_7_8", "SFNN_k_40_8_8_k29k29"][which]);
        let end = if near_the_beginning { 400 } else { bytes.len() };
        for (place, byte) in changes {
            bytes[place.index(end)] = byte;
        }
        if let Ok(loaded) = read(&bytes) {
            let mut written = Vec::new();
            loaded.network.write(&mut written).unwrap();
            prop_assert_eq!(read(&written).unwrap().network, loaded.network);
        }
    }
}
