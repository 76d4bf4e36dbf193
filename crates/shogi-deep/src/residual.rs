//! The numbers of a residual network, and the ONNX file of them.
//!
//! Names of tensors are those of dlshogi's `PolicyValueNetwork` (`l1_1_1`, `norm1`, `blocks.0.conv1`, `l22`, `l23_v`, …), so that a file says
//! which is which and can be read again.

use std::collections::HashMap;

use prost::Message;

use crate::onnx::{
    AttributeProto, Dimension, FLOAT, FLOAT16, GraphProto, ModelProto, NodeProto, OperatorSet,
    TensorProto, TensorShape, TensorType, TypeProto, ValueInfoProto,
};
use crate::{BOARD_PLANES, InputFormat, ModelError, PolicyLabel};

const SQUARES: usize = 81;
/// Channels of both heads.
const HEAD: usize = PolicyLabel::COUNT / SQUARES;
/// What is added to a variance before its root is taken: that of `PyTorch`.
const EPSILON: f32 = 1e-5;

/// A batch normalisation: (x - mean) / √(variance + ε) × scale + shift for each channel, with ε = 10⁻⁵.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchNorm {
    /// Factors.
    pub scale: Vec<f32>,
    /// Summands.
    pub shift: Vec<f32>,
    /// Means.
    pub mean: Vec<f32>,
    /// Variances.
    pub variance: Vec<f32>,
}

impl BatchNorm {
    /// Added to a variance before its root is taken.
    pub const EPSILON: f32 = EPSILON;

    /// Factor and summand of each channel.
    fn folded(&self) -> (Vec<f32>, Vec<f32>) {
        let factors = self.scale.iter().zip(&self.variance);
        let factors: Vec<f32> = factors
            .map(|(scale, variance)| scale / (variance + EPSILON).sqrt())
            .collect();
        let means = self.shift.iter().zip(&self.mean).zip(&factors);
        let summands = means.map(|((shift, mean), factor)| shift - mean * factor);
        (factors.clone(), summands.collect())
    }
}

/// A residual block: ReLU(norm(conv(ReLU(norm(conv(x))))) + x).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResidualBlock {
    /// Both convolutions: outputs × inputs × 3 × 3.
    pub convolutions: [Vec<f32>; 2],
    /// The normalisation behind each.
    pub norms: [BatchNorm; 2],
}

/// The numbers of a residual network in dlshogi's shape, with `ReLU`. Tensors are in the order of ONNX: outputs first.
#[derive(Clone, Debug, PartialEq)]
pub struct ResidualNetwork {
    /// The planes that it wants.
    pub format: InputFormat,
    /// Channels of a map.
    pub channels: usize,
    /// Units of the value's hidden layer.
    pub value_units: usize,
    /// The convolution of the board's planes: channels × 62 × 3 × 3.
    pub board: Vec<f32>,
    /// The convolution of the other planes: channels × planes.
    pub state: Vec<f32>,
    /// The normalisation of their sum.
    pub norm: BatchNorm,
    /// The residual blocks.
    pub blocks: Vec<ResidualBlock>,
    /// The convolution that gives the policy: 27 × channels.
    pub policy: Vec<f32>,
    /// What is added to each logit.
    pub policy_bias: Vec<f32>,
    /// The convolution that the value comes from: 27 × channels.
    pub value: Vec<f32>,
    /// The normalisation behind it.
    pub value_norm: BatchNorm,
    /// The hidden layer: units × 2187.
    pub hidden: Vec<f32>,
    /// Its biases.
    pub hidden_bias: Vec<f32>,
    /// The output layer: one weight for each unit.
    pub output: Vec<f32>,
    /// Its bias.
    pub output_bias: f32,
}

/// The form of an ONNX file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnnxForm {
    /// Numbers have 16 bits instead of 32: half the size, and about three decimal digits.
    pub half: bool,
    /// Batch normalisation is part of the convolutions. Such a file cannot be trained on.
    pub folded: bool,
}

impl ResidualNetwork {
    /// The bytes of an ONNX file that dlshogi, ふかうら王 and this crate read: inputs `input1` and `input2`, outputs `output_policy` and
    /// `output_value`, any number of positions.
    pub fn to_onnx(&self, form: OnnxForm) -> Vec<u8> {
        let mut writer = Writer::new(self.format, form);
        let x = writer.entry(self);
        let x = (self.blocks.iter().enumerate()).fold(x, |x, (number, block)| {
            writer.block(&x, number, block, self.channels)
        });
        writer.policy(&x, self);
        writer.value(&x, self);
        let model = ModelProto {
            functions: Vec::new(),
            ir_version: 8,
            producer_name: "yaneura".to_owned(),
            graph: Some(writer.graph),
            opset_import: vec![OperatorSet {
                domain: String::new(),
                version: 17,
            }],
        };
        model.encode_to_vec()
    }

