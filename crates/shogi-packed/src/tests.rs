//! Every way of packing does the same, bit by bit, as the plain one.

use shogi_core::movegen::LegalAll;
use shogi_core::{
    AperyMove16, Color, HandKind, Move16, MoveText, Origin, Piece, PieceKind, Position, Setup,
    Square,
};
use test_support::SplitMix64;

use crate::board::Squares;
use crate::form::{Form, HCP_FORM, PACKED_SFEN_FORM};
use crate::level::Level;
use crate::placement::Placement;
use crate::wide::head;
use crate::{Hcp, NO_KING, PackError, PackedSfen, UnpackError, convert, plain};

const FORMS: [&Form; 2] = [&HCP_FORM, &PACKED_SFEN_FORM];

/// Starts of playouts: the even game, handicaps, full hands, few pieces, promoted pieces everywhere.
const STARTS: [&str; 10] = [
    Position::STARTPOS_SFEN,
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
    "4k4/9/9/9/9/9/9/9/4K4 w RB2G2S2N2L9Prb2g2s2n2l9p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
    "4k4/1L4G2/2+b1N1N2/G3P4/SG1P4N/9/4S1P2/BNL6/4KG3 w 2R2S2L15P 1",
    "7k1/4+P+P3/3K5/9/9/9/2+p+p+p4/9/9 b RB4G4S2NL4Prb2n3l8p 1",
];

/// Positions of random games and random setups; with a missing king, too.
pub(crate) fn random_positions(count: usize) -> Vec<Position> {
    let mut random = SplitMix64::new(1);
    let mut positions = Vec::new();
    while positions.len() < count {
        let start = STARTS[random.remainder(STARTS.len())];
        let mut position = Position::from_sfen(start).expect("a start");
        for _ in 0..random.remainder(150) {
            positions.push(position.clone());
            let moves = position.moves::<LegalAll>();
            if moves.is_empty() {
                break;
            }
            let _ = position.do_move_unchecked(moves[random.remainder(moves.len())]);
        }
        positions.extend((0..20).filter_map(|_| setup(&mut random)));
    }
    positions
}

fn setup(random: &mut SplitMix64) -> Option<Position> {
    let mut setup = Setup::default();
    let (board, hand) = (random.remainder(40), random.remainder(30));
    for color in Color::ALL {
        if random.remainder(10) > 0 {
            setup.board[random.remainder(81)] = Some(Piece::new(color, PieceKind::King));
        }
    }
    for kind in HandKind::ALL {
        for _ in 0..kind.piece_kind().set_count() {
            let color = Color::ALL[random.remainder(2)];
            let place = random.remainder(40);
            if place < board {
                let piece = Piece::new(color, kind.piece_kind());
                let promoted = piece.promote().filter(|_| random.remainder(2) == 0);
                let square = &mut setup.board[random.remainder(81)];
                *square = square.or(promoted).or(Some(piece));
            } else if place < board + hand {
                setup.hands[color] = setup.hands[color].with(kind);
            }
        }
    }
    setup.side = Color::ALL[random.remainder(2)];
    Position::from_setup(&setup).ok()
}

/// Packed positions, whole and damaged, and noise, with the form they are read in.
fn streams(positions: &[Position]) -> Vec<([u8; 32], &'static Form)> {
    let mut random = SplitMix64::new(2);
    let mut streams = Vec::new();
    for (i, position) in positions.iter().enumerate() {
        let form = FORMS[i % 2];
        let Ok(bytes) = plain::encode_plain(position, form) else {
            continue;
        };
        streams.push((bytes, form));
        let mut damaged = bytes;
        for _ in 0..=random.remainder(3) {
            let bit = random.remainder(256);
            damaged[bit / 8] ^= 1 << (bit % 8);
        }
        streams.push((damaged, form));
        let mut noise = bytes;
        for byte in &mut noise[random.remainder(32)..] {
            *byte = random.remainder(256) as u8;
        }
        streams.push((noise, form));
    }
    streams.push(([0; 32], FORMS[0]));
    streams.push(([0xff; 32], FORMS[1]));
    streams
}

/// The parts of a placement that have a meaning.
fn essence(placement: &Placement) -> impl PartialEq + std::fmt::Debug + use<> {
    let Placement {
        header,
        board,
        hands,
        missing,
        words,
        form,
    } = placement;
    let mut starts = board.starts;
    for (i, word) in starts.iter_mut().enumerate() {
        *word &= !u64::MAX.unbounded_shl(board.end.saturating_sub(64 * i as u32));
    }
    let board = (board.squares, starts, board.end);
    (*header, board, *hands, *missing, *words, form.color_first)
}

#[test]
fn all_ways_encode_the_same() {
    for position in random_positions(3000) {
        for form in FORMS {
            let expected = plain::encode_plain(&position, form);
            for level in Level::all() {
                let mut bytes = [0; 32];
                let result = level.encode(&position, form, &mut bytes);
                assert_eq!(result.map(|()| bytes), expected, "{level:?} {position}");
            }
        }
    }
}

