//! From an ONNX graph to a list of steps.
//!
//! Nodes come in an order in which each finds its inputs, as ONNX demands. Batch normalisation goes into the convolution
//! before it where nothing else reads that; buffers are used again once nothing reads them any more.

use std::collections::HashMap;
use std::path::Path;

use prost::Message;
use yane_base::lanes::Lanes;

use crate::bounds;
use crate::convolution::vectors_of;
use crate::kernels::{Elementwise, MAP_SQUARES, Weights, padded};
use crate::model::{NetworkModel, Slot, Step, StepKind};
use crate::onnx::{FLOAT, FLOAT16, GraphProto, ModelProto, NodeProto, Tensor, ValueInfoProto};
use crate::{BOARD_PLANES, InputFormat, ModelError, PolicyLabel};

const BOARD_INPUT: &str = "input1";
const STATE_INPUT: &str = "input2";
const POLICY: &str = "output_policy";
const VALUE: &str = "output_value";
const SQUARES: usize = 81;

/// What a name of the graph stands for.
#[derive(Clone, Debug)]
enum Value {
    Board,
    State,
    Constant(Tensor),
    /// Channels on a board.
    Map {
        slot: Slot,
        channels: usize,
    },
    Vector {
        slot: Slot,
        len: usize,
    },
}

impl Value {
    fn describe(&self) -> String {
        match self {
            Self::Board => "the board's planes".into(),
            Self::State => "the planes of hands".into(),
            Self::Constant(tensor) => format!("a constant of shape {:?}", tensor.dims),
            Self::Map { channels, .. } => format!("{channels} channels on a board"),
            Self::Vector { len, .. } => format!("{len} numbers"),
        }
    }

    const fn slot(&self) -> Option<Slot> {
        match *self {
            Self::Map { slot, .. } | Self::Vector { slot, .. } => Some(slot),
            _ => None,
        }
    }
}

impl NetworkModel {
    /// The network of [`Self::SMALL`].
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn small() -> Self {
        Self::from_bytes(Self::SMALL).expect("a network of this crate")
    }

    /// Reads an ONNX file.
    ///
    /// # Errors
    /// See [`ModelError`].
    pub fn read(path: &Path) -> std::result::Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(|reason| ModelError::Io {
            path: path.to_owned(),
            reason,
        })?;
        Self::from_bytes(&bytes)
    }

    /// Reads the bytes of an ONNX file.
    ///
    /// # Errors
    /// See [`ModelError`].
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, ModelError> {
        compile(bytes)
    }
}

pub(crate) fn compile(bytes: &[u8]) -> Result<NetworkModel> {
    let graph = ModelProto::decode(bytes)?.graph.unwrap_or_default();
    let format = check_interface(&graph)?;
    let mut compiler = Compiler::new(&graph, format)?;
    for node in &graph.node {
        compiler.node(node)?;
    }
    let policy = compiler.output(POLICY, PolicyLabel::COUNT)?;
    let value = compiler.output(VALUE, 1)?;
    Ok(NetworkModel {
        format,
        policy,
        value,
        steps: compiler.steps,
        buffers: compiler.buffers,
        parameters: compiler.parameters,
    })
}

/// What a network takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interface {
    /// The planes that it wants.
    pub(crate) format: InputFormat,
    /// Positions that it has to have at once, if its file says a number.
    pub(crate) batch: Option<usize>,
    /// The type of its inputs: [`FLOAT`] or [`FLOAT16`].
    pub(crate) numbers: i32,
    /// All inputs and outputs have 32 bits.
    pub(crate) is_single: bool,
}

/// The inputs and outputs of a network, whose graph takes no more memory and time than that of a network for a board.
pub(crate) fn interface(bytes: &[u8]) -> Result<Interface> {
    let model = ModelProto::decode(bytes)?;
    let nothing = GraphProto::default();
    let graph = model.graph.as_ref().unwrap_or(&nothing);
    let format = check_interface(graph)?;
    let board = graph.input.iter().find(|info| info.name == BOARD_INPUT);
    let batch = board.and_then(|info| info.dims().first().copied().flatten());
    let batch = batch.and_then(|batch| usize::try_from(batch).ok());
    bounds::check(&model, format, batch, bytes.len())?;
    let numbers = number_types(graph)?;
    Ok(Interface {
        format,
        batch,
        numbers: numbers[0],
        is_single: numbers.iter().all(|&number| number == FLOAT),
    })
}