    /// Reads the bytes that [`Self::to_onnx`] wrote, if batch normalisation was not folded.
    ///
    /// # Errors
    /// When the bytes are another model, or one whose tensors have other names or sizes.
    pub fn from_onnx(bytes: &[u8]) -> Result<Self, ModelError> {
        let graph = ModelProto::decode(bytes)?.graph.unwrap_or_default();
        let mut tensors = HashMap::new();
        for tensor in &graph.initializer {
            tensors.insert(tensor.name.clone(), tensor.tensor()?);
        }
        let mut take = |name: &str, dims: &[usize]| {
            let wrong = |reason: String| ModelError::Tensor {
                name: name.to_owned(),
                reason,
            };
            let tensor = tensors.remove(name).ok_or_else(|| {
                wrong("it is missing: expected a network that was learnt here, with its batch normalisation".into())
            })?;
            // A dimension of 0 may be anything.
            let fits = tensor.dims.len() == dims.len()
                && (tensor.dims.iter().zip(dims)).all(|(found, &dim)| dim == 0 || *found == dim);
            if fits {
                Ok(tensor)
            } else {
                let found = tensor.dims;
                Err(wrong(format!("its shape is {found:?}, expected {dims:?}")))
            }
        };
        let board = take("l1_1_1.weight", &[0, BOARD_PLANES, 3, 3])?;
        let channels = board.dims[0];
        let state = take("l1_2.weight", &[channels, 0, 1, 1])?;
        let format = InputFormat::ALL
            .into_iter()
            .find(|format| format.planes() == state.dims[1])
            .ok_or_else(|| ModelError::Tensor {
                name: "l1_2.weight".into(),
                reason: format!("it has {} planes, expected 57 or 119", state.dims[1]),
            })?;
        let norm = take_norm(&mut take, "norm1", channels)?;
        let mut blocks = Vec::new();
        let mut number = 0;
        while graph
            .initializer
            .iter()
            .any(|tensor| tensor.name == format!("blocks.{number}.conv1.weight"))
        {
            let mut of_half = |half: usize| {
                let name = format!("blocks.{number}.conv{half}.weight");
                let convolution = take(&name, &[channels, channels, 3, 3])?.data;
                let norm = take_norm(&mut take, &format!("blocks.{number}.bn{half}"), channels)?;
                Ok::<_, ModelError>((convolution, norm))
            };
            let (first, second) = (of_half(1)?, of_half(2)?);
            blocks.push(ResidualBlock {
                convolutions: [first.0, second.0],
                norms: [first.1, second.1],
            });
            number += 1;
        }
        let hidden = take("l23_v.weight", &[0, PolicyLabel::COUNT])?;
        let value_units = hidden.dims[0];
        Ok(Self {
            format,
            channels,
            value_units,
            board: board.data,
            state: state.data,
            norm,
            blocks,
            policy: take("l22.weight", &[HEAD, channels, 1, 1])?.data,
            policy_bias: take("l22_2.bias", &[PolicyLabel::COUNT])?.data,
            value: take("l22_v.weight", &[HEAD, channels, 1, 1])?.data,
            value_norm: take_norm(&mut take, "norm22_v", HEAD)?,
            hidden: hidden.data,
            hidden_bias: take("l23_v.bias", &[value_units])?.data,
            output: take("l24_v.weight", &[1, value_units])?.data,
            output_bias: take("l24_v.bias", &[1])?.data[0],
        })
    }
}

fn take_norm(
    take: &mut impl FnMut(&str, &[usize]) -> Result<crate::onnx::Tensor, ModelError>,
    name: &str,
    channels: usize,
) -> Result<BatchNorm, ModelError> {
    let mut part =
        |part: &str| Ok::<_, ModelError>(take(&format!("{name}.{part}"), &[channels])?.data);
    Ok(BatchNorm {
        scale: part("weight")?,
        shift: part("bias")?,
        mean: part("running_mean")?,
        variance: part("running_var")?,
    })
}

/// A graph that grows node by node.
struct Writer {
    graph: GraphProto,
    form: OnnxForm,
}

const ATTRIBUTE_FLOAT: i32 = 1;
const ATTRIBUTE_INT: i32 = 2;
const ATTRIBUTE_INTS: i32 = 7;

