//! The rule by which gradients become steps: Adam (Kingma, Ba 2015), with the decay of weights apart from the gradient (`AdamW`; Loshchilov,
//! Hutter 2019).

/// Decay of the mean of gradients.
const BETA1: f64 = 0.9;

/// Decay of the mean of their squares.
const BETA2: f64 = 0.999;

/// What is added to the root of the latter: steps of rows that few positions ask for stay small.
const EPSILON: f32 = 1e-7;

/// The numbers of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdamStep {
    /// The learning rate over the bias correction of the first moment.
    rate: f32,
    /// One over the root of the bias correction of the second moment.
    root_scale: f32,
    /// The part of a number that a step keeps.
    keep: f32,
    /// What gradients are multiplied by.
    share: f32,
}

impl AdamStep {
    /// Step number `step` (from 1) at a rate, with gradients that are sums over `positions`.
    pub(super) fn new(step: u64, rate: f64, weight_decay: f64, positions: usize) -> Self {
        let correction = |beta: f64| 1.0 - power(beta, step);
        Self {
            rate: (rate / correction(BETA1)) as f32,
            root_scale: (1.0 / correction(BETA2).sqrt()) as f32,
            keep: (1.0 - rate * weight_decay) as f32,
            share: (1.0 / positions as f64) as f32,
        }
    }

    /// The same without decay of weights.
    pub(super) const fn without_decay(self) -> Self {
        Self { keep: 1.0, ..self }
    }

    /// Changes numbers and their moments; the numbers stay within ±`most`.
    #[inline(always)]
    pub(super) fn apply(
        self,
        numbers: &mut [f32],
        [first, second]: [&mut [f32]; 2],
        gradients: &[f32],
        most: f32,
    ) {
        let (beta1, beta2) = (BETA1 as f32, BETA2 as f32);
        let moments = first.iter_mut().zip(second);
        for ((number, (first, second)), gradient) in numbers.iter_mut().zip(moments).zip(gradients)
        {
            let gradient = gradient * self.share;
            *first = beta1 * *first + (1.0 - beta1) * gradient;
            *second = beta2 * *second + (1.0 - beta2) * gradient * gradient;
            let root = second.sqrt() * self.root_scale + EPSILON;
            let moved = *number * self.keep - self.rate * *first / root;
            *number = moved.max(-most).min(most);
        }
    }
}

/// `base` to the power of `exponent`, by squaring: the same on every machine.
fn power(base: f64, mut exponent: u64) -> f64 {
    let (mut square, mut result) = (base, 1.0);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}
