//! Shapes of products, sums over windows and reductions.

use super::call::{Call, place};
use super::size::{Size, Value, broadcast, product};

/// What a node makes; none where that is not known.
pub(super) fn value(call: &Call<'_>) -> Option<Value> {
    match call.node.op_type.as_str() {
        "MatMul" => matrix_product(call),
        "Gemm" => general_product(call),
        "Einsum" => einsum(call),
        "Conv" | "FusedConv" => convolution(call),
        "ConvTranspose" => transposed_convolution(call),
        "MaxPool" | "AveragePool" | "LpPool" => {
            let dims = call.dims(0)?;
            let kernel = call.list("kernel_shape", usize::MAX)?;
            let kernel: Vec<_> = kernel.iter().map(|&size| Size::fixed(size)).collect();
            windows(call, dims.get(..2)?, dims.get(2..)?, &kernel)
        }
        "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => {
            let dims = call.dims(0)?;
            let kept = |(at, &dim): (usize, &Size)| if at < 2 { dim } else { Size::ONE };
            Value::of_shape(dims.iter().enumerate().map(kept).collect())
        }
        "ArgMax" | "ArgMin" => reduced(call, &[call.number("axis", 0)]),
        operator if operator.starts_with("Reduce") => {
            let axes = call.list("axes", 1);
            let Some(axes) = axes else {
                return Some(Value::of_most(call.input(0)?.most));
            };
            if axes.is_empty() && call.number("noop_with_empty_axes", 0) != 0 {
                return Some(call.input(0)?.form());
            }
            reduced(call, &axes)
        }
        _ => None,
    }
}

/// Rows of what a matrix is multiplied with: its numbers by the matrix's `inner`, rounded up.
fn rows(most: Size, inner: Size) -> Option<Size> {
    let inner = inner.constant().filter(|&inner| inner > 0)?;
    let factor = most.factor / inner + i64::from(most.factor % inner != 0);
    Some(Size { factor, ..most })
}

fn matrix_product(call: &Call<'_>) -> Option<Value> {
    let (Some(first), Some(second)) = (call.dims(0), call.dims(1)) else {
        let &[inner, outer] = call.dims(1)? else {
            return None;
        };
        let rows = rows(call.input(0)?.most, inner)?;
        return Some(Value::of_most(rows.at_most_times(outer)));
    };
    let (left, right): (&[Size], &[Size]) = match (first, second) {
        ([_], [_]) => (&[], &[]),
        ([_], [batch @ .., _, _]) | ([batch @ .., _, _], [_]) => (batch, &[]),
        ([left @ .., _, _], [right @ .., _, _]) => (left, right),
        _ => return None,
    };
    let mut ends = Vec::new();
    if let [.., height, _] = first {
        ends.push(*height);
    }
    if let [.., _, width] = second {
        ends.push(*width);
    }
    let batches = broadcast(&[left, right]);
    let most = Value::of_most(batches.most.at_most_times(product(&ends)));
    let dims = batches.dims.map(|dims| [dims, ends].concat());
    Some(dims.and_then(Value::of_shape).unwrap_or(most))
}

fn general_product(call: &Call<'_>) -> Option<Value> {
    let at = |name: &str, side: usize| {
        let is_transposed = call.number(name, 0) != 0;
        if is_transposed { 1 - side } else { side }
    };
    let weights = call.dims(1).filter(|dims| dims.len() == 2)?;
    let (inner, width) = (weights[at("transB", 0)], weights[at("transB", 1)]);
    match call.dims(0) {
        Some(dims) if dims.len() == 2 => Value::of_shape(vec![dims[at("transA", 0)], width]),
        _ => {
            let rows = rows(call.input(0)?.most, inner)?;
            Some(Value::of_most(rows.at_most_times(width)))
        }
    }
}

/// The dimensions by their letters; equations with an ellipsis are not followed.
fn einsum(call: &Call<'_>) -> Option<Value> {
    let equation: String = call.text("equation").split_whitespace().collect();
    let (from, to) = equation.split_once("->")?;
    let terms: Vec<&str> = from.split(',').collect();
    (terms.len() == call.inputs.len()).then_some(())?;
    let mut known: Vec<(char, Size)> = Vec::new();
    for (index, term) in terms.iter().enumerate() {
        let dims = call.dims(index)?;
        (term.chars().count() == dims.len()).then_some(())?;
        for (letter, &dim) in term.chars().zip(dims) {
            match known.iter_mut().find(|(known, _)| *known == letter) {
                Some((_, old)) if *old == Size::ONE => *old = dim,
                Some((_, old)) if dim != Size::ONE && *old != dim => return None,
                Some(_) => {}
                None => known.push((letter, dim)),
            }
        }
    }
    let dim = |letter: char| Some(known.iter().find(|(known, _)| *known == letter)?.1);
    Value::of_shape(to.chars().map(dim).collect::<Option<_>>()?)
}

