//! A graph that takes positions as bits and gives the logits of the moves that are asked about.
//!
//! Nodes that every runtime has (`Cast`, `Gather`, `Reshape`) stand before and behind the graph of the model:
//!
//! | | type and shape | |
//! |---|---|---|
//! | [`BITS`] | `uint8` [positions, 636 or 643] | [`InputPlanes::write_bytes`](crate::InputPlanes::write_bytes) |
//! | [`WANTED`] | `int32` [labels] | place of the position × 2187 + label |
//! | [`LOGITS`] | `float` [labels] | the logits of [`WANTED`] |
//! | [`VALUES`] | `float` [positions] | |
//!
//! Each byte is a row of a table of its 8 bits, as 32-bit or 16-bit numbers, and two more look-ups put the bits in their places.

use crate::onnx::{FLOAT, FLOAT16, GraphProto, INT32, INT64, TensorProto};
use crate::{BOARD_PLANES, InputFormat, InputPlanes, PolicyLabel};

use super::between::{between, constant, info, node};
use super::with_graph;

const UINT8: i32 = 2;
const SQUARES: usize = 81;
const SIDE: usize = 9;

/// The bits of positions.
pub(crate) const BITS: &str = "yaneura.bits";
/// The logits that are wanted.
pub(crate) const WANTED: &str = "yaneura.wanted";
/// The logits.
pub(crate) const LOGITS: &str = "yaneura.logits";
/// The values.
pub(crate) const VALUES: &str = "yaneura.values";
/// The inputs and outputs of [`planes_graph`].
pub(crate) const PLANES: &str = "yaneura.planes";
pub(crate) const PLANES_STATE: &str = "yaneura.state";
pub(crate) const PLANES_POLICY: &str = "yaneura.policy";
pub(crate) const PLANES_VALUE: &str = "yaneura.value";

/// Bytes of a position in [`BITS`].
pub(crate) const fn packed_bytes(format: InputFormat) -> usize {
    InputPlanes::byte_count(format)
}

/// Little-endian numbers.
fn words(numbers: impl IntoIterator<Item = usize>) -> Vec<u8> {
    let numbers = numbers.into_iter();
    numbers
        .flat_map(|number| (number as i32).to_le_bytes())
        .collect()
}

fn shape(dims: &[Option<usize>]) -> Vec<u8> {
    let dim = |dim: &Option<usize>| dim.map_or(-1, |dim| dim as i64).to_le_bytes();
    dims.iter().flat_map(dim).collect()
}

/// The bits of each byte as numbers of type `numbers`, the lowest first.
fn table(numbers: i32) -> Vec<u8> {
    let bits = (0..256_u32).flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1));
    if numbers == FLOAT16 {
        let half = |bit| half::f16::from_f32(bit as f32).to_le_bytes();
        bits.flat_map(half).collect()
    } else {
        bits.flat_map(|bit| (bit as f32).to_le_bytes()).collect()
    }
}

/// `model` with [`BITS`] and [`WANTED`] for inputs, [`LOGITS`] and [`VALUES`] for outputs. `numbers`: the type of its own inputs; `batch`: the
/// positions and labels of a batch, any number without.
pub(crate) fn packed_graph(
    model: &[u8],
    format: InputFormat,
    numbers: i32,
    batch: Option<(usize, usize)>,
) -> Vec<u8> {
    let (positions, labels) = batch.unzip();
    let front = GraphProto {
        initializer: constants(format, numbers, positions),
        ..unpacking(format, positions, labels)
    };
    replaced(model, &front, &gathering(positions, labels))
}

/// What the nodes that unpack bits look up, and the shapes of what they give.
fn constants(format: InputFormat, numbers: i32, positions: Option<usize>) -> Vec<TensorProto> {
    let bytes = packed_bytes(format);
    // The board's bits fill whole bytes.
    let state_begin = (bytes - format.planes().div_ceil(8)) * 8;
    let state = (0..format.planes()).flat_map(|plane| std::iter::repeat_n(plane, SQUARES));
    let planes = |planes| [positions, Some(planes), Some(SIDE), Some(SIDE)];
    vec![
        constant("yaneura.table", numbers, &[256, 8], table(numbers)),
        constant(
            "yaneura.bit_shape",
            INT64,
            &[2],
            shape(&[positions, Some(bytes * 8)]),
        ),
        constant(
            "yaneura.board_bits",
            INT32,
            &[BOARD_PLANES * SQUARES],
            words(0..BOARD_PLANES * SQUARES),
        ),
        constant(
            "yaneura.state_bits",
            INT32,
            &[format.planes() * SQUARES],
            words(state.map(|plane| state_begin + plane)),
        ),
        constant(
            "yaneura.board_shape",
            INT64,
            &[4],
            shape(&planes(BOARD_PLANES)),
        ),
        constant(
            "yaneura.state_shape",
            INT64,
            &[4],
            shape(&planes(format.planes())),
        ),
        constant("yaneura.row", INT64, &[1], shape(&[None])),
    ]
}

