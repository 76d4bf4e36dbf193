//! The kernels of SFNN's products: forward and backward.

use yane_base::lanes::{Isa, LaneKernel};

use crate::kernels::floor_to_units;

/// Products of the halves of SFNN accumulators, times `scale`.
pub(crate) struct Products<'a> {
    pub(crate) left: &'a [f32],
    pub(crate) right: &'a [f32],
    pub(crate) scale: f32,
    pub(crate) to: &'a mut [f32],
    /// True if products are rounded down as engines have them.
    pub(crate) rounded: bool,
}

impl LaneKernel for Products<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        if self.rounded {
            self.products::<I, true>(isa);
        } else {
            self.products::<I, false>(isa);
        }
    }
}

impl Products<'_> {
    #[inline(always)]
    fn products<I: Isa, const ROUNDED: bool>(self, isa: I) {
        let scale = isa.splat(self.scale);
        let sides = self.left.as_chunks().0.iter().zip(self.right.as_chunks().0);
        for ((left, right), to) in sides.zip(self.to.as_chunks_mut().0) {
            let product = isa.mul(isa.load(left), isa.load(right));
            let product = isa.mul(product, scale);
            isa.store(floor_to_units::<I, ROUNDED>(isa, product), to);
        }
    }
}

/// Gradients of the halves from those of their products: `left` and `right` are read, their gradients written.
pub(crate) struct ProductGradients<'a> {
    pub(crate) left: &'a [f32],
    pub(crate) right: &'a [f32],
    pub(crate) scale: f32,
    /// The gradient of the products; becomes that of the left half.
    pub(crate) gradient: &'a mut [f32],
    pub(crate) right_gradient: &'a mut [f32],
}

impl LaneKernel for ProductGradients<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let scale = isa.splat(self.scale);
        let sides = self.left.as_chunks().0.iter().zip(self.right.as_chunks().0);
        let to = self.gradient.as_chunks_mut().0.iter_mut();
        let to = to.zip(self.right_gradient.as_chunks_mut().0);
        for ((left, right), (gradient, right_gradient)) in sides.zip(to) {
            let (a, b) = (isa.load(left), isa.load(right));
            let product = isa.mul(isa.load(gradient), scale);
            isa.store(isa.where_inside(a, isa.mul(product, b)), gradient);
            isa.store(isa.where_inside(b, isa.mul(product, a)), right_gradient);
        }
    }
}
