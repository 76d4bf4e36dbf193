//! Shapes of operators that arrange numbers anew, take some of them or repeat them.

use super::call::{Call, place};
use super::numbers;
use super::size::{MOST_FOLLOWED, Size, Value, broadcast, exact_product};

/// What a node makes; none where that is not known.
pub(super) fn value(call: &Call<'_>) -> Option<Value> {
    let form = match call.node.op_type.as_str() {
        "Reshape" => reshape(call),
        "Flatten" => flatten(call),
        "Transpose" => transpose(call),
        "Squeeze" => squeeze(call),
        "Unsqueeze" => unsqueeze(call),
        "Concat" => Some(concat(call)),
        "Slice" => slice(call),
        "Gather" => gather(call),
        "GatherElements" => Some(call.input(1)?.form()),
        "Shape" => return shape(call),
        "Size" => {
            let size = call.dims(0).and_then(exact_product);
            Value::of_shape(Vec::new()).map(|value| value.with_numbers(Some(vec![size])))
        }
        "ConstantOfShape" => return constant_of_shape(call),
        "Expand" => {
            let shape = call.numbers(1)?;
            is_shape(&shape).then_some(())?;
            let made = if let Some(dims) = call.dims(0) {
                broadcast(&[dims, &shape])
            } else {
                let most = call.input(0)?.most;
                Value::of_most(most.at_most_times(broadcast(&[&shape]).most))
            };
            Some(made)
        }
        "Tile" => tile(call),
        "Pad" => pad(call),
        "DepthToSpace" | "SpaceToDepth" | "Compress" => Some(Value::of_most(call.input(0)?.most)),
        "Range" => range(call),
        _ => None,
    }?;
    // What these do to a list of numbers is followed too.
    let numbers = form.numbers.clone().or_else(|| numbers::arranged(call));
    Some(form.with_numbers(numbers))
}

fn is_shape(numbers: &[Size]) -> bool {
    numbers.iter().all(|number| number.factor >= 0)
}

fn reshape(call: &Call<'_>) -> Option<Value> {
    let data = call.input(0)?;
    let same_count = same_count_of(data);
    let target = match call.node.attribute("shape") {
        Some(shape) => Some(shape.ints.iter().map(|&size| Size::fixed(size)).collect()),
        None => call.numbers(1),
    };
    let Some(mut dims) = target else {
        return Some(same_count);
    };
    let old = data.dims.as_deref();
    for (index, dim) in dims.iter_mut().enumerate() {
        if dim.factor == 0 {
            match old.and_then(|old| old.get(index)) {
                Some(&same) if call.number("allowzero", 0) == 0 => *dim = same,
                _ => return Some(same_count),
            }
        }
    }
    let rest = Size::fixed(-1);
    let open: Vec<usize> = (0..dims.len()).filter(|&at| dims[at] == rest).collect();
    match open[..] {
        [] => Value::of_shape(dims),
        [at] => {
            dims[at] = Size::ONE;
            let known = exact_product(&dims);
            let all = old.and_then(exact_product);
            let left = all.zip(known).and_then(|(all, known)| {
                let left = all.over(known)?;
                (left.times(known) == Some(all)).then_some(left)
            });
            let Some(left) = left else {
                return Some(same_count);
            };
            dims[at] = left;
            Value::of_shape(dims)
        }
        _ => Some(same_count),
    }
    .or_else(|| Some(same_count_of(data)))
}

const fn same_count_of(data: &Value) -> Value {
    Value::of_most(data.most)
}

fn flatten(call: &Call<'_>) -> Option<Value> {
    let data = call.input(0)?;
    let dims = data.dims.as_deref().unwrap_or_default();
    let axis = call.number("axis", 1);
    let at = if axis == dims.len() as i64 {
        Some(dims.len())
    } else {
        place(axis, dims.len())
    };
    let shape = at.and_then(|at| {
        let (first, last) = dims.split_at(at);
        Some(vec![exact_product(first)?, exact_product(last)?])
    });
    Some(
        shape
            .filter(|_| data.dims.is_some())
            .and_then(Value::of_shape)
            .unwrap_or(same_count_of(data)),
    )
}