/// The types of `input1`, `input2`, `output_policy` and `output_value`.
fn number_types(graph: &GraphProto) -> Result<[i32; 4]> {
    let borders = [
        (&graph.input, BOARD_INPUT),
        (&graph.input, STATE_INPUT),
        (&graph.output, POLICY),
        (&graph.output, VALUE),
    ];
    let types = borders.map(|(infos, name)| {
        let info = infos.iter().find(|info| info.name == name);
        info.map_or(FLOAT, ValueInfoProto::number_type)
    });
    for (&found, (_, name)) in types.iter().zip(borders) {
        let is_input = name == BOARD_INPUT || name == STATE_INPUT;
        let fits = if is_input { found == types[0] } else { true };
        if !fits || ![FLOAT, FLOAT16].contains(&found) {
            return Err(ModelError::Interface {
                what: format!("numbers of {name}"),
                expected: "float or float16, the same for both inputs".into(),
                found: format!("type {found} of ONNX"),
            });
        }
    }
    Ok(types)
}

/// Inputs and outputs are those of dlshogi's networks; gives the planes that are wanted.
fn check_interface(graph: &GraphProto) -> Result<InputFormat> {
    let describe = |infos: &[&ValueInfoProto]| {
        let one = |info: &&ValueInfoProto| {
            let dims: Vec<String> = info
                .dims()
                .iter()
                .map(|dim| dim.map_or_else(|| "batch".to_owned(), |dim| dim.to_string()))
                .collect();
            format!("{} [{}]", info.name, dims.join(","))
        };
        let all: Vec<String> = infos.iter().map(one).collect();
        if all.is_empty() {
            "none".to_owned()
        } else {
            all.join(", ")
        }
    };
    let is_weight = |info: &&ValueInfoProto| {
        graph
            .initializer
            .iter()
            .any(|tensor| tensor.name == info.name)
    };
    let inputs: Vec<_> = graph.input.iter().filter(|info| !is_weight(info)).collect();
    let outputs: Vec<_> = graph.output.iter().collect();
    let shape = |infos: &[&ValueInfoProto], name: &str| {
        let info = infos.iter().find(|info| info.name == name);
        info.map(|info| info.dims().into_iter().skip(1).collect::<Vec<_>>())
    };
    let formats = InputFormat::ALL.map(|format| {
        let planes = |planes: usize| Some(vec![Some(planes as i64), Some(9), Some(9)]);
        let fits = inputs.len() == 2
            && shape(&inputs, BOARD_INPUT) == planes(BOARD_PLANES)
            && shape(&inputs, STATE_INPUT) == planes(format.planes());
        fits.then_some(format)
    });
    let Some(format) = formats.into_iter().flatten().next() else {
        return Err(ModelError::Interface {
            what: "inputs".into(),
            expected: "input1 [batch,62,9,9], input2 [batch,57,9,9] (or 119 planes)".into(),
            found: describe(&inputs),
        });
    };
    let is_output = |name, len: usize| {
        shape(&outputs, name).is_some_and(|dims| dims.is_empty() || dims == [Some(len as i64)])
    };
    if !is_output(POLICY, PolicyLabel::COUNT) || !is_output(VALUE, 1) {
        return Err(ModelError::Interface {
            what: "outputs".into(),
            expected: "output_policy [batch,2187], output_value [batch,1]".into(),
            found: describe(&outputs),
        });
    }
    Ok(format)
}

struct Compiler {
    format: InputFormat,
    values: HashMap<String, Value>,
    /// How often a name is still to be read.
    uses: HashMap<String, usize>,
    steps: Vec<Step>,
    buffers: Vec<usize>,
    free: Vec<Slot>,
    parameters: usize,
}

type Result<T> = std::result::Result<T, ModelError>;

fn refuse(node: &NodeProto, reason: impl Into<String>) -> ModelError {
    let output = node.output.first().cloned().unwrap_or_default();
    ModelError::Operator {
        node: if node.name.is_empty() {
            output
        } else {
            node.name.clone()
        },
        operator: node.op_type.clone(),
        reason: reason.into(),
    }
}

impl Compiler {
    fn new(graph: &GraphProto, format: InputFormat) -> Result<Self> {
        let mut values = HashMap::from([
            (BOARD_INPUT.to_owned(), Value::Board),
            (STATE_INPUT.to_owned(), Value::State),
        ]);
        let mut parameters = 0;
        for tensor in &graph.initializer {
            let read = tensor.tensor()?;
            parameters += read.data.len();
            values.insert(tensor.name.clone(), Value::Constant(read));
        }
        let mut uses = HashMap::new();
        let read = graph.node.iter().flat_map(|node| node.input.iter());
        for name in read.chain(graph.output.iter().map(|info| &info.name)) {
            *uses.entry(name.clone()).or_default() += 1;
        }
        Ok(Self {
            format,
            values,
            uses,
            steps: Vec::new(),
            buffers: Vec::new(),
            free: Vec::new(),
            parameters,
        })
    }

