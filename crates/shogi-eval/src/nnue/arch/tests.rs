use super::*;
use crate::PieceList;
use shogi_core::{Color, Position, Square};

fn arch(name: &str) -> Architecture {
    name.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn classic_hashes_and_sizes_are_the_fields() {
    // Name, hashes of transformer, network and file, and the size of the file.
    let table = [
        (
            "halfkp_256x2-32-32",
            0x5d69d7b8,
            0x63337156,
            0x3e5aa6ee,
            64_217_077,
        ),
        (
            "kp_256x2-32-32",
            0x3f5715ff,
            0x63337156,
            0x5c6464a9,
            893_928,
        ),
        (
            "halfkpvm_256x2-32-32",
            0x0b6b1f9a,
            0x63337156,
            0x68586ecc,
            35_684_343,
        ),
        (
            "halfkpe9_256x2-32-32",
            0x5d69d7b8,
            0x63337156,
            0x3e5aa6ee,
            577_806_328,
        ),
        (
            "halfkp_512x2-16-32",
            0x5d69d1b8,
            0x633376ca,
            0x3e5aa772,
            128_416_184,
        ),
        (
            "halfkp_1024x2-8-32",
            0x5d69ddb8,
            0x63336a54,
            0x3e5ab7ec,
            256_814_486,
        ),
        (
            "halfkp_1024x2-8-64",
            0x5d69ddb8,
            0x63336a24,
            0x3e5ab79c,
            256_815_670,
        ),
    ];
    for (name, transformer, network, file, bytes) in table {
        let arch = arch(name);
        assert_eq!(arch.to_string(), name);
        assert_eq!(arch.transformer_hash(), transformer, "{name}");
        assert_eq!(arch.network_hash(), network, "{name}");
        assert_eq!(arch.file_hash(), file, "{name}");
        let description = arch.description().len();
        assert_eq!(arch.file_bytes(description), Some(bytes), "{name}");
    }
}

#[test]
fn descriptions_are_the_fields() {
    assert_eq!(
        arch("halfkp_256x2-32-32").description(),
        "Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[1<-32](ClippedReLU[32]\
         (AffineTransform[32<-32](ClippedReLU[32](AffineTransformSparseInput[32<-512]\
         (InputSlice[512(0:512)])))))"
    );
    assert_eq!(
        arch("sfnn1536").description(),
        "ModelType=SFNNWithoutPsqt;Features=HalfKA_hm2(Friend)[73305->1536x2],Network=SFNN-1536\
         {LayerStack=9}"
    );
    assert_eq!(
        arch("sfnn_halfka2_1024_7_64_k3k3").description(),
        "ModelType=SFNNWithoutPsqt;Features=HalfKA2(Friend)[131949->1024x2],\
         Network=SFNN_HALFKA2_1024_7_64_K3K3{LayerStack=9}"
    );
}

#[test]
fn names_are_read_in_all_their_forms() {
    for (text, name) in [
        (
            "YANEURAOU_ENGINE_NNUE_HALFKP_1024X2_8_32",
            "halfkp_1024x2-8-32",
        ),
        ("NNUE_halfkp_vm_256x2_32_32", "halfkpvm_256x2-32-32"),
        ("SFNN-1536", "SFNN_halfkahm2_1536_15_32_k3k3"),
        (
            "sfnn_halfkahm2_1536-15-32-king3_by_king3",
            "SFNN_halfkahm2_1536_15_32_k3k3",
        ),
        ("SFNN_halfka2_1024_7_64", "SFNN_halfka2_1024_7_64"),
        (
            "sfnn_ka2_256_8_32_k9k9z_progress2_hand64z",
            "SFNN_ka2_256_8_32_hand64z_k9k9z_progress2",
        ),
        (
            "sfnn_halfka2_3072_7_64_c1024_s256x8_k3k3",
            "SFNN_halfka2_3072_7_64_c1024_s256x8_k3k3",
        ),
        (
            "sfnn_ka2_8192_7_64_c0_s1024x8",
            "SFNN_ka2_8192_7_64_c0_s1024x8",
        ),
    ] {
        assert_eq!(arch(text).to_string(), name);
        assert_eq!(arch(name), arch(text));
    }
}

#[test]
fn wrong_names_say_what_is_wrong() {
    for (name, says) in [
        ("", "is not the name of an architecture"),
        ("halfkp", "is not the name of an architecture"),
        ("halfkp_256-32-32", "is not the name of an architecture"),
        ("halfkp_256x2-+2-32", "is not the name of an architecture"),
        (
            "halfkx_256x2-32-32",
            "unknown feature set `halfkx`; known are halfkp, ",
        ),
        ("halfkp_0x2-32-32", "width: 0; possible are 1 to 65536"),
        ("halfkp_256x2-32-99999", "second hidden layer: 99999"),
        ("sfnn_halfka2_1024_7", "is not the name of an architecture"),
        ("sfnn_halfka2_1023_7_64", "is even, not 1023"),
        (
            "sfnn_halfka2_1024_6_64",
            "8n - 1 (with a shortcut) or 8n outputs, not 6",
        ),
        (
            "sfnn_halfka2_1024_7_64_k4k4",
            "unknown part `k4k4`; stacks are chosen by hand4 ",
        ),
        ("sfnn_halfka2_1024_7_64_k3k3_k9k9", "unknown part `k9k9`"),
        (
            "sfnn_halfka2_1024_7_64_progress5",
            "unknown part `progress5`",
        ),
        (
            "sfnn_halfka2_1024_7_64_c64_s64x8",
            "64 + 64 x 8 must be the width 1024",
        ),
        (
            "sfnn_halfka2_1024_7_64_c1021_s1x3",
            "3, at least 2, must divide the 8 outputs",
        ),
    ] {
        let error = name.parse::<Architecture>().unwrap_err().to_string();
        assert!(error.contains(says), "{name}: {error}");
    }
}

#[test]
fn shortcuts_follow_from_the_first_hidden_layer() {
    for (name, shortcut, outputs) in [
        ("sfnn_halfka2_1024_7_64", true, 8),
        ("sfnn_halfka2_1024_8_64", false, 8),
        ("sfnn1536", true, 16),
    ] {
        let Architecture::Sfnn(sfnn) = arch(name) else {
            panic!("{name}")
        };
        assert_eq!(
            (sfnn.has_shortcut(), sfnn.first_outputs()),
            (shortcut, outputs)
        );
        assert_eq!(sfnn.inputs_of(outputs - 1), [0..sfnn.width(), 0..0]);
    }
}

#[test]
fn shards_are_ranges_of_inputs() {
    let Architecture::Sfnn(sfnn) = arch("sfnn_ka2_256_15_32_c64_s48x4") else {
        panic!()
    };
    assert_eq!(sfnn.inputs_of(0), [0..64, 64..112]);
    assert_eq!(sfnn.inputs_of(3), [0..64, 64..112]);
    assert_eq!(sfnn.inputs_of(4), [0..64, 112..160]);
    assert_eq!(sfnn.inputs_of(15), [0..64, 208..256]);
}

fn stacks(parts: &str) -> Stacks {
    let Architecture::Sfnn(sfnn) = arch(&format!("sfnn_ka2_256_7_32_{parts}")) else {
        panic!("{parts}")
    };
    sfnn.stacks()
}

#[test]
fn stacks_are_counted() {
    for (parts, count) in [
        ("k3k3", 9),
        ("k9k9", 81),
        ("k9k9z", 81),
        ("k13k13z", 169),
        ("k21k21", 441),
        ("k29k29", 841),
        ("hand4_k13k13z", 676),
        ("hand16", 16),
        ("hand64z_k9k9z_progress2", 10_368),
        ("hand256_k3k3_progress16", 36_864),
        ("hand1024_k29k29", 861_184),
    ] {
        let stacks = stacks(parts);
        assert_eq!(stacks.count(), count, "{parts}");
        assert_eq!(stacks.to_string(), parts);
        let progress = if parts.contains("progress") {
            ProgressUse::Chooses
        } else {
            ProgressUse::None
        };
        assert!(Stacks::with_count(count, progress).any(|other| other == stacks));
    }
    let names = |count, by_progress| {
        Stacks::with_count(count, by_progress)
            .map(|stacks| stacks.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(81, ProgressUse::None), ["k9k9", "k9k9z"]);
    assert_eq!(names(1, ProgressUse::None), [""]);
    assert_eq!(names(9, ProgressUse::None), ["k3k3"]);
    assert_eq!(names(64, ProgressUse::None), ["hand64", "hand64z"]);
    assert_eq!(
        names(72, ProgressUse::Chooses),
        ["k3k3_progress8", "hand4_k3k3_progress2"]
    );
    assert_eq!(names(7, ProgressUse::None), [""; 0]);
}

/// Expected numbers follow from the definition of each scheme by hand.
#[test]
fn kings_choose_as_their_owners_see_them() {
    // Black's king on 2h (8th rank, second file), white's on 5b: from its side 5h.
    for (parts, black_to_move, white_to_move) in [
        ("k3k3", 2 * 3 + 2, 2 * 3 + 2),
        ("k9k9", 7 * 9 + 7, 7 * 9 + 7),
        ("k9k9z", 3 * 9 + 4, 4 * 9 + 3),
        ("k13k13z", 7 * 13 + 8, 8 * 13 + 7),
        ("k21k21", (3 + 1) * 21 + 3 + 4, (3 + 4) * 21 + 3 + 1),
        (
            "k29k29",
            (2 + 9 + 1) * 29 + 2 + 9 + 4,
            (2 + 9 + 4) * 29 + 2 + 9 + 1,
        ),
    ] {
        for (side, expected) in [('b', black_to_move), ('w', white_to_move)] {
            let sfen = format!("9/4k4/9/9/9/9/9/7K1/9 {side} - 1");
            let position = Position::from_sfen(&sfen).unwrap();
            let index = stacks(parts).index(&position, own_king(&position), 0);
            assert_eq!(index, expected, "{parts} {side}");
        }
    }
    // Forward kings: black's on 5c (3rd rank), white's on 8e (5th from its side).
    for (parts, expected) in [
        ("k3k3", 1),
        ("k9k9", 2 * 9 + 4),
        ("k9k9z", 1),
        ("k13k13z", 2 * 13 + 4),
        ("k21k21", 1),
        ("k29k29", 1),
    ] {
        let position = Position::from_sfen("9/9/4K4/9/1k7/9/9/9/9 b - 1").unwrap();
        let index = stacks(parts).index(&position, own_king(&position), 0);
        assert_eq!(index, expected, "{parts}");
    }
    // The 7th rank, on file 9.
    for (parts, expected) in [
        ("k9k9z", 2 * 9 + 7),
        ("k13k13z", 6 * 13 + 11),
        ("k21k21", 2 * 21 + 3 + 9 + 4),
        ("k29k29", (2 + 8) * 29 + 2 + 18 + 4),
    ] {
        let position = Position::from_sfen("4k4/9/9/9/9/9/K8/9/9 b - 1").unwrap();
        let index = stacks(parts).index(&position, own_king(&position), 0);
        assert_eq!(index, expected, "{parts}");
    }
}

#[test]
fn hands_choose() {
    // Black has 2 pawns, a knight, a gold and a rook; white a bishop and a lance.
    let sfen = "4k4/9/9/9/9/9/9/9/4K4 b RGN2Pbl 1";
    for (parts, expected) in [
        ("hand4", 1),
        ("hand16", 4 + 2),
        ("hand64", 3 * 8 + 5),
        // 2 + 2 + 3 + 5 = 12 points against 5 + 2 = 7.
        ("hand64z", 3 * 8 + 2),
        ("hand256", 0b1011 * 16 + 0b0101),
        ("hand1024", 0b10111 * 32 + 0b01010),
        ("hand4_k3k3", 9 + 8),
        ("hand4_k3k3_progress4", (9 + 8) * 4 + 3),
    ] {
        let position = Position::from_sfen(sfen).unwrap();
        let index = stacks(parts).index(&position, own_king(&position), 192);
        assert_eq!(index, expected, "{parts}");
    }
}

#[test]
fn progress_chooses_evenly() {
    let position = Position::startpos();
    for buckets in PROGRESS_BUCKETS {
        let stacks = Stacks::new(HandScheme::None, KingScheme::None, buckets).unwrap();
        for progress in 0..=255u8 {
            let index = stacks.index(&position, own_king(&position), progress);
            assert_eq!(index, usize::from(progress) * buckets / 256);
        }
    }
}

fn own_king(position: &Position) -> impl Fn(Color) -> Square {
    let list = PieceList::new(position);
    move |color| list.own_king(color)
}
