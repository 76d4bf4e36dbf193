//! Numbers of a graph that say how large something becomes: constants, and what is computed from shapes.

use super::call::{Call, place};
use super::size::{MOST_FOLLOWED, Size, Value};
use crate::onnx::{INT32, INT64, TensorProto};

type Numbers = Vec<Option<Size>>;

/// The whole numbers of a tensor, if they are few.
pub(super) fn of_tensor(tensor: &TensorProto) -> Option<Numbers> {
    let raw = &tensor.raw_data;
    let numbers: Vec<i64> = match (tensor.data_type, raw.is_empty()) {
        _ if count_of(tensor)? > MOST_FOLLOWED as i64 => return None,
        (INT32, true) => tensor.int32_data.iter().map(|&n| i64::from(n)).collect(),
        (INT64, true) => tensor.int64_data.clone(),
        (INT32, false) => {
            let words = raw.as_chunks().0.iter();
            words
                .map(|&word| i64::from(i32::from_le_bytes(word)))
                .collect()
        }
        (INT64, false) => {
            let words = raw.as_chunks().0.iter();
            words.map(|&word| i64::from_le_bytes(word)).collect()
        }
        _ => return None,
    };
    let numbers = numbers.into_iter().map(|n| Some(Size::fixed(n)));
    Some(numbers.collect())
}

/// The few numbers of a tensor of any type.
pub(super) fn factors_of(tensor: &TensorProto) -> Option<Vec<f64>> {
    (count_of(tensor)? <= MOST_FOLLOWED as i64).then_some(())?;
    let numbers = tensor.tensor().ok()?.data;
    Some(numbers.into_iter().map(f64::from).collect())
}

/// The numbers that a tensor's shape says.
pub(super) fn count_of(tensor: &TensorProto) -> Option<i64> {
    tensor.dims.iter().try_fold(1i64, |count, &dim| {
        (dim >= 0).then_some(())?;
        count.checked_mul(dim)
    })
}

/// The first and the number of the elements that a slice takes of `len`: from, to and step as ONNX has them.
pub(super) fn taken(len: i64, (from, to, step): (i64, i64, i64)) -> Option<(i64, i64)> {
    let wrap = |end: i64| {
        if end < 0 {
            end.saturating_add(len)
        } else {
            end
        }
    };
    if step > 0 {
        let (from, to) = (wrap(from).clamp(0, len), wrap(to).clamp(0, len));
        let span = (to - from).max(0);
        return Some((from, span / step + i64::from(span % step != 0)));
    }
    let back = step.checked_neg().filter(|&back| back > 0)?;
    let (from, to) = (wrap(from).clamp(-1, len - 1), wrap(to).clamp(-1, len - 1));
    let span = (from - to).max(0);
    Some((from, span / back + i64::from(span % back != 0)))
}

/// The numbers of a node that arranges a list of numbers anew, or takes some of them.
pub(super) fn arranged(call: &Call<'_>) -> Option<Numbers> {
    let of = |place: usize| call.input(place)?.numbers.clone();
    let is_list = |place: usize| call.dims(place).is_some_and(|dims| dims.len() <= 1);
    match call.node.op_type.as_str() {
        "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze" => of(0),
        "Transpose" if is_list(0) => of(0),
        "Concat" => {
            let lists = call.values().into_iter().map(|value| {
                let is_list = value.dims.as_ref().is_some_and(|dims| dims.len() == 1);
                value.numbers.clone().filter(|_| is_list)
            });
            let mut all = Vec::new();
            for list in lists {
                all.extend(list?);
            }
            Some(all)
        }
        "Slice" if is_list(0) => {
            let numbers = of(0)?;
            let (starts, ends) = (call.list("starts", 1)?, call.list("ends", 2)?);
            (starts.len() == 1 && ends.len() == 1).then_some(())?;
            let steps = call.list("steps", 4)?;
            let step = steps.first().copied().unwrap_or(1);
            let range = (*starts.first()?, *ends.first()?, step);
            let (from, count) = taken(numbers.len() as i64, range)?;
            let at = |index: i64| numbers.get(usize::try_from(from + index * step).ok()?);
            (0..count).map(|index| at(index).copied()).collect()
        }
        "Gather" if is_list(0) => {
            let (numbers, indices) = (of(0)?, call.numbers(1)?);
            let number = |index: Size| {
                let at = place(index.constant()?, numbers.len())?;
                numbers.get(at).copied()
            };
            indices.into_iter().map(number).collect()
        }
        _ => None,
    }
}

/// The numbers of an elementwise node.
pub(super) fn computed(call: &Call<'_>) -> Option<Numbers> {
    let of = |place: usize| call.input(place)?.numbers.as_ref();
    let operator = call.node.op_type.as_str();
    match operator {
        "Identity" | "Dropout" => return of(0).cloned(),
        "Cast" => {
            let to = call.number("to", 0);
            let is_whole = to == i64::from(INT32) || to == i64::from(INT64);
            let kept = of(0)?
                .iter()
                .map(|number| number.and_then(Size::unless_large));
            return is_whole.then(|| kept.collect());
        }
        "Where" => {
            let (test, yes, no) = (of(0)?, of(1)?, of(2)?);
            let len = [test, yes, no].map(Vec::len).into_iter().max()?;
            let chosen = |at: usize| {
                let is_true = one_of(test, at, len)?.factor != 0;
                one_of(if is_true { yes } else { no }, at, len)
            };
            return Some((0..len).map(chosen).collect());
        }
        "Add" | "Sub" | "Mul" | "Div" | "Equal" => {}
        _ => return None,
    }
    let (first, second) = (of(0)?, of(1)?);
    let len = first.len().max(second.len());
    let number = |at: usize| combined(operator, one_of(first, at, len)?, one_of(second, at, len)?);
    Some((0..len).map(number).collect())
}

/// The number at a place of a list of `len`, or of a list of one that counts for all places.
fn one_of(numbers: &Numbers, at: usize, len: usize) -> Option<Size> {
    match numbers.len() {
        1 => *numbers.first()?,
        own if own == len => *numbers.get(at)?,
        _ => None,
    }
}

fn combined(operator: &str, one: Size, other: Size) -> Option<Size> {
    let number = match operator {
        "Add" => one.plus(other),
        "Sub" => one.plus(Size {
            factor: other.factor.checked_neg()?,
            ..other
        }),
        "Mul" => one.times(other),
        "Div" => one.over(other),
        "Equal" if one.degree == other.degree => {
            Some(Size::fixed(i64::from(one.factor == other.factor)))
        }
        // There is at least one position.
        "Equal" if one.factor.signum() * other.factor.signum() <= 0 => Some(Size::fixed(0)),
        _ => None,
    };
    number?.unless_large()
}

/// A constant of the graph.
pub(super) fn constant(tensor: &TensorProto) -> Option<Value> {
    let dims = tensor.dims.iter().map(|&dim| Size::fixed(dim)).collect();
    let mut value = match Value::of_shape(dims) {
        Some(value) => value,
        None => Value::of_most(Size::fixed(count_of(tensor)?)),
    };
    value.factors = factors_of(tensor);
    Some(value.with_numbers(of_tensor(tensor)))
}
