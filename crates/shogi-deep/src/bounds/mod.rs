//! What a graph may take before it is run by somebody else's kernels: memory of a network for a board.
//!
//! The kernel of this crate knows the size of everything that it makes. Graphs with other operators are handed to
//! evaluators that make what the graph says: a pad of 2^40, a constant of 4 GiB, a column times a row, a loop of 2^60. So
//! the shape of each value is followed from the planes and the constants on, for any number of positions at once. Where the
//! shape is not known there is a bound: from the sizes of the inputs and what the operator does. Neither a value nor all
//! together may be large, for each position and beside them. Operators that repeat a part of the graph are refused; no
//! network of this kind has any.

mod call;
mod elementwise;
mod growth;
mod layout;
mod numbers;
mod products;
mod size;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::onnx::{EXTERNAL, GraphProto, ModelProto, NodeProto, TensorProto};
use crate::tensors::input_shapes;
use crate::{InputFormat, ModelError};
use call::Call;
use size::{Size, Value};

/// The most numbers of a value, beside those of each position: 64 MiB; or twice the bytes of the file, if those are more.
const MOST_NUMBERS: i64 = 1 << 24;
/// The most numbers of a value for each position: 16 MiB.
const MOST_OF_POSITION: i64 = 1 << 22;
/// All values together may have so many times the most numbers of one.
const MOST_VALUES: i64 = 16;
/// The most positions that a file may want at once.
const MOST_BATCH: usize = 4096;
/// The most graphs within each other.
const DEPTH: usize = 16;

/// Checks that the graph of a model takes no more than a network for a board does. `batch` is the number of positions that it
/// has to have at once, if its file says one; `bytes` is the size of the file.
///
/// # Errors
/// With the operator that does.
pub(crate) fn check(
    model: &ModelProto,
    format: InputFormat,
    batch: Option<usize>,
    bytes: usize,
) -> Result<(), ModelError> {
    if let Some(batch) = batch.filter(|&batch| batch > MOST_BATCH) {
        return Err(ModelError::Interface {
            what: "positions at once".to_owned(),
            expected: format!("at most {MOST_BATCH}"),
            found: batch.to_string(),
        });
    }
    let Some(graph) = &model.graph else {
        return Ok(());
    };
    Bounds::new(model, format, batch, bytes).graph(graph, 0)
}

/// What is known of a graph so far.
struct Bounds<'a> {
    model: &'a ModelProto,
    values: HashMap<&'a str, Value>,
    /// The most numbers that there is room for in the file.
    in_file: i64,
    /// The most numbers of a value, beside positions and for each.
    most: [i64; 2],
    /// The numbers of all values so far.
    sums: [i64; 2],
    /// The first operator that is not known here.
    unknown: Option<&'a NodeProto>,
}

impl<'a> Bounds<'a> {
    fn new(model: &'a ModelProto, format: InputFormat, batch: Option<usize>, bytes: usize) -> Self {
        let positions = batch.map_or(Size::POSITIONS, |batch| Size::fixed(batch as i64));
        let mut values = HashMap::new();
        for (name, shape) in ["input1", "input2"]
            .into_iter()
            .zip(input_shapes(1, format))
        {
            let mut dims = shape.map(|dim| Size::fixed(dim as i64)).to_vec();
            dims[0] = positions;
            values.extend(Value::of_shape(dims).map(|value| (name, value)));
        }
        let in_file = bytes as i64 * 2;
        let of_batch = MOST_OF_POSITION * batch.unwrap_or(0) as i64;
        Self {
            model,
            values,
            in_file,
            most: [MOST_NUMBERS.max(in_file) + of_batch, MOST_OF_POSITION],
            sums: [0; 2],
            unknown: None,
        }
    }

    fn graph(&mut self, graph: &'a GraphProto, depth: usize) -> Result<(), ModelError> {
        for tensor in &graph.initializer {
            let value = self.constant(tensor)?;
            if self.values.insert(&tensor.name, value).is_some() {
                return Err(wrong(tensor, "its name is there twice"));
            }
        }
        for node in &graph.node {
            let parts = node.attribute.iter();
            let mut most = None;
            for part in parts.flat_map(|it| it.g.iter().chain(&it.graphs)) {
                if depth >= DEPTH {
                    return Err(refused(node, "graphs within graphs"));
                }
                let of_part = self.part(node, part, depth + 1)?;
                most = Some(most.map_or(of_part, |most: Size| most.at_most_larger(of_part)));
            }
            let values = match most {
                Some(most) if node.op_type == "If" => vec![Value::of_most(most)],
                Some(_) => return Err(refused(node, "repeats a part of the graph")),
                None => self.node(node)?,
            };
            self.outputs(node, values)?;
        }
        Ok(())
    }

    /// Follows a graph within the graph, whose names are its own; returns the most numbers of an output.
    fn part(
        &mut self,
        node: &NodeProto,
        part: &'a GraphProto,
        depth: usize,
    ) -> Result<Size, ModelError> {
        self.graph(part, depth)?;
        let most = part.output.iter().try_fold(Size::ONE, |most, output| {
            let value = self.values.get(output.name.as_str());
            let value =
                value.ok_or_else(|| refused(node, "nothing makes an output of its part"))?;
            Ok::<_, ModelError>(most.at_most_larger(value.most))
        })?;
        for tensor in &part.initializer {
            self.values.remove(tensor.name.as_str());
        }
        for name in part.node.iter().flat_map(|node| &node.output) {
            self.values.remove(name.as_str());
        }
        Ok(most)
    }