fn transpose(call: &Call<'_>) -> Option<Value> {
    let data = call.input(0)?;
    let order = call.node.attribute("perm").map(|perm| &perm.ints);
    let dims = data.dims.as_ref().and_then(|dims| {
        let Some(order) = order else {
            return Some(dims.iter().rev().copied().collect());
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let is_order = sorted.iter().copied().eq(0..dims.len() as i64);
        is_order.then(|| order.iter().map(|&at| dims[at as usize]).collect())
    });
    Some(
        dims.and_then(Value::of_shape)
            .unwrap_or(same_count_of(data)),
    )
}

fn squeeze(call: &Call<'_>) -> Option<Value> {
    let data = call.input(0)?;
    let axes = call.list("axes", 1);
    let dims = data.dims.as_ref().zip(axes).and_then(|(dims, axes)| {
        if axes.is_empty() {
            // One position at once is squeezed too.
            let is_known = dims.iter().all(|dim| dim.degree == 0);
            let kept = dims.iter().filter(|&&dim| dim != Size::ONE);
            return is_known.then(|| kept.copied().collect());
        }
        let axes: Vec<usize> = axes
            .iter()
            .map(|&axis| place(axis, dims.len()))
            .collect::<Option<_>>()?;
        let is_one = axes.iter().all(|&axis| dims[axis] == Size::ONE);
        let kept = (0..dims.len()).filter(|at| !axes.contains(at));
        is_one.then(|| kept.map(|at| dims[at]).collect())
    });
    Some(
        dims.and_then(Value::of_shape)
            .unwrap_or(same_count_of(data)),
    )
}

fn unsqueeze(call: &Call<'_>) -> Option<Value> {
    let data = call.input(0)?;
    let axes = call.list("axes", 1);
    let dims = data.dims.as_ref().zip(axes).and_then(|(dims, axes)| {
        let rank = dims.len() + axes.len();
        let axes: Vec<usize> = axes
            .iter()
            .map(|&axis| place(axis, rank))
            .collect::<Option<_>>()?;
        let mut old = dims.iter().copied();
        let new = (0..rank).map(|at| {
            if axes.contains(&at) {
                Some(Size::ONE)
            } else {
                old.next()
            }
        });
        new.collect::<Option<Vec<_>>>()
    });
    Some(
        dims.and_then(Value::of_shape)
            .unwrap_or(same_count_of(data)),
    )
}

fn concat(call: &Call<'_>) -> Value {
    let values = call.values();
    let sum = |all: Size, value: &&Value| all.at_most_plus(value.most);
    let most = values.iter().fold(Size::fixed(0), sum);
    let dims = values.first().and_then(|first| {
        let mut dims = first.dims.clone()?;
        let axis = place(call.number("axis", 0), dims.len())?;
        for value in &values[1..] {
            let other = value.dims.as_ref()?;
            let is_like = other.len() == dims.len()
                && (0..dims.len()).all(|at| at == axis || dims[at] == other[at]);
            is_like.then_some(())?;
            dims[axis] = dims[axis].plus(other[axis])?;
        }
        Some(dims)
    });
    dims.and_then(Value::of_shape)
        .unwrap_or(Value::of_most(most))
}

fn slice(call: &Call<'_>) -> Option<Value> {
    let data = call.input(0)?;
    let dims = data.dims.clone().and_then(|mut dims| {
        let (starts, ends) = (call.list("starts", 1)?, call.list("ends", 2)?);
        let mut axes = call.list("axes", 3)?;
        if axes.is_empty() {
            axes = (0..starts.len() as i64).collect();
        }
        let mut steps = call.list("steps", 4)?;
        if steps.is_empty() {
            steps = vec![1; starts.len()];
        }
        let is_complete = [ends.len(), axes.len(), steps.len()] == [starts.len(); 3];
        is_complete.then_some(())?;
        for (index, &axis) in axes.iter().enumerate() {
            let at = place(axis, dims.len())?;
            let range = (starts[index], ends[index], steps[index]);
            dims[at] = match dims[at].constant() {
                Some(len) => Size::fixed(numbers::taken(len, range)?.1),
                None if range.0 == 0 && range.1 >= i64::from(i32::MAX) && range.2 == 1 => dims[at],
                None => return None,
            };
        }
        Some(dims)
    });
    Some(
        dims.and_then(Value::of_shape)
            .unwrap_or(same_count_of(data)),
    )
}

fn gather(call: &Call<'_>) -> Option<Value> {
    let (dims, indices) = (call.dims(0)?, call.dims(1)?);
    let axis = place(call.number("axis", 0), dims.len())?;
    Value::of_shape([&dims[..axis], indices, &dims[axis + 1..]].concat())
}

fn shape(call: &Call<'_>) -> Option<Value> {
    let dims = call.dims(0)?;
    let rank = dims.len() as i64;
    let end = |name: &str, default: i64| {
        let end = call.number(name, default);
        (if end < 0 {
            end.saturating_add(rank)
        } else {
            end
        })
        .clamp(0, rank) as usize
    };
    let (from, to) = (end("start", 0), end("end", rank));
    let shape = dims.get(from..to)?;
    Some(Value::of_numbers(shape.iter().copied().map(Some).collect()))
}

fn constant_of_shape(call: &Call<'_>) -> Option<Value> {
    let value = Value::of_shape(call.numbers(0)?)?;
    let tensor = call.node.attribute("value").and_then(|it| it.t.as_ref());
    let number = match tensor {
        Some(tensor) => numbers::of_tensor(tensor)?.first().copied().flatten(),
        None => Some(Size::fixed(0)),
    };
    let count = match value.dims.as_deref() {
        Some([len]) => len.constant().and_then(|len| usize::try_from(len).ok()),
        _ => None,
    };
    let numbers = count.filter(|&count| count <= MOST_FOLLOWED);
    Some(value.with_numbers(numbers.map(|count| vec![number; count])))
}

fn tile(call: &Call<'_>) -> Option<Value> {
    let (dims, repeats) = (call.dims(0)?, call.numbers(1)?);
    (repeats.len() == dims.len() && is_shape(&repeats)).then_some(())?;
    let pairs = dims.iter().zip(&repeats);
    let dims: Option<_> = pairs.map(|(dim, &times)| dim.times(times)).collect();
    Value::of_shape(dims?)
}

fn pad(call: &Call<'_>) -> Option<Value> {
    let mut dims = call.dims(0)?.to_vec();
    let pads = call.list("pads", 1)?;
    let mut axes = call.list("axes", 3)?;
    if axes.is_empty() {
        axes = (0..dims.len() as i64).collect();
    }
    (pads.len() == 2 * axes.len()).then_some(())?;
    for (index, &axis) in axes.iter().enumerate() {
        let at = place(axis, dims.len())?;
        let more = pads[index].saturating_add(pads[axes.len() + index]);
        dims[at] = dims[at].plus(Size::fixed(more))?;
    }
    Value::of_shape(dims)
}

fn range(call: &Call<'_>) -> Option<Value> {
    let one = |place: usize| call.numbers(place)?.first().copied();
    let (from, to, step) = (one(0)?, one(1)?, one(2)?);
    if from.factor == 0 && step == Size::ONE && to.factor >= 0 {
        return Value::of_shape(vec![to]);
    }
    let (from, to, step) = (from.constant()?, to.constant()?, step.constant()?);
    let len = (i128::from(to) - i128::from(from)).checked_div(i128::from(step))?;
    let len = i64::try_from(len.max(0)).unwrap_or(i64::MAX);
    Some(Value::of_most(Size::fixed(len.saturating_add(1))))
}

/// The parts of a value that is split along an axis.
pub(super) fn split(call: &Call<'_>) -> Option<Vec<Value>> {
    let dims = call.dims(0)?;
    let at = place(call.number("axis", 0), dims.len())?;
    let mut sizes = call.list("split", 1)?;
    if sizes.is_empty() {
        let parts = call.node.output.len() as i64;
        let len = dims[at].constant()?;
        let each = len / parts.max(1) + i64::from(len % parts.max(1) != 0);
        sizes = (0..parts).map(|part| each.min(len - part * each)).collect();
    }
    let part = |size: i64| {
        let mut dims = dims.to_vec();
        dims[at] = Size::fixed(size);
        Value::of_shape(dims)
    };
    sizes.into_iter().map(part).collect()
}