fn ints(name: &str, ints: &[i64]) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        ints: ints.to_vec(),
        kind: ATTRIBUTE_INTS,
        ..AttributeProto::default()
    }
}

fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        i,
        kind: ATTRIBUTE_INT,
        ..AttributeProto::default()
    }
}

/// A tensor of floats for each position.
fn info(name: &str, dims: &[usize]) -> ValueInfoProto {
    let batch = Dimension {
        size: 0,
        symbol: "batch_size".to_owned(),
    };
    let of = |&size: &usize| Dimension {
        size: size as i64,
        symbol: String::new(),
    };
    let dim = std::iter::once(batch).chain(dims.iter().map(of)).collect();
    ValueInfoProto {
        name: name.to_owned(),
        kind: Some(TypeProto {
            tensor: Some(TensorType {
                elem_type: FLOAT,
                shape: Some(TensorShape { dim }),
            }),
        }),
    }
}

impl Writer {
    fn new(format: InputFormat, form: OnnxForm) -> Self {
        let graph = GraphProto {
            name: "policy_value".to_owned(),
            input: vec![
                info("input1", &[BOARD_PLANES, 9, 9]),
                info("input2", &[format.planes(), 9, 9]),
            ],
            output: vec![
                info("output_policy", &[PolicyLabel::COUNT]),
                info("output_value", &[1]),
            ],
            ..GraphProto::default()
        };
        Self { graph, form }
    }

    fn node(
        &mut self,
        operator: &str,
        inputs: &[&str],
        output: &str,
        attribute: Vec<AttributeProto>,
    ) -> String {
        self.graph.node.push(NodeProto {
            input: inputs.iter().map(|&name| name.to_owned()).collect(),
            output: vec![output.to_owned()],
            name: output.to_owned(),
            op_type: operator.to_owned(),
            attribute,
        });
        output.to_owned()
    }

    /// Adds a tensor, and for numbers of 16 bits the node that makes them wide again; the name to read it by.
    fn tensor(&mut self, name: &str, dims: &[usize], data: &[f32]) -> String {
        let (data_type, raw_data) = if self.form.half {
            let bytes = |&number: &f32| half::f16::from_f32(number).to_le_bytes();
            (FLOAT16, data.iter().flat_map(bytes).collect())
        } else {
            let bytes = |number: &f32| number.to_le_bytes();
            (FLOAT, data.iter().flat_map(bytes).collect())
        };
        self.graph.initializer.push(TensorProto {
            dims: dims.iter().map(|&dim| dim as i64).collect(),
            data_type,
            raw_data,
            name: name.to_owned(),
            ..TensorProto::default()
        });
        if self.form.half {
            let wide = format!("{name}.float");
            self.node("Cast", &[name], &wide, vec![int("to", FLOAT.into())])
        } else {
            name.to_owned()
        }
    }

    /// A convolution of `inputs` channels into as many as the normalisation has, which follows it.
    fn normalised(
        &mut self,
        (input, inputs, side): (&str, usize, usize),
        (name, weights): (&str, &[f32]),
        (norm_name, norm): (&str, &BatchNorm),
    ) -> String {
        if self.form.folded {
            let (factors, summands) = norm.folded();
            let weights = scaled(weights, &factors);
            return self.convolution((input, inputs, side), (name, &weights), Some(&summands));
        }
        let output = self.convolution((input, inputs, side), (name, weights), None);
        self.norm(&output, norm_name, norm)
    }

    fn convolution(
        &mut self,
        (input, inputs, side): (&str, usize, usize),
        (name, weights): (&str, &[f32]),
        bias: Option<&[f32]>,
    ) -> String {
        let outputs = weights.len() / (inputs * side * side);
        let dims = [outputs, inputs, side, side];
        let weights = self.tensor(&format!("{name}.weight"), &dims, weights);
        let bias = bias.map(|bias| self.tensor(&format!("{name}.bias"), &[outputs], bias));
        let names: Vec<&str> = [input, &weights]
            .into_iter()
            .chain(bias.as_deref())
            .collect();
        let (side, pad) = (side as i64, side as i64 / 2);
        let attributes = vec![
            ints("kernel_shape", &[side, side]),
            ints("pads", &[pad; 4]),
            ints("strides", &[1, 1]),
        ];
        self.node("Conv", &names, &format!("{name}.out"), attributes)
    }