    /// Translates a node.
    fn node(&mut self, node: &NodeProto) -> Result<()> {
        let Some(output) = node.output.first() else {
            return Err(refuse(node, "it has no output"));
        };
        let value = match node.op_type.as_str() {
            "Constant" => {
                let tensor = node.attribute("value").and_then(|value| value.t.as_ref());
                let tensor = tensor.ok_or_else(|| refuse(node, "it has no tensor"))?;
                Value::Constant(tensor.tensor()?)
            }
            "Conv" => self.convolution(node)?,
            "BatchNormalization" => self.normalisation(node)?,
            "Relu" => self.elementwise(node, Elementwise::Relu)?,
            "Sigmoid" => self.elementwise(node, Elementwise::Sigmoid)?,
            "Add" => self.sum(node)?,
            "Mul" => self.elementwise(node, Elementwise::Multiply)?,
            "Flatten" | "Reshape" => self.flatten(node)?,
            "Gemm" | "MatMul" => self.matrix(node)?,
            "Identity" | "Cast" | "Dropout" => {
                let value = self.input(node, 0)?;
                self.keep(node);
                value
            }
            _ => {
                return Err(refuse(
                    node,
                    "not one of those that networks of dlshogi's shape have (Conv, BatchNormalization, Relu, Sigmoid, Mul, Add, Flatten, Reshape, Gemm, MatMul)",
                ));
            }
        };
        self.values.insert(output.clone(), value);
        for name in &node.input {
            self.release(name);
        }
        Ok(())
    }

    /// An input was read; its buffer is free once it was read for the last time.
    fn release(&mut self, name: &str) {
        let Some(uses) = self.uses.get_mut(name) else {
            return;
        };
        *uses -= 1;
        if *uses == 0
            && let Some(slot) = self.values.get(name).and_then(Value::slot)
        {
            self.free.push(slot);
        }
    }

    /// The first input and the output are two names for one buffer, which stays taken.
    fn keep(&mut self, node: &NodeProto) {
        for name in [&node.input[0], &node.output[0]] {
            *self.uses.entry(name.clone()).or_default() += 1;
        }
    }

    fn buffer(&mut self, vectors: usize) -> Slot {
        let fits = |&slot: &Slot| self.buffers[slot] == vectors;
        if let Some(found) = self.free.iter().position(fits) {
            return self.free.swap_remove(found);
        }
        self.buffers.push(vectors);
        self.buffers.len() - 1
    }

    fn map(&mut self, channels: usize) -> (Slot, Value) {
        let slot = self.buffer(MAP_SQUARES * vectors_of(channels));
        (slot, Value::Map { slot, channels })
    }

    fn vector(&mut self, len: usize) -> (Slot, Value) {
        let slot = self.buffer(vectors_of(len));
        (slot, Value::Vector { slot, len })
    }

