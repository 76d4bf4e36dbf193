//! Whole numbers that are constant or grow with the positions that are evaluated at once, and what is known of a value.

/// Most dimensions of a shape that is followed.
const MOST_RANK: usize = 32;
/// Most numbers of a value whose numbers are followed: shapes, axes, pads.
pub(super) const MOST_FOLLOWED: usize = 64;
/// Beyond these, whole numbers of 32 bits may wrap in the graph; the second is times the positions.
const MOST_COMPUTED: [i64; 2] = [i32::MAX as i64, 1 << 18];

/// `factor` times the positions to the power of `degree`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) factor: i64,
    pub(super) degree: u32,
}

impl Size {
    pub(super) const ONE: Self = Self::fixed(1);

    pub(super) const fn fixed(factor: i64) -> Self {
        Self { factor, degree: 0 }
    }

    /// As many as there are positions.
    pub(super) const POSITIONS: Self = Self {
        factor: 1,
        degree: 1,
    };

    /// The number, if it does not depend on the positions.
    pub(super) const fn constant(self) -> Option<i64> {
        if self.degree == 0 {
            Some(self.factor)
        } else {
            None
        }
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        if self.factor == 0 || other.factor == 0 {
            return Some(if self.factor == 0 { other } else { self });
        }
        let factor = self.factor.checked_add(other.factor)?;
        (self.degree == other.degree).then_some(Self { factor, ..self })
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        Some(Self {
            factor: self.factor.checked_mul(other.factor)?,
            degree: self.degree.checked_add(other.degree)?,
        })
    }

    /// The quotient, where it is the same for any number of positions.
    pub(super) fn over(self, other: Self) -> Option<Self> {
        let factor = self.factor.checked_div(other.factor)?;
        let is_exact = self.factor.checked_rem(other.factor) == Some(0);
        let degree = self.degree.checked_sub(other.degree)?;
        (is_exact || self.degree == 0).then_some(Self { factor, degree })
    }

    /// The same if neither a graph's numbers of 32 bits nor this crate's wrap.
    pub(super) fn unless_large(self) -> Option<Self> {
        let most = MOST_COMPUTED[self.degree.min(1) as usize];
        (self.degree <= 1 && (-most..=most).contains(&self.factor)).then_some(self)
    }

    /// No less than the sum, for any number of positions.
    pub(super) fn at_most_plus(self, other: Self) -> Self {
        Self {
            factor: self.factor.saturating_add(other.factor),
            degree: self.degree.max(other.degree),
        }
    }

    /// No less than the product; nothing counts as one.
    pub(super) fn at_most_times(self, other: Self) -> Self {
        Self {
            factor: self.factor.max(1).saturating_mul(other.factor.max(1)),
            degree: self.degree.saturating_add(other.degree),
        }
    }

    /// No less than either.
    pub(super) fn at_most_larger(self, other: Self) -> Self {
        Self {
            factor: self.factor.max(other.factor),
            degree: self.degree.max(other.degree),
        }
    }
}

/// What is known of a value of a graph before it is there.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// Its shape, where all of it is known.
    pub(super) dims: Option<Vec<Size>>,
    /// It has no more numbers than these.
    pub(super) most: Size,
    /// Its numbers, where they are few whole ones; none for one that is not known.
    pub(super) numbers: Option<Vec<Option<Size>>>,
    /// Its numbers, where they are few constant ones of any kind.
    pub(super) factors: Option<Vec<f64>>,
}

impl Value {
    /// A value of a shape; none if that is no shape, or too long to be followed.
    pub(super) fn of_shape(dims: Vec<Size>) -> Option<Self> {
        let is_shape = dims.len() <= MOST_RANK && dims.iter().all(|dim| dim.factor >= 0);
        is_shape.then(|| Self {
            most: product(&dims),
            dims: Some(dims),
            numbers: None,
            factors: None,
        })
    }

    /// A value of no more than `most` numbers.
    pub(super) const fn of_most(most: Size) -> Self {
        Self {
            dims: None,
            most,
            numbers: None,
            factors: None,
        }
    }

    /// A value of one dimension, with its numbers.
    pub(super) fn of_numbers(numbers: Vec<Option<Size>>) -> Self {
        let dims = vec![Size::fixed(numbers.len() as i64)];
        Self {
            most: product(&dims),
            dims: Some(dims),
            numbers: None,
            factors: None,
        }
        .with_numbers(Some(numbers))
    }

    /// The same value with its numbers, unless they are too many or not those of its shape.
    pub(super) fn with_numbers(mut self, numbers: Option<Vec<Option<Size>>>) -> Self {
        let count = self.dims.as_deref().and_then(exact_product);
        let fits = |numbers: &Vec<_>| count == Some(Size::fixed(numbers.len() as i64));
        self.numbers = numbers
            .filter(|numbers| numbers.len() <= MOST_FOLLOWED)
            .filter(fits);
        self
    }

    /// The value's shape alone.
    pub(super) fn form(&self) -> Self {
        Self {
            dims: self.dims.clone(),
            ..Self::of_most(self.most)
        }
    }
}

/// No fewer than the numbers of a shape; an empty dimension counts as one.
pub(super) fn product(dims: &[Size]) -> Size {
    dims.iter()
        .fold(Size::ONE, |all, &dim| all.at_most_times(dim))
}

/// The product, where it is known.
pub(super) fn exact_product(dims: &[Size]) -> Option<Size> {
    dims.iter().try_fold(Size::ONE, |all, &dim| all.times(dim))
}

/// What elementwise operators make of values of these shapes: each dimension is that of the one that is larger than one.
pub(super) fn broadcast(shapes: &[&[Size]]) -> Value {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut dims = vec![Size::ONE; rank];
    let mut is_exact = true;
    for shape in shapes {
        for (dim, &other) in dims.iter_mut().rev().zip(shape.iter().rev()) {
            if *dim == Size::ONE {
                *dim = other;
            } else if other != Size::ONE && other != *dim {
                // Refused when it is run, or the same for one number of positions.
                is_exact = false;
                *dim = dim.at_most_larger(other);
            }
        }
    }
    let most = Value::of_most(product(&dims));
    if is_exact {
        Value::of_shape(dims).unwrap_or(most)
    } else {
        most
    }
}