    /// A tensor of the file, which has no more numbers than that has room for.
    fn constant(&self, tensor: &TensorProto) -> Result<Value, ModelError> {
        if tensor.data_location == EXTERNAL {
            return Err(wrong(
                tensor,
                "its data are in another file, which is not read",
            ));
        }
        let value = numbers::constant(tensor);
        value
            .filter(|value| value.most.factor <= self.in_file)
            .ok_or_else(|| wrong(tensor, "its shape has more numbers than the file"))
    }

    /// The outputs of a node; what is not told is no larger than the first.
    fn node(&mut self, node: &'a NodeProto) -> Result<Vec<Value>, ModelError> {
        let operator = node.op_type.as_str();
        if matches!(operator, "Loop" | "Scan" | "SequenceMap") {
            return Err(refused(node, "repeats a part of the graph"));
        }
        if self.model.functions.iter().any(|it| it.name == operator) {
            return Err(refused(
                node,
                "a function of the file, which is not followed",
            ));
        }
        if operator == "Constant" {
            return Ok(vec![self.constant_node(node)?]);
        }
        let mut inputs = Vec::with_capacity(node.input.len());
        for name in &node.input {
            let value = self.values.get(name.as_str());
            if value.is_none() && !name.is_empty() {
                return Err(refused(node, &format!("nothing before it makes {name:?}")));
            }
            inputs.push(value);
        }
        let call = Call { node, inputs };
        let value = elementwise::value(&call)
            .or_else(|| layout::value(&call))
            .or_else(|| products::value(&call));
        if operator == "Split"
            && let Some(parts) = layout::split(&call)
        {
            return Ok(parts);
        }
        if let Some(value) = value {
            return Ok(vec![value]);
        }
        let growth = growth::most(&call).map_err(|reason| refused(node, &reason.to_string()))?;
        if growth.is_of_unknown {
            self.unknown.get_or_insert(node);
        }
        Ok(vec![Value::of_most(growth.most)])
    }

    fn constant_node(&self, node: &NodeProto) -> Result<Value, ModelError> {
        let attribute = node.attribute.first();
        let attribute = attribute.ok_or_else(|| refused(node, "it has no tensor"))?;
        let numbers = |numbers: &[i64]| {
            let numbers = numbers.iter().map(|&number| Some(Size::fixed(number)));
            Value::of_numbers(numbers.collect())
        };
        let floats = |dims: Option<Vec<Size>>, numbers: &[f32]| Value {
            dims,
            factors: Some(numbers.iter().map(|&it| f64::from(it)).collect()),
            ..Value::of_most(Size::fixed(numbers.len() as i64))
        };
        let floating = &attribute.floats[..];
        Ok(match (&attribute.t, attribute.name.as_str()) {
            (Some(tensor), _) => self.constant(tensor)?,
            (None, "value_int") => Value {
                dims: Some(Vec::new()),
                ..numbers(&[attribute.i])
            },
            (None, "value_ints") => numbers(&attribute.ints),
            (None, "value_float") => floats(Some(Vec::new()), &[attribute.f]),
            (None, "value_floats") => {
                floats(Some(vec![Size::fixed(floating.len() as i64)]), floating)
            }
            _ => return Err(refused(node, "it has no tensor")),
        })
    }

    /// Keeps what a node makes, unless that is too much.
    fn outputs(&mut self, node: &'a NodeProto, values: Vec<Value>) -> Result<(), ModelError> {
        let most = values.first().map_or(Size::ONE, |value| value.most);
        let mut values = values.into_iter();
        for name in &node.output {
            let value = values.next().unwrap_or(Value::of_most(most));
            if name.is_empty() {
                continue;
            }
            self.add(node, value.most)?;
            if self.values.insert(name, value).is_some() {
                return Err(refused(node, &format!("{name:?} is made twice")));
            }
        }
        Ok(())
    }

    fn add(&mut self, node: &NodeProto, numbers: Size) -> Result<(), ModelError> {
        let (at, each) = match numbers.degree {
            0 => (0, ""),
            1 => (1, " for each position"),
            _ => return Err(self.too_many(node, "makes numbers for each position times positions")),
        };
        let (made, most) = (numbers.factor, self.most[at]);
        if made > most {
            let text = format!("makes {made} numbers{each}, of at most {most}");
            return Err(self.too_many(node, &text));
        }
        self.sums[at] += made;
        let (sum, most) = (self.sums[at], most * MOST_VALUES);
        if sum > most {
            let text = format!("with those before it makes {sum} numbers{each}, of at most {most}");
            return Err(self.too_many(node, &text));
        }
        Ok(())
    }

    /// A node that makes too many numbers, as far as is known.
    fn too_many(&self, node: &NodeProto, reason: &str) -> ModelError {
        match self.unknown.filter(|unknown| !std::ptr::eq(*unknown, node)) {
            Some(unknown) => {
                let operator = &unknown.op_type;
                let text = format!("{reason} (operator {operator} before it is not known)");
                refused(node, &text)
            }
            None => refused(node, reason),
        }
    }
}

fn wrong(tensor: &TensorProto, reason: &str) -> ModelError {
    ModelError::Tensor {
        name: tensor.name.clone(),
        reason: reason.to_owned(),
    }
}

fn refused(node: &NodeProto, reason: &str) -> ModelError {
    let output = node.output.first().map_or("", String::as_str);
    let name = if node.name.is_empty() {
        output
    } else {
        &node.name
    };
    ModelError::Operator {
        node: name.to_owned(),
        operator: node.op_type.clone(),
        reason: reason.to_owned(),
    }
}
