//! A plain interpreter of ONNX graphs, and networks in all forms that exporters write: they must come to the same as the compiled steps.

use std::collections::HashMap;
use std::sync::Arc;

use prost::Message;
use shogi_core::Position;
use test_support::SplitMix64;
use yane_base::lanes::VectorLimit;

use crate::onnx::{
    AttributeProto, Dimension, GraphProto, ModelProto, NodeProto, TensorProto, TensorShape,
    TensorType, TypeProto, ValueInfoProto,
};
use crate::{InputFormat, InputPlanes, ModelError, NativeNetwork, NetworkModel, PolicyValue};

/// A tensor whose first dimension, the batch, is left out.
#[derive(Clone, Debug)]
struct Plain {
    dims: Vec<usize>,
    data: Vec<f32>,
}

/// The policy and the value, node by node.
fn interpreted(graph: &GraphProto, features: &InputPlanes, format: InputFormat) -> (Vec<f32>, f32) {
    let mut board = vec![0.0; 62 * 81];
    features.board_bits().for_each(|bit| board[bit] = 1.0);
    let mut state = vec![0.0; format.planes() * 81];
    for plane in features.state_planes(format) {
        state[plane * 81..][..81].fill(1.0);
    }
    let map = |data: Vec<f32>| Plain {
        dims: vec![data.len() / 81, 9, 9],
        data,
    };
    let mut values = HashMap::from([
        ("input1".to_owned(), map(board)),
        ("input2".to_owned(), map(state)),
    ]);
    for tensor in &graph.initializer {
        let read = tensor.tensor().unwrap();
        let (dims, data) = (read.dims, read.data);
        values.insert(tensor.name.clone(), Plain { dims, data });
    }
    for node in &graph.node {
        let inputs: Vec<&Plain> = node.input.iter().map(|name| &values[name]).collect();
        let result = node_value(node, &inputs);
        values.insert(node.output[0].clone(), result);
    }
    (
        values["output_policy"].data.clone(),
        values["output_value"].data[0],
    )
}

fn node_value(node: &NodeProto, inputs: &[&Plain]) -> Plain {
    let first = inputs[0];
    let each = |f: &dyn Fn(usize) -> f32| Plain {
        dims: first.dims.clone(),
        data: (0..first.data.len()).map(f).collect(),
    };
    match node.op_type.as_str() {
        "Conv" => convolved(first, inputs[1], inputs.get(2).copied()),
        "BatchNormalization" => each(&|at| {
            let [scale, shift, mean, variance] = [1, 2, 3, 4].map(|i| inputs[i].data[at / 81]);
            (first.data[at] - mean) / (variance + 1e-3).sqrt() * scale + shift
        }),
        "Relu" => each(&|at| first.data[at].max(0.0)),
        "Sigmoid" => each(&|at| 1.0 / (1.0 + (-first.data[at]).exp())),
        "Mul" => each(&|at| first.data[at] * inputs[1].data[at]),
        "Add" => each(&|at| {
            let second = &inputs[1].data;
            let per_channel = second.len() < first.data.len();
            first.data[at] + second[if per_channel { at / 81 } else { at }]
        }),
        "Flatten" | "Reshape" => Plain {
            dims: vec![first.data.len()],
            data: first.data.clone(),
        },
        "Gemm" | "MatMul" => {
            let matrix = inputs[1];
            let turned = node.attribute("transB").is_some_and(|flag| flag.i == 1);
            let inputs_len = first.data.len();
            let outputs = matrix.data.len() / inputs_len;
            let weight = |input: usize, output: usize| {
                matrix.data[if turned {
                    output * inputs_len + input
                } else {
                    input * outputs + output
                }]
            };
            let sum = |output| {
                let bias = inputs.get(2).map_or(0.0, |bias| bias.data[output]);
                bias + (0..inputs_len)
                    .map(|input| first.data[input] * weight(input, output))
                    .sum::<f32>()
            };
            Plain {
                dims: vec![outputs],
                data: (0..outputs).map(sum).collect(),
            }
        }
        _ => first.clone(),
    }
}

fn convolved(input: &Plain, weights: &Plain, bias: Option<&Plain>) -> Plain {
    let [outputs, inputs, side, _] = weights.dims[..] else {
        panic!("{:?}", weights.dims);
    };
    let reach = side as i32 / 2;
    let mut data = Vec::new();
    for output in 0..outputs {
        for square in 0..81 {
            let mut sum = bias.map_or(0.0, |bias| bias.data[output]);
            for tap in 0..side * side {
                let file = square / 9 + (tap / side) as i32 - reach;
                let rank = square % 9 + (tap % side) as i32 - reach;
                if (0..9).contains(&file) && (0..9).contains(&rank) {
                    for channel in 0..inputs {
                        sum += input.data[channel * 81 + (file * 9 + rank) as usize]
                            * weights.data[(output * inputs + channel) * side * side + tap];
                    }
                }
            }
            data.push(sum);
        }
    }
    Plain {
        dims: vec![outputs, 9, 9],
        data,
    }
}

