//! A model with numbers of another width.

use half::f16;
use prost::Message;

use crate::ModelError;
use crate::onnx::{FLOAT, FLOAT16, NodeProto, TensorProto, ValueInfoProto};

use super::{tags, wire, with_graph};

/// `model` with 16-bit numbers in place of 32-bit ones, or the other way round: `from` and `to` are [`FLOAT`] and [`FLOAT16`]. Weights, constants,
/// conversions, inputs and outputs change; numbers that 16 bits cannot hold become the largest that they can.
///
/// # Errors
/// When a node has a graph of its own, or numbers in a form that stays 32 bits wide.
pub(crate) fn with_numbers(model: &[u8], from: i32, to: i32) -> Result<Vec<u8>, ModelError> {
    with_graph(model, |graph| {
        let mut out = Vec::with_capacity(graph.len());
        for field in wire::fields(graph) {
            let changed = match (field.number, field.payload) {
                (tags::GRAPH_VALUE_INFO, _) => continue,
                (tags::GRAPH_INITIALIZER, Some(bytes)) => initializer(bytes, from, to)?,
                (tags::GRAPH_NODE, Some(bytes)) => node(bytes, from, to)?,
                (tags::GRAPH_INPUT | tags::GRAPH_OUTPUT, Some(bytes)) => border(bytes, from, to)?,
                _ => None,
            };
            match changed {
                Some(bytes) => wire::put_bytes(&mut out, field.number, &bytes),
                None => out.extend_from_slice(field.whole),
            }
        }
        Ok(out)
    })
}

fn initializer(bytes: &[u8], from: i32, to: i32) -> Result<Option<Vec<u8>>, ModelError> {
    let tensor = TensorProto::decode(bytes)?;
    if tensor.data_type != from {
        return Ok(None);
    }
    Ok(Some(converted(&tensor, to)?.encode_to_vec()))
}

/// A tensor with its numbers in another type.
fn converted(tensor: &TensorProto, to: i32) -> Result<TensorProto, ModelError> {
    let numbers = tensor.tensor()?.data;
    let raw_data = if to == FLOAT16 {
        let most = f16::MAX.to_f32();
        let half = |number: f32| f16::from_f32(number.clamp(-most, most)).to_le_bytes();
        numbers.into_iter().flat_map(half).collect()
    } else {
        numbers.into_iter().flat_map(f32::to_le_bytes).collect()
    };
    Ok(TensorProto {
        dims: tensor.dims.clone(),
        data_type: to,
        name: tensor.name.clone(),
        raw_data,
        ..TensorProto::default()
    })
}

fn node(bytes: &[u8], from: i32, to: i32) -> Result<Option<Vec<u8>>, ModelError> {
    let mut node = NodeProto::decode(bytes)?;
    let refused = |reason: &str| {
        Err(ModelError::Operator {
            node: node.output.first().cloned().unwrap_or_default(),
            operator: node.op_type.clone(),
            reason: reason.to_owned(),
        })
    };
    let has_graph = |attribute: &crate::onnx::AttributeProto| {
        attribute.g.is_some() || !attribute.graphs.is_empty()
    };
    if node.attribute.iter().any(has_graph) {
        return refused("it has a graph of its own");
    }
    let is_constant = node.op_type == "Constant";
    if is_constant && from == FLOAT && node.attribute("value").is_none() {
        let is_float = |name| node.attribute(name).is_some();
        if is_float("value_float") || is_float("value_floats") {
            return refused("its numbers are 32 bits wide in any case");
        }
    }
    let has_tensor = matches!(node.op_type.as_str(), "Constant" | "ConstantOfShape");
    let mut is_changed = false;
    for attribute in &mut node.attribute {
        match &mut attribute.t {
            Some(tensor) if has_tensor && tensor.data_type == from => {
                *tensor = converted(tensor, to)?;
                is_changed = true;
            }
            _ => {}
        }
        if node.op_type == "Cast" && attribute.name == "to" && attribute.i == i64::from(from) {
            attribute.i = to.into();
            is_changed = true;
        }
    }
    Ok(is_changed.then(|| node.encode_to_vec()))
}

/// An input or output.
fn border(bytes: &[u8], from: i32, to: i32) -> Result<Option<Vec<u8>>, ModelError> {
    let mut info = ValueInfoProto::decode(bytes)?;
    let tensor = info.kind.as_mut().and_then(|kind| kind.tensor.as_mut());
    let Some(tensor) = tensor.filter(|tensor| tensor.elem_type == from) else {
        return Ok(None);
    };
    tensor.elem_type = to;
    Ok(Some(info.encode_to_vec()))
}

#[cfg(test)]
mod tests {
    use test_support::fixture_bytes;

    use super::*;
    use crate::onnx::ModelProto;
    use crate::{InputPlanes, NativeNetwork, NetworkModel, PolicyValue};

    /// The tensors of a model have these types.
    fn types(model: &[u8]) -> Vec<i32> {
        let graph = ModelProto::decode(model).unwrap().graph.unwrap();
        let weights = graph.initializer.iter().map(|tensor| tensor.data_type);
        let borders = graph.input.iter().chain(&graph.output).map(|info| {
            let kind = info.kind.as_ref().unwrap();
            kind.tensor.as_ref().unwrap().elem_type
        });
        let mut types: Vec<i32> = weights.chain(borders).collect();
        types.sort_unstable();
        types.dedup();
        types
    }

    #[test]
    fn half_a_model_says_almost_the_same() {
        let bytes = fixture_bytes("deep/mtiny.onnx");
        let half = with_numbers(&bytes, FLOAT, FLOAT16).unwrap();
        assert!(half.len() < bytes.len() * 6 / 10);
        assert!(types(&half).contains(&FLOAT16) && !types(&half).contains(&FLOAT));
        let wide = with_numbers(&half, FLOAT16, FLOAT).unwrap();
        assert_eq!(types(&wide), types(&bytes));
        let evaluate = |bytes: &[u8]| {
            let model = NetworkModel::from_bytes(bytes).unwrap();
            let mut network = NativeNetwork::new(model.into(), 1, crate::VectorLimit::Best);
            let mut result = PolicyValue::default();
            let start = InputPlanes::new(&shogi_core::Position::startpos());
            network.evaluate_features(&start, &mut result);
            result
        };
        let results = [&bytes, &half, &wide].map(|bytes| evaluate(bytes));
        assert_eq!(results[1], results[2]);
        let pairs = results[0].logits.iter().zip(results[1].logits.iter());
        let most = pairs
            .map(|(one, two)| (one - two).abs())
            .fold(0.0, f32::max);
        assert!(most > 0.0 && most < 5e-3, "{most}");
    }

    #[test]
    fn what_cannot_be_changed_is_named() {
        let bytes = fixture_bytes("deep/mtiny.onnx");
        let mut model = ModelProto::decode(&bytes[..]).unwrap();
        let graph = model.graph.as_mut().unwrap();
        graph.node[0].attribute.push(crate::onnx::AttributeProto {
            g: Some(crate::onnx::GraphProto::default()),
            ..crate::onnx::AttributeProto::default()
        });
        let error = with_numbers(&model.encode_to_vec(), FLOAT, FLOAT16).unwrap_err();
        assert!(error.to_string().contains("graph of its own"), "{error}");
    }
}