    fn input(&self, node: &NodeProto, number: usize) -> Result<Value> {
        let name = node.input.get(number).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| refuse(node, format!("input {number} is missing")))?;
        let value = self.values.get(name).cloned();
        value.ok_or_else(|| refuse(node, format!("nothing before it makes {name:?}")))
    }

    fn constant(&self, node: &NodeProto, number: usize) -> Result<Tensor> {
        match self.input(node, number)? {
            Value::Constant(tensor) => Ok(tensor),
            other => Err(refuse(
                node,
                format!(
                    "input {number} is {}, expected a constant",
                    other.describe()
                ),
            )),
        }
    }

    /// The constant at `number`, if the node has that input.
    fn optional(&self, node: &NodeProto, number: usize) -> Result<Option<Tensor>> {
        match node.input.get(number) {
            Some(name) if !name.is_empty() => self.constant(node, number).map(Some),
            _ => Ok(None),
        }
    }

    fn output(&self, name: &str, len: usize) -> Result<Slot> {
        match self.values.get(name) {
            Some(&Value::Vector { slot, len: found }) if found == len => Ok(slot),
            other => Err(ModelError::Interface {
                what: name.to_owned(),
                expected: format!("{len} numbers"),
                found: other.map_or_else(|| "nothing".to_owned(), Value::describe),
            }),
        }
    }

    fn convolution(&mut self, node: &NodeProto) -> Result<Value> {
        let kernel = self.constant(node, 1)?;
        let &[outputs, inputs, files, ranks] = &kernel.dims[..] else {
            return Err(refuse(node, format!("weights of shape {:?}", kernel.dims)));
        };
        let side = files as i64;
        let is_plain = files == ranks
            && (files == 1 || files == 3)
            && node.ints("strides", &[1, 1]) == [1, 1]
            && node.ints("dilations", &[1, 1]) == [1, 1]
            && node.ints("pads", &[0; 4]) == [side / 2; 4]
            && node.attribute("group").is_none_or(|group| group.i == 1);
        if !is_plain || outputs == 0 || inputs == 0 {
            return Err(refuse(
                node,
                format!(
                    "weights of shape {:?} with its strides, pads and groups (expected 1 x 1 or 3 x 3 over the whole board)",
                    kernel.dims
                ),
            ));
        }
        let mut weights = Weights::new(&kernel.data, files * ranks, inputs, outputs);
        if let Some(bias) = self.optional(node, 2)? {
            if bias.data.len() != outputs {
                return Err(refuse(node, format!("a bias of shape {:?}", bias.dims)));
            }
            weights.bias = padded(&bias.data);
        }
        let input = self.input(node, 0)?;
        let (planes, is_known) = match input {
            Value::Board => (BOARD_PLANES, true),
            Value::State => (self.format.planes(), files == 1),
            Value::Map { channels, .. } => (channels, true),
            _ => (0, false),
        };
        if !is_known || planes != inputs {
            return Err(refuse(
                node,
                format!("weights of shape {:?} on {}", kernel.dims, input.describe()),
            ));
        }
        let (output, value) = self.map(outputs);
        let kind = match input {
            Value::Map { slot, .. } => StepKind::Convolution {
                weights,
                input: slot,
            },
            Value::State => StepKind::State { weights },
            _ => StepKind::Board { weights },
        };
        self.steps.push(Step { kind, output });
        Ok(value)
    }

    fn normalisation(&mut self, node: &NodeProto) -> Result<Value> {
        let Value::Map { slot, channels } = self.input(node, 0)? else {
            return Err(refuse(node, "expected channels on a board"));
        };
        let mut numbers = Vec::new();
        for number in 1..=4 {
            let tensor = self.constant(node, number)?;
            if tensor.data.len() != channels {
                return Err(refuse(
                    node,
                    format!(
                        "input {number} has shape {:?} for {channels} channels",
                        tensor.dims
                    ),
                ));
            }
            numbers.push(tensor.data);
        }
        let epsilon = node.attribute("epsilon").map_or(1e-5, |epsilon| epsilon.f);
        let scale: Vec<f32> = (0..channels)
            .map(|c| numbers[0][c] / (numbers[3][c] + epsilon).sqrt())
            .collect();
        let shift: Vec<f32> = (0..channels)
            .map(|c| numbers[1][c] - numbers[2][c] * scale[c])
            .collect();
        Ok(self.scale(node, (slot, channels), padded(&scale), padded(&shift)))
    }

    /// A factor and a summand for each channel: a part of the convolution before it where that is read by nothing else.
    fn scale(
        &mut self,
        node: &NodeProto,
        (input, channels): (Slot, usize),
        scale: Vec<Lanes>,
        shift: Vec<Lanes>,
    ) -> Value {
        let name = &node.input[0];
        let is_last_use = self.uses.get(name) == Some(&1);
        if is_last_use
            && let Some(step) = self.steps.last_mut()
            && step.output == input
            && let StepKind::Convolution { weights, .. }
            | StepKind::Board { weights }
            | StepKind::State { weights } = &mut step.kind
        {
            weights.scale(&scale, &shift);
            // The buffer goes on under another name.
            *self.uses.entry(name.clone()).or_default() += 1;
            return Value::Map {
                slot: input,
                channels,
            };
        }
        let (output, value) = self.map(channels);
        let kind = StepKind::Scale {
            scale,
            shift,
            input,
        };
        self.steps.push(Step { kind, output });
        value
    }

    fn elementwise(&mut self, node: &NodeProto, operation: Elementwise) -> Result<Value> {
        let first = self.input(node, 0)?;
        let second = match operation {
            Elementwise::Relu | Elementwise::Sigmoid => first.clone(),
            Elementwise::Add | Elementwise::Multiply => self.input(node, 1)?,
        };
        let (first, second, (output, value)) = match (&first, &second) {
            (
                &Value::Map {
                    slot: a,
                    channels: in_a,
                },
                &Value::Map {
                    slot: b,
                    channels: in_b,
                },
            ) if in_a == in_b => (a, b, self.map(in_a)),
            (&Value::Vector { slot: a, len: in_a }, &Value::Vector { slot: b, len: in_b })
                if in_a == in_b =>
            {
                (a, b, self.vector(in_a))
            }
            _ => {
                return Err(refuse(
                    node,
                    format!("of {} and {}", first.describe(), second.describe()),
                ));
            }
        };
        let kind = StepKind::Elementwise {
            operation,
            first,
            second,
        };
        self.steps.push(Step { kind, output });
        Ok(value)
    }

    /// A sum, of which one side may be a constant.
    fn sum(&mut self, node: &NodeProto) -> Result<Value> {
        let (first, second) = (self.input(node, 0)?, self.input(node, 1)?);
        let ((Value::Constant(numbers), value) | (value, Value::Constant(numbers))) =
            (first, second)
        else {
            return self.elementwise(node, Elementwise::Add);
        };
        match value {
            Value::Vector { slot, len } if numbers.data.len() == len => {
                let (output, value) = self.vector(len);
                let kind = StepKind::Shift {
                    numbers: padded(&numbers.data),
                    input: slot,
                };
                self.steps.push(Step { kind, output });
                Ok(value)
            }
            Value::Map { slot, channels }
                if numbers.data.len() == channels && numbers.dims.len() >= 3 =>
            {
                let (output, value) = self.map(channels);
                let kind = StepKind::Scale {
                    scale: padded(&vec![1.0; channels]),
                    shift: padded(&numbers.data),
                    input: slot,
                };
                self.steps.push(Step { kind, output });
                Ok(value)
            }
            other => Err(refuse(
                node,
                format!(
                    "a constant of shape {:?} and {}",
                    numbers.dims,
                    other.describe()
                ),
            )),
        }
    }

    fn flatten(&mut self, node: &NodeProto) -> Result<Value> {
        let input = self.input(node, 0)?;
        let len = match input {
            Value::Map { channels, .. } => channels * SQUARES,
            Value::Vector { len, .. } => len,
            _ => return Err(refuse(node, format!("of {}", input.describe()))),
        };
        let fits = if node.op_type == "Flatten" {
            node.attribute("axis").is_none_or(|axis| axis.i == 1)
        } else {
            // [batch, all the rest], either of which may be left open.
            let shape = self.constant(node, 1)?.data;
            shape.len() == 2 && [-1, len as i64].contains(&(shape[1] as i64))
        };
        if !fits {
            return Err(refuse(
                node,
                format!("of {} to another shape than a row", input.describe()),
            ));
        }
        let Value::Map { slot, channels } = input else {
            self.keep(node);
            return Ok(input);
        };
        let (output, value) = self.vector(len);
        let kind = StepKind::Flatten {
            channels,
            input: slot,
        };
        self.steps.push(Step { kind, output });
        Ok(value)
    }

    fn matrix(&mut self, node: &NodeProto) -> Result<Value> {
        let matrix = self.constant(node, 1)?;
        let flag = |name| {
            node.attribute(name)
                .is_some_and(|attribute| attribute.i != 0)
        };
        let is_one = |name| {
            node.attribute(name)
                .is_none_or(|attribute| (attribute.f - 1.0).abs() < f32::EPSILON)
        };
        let &[rows, columns] = &matrix.dims[..] else {
            return Err(refuse(node, format!("a matrix of shape {:?}", matrix.dims)));
        };
        if flag("transA") || !is_one("alpha") || !is_one("beta") {
            return Err(refuse(node, "transA, alpha and beta are not supported"));
        }
        // Weights have their outputs first.
        let (outputs, inputs, data) = if flag("transB") {
            (rows, columns, matrix.data)
        } else {
            let turned = (0..rows * columns).map(|at| matrix.data[at % rows * columns + at / rows]);
            (columns, rows, turned.collect())
        };
        let input = self.input(node, 0)?;
        let Value::Vector { slot, len } = input else {
            return Err(refuse(node, format!("of {}", input.describe())));
        };
        if len != inputs || outputs == 0 || inputs == 0 {
            return Err(refuse(
                node,
                format!("a matrix of shape {:?} on {len} numbers", matrix.dims),
            ));
        }
        let mut weights = Weights::new(&data, 1, inputs, outputs);
        if let Some(bias) = self.optional(node, 2)? {
            if bias.data.len() != outputs {
                return Err(refuse(node, format!("a bias of shape {:?}", bias.dims)));
            }
            weights.bias = padded(&bias.data);
        }
        let (output, value) = self.vector(outputs);
        let kind = StepKind::Matrix {
            weights,
            input: slot,
        };
        self.steps.push(Step { kind, output });
        Ok(value)
    }
}