#[test]
fn all_ways_read_the_same() {
    let ways = Level::all();
    let mut placements = vec![Placement::empty(); ways.len()];
    let mut good = 0;
    for (bytes, form) in streams(&random_positions(4000)) {
        let expected = plain::decode_plain(&bytes, form);
        good += usize::from(expected.is_ok());
        for (way, placement) in ways.iter().zip(&mut placements) {
            let before = essence(placement);
            let done = way.read(&bytes, form, placement);
            assert_eq!(done, expected.is_ok(), "{expected:?}");
            if !done {
                assert_eq!(essence(placement), before);
            }
        }
        let Ok(position) = &expected else { continue };
        for placement in &placements {
            assert_eq!(essence(placement), essence(&placements[0]), "{position}");
            assert_eq!(placement.to_position(1), *position);
            let squares: &Squares = &placement.board.squares;
            assert!(
                Square::ALL
                    .iter()
                    .all(|&s| squares.piece_on(s) == position.piece_on(s))
            );
        }
    }
    assert!(good > 4000, "{good} positions");
}

/// Records of `N` bytes that begin with these streams.
fn records<const N: usize>(streams: &[[u8; 32]]) -> Vec<[u8; N]> {
    let record = |(i, bytes): (usize, &[u8; 32])| {
        let mut record = [i as u8; N];
        record[..32].copy_from_slice(bytes);
        record
    };
    streams.iter().enumerate().map(record).collect()
}

fn many_are_read_as_one_from<const N: usize>(
    level: Level,
    streams: &[[u8; 32]],
    form: &'static Form,
) {
    let records = records::<N>(streams);
    let code = |record: &[u8; N]| u16::from_le_bytes([record[0], record[31]]);
    let decode = |code, form: &Form| {
        if form.color_first {
            AperyMove16(code).decode()
        } else {
            Move16(code).decode()
        }
    };
    for to in FORMS {
        for len in [records.len(), 0, 1, 7, 8, 9, 127, 128, 129] {
            let mut expected = records[..len].iter();
            convert::each_of(level, &records[..len], [form, to], code, |record, many| {
                assert_eq!(Some(record), expected.next());
                match (many, plain::decode_plain(head(record), form)) {
                    (Ok(many), Ok(position)) => {
                        assert_eq!(Ok(*many.bytes), plain::encode_plain(&position, to));
                        assert_eq!(many.side, position.side_to_move());
                        let is_legal = |m| position.is_legal(m);
                        let is_legal = |&text: &_| position.complete(text).is_some_and(is_legal);
                        let expected = decode(code(record), form).filter(is_legal);
                        let found = many.code.map(|code| decode(code, to));
                        assert_eq!(found, expected.map(Some));
                    }
                    (many, position) => assert_eq!(many.err(), position.err()),
                }
            });
            assert_eq!(expected.len(), 0);
        }
    }
}

#[test]
fn many_are_read_as_one() {
    let streams = streams(&random_positions(3000));
    for form in FORMS {
        let ours = streams
            .iter()
            .filter(|(_, f)| f.color_first == form.color_first);
        let ours: Vec<[u8; 32]> = ours.map(|(bytes, _)| *bytes).collect();
        for level in Level::all() {
            many_are_read_as_one_from::<32>(level, &ours, form);
            many_are_read_as_one_from::<38>(level, &ours, form);
            many_are_read_as_one_from::<40>(level, &ours, form);
        }
    }
}

#[test]
fn all_ways_write_the_same() {
    for position in random_positions(3000) {
        for form in FORMS {
            let Ok(bytes) = plain::encode_plain(&position, form) else {
                continue;
            };
            let mut placement = Placement::empty();
            assert!(Level::Plain.read(&bytes, form, &mut placement));
            for to in FORMS {
                let expected = plain::encode_plain(&position, to).expect("it fits in one form");
                let mut written = [0; 32];
                for level in Level::all() {
                    assert_eq!(level.write(&placement, to, &mut written), Ok(()));
                    assert_eq!(written, expected, "{level:?} {position}");
                }
                assert_eq!(placement.write_any(to, &mut written), Ok(()));
                assert_eq!(written, expected, "{position}");
                if placement.write_plain(to, &mut written) {
                    assert_eq!(written, expected, "{position}");
                }
            }
        }
    }
}

/// Every move that can be named.
pub(crate) fn texts() -> impl Iterator<Item = MoveText> {
    let origins = Square::ALL.map(Origin::Board).into_iter();
    let origins = origins.chain(HandKind::ALL.map(Origin::Hand));
    origins.flat_map(|origin| {
        Square::ALL.into_iter().flat_map(move |to| {
            [false, true].map(|promote| MoveText {
                origin,
                to,
                promote,
            })
        })
    })
}

/// Asks about every move that can be named, in all ways; how many are legal.
fn same_legal_moves(placement: &Placement, position: &Position) -> usize {
    let mut legal = 0;
    for text in texts() {
        let m = position.complete(text);
        let expected = m.is_some_and(|m| position.is_legal(m));
        legal += usize::from(expected);
        assert_eq!(placement.is_legal(text), expected, "{position} {text}");
        for level in Level::all() {
            let found = level.is_legal(placement, text.into());
            assert_eq!(found, expected, "{level:?} {position} {text}");
        }
    }
    legal
}

