//! What a graph may take before it is run by somebody else's kernels: memory and time of a network for a board.
//!
//! The kernel of this crate knows the size of everything that it makes. Graphs with other operators are handed to
//! evaluators that make what the graph says: a pad of 2^40, a constant of 4 GiB, a loop of 2^60. So operators that make
//! more numbers than they are given are looked at here: how many more has to be a constant of the graph, or the shape of
//! something that is there, and not many. Operators that repeat a part of the graph are refused; no network of this kind
//! has any.

use std::collections::HashMap;

use crate::ModelError;
use crate::onnx::{GraphProto, NodeProto, TensorProto};

/// The largest pad, number of repetitions or extent.
const MOST_EXTENT: f64 = 4096.0;
/// The most numbers of a tensor that is made from its shape alone: 64 MiB.
const MOST_NUMBERS: f64 = (1u32 << 24) as f64;
/// The most by which all operators of a graph together may enlarge what they are given.
const MOST_GROWTH: f64 = (1u32 << 14) as f64;
/// The most positions that a file may want at once.
const MOST_BATCH: usize = 4096;
/// How far the origin of an amount is followed.
const DEPTH: usize = 16;
/// The length of a side of the board, for which pads are a growth.
const SIDE: f64 = 9.0;

/// Checks that a graph takes no more than a network for a board does.
///
/// # Errors
/// With the operator that does.
pub(crate) fn check(graph: &GraphProto, batch: Option<usize>) -> Result<(), ModelError> {
    if let Some(batch) = batch.filter(|&batch| batch > MOST_BATCH) {
        return Err(ModelError::Interface {
            what: "positions at once".to_owned(),
            expected: format!("at most {MOST_BATCH}"),
            found: batch.to_string(),
        });
    }
    let mut bounds = Bounds {
        known: HashMap::new(),
        growth: 1.0,
    };
    bounds.graph(graph, 0)
}

