//! The parts of an ONNX file that a network of convolutions needs, to read and to write.
//!
//! Fields and their numbers: `onnx.proto` of ONNX, IR version 8. Fields that are not named here are skipped.

use crate::ModelError;

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ModelProto {
    #[prost(int64, tag = "1")]
    pub(crate) ir_version: i64,
    #[prost(string, tag = "2")]
    pub(crate) producer_name: String,
    #[prost(message, optional, tag = "7")]
    pub(crate) graph: Option<GraphProto>,
    #[prost(message, repeated, tag = "8")]
    pub(crate) opset_import: Vec<OperatorSet>,
    #[prost(message, repeated, tag = "25")]
    pub(crate) functions: Vec<FunctionProto>,
}

/// An operator that is a graph of the file.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct FunctionProto {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct OperatorSet {
    #[prost(string, tag = "1")]
    pub(crate) domain: String,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GraphProto {
    #[prost(message, repeated, tag = "1")]
    pub(crate) node: Vec<NodeProto>,
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) initializer: Vec<TensorProto>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) input: Vec<ValueInfoProto>,
    #[prost(message, repeated, tag = "12")]
    pub(crate) output: Vec<ValueInfoProto>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct NodeProto {
    #[prost(string, repeated, tag = "1")]
    pub(crate) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) output: Vec<String>,
    #[prost(string, tag = "3")]
    pub(crate) name: String,
    #[prost(string, tag = "4")]
    pub(crate) op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) attribute: Vec<AttributeProto>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct AttributeProto {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(float, tag = "2")]
    pub(crate) f: f32,
    #[prost(int64, tag = "3")]
    pub(crate) i: i64,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) s: Vec<u8>,
    #[prost(message, optional, tag = "5")]
    pub(crate) t: Option<TensorProto>,
    #[prost(message, optional, tag = "6")]
    pub(crate) g: Option<GraphProto>,
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub(crate) floats: Vec<f32>,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub(crate) ints: Vec<i64>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) graphs: Vec<GraphProto>,
    /// Which of the values counts.
    #[prost(int32, tag = "20")]
    pub(crate) kind: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TensorProto {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub(crate) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(crate) data_type: i32,
    #[prost(float, repeated, tag = "4")]
    pub(crate) float_data: Vec<f32>,
    #[prost(int32, repeated, tag = "5")]
    pub(crate) int32_data: Vec<i32>,
    #[prost(int64, repeated, tag = "7")]
    pub(crate) int64_data: Vec<i64>,
    #[prost(string, tag = "8")]
    pub(crate) name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub(crate) raw_data: Vec<u8>,
    #[prost(int32, tag = "14")]
    pub(crate) data_location: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ValueInfoProto {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) kind: Option<TypeProto>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TypeProto {
    #[prost(message, optional, tag = "1")]
    pub(crate) tensor: Option<TensorType>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TensorType {
    #[prost(int32, tag = "1")]
    pub(crate) elem_type: i32,
    #[prost(message, optional, tag = "2")]
    pub(crate) shape: Option<TensorShape>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TensorShape {
    #[prost(message, repeated, tag = "1")]
    pub(crate) dim: Vec<Dimension>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Dimension {
    #[prost(int64, tag = "1")]
    pub(crate) size: i64,
    #[prost(string, tag = "2")]
    pub(crate) symbol: String,
}

pub(crate) const FLOAT: i32 = 1;
pub(crate) const INT32: i32 = 6;
pub(crate) const INT64: i32 = 7;
pub(crate) const FLOAT16: i32 = 10;
const DOUBLE: i32 = 11;
/// The data are in another file.
pub(crate) const EXTERNAL: i32 = 1;

/// A tensor of numbers, in row-major order.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub(crate) dims: Vec<usize>,
    pub(crate) data: Vec<f32>,
}

impl TensorProto {
    /// The numbers, whatever their type; whole numbers, which are shapes, come as floats.
    pub(crate) fn tensor(&self) -> Result<Tensor, ModelError> {
        let wrong = |reason: String| ModelError::Tensor {
            name: self.name.clone(),
            reason,
        };
        if self.data_location == EXTERNAL {
            return Err(wrong(
                "its data are in another file, which is not read".into(),
            ));
        }
        let dims: Vec<usize> = self
            .dims
            .iter()
            .map(|&dim| usize::try_from(dim).map_err(|_| wrong(format!("dimension {dim}"))))
            .collect::<Result<_, _>>()?;
        let data = self.numbers().ok_or_else(|| {
            wrong(format!(
                "data of type {} with {} bytes (expected float, float16, double, int32 or int64)",
                self.data_type,
                self.raw_data.len()
            ))
        })?;
        let size = dims
            .iter()
            .try_fold(1usize, |size, &dim| size.checked_mul(dim));
        if size != Some(data.len()) {
            return Err(wrong(format!(
                "its shape is {dims:?}, but it has {} numbers",
                data.len()
            )));
        }
        Ok(Tensor { dims, data })
    }

    fn numbers(&self) -> Option<Vec<f32>> {
        let raw = &self.raw_data;
        Some(match (self.data_type, raw.is_empty()) {
            (FLOAT, true) => self.float_data.clone(),
            (FLOAT, false) => words(raw, f32::from_le_bytes)?,
            (FLOAT16, true) => {
                let bits = self.int32_data.iter().map(|&bits| bits as u16);
                bits.map(|bits| half::f16::from_bits(bits).to_f32())
                    .collect()
            }
            (FLOAT16, false) => words(raw, |bytes| half::f16::from_le_bytes(bytes).to_f32())?,
            (DOUBLE, false) => words(raw, |bytes| f64::from_le_bytes(bytes) as f32)?,
            (INT32, true) => self.int32_data.iter().map(|&n| n as f32).collect(),
            (INT32, false) => words(raw, |bytes| i32::from_le_bytes(bytes) as f32)?,
            (INT64, true) => self.int64_data.iter().map(|&n| n as f32).collect(),
            (INT64, false) => words(raw, |bytes| i64::from_le_bytes(bytes) as f32)?,
            _ => return None,
        })
    }
}

/// Numbers of `N` bytes each; `None` if bytes are left over.
fn words<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Option<Vec<f32>> {
    let (words, rest) = bytes.as_chunks::<N>();
    rest.is_empty()
        .then(|| words.iter().map(|&word| number(word)).collect())
}

impl NodeProto {
    /// The attribute called `name`.
    pub(crate) fn attribute(&self, name: &str) -> Option<&AttributeProto> {
        self.attribute
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// The attribute of whole numbers called `name`, or `default` for each.
    pub(crate) fn ints(&self, name: &str, default: &[i64]) -> Vec<i64> {
        self.attribute(name)
            .map_or_else(|| default.to_vec(), |attribute| attribute.ints.clone())
    }
}

impl ValueInfoProto {
    /// The type of the numbers; [`FLOAT`] where none is said.
    pub(crate) fn number_type(&self) -> i32 {
        let tensor = self.kind.as_ref().and_then(|kind| kind.tensor.as_ref());
        tensor.map_or(FLOAT, |tensor| match tensor.elem_type {
            0 => FLOAT,
            other => other,
        })
    }

    /// The dimensions; `None` stands for the batch and anything else without a size.
    pub(crate) fn dims(&self) -> Vec<Option<i64>> {
        let tensor = self.kind.as_ref().and_then(|kind| kind.tensor.as_ref());
        let shape = tensor.and_then(|tensor| tensor.shape.as_ref());
        let size = |dim: &Dimension| (dim.size > 0).then_some(dim.size);
        shape.map_or_else(Vec::new, |shape| shape.dim.iter().map(size).collect())
    }
}