/// Writes networks of random weights.
struct Writer {
    graph: GraphProto,
    random: SplitMix64,
    names: usize,
}

impl Writer {
    fn new(seed: u64, format: InputFormat) -> Self {
        let info = |name: &str, dims: &[i64]| {
            let dim = |&size: &i64| Dimension {
                size,
                symbol: String::new(),
            };
            ValueInfoProto {
                name: name.to_owned(),
                kind: Some(TypeProto {
                    tensor: Some(TensorType {
                        elem_type: 1,
                        shape: Some(TensorShape {
                            dim: dims.iter().map(dim).collect(),
                        }),
                    }),
                }),
            }
        };
        let graph = GraphProto {
            input: vec![
                info("input1", &[0, 62, 9, 9]),
                info("input2", &[0, format.planes() as i64, 9, 9]),
            ],
            output: vec![
                info("output_policy", &[0, 2187]),
                info("output_value", &[0, 1]),
            ],
            ..GraphProto::default()
        };
        Self {
            graph,
            random: SplitMix64::new(seed),
            names: 0,
        }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("t{}", self.names)
    }

    fn tensor(&mut self, dims: &[i64], scale: f32, shift: f32) -> String {
        let size: i64 = dims.iter().product();
        let mut number = || {
            let unit = (self.random.next_u64() >> 40) as f32 / (1 << 24) as f32;
            ((unit * 2.0 - 1.0) * scale + shift).to_le_bytes()
        };
        let raw_data = (0..size).flat_map(|_| number()).collect();
        let name = self.name();
        self.graph.initializer.push(TensorProto {
            dims: dims.to_vec(),
            data_type: 1,
            raw_data,
            name: name.clone(),
            ..TensorProto::default()
        });
        name
    }

    fn node(&mut self, op_type: &str, input: &[&str], attribute: Vec<AttributeProto>) -> String {
        let output = self.name();
        self.graph.node.push(NodeProto {
            input: input.iter().map(|&name| name.to_owned()).collect(),
            output: vec![output.clone()],
            op_type: op_type.to_owned(),
            attribute,
            ..NodeProto::default()
        });
        output
    }

    fn convolution(&mut self, input: &str, shape: [i64; 3]) -> String {
        let [inputs, outputs, side] = shape;
        let scale = (3.0 / (inputs * side * side) as f32).sqrt();
        let weights = self.tensor(&[outputs, inputs, side, side], scale, 0.0);
        let pads = AttributeProto {
            name: "pads".into(),
            ints: vec![side / 2; 4],
            ..AttributeProto::default()
        };
        self.node("Conv", &[input, &weights], vec![pads])
    }

    fn normalised(&mut self, input: &str, channels: i64) -> String {
        let [scale, shift, mean] =
            [(0.4, 1.0), (0.2, 0.0), (0.2, 0.0)].map(|(by, to)| self.tensor(&[channels], by, to));
        let variance = self.tensor(&[channels], 0.3, 1.0);
        let epsilon = AttributeProto {
            name: "epsilon".into(),
            f: 1e-3,
            ..AttributeProto::default()
        };
        self.node(
            "BatchNormalization",
            &[input, &scale, &shift, &mean, &variance],
            vec![epsilon],
        )
    }

    fn active(&mut self, input: &str, swish: bool) -> String {
        if swish {
            let gate = self.node("Sigmoid", &[input], vec![]);
            self.node("Mul", &[input, &gate], vec![])
        } else {
            self.node("Relu", &[input], vec![])
        }
    }