/// What is known of a graph so far.
struct Bounds<'a> {
    known: HashMap<&'a str, Origin<'a>>,
    growth: f64,
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Origin<'a> {
    Tensor(&'a TensorProto),
    Node(&'a NodeProto),
}

/// The numbers that say how large something becomes.
enum Amount {
    /// Constants.
    Numbers(Vec<f64>),
    /// The shape of something that is there, and constants that are not large.
    OfShapes,
    /// Something else.
    Unknown,
}

impl<'a> Bounds<'a> {
    fn graph(&mut self, graph: &'a GraphProto, depth: usize) -> Result<(), ModelError> {
        for tensor in &graph.initializer {
            self.known.insert(&tensor.name, Origin::Tensor(tensor));
        }
        for node in &graph.node {
            self.node(node)?;
            for part in node
                .attribute
                .iter()
                .flat_map(|it| it.g.iter().chain(&it.graphs))
            {
                if depth >= DEPTH {
                    return Err(refused(node, "graphs within graphs"));
                }
                self.graph(part, depth + 1)?;
            }
            for output in &node.output {
                self.known.insert(output, Origin::Node(node));
            }
        }
        Ok(())
    }

    fn node(&mut self, node: &'a NodeProto) -> Result<(), ModelError> {
        match node.op_type.as_str() {
            "Loop" | "Scan" | "SequenceMap" => Err(refused(node, "repeats a part of the graph")),
            "Pad" => {
                let pads = match node.attribute("pads") {
                    Some(pads) => {
                        Amount::Numbers(pads.ints.iter().map(|&pad| pad as f64).collect())
                    }
                    None => self.input(node, 1),
                };
                let most = self.extents(node, "pads", pads)?;
                let sum: f64 = most.iter().map(|pad| pad.max(0.0)).sum();
                self.grow(node, 1.0 + sum)
            }
            "Conv" | "MaxPool" | "AveragePool" | "LpPool" => self.window(node),
            "ConvTranspose" => {
                let strides = node.ints("strides", &[1]);
                let strides = strides.iter().map(|&stride| stride as f64).collect();
                let strides = self.extents(node, "strides", Amount::Numbers(strides))?;
                self.grow(node, strides.iter().product())?;
                self.window(node)
            }
            "ConstantOfShape" => {
                let shape = self.input(node, 0);
                self.shape(node, shape)
            }
            "Expand" => {
                let shape = self.input(node, 1);
                self.shape(node, shape)
            }
            "Tile" => {
                let repeats = self.input(node, 1);
                let repeats = self.extents(node, "repetitions", repeats)?;
                self.grow(node, repeats.iter().product())
            }
            "Resize" | "Upsample" => self.resize(node),
            "OneHot" => {
                let depth = self.input(node, 1);
                let depth = self.extents(node, "depth", depth)?;
                self.grow(node, depth.iter().product())
            }
            "Range" => {
                let mut ends = Vec::new();
                for place in 0..3 {
                    let end = self.input(node, place);
                    ends.extend(self.extents(node, "ends", end)?);
                }
                match ends.as_slice() {
                    &[from, to, step] if step != 0.0 && ((to - from) / step) > MOST_NUMBERS => {
                        Err(refused(node, "a range of too many numbers"))
                    }
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Windows that go over a board: pads that make it larger than it was.
    fn window(&mut self, node: &NodeProto) -> Result<(), ModelError> {
        let ints = |name: &str, default: &[i64]| {
            let ints = node.ints(name, default);
            Amount::Numbers(ints.iter().map(|&number| number as f64).collect())
        };
        let pads = self.extents(node, "pads", ints("pads", &[]))?;
        let kernel = self.extents(node, "kernel", ints("kernel_shape", &[]))?;
        let dilations = self.extents(node, "dilations", ints("dilations", &[]))?;
        let mut covered = 0.0;
        for (index, size) in kernel.iter().enumerate() {
            covered += (size - 1.0) * dilations.get(index).copied().unwrap_or(1.0);
        }
        let extra = (pads.iter().sum::<f64>() - covered).max(0.0);
        self.grow(node, ((SIDE + extra) / SIDE).powi(2))
    }

    fn resize(&mut self, node: &NodeProto) -> Result<(), ModelError> {
        for place in 1..node.input.len() {
            if node.input[place].is_empty() {
                continue;
            }
            let amount = self.input(node, place);
            let numbers = self.extents(node, "sizes", amount)?;
            if node.op_type == "Resize" && place == 3 {
                self.count(node, &numbers)?;
            } else if node.op_type == "Upsample" || place == 2 {
                self.grow(node, numbers.iter().product())?;
            }
        }
        Ok(())
    }

    /// A tensor that is made from its shape.
    fn shape(&self, node: &NodeProto, shape: Amount) -> Result<(), ModelError> {
        let numbers = self.extents(node, "shape", shape)?;
        self.count(node, &numbers)
    }

    #[expect(clippy::unused_self, reason = "a check like the others")]
    fn count(&self, node: &NodeProto, shape: &[f64]) -> Result<(), ModelError> {
        let numbers: f64 = shape.iter().map(|extent| extent.abs().max(1.0)).product();
        if numbers > MOST_NUMBERS {
            let text = format!("makes {numbers:.0} numbers, of at most {MOST_NUMBERS:.0}");
            return Err(refused(node, &text));
        }
        Ok(())
    }

    /// The numbers of an amount, each of which is not large. None where they follow from shapes that are there.
    #[expect(clippy::unused_self, reason = "a check like the others")]
    fn extents(
        &self,
        node: &NodeProto,
        what: &str,
        amount: Amount,
    ) -> Result<Vec<f64>, ModelError> {
        match amount {
            Amount::Numbers(numbers) => {
                let is_large = |number: &&f64| number.is_nan() || number.abs() > MOST_EXTENT;
                match numbers.iter().find(is_large) {
                    // A shape of one dimension may be as long as a tensor.
                    Some(large) if what == "shape" || what == "ends" => {
                        if large.abs() <= MOST_NUMBERS {
                            Ok(numbers)
                        } else {
                            Err(refused(node, &format!("{what} of {large}")))
                        }
                    }
                    Some(large) => Err(refused(
                        node,
                        &format!("{what} of {large}, of at most {MOST_EXTENT}"),
                    )),
                    None => Ok(numbers),
                }
            }
            Amount::OfShapes => Ok(Vec::new()),
            Amount::Unknown => Err(refused(
                node,
                &format!("its {what} are not known before it is run"),
            )),
        }
    }

    fn grow(&mut self, node: &NodeProto, factor: f64) -> Result<(), ModelError> {
        self.growth *= factor.abs().max(1.0);
        if self.growth > MOST_GROWTH {
            return Err(refused(node, "makes what it is given too large"));
        }
        Ok(())
    }

    /// The numbers of an input of a node.
    fn input(&self, node: &NodeProto, place: usize) -> Amount {
        match node.input.get(place) {
            Some(name) if !name.is_empty() => self.amount(name, 0),
            _ => Amount::Numbers(Vec::new()),
        }
    }

    fn amount(&self, name: &str, depth: usize) -> Amount {
        if depth > DEPTH {
            return Amount::Unknown;
        }
        let node = match self.known.get(name) {
            Some(Origin::Tensor(tensor)) => return numbers_of(tensor),
            Some(Origin::Node(node)) => node,
            None => return Amount::Unknown,
        };
        match node.op_type.as_str() {
            "Constant" => node.attribute.first().map_or(Amount::Unknown, |value| {
                match (&value.t, value.name.as_str()) {
                    (Some(tensor), _) => numbers_of(tensor),
                    (None, "value_int") => Amount::Numbers(vec![value.i as f64]),
                    (None, "value_float") => Amount::Numbers(vec![f64::from(value.f)]),
                    (None, "value_ints") => {
                        Amount::Numbers(value.ints.iter().map(|&number| number as f64).collect())
                    }
                    _ => Amount::Unknown,
                }
            }),
            "Shape" | "Size" => Amount::OfShapes,
            "Identity" | "Cast" | "Unsqueeze" | "Squeeze" | "Reshape" | "Gather" | "Slice" => {
                // What is taken from it is no larger.
                self.amount(node.input.first().map_or("", String::as_str), depth + 1)
            }
            "Concat" => {
                let mut numbers = Vec::new();
                let mut is_constant = true;
                for input in &node.input {
                    match self.amount(input, depth + 1) {
                        Amount::Numbers(more) => numbers.extend(more),
                        Amount::OfShapes => is_constant = false,
                        Amount::Unknown => return Amount::Unknown,
                    }
                }
                let is_small = numbers.iter().all(|number| number.abs() <= MOST_EXTENT);
                match (is_constant, is_small) {
                    (true, _) => Amount::Numbers(numbers),
                    (false, true) => Amount::OfShapes,
                    (false, false) => Amount::Unknown,
                }
            }
            _ => Amount::Unknown,
        }
    }
}

fn numbers_of(tensor: &TensorProto) -> Amount {
    tensor.tensor().map_or(Amount::Unknown, |tensor| {
        Amount::Numbers(
            tensor
                .data
                .iter()
                .map(|&number| f64::from(number))
                .collect(),
        )
    })
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

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use test_support::fixture_bytes;

    use super::*;
    use crate::DeepModel;
    use crate::onnx::{AttributeProto, ModelProto};

    /// Whole numbers as a constant.
    fn constant(name: &str, numbers: &[i64]) -> TensorProto {
        TensorProto {
            dims: vec![numbers.len() as i64],
            data_type: 7,
            int64_data: numbers.to_vec(),
            name: name.to_owned(),
            ..TensorProto::default()
        }
    }

    fn node(operator: &str, inputs: &[&str], output: &str) -> NodeProto {
        NodeProto {
            input: inputs.iter().map(|&input| input.to_owned()).collect(),
            output: vec![output.to_owned()],
            op_type: operator.to_owned(),
            ..NodeProto::default()
        }
    }

    /// The small network with more nodes, of which nothing is read.
    fn with_nodes(constants: Vec<TensorProto>, nodes: Vec<NodeProto>) -> Vec<u8> {
        let mut model = ModelProto::decode(&fixture_bytes("deep/mtiny.onnx")[..]).unwrap();
        let graph = model.graph.as_mut().unwrap();
        graph.initializer.extend(constants);
        graph.node.splice(0..0, nodes);
        model.encode_to_vec()
    }

    #[track_caller]
    fn is_refused(constants: Vec<TensorProto>, nodes: Vec<NodeProto>, operator: &str) {
        let error = DeepModel::from_bytes(with_nodes(constants, nodes)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&format!("operator {operator}")), "{text}");
        assert!(!text.contains("rten"), "{text}");
    }

    #[test]
    fn graphs_that_take_too_much_are_refused_by_their_operator() {
        let large = vec![constant("large", &[0, 0, 0, 0, 1 << 40, 0, 0, 0])];
        let pad = node("Pad", &["input1", "large"], "padded");
        is_refused(large, vec![pad.clone()], "Pad");
        let gib = vec![constant("shape", &[1024, 1 << 20])];
        is_refused(
            gib,
            vec![node("ConstantOfShape", &["shape"], "huge")],
            "ConstantOfShape",
        );
        let times = vec![constant("times", &[1 << 60]), constant("go", &[1])];
        is_refused(times, vec![node("Loop", &["times", "go"], "last")], "Loop");
        let mut old = node("Pad", &["input1"], "padded");
        old.attribute.push(AttributeProto {
            name: "pads".to_owned(),
            ints: vec![0, 0, 1 << 40, 0, 0, 0, 0, 0],
            ..AttributeProto::default()
        });
        is_refused(Vec::new(), vec![old], "Pad");
        // By a little each time.
        let repeats = vec![constant("repeats", &[1, 64, 1, 1])];
        let tile = |from: &str, to: &str| node("Tile", &[from, "repeats"], to);
        let tiles = vec![tile("input1", "a"), tile("a", "b"), tile("b", "c")];
        is_refused(repeats, tiles, "Tile");
        // Computed by the graph itself.
        let factors = vec![constant("factor", &[1 << 20])];
        let nodes = vec![
            node("Mul", &["factor", "factor"], "product"),
            node("ConstantOfShape", &["product"], "huge"),
        ];
        is_refused(factors, nodes, "ConstantOfShape");
    }

    #[test]
    fn what_networks_do_is_allowed() {
        let constants = vec![
            constant("pads", &[0, 0, 1, 1, 0, 0, 1, 1]),
            constant("size", &[256, 9, 9]),
        ];
        let nodes = vec![
            node("Pad", &["input1", "pads"], "padded"),
            node("Shape", &["input1"], "shape"),
            node("Concat", &["shape", "size"], "both"),
            node("ConstantOfShape", &["both"], "zeros"),
            node("ConstantOfShape", &["size"], "more"),
        ];
        let bytes = with_nodes(constants, nodes);
        let graph = ModelProto::decode(&bytes[..]).unwrap().graph.unwrap();
        check(&graph, Some(8)).unwrap();
        assert!(check(&graph, Some(1 << 40)).is_err());
    }
}