#[test]
fn all_ways_know_the_legal_moves() {
    let mut legal = 0;
    for position in random_positions(4000).into_iter().step_by(23) {
        let Ok(bytes) = plain::encode_plain(&position, &HCP_FORM) else {
            continue;
        };
        let mut placement = Placement::empty();
        assert!(Level::Plain.read(&bytes, &HCP_FORM, &mut placement));
        legal += same_legal_moves(&placement, &position);
    }
    assert!(legal > 5000, "{legal} moves");
}

/// The columns of golden rows of positions with their packed forms.
#[derive(serde::Deserialize)]
struct PackedRow {
    sfen: String,
    #[serde(alias = "packed")]
    psfen: String,
    hcp: Option<String>,
}

fn bytes_from_hex(hex: &str) -> [u8; 32] {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    assert_eq!(hex.len(), 64, "{hex}");
    std::array::from_fn(|i| digit(2 * i))
}

#[test]
fn packed_forms_are_those_of_the_field() {
    for file in ["shogi/packed_sfen.jsonl", "teacher/positions.jsonl"] {
        let rows = test_support::fixture_rows::<PackedRow>(file);
        assert!(rows.len() >= 300, "{file}");
        for row in rows {
            let position = Position::from_sfen(&row.sfen).expect("a position");
            let packed = PackedSfen::encode(&position).expect("both kings are there");
            assert_eq!(packed.to_string(), row.psfen, "{}", row.sfen);
            let back = PackedSfen(bytes_from_hex(&row.psfen)).decode();
            assert_eq!(
                back.map(|back| back.with_ply(position.ply())),
                Ok(position.clone())
            );
            if let Some(hex) = row.hcp {
                let packed = Hcp::encode(&position).expect("both kings are there");
                assert_eq!(packed.to_string(), hex, "{}", row.sfen);
                let back = Hcp(bytes_from_hex(&hex)).decode();
                assert_eq!(back.map(|back| back.with_ply(position.ply())), Ok(position));
            }
        }
    }
}

#[test]
fn whatever_decodes_packs_to_itself() {
    let positions = random_positions(2000);
    for (bytes, form) in streams(&positions) {
        let Ok(position) = plain::decode_plain(&bytes, form) else {
            continue;
        };
        let has_kings = Color::ALL
            .iter()
            .all(|&color| position.king(color).is_some());
        let (psfen, hcp) = (PackedSfen::encode(&position), Hcp::encode(&position));
        assert_eq!(psfen.is_ok() && hcp.is_ok(), has_kings);
        match (psfen, hcp) {
            (Ok(psfen), Ok(hcp)) => {
                assert_eq!(psfen.decode().as_ref(), Ok(&position));
                assert_eq!(hcp.decode(), Ok(position));
            }
            (psfen, hcp) => {
                for error in [psfen.err(), hcp.err()] {
                    assert!(matches!(error, Some(PackError::MissingKing { bits }) if bits != 256));
                }
            }
        }
    }
}

#[test]
fn errors_are_those_of_the_plain_way() {
    for (bytes, form) in streams(&random_positions(2000)) {
        let expected = plain::decode_plain(&bytes, form);
        let found: Result<Position, UnpackError> = if form.color_first {
            Hcp(bytes).decode()
        } else {
            PackedSfen(bytes).decode()
        };
        assert_eq!(found, expected);
    }
}

#[test]
fn without_a_king_every_square_is_safe() {
    let read = |sfen: &str| Position::from_sfen(sfen).expect("a position");
    let position = read("4k4/9/9/4r4/9/9/9/9/9 b P 1");
    let bytes = plain::encode_plain(&read("4k4/9/9/4r4/9/9/9/9/K8 b P 1"), &HCP_FORM);
    let mut placement = Placement::empty();
    let bytes = bytes.expect("both kings are there");
    assert!(Level::Plain.read(&bytes, &HCP_FORM, &mut placement));
    let king = placement.king(Color::Black).expect("it is there");
    placement.board.squares.0[king.index()] = 0;
    placement.header.kings.0[0] = NO_KING;
    assert!(same_legal_moves(&placement, &position) > 0);
}

#[test]
fn a_position_without_a_king_can_be_read_and_not_written() {
    // Met in a file that lost a byte: 32 bytes that begin in the middle of a record.
    let digits = "9b51120cab447cfc3a058b43221e5e49e037119e57128ef54cc4c7c29884015e";
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
    let packed = std::array::from_fn(byte);
    let position = PackedSfen(packed).decode().unwrap();
    assert!(
        Color::ALL
            .iter()
            .any(|&color| position.king(color).is_none())
    );
    for to in FORMS {
        let mut seen = 0;
        convert::each_of(
            Level::best(),
            &[packed],
            [&PACKED_SFEN_FORM, to],
            |_: &[u8; 32]| 0,
            |_, read| {
                assert_eq!(read.err(), Some(UnpackError::MissingKing));
                seen += 1;
            },
        );
        assert_eq!(seen, 1);
    }
}