    /// The whole network: normalisation behind sums and convolutions, heads as exporters write them.
    fn finish(
        mut self,
        channels: i64,
        blocks: usize,
        swish: bool,
        format: InputFormat,
    ) -> GraphProto {
        let entry = self.convolution("input1", [62, channels, 3]);
        let entry_1 = self.convolution("input1", [62, channels, 1]);
        let entry_2 = self.convolution("input2", [format.planes() as i64, channels, 1]);
        let sum = self.node("Add", &[&entry, &entry_1], vec![]);
        let sum = self.node("Add", &[&sum, &entry_2], vec![]);
        let sum = self.normalised(&sum, channels);
        let mut x = self.active(&sum, swish);
        for _ in 0..blocks {
            let y = self.convolution(&x, [channels, channels, 3]);
            let y = self.normalised(&y, channels);
            let y = self.active(&y, swish);
            let y = self.convolution(&y, [channels, channels, 3]);
            let y = self.normalised(&y, channels);
            let y = self.node("Add", &[&y, &x], vec![]);
            x = self.active(&y, swish);
        }
        let shift = self.tensor(&[1, channels, 1, 1], 0.1, 0.0);
        x = self.node("Add", &[&x, &shift], vec![]);
        let policy = self.convolution(&x, [channels, 27, 1]);
        let row = self.shape(&[-1, 2187]);
        let policy = self.node("Reshape", &[&policy, &row], vec![]);
        let bias = self.tensor(&[2187], 0.5, 0.0);
        let policy = self.node("Add", &[&policy, &bias], vec![]);
        let value = self.convolution(&x, [channels, 27, 1]);
        let value = self.normalised(&value, 27);
        let value = self.active(&value, swish);
        let value = self.node("Identity", &[&value], vec![]);
        let value = self.node("Flatten", &[&value], vec![]);
        let matrix = self.tensor(&[2187, 40], 0.03, 0.0);
        let value = self.node("MatMul", &[&value, &matrix], vec![]);
        let bias = self.tensor(&[40], 0.1, 0.0);
        let value = self.node("Add", &[&value, &bias], vec![]);
        let value = self.active(&value, swish);
        let matrix = self.tensor(&[1, 40], 0.3, 0.0);
        let bias = self.tensor(&[1], 0.1, 0.0);
        let turned = AttributeProto {
            name: "transB".into(),
            i: 1,
            ..AttributeProto::default()
        };
        let value = self.node("Gemm", &[&value, &matrix, &bias], vec![turned]);
        let value = self.node("Sigmoid", &[&value], vec![]);
        for (name, node) in [("output_policy", policy), ("output_value", value)] {
            for known in &mut self.graph.node {
                let names = known.input.iter_mut().chain(known.output.iter_mut());
                names
                    .filter(|found| **found == node)
                    .for_each(|found| *found = name.to_owned());
            }
        }
        self.graph
    }

    fn shape(&mut self, dims: &[i64]) -> String {
        let name = self.name();
        self.graph.initializer.push(TensorProto {
            dims: vec![dims.len() as i64],
            data_type: 7,
            int64_data: dims.to_vec(),
            name: name.clone(),
            ..TensorProto::default()
        });
        name
    }
}

fn bytes(graph: GraphProto) -> Vec<u8> {
    let model = ModelProto {
        graph: Some(graph),
        ..ModelProto::default()
    };
    model.encode_to_vec()
}

#[test]
fn steps_come_to_what_the_graph_says() {
    let position = Position::from_sfen(
        "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    )
    .unwrap();
    let features = InputPlanes::new(&position);
    for (seed, (channels, blocks, swish, format)) in [
        (16, 1, false, InputFormat::Wcsc28),
        (33, 2, true, InputFormat::Wcsc28),
        (40, 1, true, InputFormat::Wcsc35),
    ]
    .into_iter()
    .enumerate()
    {
        let graph = Writer::new(seed as u64, format).finish(channels, blocks, swish, format);
        let (policy, value) = interpreted(&graph, &features, format);
        let model = NetworkModel::from_bytes(&bytes(graph)).unwrap();
        assert_eq!(model.format(), format);
        // Buffers are used again.
        assert!(model.buffers.len() < model.steps.len());
        let mut network = NativeNetwork::new(Arc::new(model), 1, VectorLimit::Best);
        let mut result = PolicyValue::default();
        network.evaluate_features(&features, &mut result);
        for (ours, theirs) in result.logits.iter().zip(&policy) {
            assert!((ours - theirs).abs() < 1e-4, "{ours} {theirs}");
        }
        assert!(
            (result.value - value).abs() < 1e-5,
            "{} {value}",
            result.value
        );
        assert!(policy.iter().any(|logit| logit.abs() > 0.1));
    }
}

#[test]
fn other_graphs_are_told_of() {
    let format = InputFormat::Wcsc28;
    let graph = || Writer::new(1, format).finish(16, 1, false, format);
    let error = |graph: GraphProto| {
        NetworkModel::from_bytes(&bytes(graph))
            .unwrap_err()
            .to_string()
    };

    let mut other = graph();
    other.node[3].op_type = "GlobalAveragePool".into();
    assert!(error(other).contains("operator GlobalAveragePool: not one of those"));

    let mut other = graph();
    other.input[1].name = "features2".into();
    let text = error(other);
    assert!(
        text.contains("found input1 [batch,62,9,9], features2 [batch,57,9,9]"),
        "{text}"
    );

    let mut other = graph();
    other.output.pop();
    assert!(error(other).contains("found output_policy [batch,2187]"));

    let mut other = graph();
    other.initializer[0].raw_data.pop();
    assert!(error(other).starts_with("tensor \"t1\": "));

    let mut other = graph();
    other.initializer[0].dims[0] = 17;
    assert!(error(other).contains("its shape is [17, 62, 3, 3], but it has 8928 numbers"));

    let mut other = graph();
    other.node[1].attribute[0].ints = vec![1; 4];
    assert!(matches!(
        NetworkModel::from_bytes(&bytes(other)),
        Err(ModelError::Operator { .. })
    ));
}
