//! A node of a graph with what is known of its inputs.

use super::size::{Size, Value};
use crate::onnx::NodeProto;

/// A node, and what is known of its inputs; none for those that it leaves out.
pub(super) struct Call<'a> {
    pub(super) node: &'a NodeProto,
    pub(super) inputs: Vec<Option<&'a Value>>,
}

impl<'a> Call<'a> {
    pub(super) fn input(&self, place: usize) -> Option<&'a Value> {
        self.inputs.get(place).copied().flatten()
    }

    /// The inputs that there are.
    pub(super) fn values(&self) -> Vec<&'a Value> {
        self.inputs.iter().copied().flatten().collect()
    }

    pub(super) fn dims(&self, place: usize) -> Option<&'a [Size]> {
        self.input(place)?.dims.as_deref()
    }

    /// The numbers of an input, where all are known.
    pub(super) fn numbers(&self, place: usize) -> Option<Vec<Size>> {
        let numbers = self.input(place)?.numbers.as_ref()?;
        numbers.iter().copied().collect()
    }

    /// An attribute that is a whole number.
    pub(super) fn number(&self, name: &str, default: i64) -> i64 {
        self.node
            .attribute(name)
            .map_or(default, |attribute| attribute.i)
    }

    /// The attribute of whole numbers called `name`, or the input at `place` that newer graphs have for it: empty if neither is there,
    /// none where it is not known.
    pub(super) fn list(&self, name: &str, place: usize) -> Option<Vec<i64>> {
        if let Some(attribute) = self.node.attribute(name) {
            return Some(attribute.ints.clone());
        }
        if self.input(place).is_none() {
            return Some(Vec::new());
        }
        let numbers = self.numbers(place)?;
        numbers.into_iter().map(Size::constant).collect()
    }

    /// A text among the attributes.
    pub(super) fn text(&self, name: &str) -> &'a str {
        let attribute = self.node.attribute(name);
        attribute.map_or("", |it| std::str::from_utf8(&it.s).unwrap_or(""))
    }
}

/// The place of an axis of `rank`; negative ones count from the end.
pub(super) fn place(axis: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let axis = if axis < 0 { axis + rank } else { axis };
    usize::try_from(axis).ok().filter(|_| axis < rank)
}