fn convolution(call: &Call<'_>) -> Option<Value> {
    let (dims, weights) = (call.dims(0)?, call.dims(1)?);
    let (&positions, &outputs) = (dims.first()?, weights.first()?);
    windows(
        call,
        &[positions, outputs],
        dims.get(2..)?,
        weights.get(2..)?,
    )
}

/// What sums over windows make: `kept`, and the number of windows on each side of `sides`.
fn windows(call: &Call<'_>, kept: &[Size], sides: &[Size], kernel: &[Size]) -> Option<Value> {
    let plan = Windows::of(call, sides.len())?;
    (kernel.len() == sides.len()).then_some(())?;
    let mut dims = kept.to_vec();
    for (at, (side, size)) in sides.iter().zip(kernel).enumerate() {
        let (side, size) = (i128::from(side.constant()?), i128::from(size.constant()?));
        let stride = i128::from(plan.strides[at]);
        let room = if plan.is_same {
            side + stride - 1
        } else {
            let covered = i128::from(plan.dilations[at]) * (size - 1) + 1;
            let up = if call.number("ceil_mode", 0) == 0 {
                0
            } else {
                stride - 1
            };
            side + plan.pads(at) - covered + up + stride
        };
        dims.push(Size::fixed(i64::try_from(room / stride).ok()?));
    }
    Value::of_shape(dims)
}

fn transposed_convolution(call: &Call<'_>) -> Option<Value> {
    let (dims, weights) = (call.dims(0)?, call.dims(1)?);
    let channels = weights
        .get(1)?
        .times(Size::fixed(call.number("group", 1)))?;
    let (sides, kernel) = (dims.get(2..)?, weights.get(2..)?);
    let plan = Windows::of(call, sides.len())?;
    let padding = filled(call, "output_padding", sides.len(), 0)?;
    let sizes = call.list("output_shape", usize::MAX)?;
    (kernel.len() == sides.len()).then_some(())?;
    let mut all = vec![*dims.first()?, channels];
    for (at, (side, size)) in sides.iter().zip(kernel).enumerate() {
        let (side, size) = (i128::from(side.constant()?), i128::from(size.constant()?));
        let stride = i128::from(plan.strides[at]);
        let made = match sizes.get(at) {
            Some(&size) => i128::from(size),
            None if plan.is_same => side * stride,
            None => {
                let covered = i128::from(plan.dilations[at]) * (size - 1) + 1;
                let padding = i128::from(padding[at]);
                stride * (side - 1) + padding + covered - plan.pads(at)
            }
        };
        all.push(Size::fixed(i64::try_from(made).ok()?));
    }
    Value::of_shape(all)
}

/// How windows go over sides.
struct Windows {
    strides: Vec<i64>,
    dilations: Vec<i64>,
    pads: Vec<i64>,
    /// As many windows as the side is long, by strides.
    is_same: bool,
}

impl Windows {
    fn of(call: &Call<'_>, sides: usize) -> Option<Self> {
        let strides = filled(call, "strides", sides, 1)?;
        let pad = call.text("auto_pad");
        strides.iter().all(|&stride| stride > 0).then_some(Self {
            strides,
            dilations: filled(call, "dilations", sides, 1)?,
            pads: if pad == "VALID" {
                vec![0; 2 * sides]
            } else {
                filled(call, "pads", 2 * sides, 0)?
            },
            is_same: pad.starts_with("SAME"),
        })
    }

    /// The pads of both ends of a side.
    fn pads(&self, side: usize) -> i128 {
        let other = self.pads[self.strides.len() + side];
        i128::from(self.pads[side]) + i128::from(other)
    }
}

/// The attribute `name`, or `default` for each of `len`.
fn filled(call: &Call<'_>, name: &str, len: usize, default: i64) -> Option<Vec<i64>> {
    let numbers = call.list(name, usize::MAX)?;
    if numbers.is_empty() {
        return Some(vec![default; len]);
    }
    (numbers.len() == len).then_some(numbers)
}

/// A value without the numbers along some axes; without all if there are none.
fn reduced(call: &Call<'_>, axes: &[i64]) -> Option<Value> {
    let data = call.input(0)?;
    let is_kept = call.number("keepdims", 1) != 0;
    let dims = data.dims.as_ref().and_then(|dims| {
        let axes: Vec<usize> = axes
            .iter()
            .map(|&axis| place(axis, dims.len()))
            .collect::<Option<_>>()?;
        let is_reduced = |at: &usize| axes.is_empty() || axes.contains(at);
        let places = (0..dims.len()).filter(|at| is_kept || !is_reduced(at));
        Some(
            places
                .map(|at| if is_reduced(&at) { Size::ONE } else { dims[at] })
                .collect(),
        )
    });
    let most = Value::of_most(data.most);
    Some(dims.and_then(Value::of_shape).unwrap_or(most))
}