    fn norm(&mut self, input: &str, name: &str, norm: &BatchNorm) -> String {
        let parts = [
            ("weight", &norm.scale),
            ("bias", &norm.shift),
            ("running_mean", &norm.mean),
            ("running_var", &norm.variance),
        ];
        let parts =
            parts.map(|(part, data)| self.tensor(&format!("{name}.{part}"), &[data.len()], data));
        let inputs: Vec<&str> = std::iter::once(input)
            .chain(parts.iter().map(String::as_str))
            .collect();
        let epsilon = AttributeProto {
            name: "epsilon".to_owned(),
            f: EPSILON,
            kind: ATTRIBUTE_FLOAT,
            ..AttributeProto::default()
        };
        self.node(
            "BatchNormalization",
            &inputs,
            &format!("{name}.out"),
            vec![epsilon],
        )
    }

    fn entry(&mut self, network: &ResidualNetwork) -> String {
        let planes = network.format.planes();
        let board = ("input1", BOARD_PLANES, 3);
        let state = ("input2", planes, 1);
        let sum = if self.form.folded {
            let (factors, summands) = network.norm.folded();
            let (by_board, by_state) = (
                scaled(&network.board, &factors),
                scaled(&network.state, &factors),
            );
            let first = self.convolution(board, ("l1_1_1", &by_board), Some(&summands));
            let second = self.convolution(state, ("l1_2", &by_state), None);
            self.node("Add", &[&first, &second], "sum1.out", vec![])
        } else {
            let first = self.convolution(board, ("l1_1_1", &network.board), None);
            let second = self.convolution(state, ("l1_2", &network.state), None);
            let sum = self.node("Add", &[&first, &second], "sum1.out", vec![]);
            self.norm(&sum, "norm1", &network.norm)
        };
        self.node("Relu", &[&sum], "u1", vec![])
    }

    fn block(&mut self, x: &str, number: usize, block: &ResidualBlock, channels: usize) -> String {
        let name = |part: &str| format!("blocks.{number}.{part}");
        let mut y = x.to_owned();
        for (half, (weights, norm)) in block.convolutions.iter().zip(&block.norms).enumerate() {
            let half = half + 1;
            y = self.normalised(
                (&y, channels, 3),
                (&name(&format!("conv{half}")), weights),
                (&name(&format!("bn{half}")), norm),
            );
            if half == 1 {
                y = self.node("Relu", &[&y], &name("relu1"), vec![]);
            }
        }
        let sum = self.node("Add", &[&y, x], &name("sum"), vec![]);
        self.node("Relu", &[&sum], &name("out"), vec![])
    }

    fn policy(&mut self, x: &str, network: &ResidualNetwork) {
        let map = self.convolution((x, network.channels, 1), ("l22", &network.policy), None);
        let row = self.node("Flatten", &[&map], "l22.row", vec![int("axis", 1)]);
        let bias = self.tensor("l22_2.bias", &[PolicyLabel::COUNT], &network.policy_bias);
        self.node("Add", &[&row, &bias], "output_policy", vec![]);
    }

    fn value(&mut self, x: &str, network: &ResidualNetwork) {
        let map = self.normalised(
            (x, network.channels, 1),
            ("l22_v", &network.value),
            ("norm22_v", &network.value_norm),
        );
        let map = self.node("Relu", &[&map], "relu22_v", vec![]);
        let row = self.node("Flatten", &[&map], "l22_v.row", vec![int("axis", 1)]);
        let units = network.value_units;
        let hidden = self.linear(
            &row,
            "l23_v",
            (&network.hidden, &network.hidden_bias),
            [units, PolicyLabel::COUNT],
        );
        let hidden = self.node("Relu", &[&hidden], "relu23_v", vec![]);
        let bias = [network.output_bias];
        let output = self.linear(&hidden, "l24_v", (&network.output, &bias), [1, units]);
        self.node("Sigmoid", &[&output], "output_value", vec![]);
    }

    fn linear(
        &mut self,
        input: &str,
        name: &str,
        (weights, bias): (&[f32], &[f32]),
        dims: [usize; 2],
    ) -> String {
        let weights = self.tensor(&format!("{name}.weight"), &dims, weights);
        let bias = self.tensor(&format!("{name}.bias"), &[dims[0]], bias);
        let attributes = vec![int("transB", 1)];
        self.node(
            "Gemm",
            &[input, &weights, &bias],
            &format!("{name}.out"),
            attributes,
        )
    }
}

/// Weights, each times the factor of its output.
fn scaled(weights: &[f32], factors: &[f32]) -> Vec<f32> {
    let of_output = weights.len() / factors.len();
    let rows = weights.chunks_exact(of_output).zip(factors);
    rows.flat_map(|(row, factor)| row.iter().map(move |weight| weight * factor))
        .collect()
}
