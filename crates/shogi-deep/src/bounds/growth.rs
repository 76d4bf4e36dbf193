//! The most that operators make whose shapes are not known: from the sizes of their inputs, and how much they enlarge them.

use thiserror::Error;

use super::call::Call;
use super::size::{Size, broadcast};

/// The largest pad, number of repetitions or extent.
const MOST_EXTENT: i64 = 4096;
/// The length of a side of the board, for which pads are a growth.
const SIDE: f64 = 9.0;

/// The reason why it cannot be told how much an operator makes.
#[derive(Debug, Error)]
pub(super) enum GrowthError {
    /// Something that decides it comes from data, or the operator is none for boards.
    #[error("{0}")]
    Unbounded(&'static str),
    /// Numbers that come from data.
    #[error("its {0} are not known before it is run")]
    UnknownNumbers(&'static str),
    /// A number that is too large.
    #[error("{what} of {number}, of at most {MOST_EXTENT}")]
    Large { what: &'static str, number: i64 },
}

/// The most numbers that an operator makes.
pub(super) struct Growth {
    pub(super) most: Size,
    /// The operator is not known.
    pub(super) is_of_unknown: bool,
}

/// No fewer than the numbers of any output of a node.
///
/// # Errors
/// Why they cannot be told.
pub(super) fn most(call: &Call<'_>) -> Result<Growth, GrowthError> {
    let first = call.input(0).map_or(Size::ONE, |value| value.most);
    let most = match call.node.op_type.as_str() {
        "Pad" => {
            let pads = extents(call.list("pads", 1), "pads")?;
            let all = pads.iter().map(|pad| Size::fixed(1 + pad.max(&0)));
            Ok(all.fold(first, Size::at_most_times))
        }
        "Conv" | "FusedConv" | "MaxPool" | "AveragePool" | "LpPool" => {
            let channels = match call.node.op_type.as_str() {
                "Conv" | "FusedConv" => call.dims(1).and_then(|dims| dims.first().copied()),
                _ => Some(Size::ONE),
            };
            let channels = channels.ok_or(GrowthError::UnknownNumbers("weights"))?;
            Ok(times(first.at_most_times(channels), window(call)?))
        }
        "ConvTranspose" => {
            let strides = extents(call.list("strides", usize::MAX), "strides")?;
            let sizes = extents(call.list("output_shape", usize::MAX), "output_shape")?;
            let padding = extents(call.list("output_padding", usize::MAX), "output_padding")?;
            let weights = call.input(1).map_or(Size::ONE, |value| value.most);
            let group = Size::fixed(call.number("group", 1));
            let all = strides.iter().chain(&sizes).chain(&padding);
            let grown = all.fold(
                first.at_most_times(weights).at_most_times(group),
                |all, &by| all.at_most_times(Size::fixed(by.saturating_add(1))),
            );
            Ok(times(grown, window(call)?))
        }
        "Tile" => {
            let repeats = extents(call.list("repeats", 1), "repetitions")?;
            let all = repeats.iter().map(|&times| Size::fixed(times));
            Ok(all.fold(first, Size::at_most_times))
        }
        "Resize" | "Upsample" => resized(call, first),
        "OneHot" => {
            let depth = extents(call.list("depth", 1), "depth")?;
            let depth = depth.first().copied().unwrap_or(1);
            Ok(first.at_most_times(Size::fixed(depth)))
        }
        "RandomNormal" | "RandomUniform" => {
            let shape = call.list("shape", usize::MAX).unwrap_or_default();
            let shape: Vec<_> = shape.into_iter().map(Size::fixed).collect();
            Ok(broadcast(&[&shape]).most)
        }
        "Range" => {
            let end = |place: usize| Some(*call.input(place)?.factors.as_ref()?.first()?);
            let ends = (end(0), end(1), end(2));
            let (Some(from), Some(to), Some(step)) = ends else {
                return Err(GrowthError::UnknownNumbers("ends"));
            };
            Ok(Size::fixed(((to - from) / step).max(0.0) as i64 + 1))
        }
        // A number of indices for each dimension.
        "NonZero" => Ok(first.at_most_times(Size::fixed(
            call.dims(0).map_or(32, |dims| dims.len() as i64),
        ))),
        "TopK" | "Unique" => Ok(first),
        "ConstantOfShape" | "Expand" => Err(GrowthError::Unbounded(
            "its shape is not known before it is run",
        )),
        "AffineGrid" | "BlackmanWindow" | "CenterCropPad" | "Col2Im" | "DFT" | "HammingWindow"
        | "HannWindow" | "ImageDecoder" | "MaxRoiPool" | "MaxUnpool" | "MelWeightMatrix"
        | "Multinomial" | "Optional" | "RoiAlign" | "STFT" | "SequenceEmpty" => Err(
            GrowthError::Unbounded("not part of networks for a board, and of any size"),
        ),
        _ => return Ok(of_unknown(call)),
    }?;
    Ok(Growth {
        most,
        is_of_unknown: false,
    })
}

/// What an operator that is not known may make: all of its inputs repeated to be as large as each other, or one after the other.
fn of_unknown(call: &Call<'_>) -> Growth {
    let (mut sum, mut product) = (Size::fixed(0), Size::ONE);
    for value in call.values() {
        sum = sum.at_most_plus(value.most);
        product = product.at_most_times(value.most);
    }
    Growth {
        most: sum.at_most_larger(product),
        is_of_unknown: true,
    }
}

/// Windows that go over a board: pads that make it larger than it was.
fn window(call: &Call<'_>) -> Result<f64, GrowthError> {
    let pads = extents(call.list("pads", usize::MAX), "pads")?;
    let kernel = extents(call.list("kernel_shape", usize::MAX), "kernel")?;
    let dilations = extents(call.list("dilations", usize::MAX), "dilations")?;
    let is_larger = call.node.op_type == "ConvTranspose";
    let covered =
        |(index, &size): (usize, &i64)| (size - 1) * dilations.get(index).copied().unwrap_or(1);
    let covered: i64 = kernel.iter().enumerate().map(covered).sum();
    let pads: i64 = pads.iter().sum();
    let extra = if is_larger { covered } else { pads - covered };
    Ok(((SIDE + extra.max(0) as f64) / SIDE).powi(2))
}

fn resized(call: &Call<'_>, first: Size) -> Result<Size, GrowthError> {
    let mut most = first;
    if let Some(scales) = call.node.attribute("scales") {
        let all: f64 = scales
            .floats
            .iter()
            .map(|&by| f64::from(by).max(1.0))
            .product();
        most = times(most, all);
    }
    let is_old = call.node.op_type == "Upsample" || call.inputs.len() == 2;
    for place in 1..call.inputs.len() {
        let Some(input) = call.input(place) else {
            continue;
        };
        if place == 3 {
            let sizes = call.numbers(place);
            let sizes = sizes.ok_or(GrowthError::UnknownNumbers("sizes"))?;
            most = most.at_most_times(broadcast(&[&sizes]).most);
        } else if is_old || place == 2 {
            let scales = input.factors.as_ref();
            let scales = scales.ok_or(GrowthError::UnknownNumbers("scales"))?;
            most = times(most, scales.iter().map(|by| by.max(1.0)).product());
        }
    }
    Ok(most)
}

/// The numbers of a node, each of which is not large.
fn extents(numbers: Option<Vec<i64>>, what: &'static str) -> Result<Vec<i64>, GrowthError> {
    let numbers = numbers.ok_or(GrowthError::UnknownNumbers(what))?;
    let large = |number: &&i64| number.unsigned_abs() > MOST_EXTENT as u64;
    match numbers.iter().find(large) {
        Some(&number) => Err(GrowthError::Large { what, number }),
        None => Ok(numbers),
    }
}

/// The size times a factor, rounded up.
fn times(size: Size, factor: f64) -> Size {
    let factor = if factor.is_nan() {
        f64::INFINITY
    } else {
        factor
    };
    Size {
        factor: (size.factor as f64 * factor).ceil() as i64,
        ..size
    }
}