/// The nodes between [`BITS`] and the model's inputs.
fn unpacking(format: InputFormat, positions: Option<usize>, labels: Option<usize>) -> GraphProto {
    let bytes = packed_bytes(format);
    GraphProto {
        node: vec![
            // Some runtimes have no other way from bytes to numbers.
            node("Cast", &[BITS], "yaneura.wide", Some(("to", FLOAT.into()))),
            node(
                "Cast",
                &["yaneura.wide"],
                "yaneura.bytes",
                Some(("to", INT32.into())),
            ),
            node(
                "Gather",
                &["yaneura.table", "yaneura.bytes"],
                "yaneura.eights",
                Some(("axis", 0)),
            ),
            node(
                "Reshape",
                &["yaneura.eights", "yaneura.bit_shape"],
                "yaneura.row_of_bits",
                None,
            ),
            node(
                "Gather",
                &["yaneura.row_of_bits", "yaneura.board_bits"],
                "yaneura.board_row",
                Some(("axis", 1)),
            ),
            node(
                "Reshape",
                &["yaneura.board_row", "yaneura.board_shape"],
                "input1",
                None,
            ),
            node(
                "Gather",
                &["yaneura.row_of_bits", "yaneura.state_bits"],
                "yaneura.state_row",
                Some(("axis", 1)),
            ),
            node(
                "Reshape",
                &["yaneura.state_row", "yaneura.state_shape"],
                "input2",
                None,
            ),
        ],
        input: vec![
            info(BITS, UINT8, &[positions, Some(bytes)]),
            info(WANTED, INT32, &[labels]),
        ],
        ..GraphProto::default()
    }
}

/// The nodes between the model's outputs and [`LOGITS`] and [`VALUES`].
fn gathering(positions: Option<usize>, labels: Option<usize>) -> GraphProto {
    let to_float = Some(("to", FLOAT.into()));
    GraphProto {
        node: vec![
            node(
                "Reshape",
                &["output_policy", "yaneura.row"],
                "yaneura.policy_row",
                None,
            ),
            node(
                "Gather",
                &["yaneura.policy_row", WANTED],
                "yaneura.logit_row",
                Some(("axis", 0)),
            ),
            node("Cast", &["yaneura.logit_row"], LOGITS, to_float),
            node(
                "Reshape",
                &["output_value", "yaneura.row"],
                "yaneura.value_row",
                None,
            ),
            node("Cast", &["yaneura.value_row"], VALUES, to_float),
        ],
        output: vec![
            info(LOGITS, FLOAT, &[labels]),
            info(VALUES, FLOAT, &[positions]),
        ],
        ..GraphProto::default()
    }
}

/// `model` with the planes as 32-bit numbers for inputs and all logits for outputs, whatever its own numbers are (`numbers`), for `batch`
/// positions, any number without: for runtimes that refuse [`packed_graph`].
pub(crate) fn planes_graph(
    model: &[u8],
    format: InputFormat,
    numbers: i32,
    batch: Option<usize>,
) -> Vec<u8> {
    let planes = |planes| [batch, Some(planes), Some(SIDE), Some(SIDE)];
    let to_its_own = Some(("to", numbers.into()));
    let to_float = Some(("to", FLOAT.into()));
    let front = GraphProto {
        node: vec![
            node("Cast", &[PLANES], "input1", to_its_own),
            node("Cast", &[PLANES_STATE], "input2", to_its_own),
        ],
        input: vec![
            info(PLANES, FLOAT, &planes(BOARD_PLANES)),
            info(PLANES_STATE, FLOAT, &planes(format.planes())),
        ],
        ..GraphProto::default()
    };
    let back = GraphProto {
        node: vec![
            node("Cast", &["output_policy"], PLANES_POLICY, to_float),
            node("Cast", &["output_value"], PLANES_VALUE, to_float),
        ],
        output: vec![
            info(PLANES_POLICY, FLOAT, &[batch, Some(PolicyLabel::COUNT)]),
            info(PLANES_VALUE, FLOAT, &[batch, Some(1)]),
        ],
        ..GraphProto::default()
    };
    replaced(model, &front, &back)
}

fn replaced(model: &[u8], front: &GraphProto, back: &GraphProto) -> Vec<u8> {
    let change = |graph: &[u8]| Ok::<_, std::convert::Infallible>(between(graph, front, back));
    match with_graph(model, change) {
        Ok(bytes) => bytes,
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use test_support::fixture_bytes;

    use super::*;
    use crate::onnx::ModelProto;

    #[test]
    fn the_model_stays_as_it_is_between_the_new_nodes() {
        let bytes = fixture_bytes("deep/mtiny.onnx");
        let before = ModelProto::decode(&bytes[..]).unwrap();
        let packed = packed_graph(&bytes, InputFormat::Wcsc28, FLOAT, Some((4, 593)));
        let after = ModelProto::decode(&packed[..]).unwrap();
        let (old, new) = (before.graph.unwrap(), after.graph.unwrap());
        assert_eq!(new.node[8..new.node.len() - 5], old.node[..]);
        assert_eq!(new.initializer[7..], old.initializer[..]);
        assert_eq!(after.opset_import, before.opset_import);
        assert!(after.ir_version >= 4);
        let names = |infos: &[crate::onnx::ValueInfoProto]| {
            let one = |info: &crate::onnx::ValueInfoProto| (info.name.clone(), info.dims());
            infos.iter().map(one).collect::<Vec<_>>()
        };
        let one = |name: &str, dims: &[i64]| {
            (name.to_owned(), dims.iter().map(|&dim| Some(dim)).collect())
        };
        assert_eq!(
            names(&new.input),
            [one(BITS, &[4, 636]), one(WANTED, &[593])]
        );
        assert_eq!(names(&new.output), [one(LOGITS, &[593]), one(VALUES, &[4])]);
        assert_eq!(packed_bytes(InputFormat::Wcsc35), 643);
    }
}
