//! Changes to a model in memory before a runtime gets it: other numbers in it, packed inputs, few outputs.

#[cfg(feature = "ort")]
mod between;
#[cfg(feature = "ort")]
mod packed;
mod precision;
mod wire;

#[cfg(feature = "ort")]
pub(crate) use packed::{
    BITS, LOGITS, PLANES, PLANES_POLICY, PLANES_STATE, PLANES_VALUE, VALUES, WANTED, packed_bytes,
    packed_graph, planes_graph,
};
pub(crate) use precision::with_numbers;

/// Field numbers of `ModelProto` and `GraphProto`.
mod tags {
    pub(super) const MODEL_IR_VERSION: u32 = 1;
    pub(super) const MODEL_GRAPH: u32 = 7;
    pub(super) const GRAPH_NODE: u32 = 1;
    pub(super) const GRAPH_INITIALIZER: u32 = 5;
    pub(super) const GRAPH_INPUT: u32 = 11;
    pub(super) const GRAPH_OUTPUT: u32 = 12;
    pub(super) const GRAPH_VALUE_INFO: u32 = 13;
}

/// The first IR version in which weights need not be inputs.
const IR_VERSION: u64 = 4;

/// A model with its graph exchanged; everything else stays as it is, to the byte. `change` appends the new graph to bytes.
fn with_graph<E>(
    model: &[u8],
    change: impl FnOnce(&[u8]) -> Result<Vec<u8>, E>,
) -> Result<Vec<u8>, E> {
    // Parts of a message that is there twice are one, by the rules of the encoding.
    let mut graph = Vec::new();
    let mut out = Vec::with_capacity(model.len() + (1 << 16));
    let mut ir_version = 0;
    for field in wire::fields(model) {
        match (field.number, field.payload) {
            (tags::MODEL_GRAPH, Some(part)) => graph.extend_from_slice(part),
            (tags::MODEL_IR_VERSION, _) => {
                let number = prost::encoding::decode_varint(&mut &field.whole[1..]);
                ir_version = number.unwrap_or_default();
            }
            _ => out.extend_from_slice(field.whole),
        }
    }
    wire::put_number(&mut out, tags::MODEL_IR_VERSION, ir_version.max(IR_VERSION));
    wire::put_bytes(&mut out, tags::MODEL_GRAPH, &change(&graph)?);
    Ok(out)
}
