//! A graph between other nodes, inputs and outputs.

use prost::Message as _;

use super::{tags, wire};
use crate::onnx::{
    AttributeProto, Dimension, GraphProto, NodeProto, TensorProto, TensorShape, TensorType,
    TypeProto, ValueInfoProto,
};

const ATTRIBUTE_INT: i32 = 2;

/// A node with one attribute at most, which is a whole number.
pub(super) fn node(
    operator: &str,
    inputs: &[&str],
    output: &str,
    number: Option<(&str, i64)>,
) -> NodeProto {
    let attribute = number.map(|(name, i)| AttributeProto {
        name: name.to_owned(),
        i,
        kind: ATTRIBUTE_INT,
        ..AttributeProto::default()
    });
    NodeProto {
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        name: output.to_owned(),
        op_type: operator.to_owned(),
        attribute: attribute.into_iter().collect(),
    }
}

/// A constant; `raw` are its numbers, little-endian.
pub(super) fn constant(
    name: &str,
    data_type: i32,
    dims: &[usize],
    raw_data: Vec<u8>,
) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        data_type,
        dims: dims.iter().map(|&dim| dim as i64).collect(),
        raw_data,
        ..TensorProto::default()
    }
}

/// An input or output; a dimension without a size is open.
pub(super) fn info(name: &str, elem_type: i32, dims: &[Option<usize>]) -> ValueInfoProto {
    let dim = |(number, size): (usize, &Option<usize>)| Dimension {
        size: size.map_or(0, |size| size as i64),
        symbol: if size.is_some() {
            String::new()
        } else {
            format!("{name}.{number}")
        },
    };
    let dim = dims.iter().enumerate().map(dim).collect();
    ValueInfoProto {
        name: name.to_owned(),
        kind: Some(TypeProto {
            tensor: Some(TensorType {
                elem_type,
                shape: Some(TensorShape { dim }),
            }),
        }),
    }
}

/// A graph without its inputs, outputs and shapes between `front` and `back`.
pub(super) fn between(graph: &[u8], front: &GraphProto, back: &GraphProto) -> Vec<u8> {
    let mut out = front.encode_to_vec();
    let is_kept = |number| {
        !matches!(
            number,
            tags::GRAPH_INPUT | tags::GRAPH_OUTPUT | tags::GRAPH_VALUE_INFO
        )
    };
    for field in wire::fields(graph).filter(|field| is_kept(field.number)) {
        out.extend_from_slice(field.whole);
    }
    out.extend(back.encode_to_vec());
    out
}
