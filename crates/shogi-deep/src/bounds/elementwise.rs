//! Shapes of operators that work number by number, on values that are as large as each other or repeated to be.

use super::call::Call;
use super::numbers;
use super::size::{Size, Value, broadcast};

/// Operators that make a value of the shape of their first input.
const LIKE_THE_FIRST: [&str; 69] = [
    "Abs",
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "BatchNormalization",
    "Bernoulli",
    "BitwiseNot",
    "Cast",
    "CastLike",
    "Ceil",
    "Celu",
    "Clip",
    "Cos",
    "Cosh",
    "CumSum",
    "DequantizeLinear",
    "Dropout",
    "DynamicQuantizeLinear",
    "Elu",
    "Erf",
    "Exp",
    "EyeLike",
    "Floor",
    "Gelu",
    "GroupNormalization",
    "HardSigmoid",
    "HardSwish",
    "Hardmax",
    "Identity",
    "InstanceNormalization",
    "IsInf",
    "IsNaN",
    "LRN",
    "LeakyRelu",
    "Log",
    "LogSoftmax",
    "LpNormalization",
    "MeanVarianceNormalization",
    "Mish",
    "Neg",
    "Not",
    "QuantizeLinear",
    "QuickGelu",
    "RandomNormalLike",
    "RandomUniformLike",
    "Reciprocal",
    "Relu",
    "ReverseSequence",
    "Round",
    "ScatterElements",
    "ScatterND",
    "Selu",
    "Shrink",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softmax",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Swish",
    "Tan",
    "Tanh",
    "ThresholdedRelu",
    "Trilu",
];

/// Operators whose inputs are repeated along dimensions of one.
const REPEATING: [&str; 28] = [
    "Add",
    "And",
    "BitShift",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Div",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "LayerNormalization",
    "Less",
    "LessOrEqual",
    "Max",
    "Mean",
    "Min",
    "Mod",
    "Mul",
    "Or",
    "PRelu",
    "FastGelu",
    "Pow",
    "RMSNormalization",
    "SimplifiedLayerNormalization",
    "Sub",
    "Sum",
    "Where",
    "Xor",
];

/// What a node makes; none where that is not known.
pub(super) fn value(call: &Call<'_>) -> Option<Value> {
    let operator = call.node.op_type.as_str();
    let value = if REPEATING.contains(&operator) {
        repeated(&call.values())
    } else if LIKE_THE_FIRST.contains(&operator) {
        call.input(0)?.form()
    } else {
        return None;
    };
    let mut value = value.with_numbers(numbers::computed(call));
    if operator == "Identity" {
        value.factors.clone_from(&call.input(0)?.factors);
    }
    Some(value)
}

/// Values that are repeated to be as large as each other; those of unknown shapes multiply the bound.
fn repeated(values: &[&Value]) -> Value {
    let shapes: Vec<&[Size]> = values.iter().filter_map(|it| it.dims.as_deref()).collect();
    let known = broadcast(&shapes);
    if shapes.len() == values.len() {
        return known;
    }
    let unknown = values.iter().filter(|value| value.dims.is_none());
    Value::of_most(unknown.fold(known.most, |all, value| all.at_most_times(value.most)))
}
