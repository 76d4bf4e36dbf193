//! How far parameters are shaken and how far they follow, in each iteration.
//!
//! Both get smaller as the work goes on, by the powers that Spall recommends (Implementation of the
//! simultaneous perturbation algorithm for stochastic optimization, 1998), and are such that in the last
//! iteration a parameter is shaken by its step and follows a point by its rate times its step.

use super::parameter::Parameter;

/// Power by which following gets smaller.
const ALPHA: f64 = 0.602;

/// Power by which shaking gets smaller.
const GAMMA: f64 = 0.101;

/// Part of all iterations that is added to the number of each, so that the first do not go too far.
const STABILITY: f64 = 0.1;

/// The schedule of a work with a given number of iterations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    iterations: f64,
}

impl Schedule {
    pub(super) fn new(iterations: usize) -> Self {
        Self {
            iterations: iterations.max(1) as f64,
        }
    }

    /// How far `parameter` is shaken in an iteration, counted from 0.
    pub(super) fn shake(self, parameter: &Parameter, iteration: usize) -> f64 {
        parameter.step * (self.iterations / (iteration as f64 + 1.0)).powf(GAMMA)
    }

    /// How far `parameter` follows a point in an iteration, counted from 0.
    pub(super) fn follow(self, parameter: &Parameter, iteration: usize) -> f64 {
        let stability = STABILITY * self.iterations;
        let ratio = (stability + self.iterations) / (stability + iteration as f64 + 1.0);
        let gain = parameter.rate * parameter.step.powi(2) * ratio.powf(ALPHA);
        gain / self.shake(parameter, iteration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_iteration_has_the_step_and_the_rate() {
        let parameter = Parameter {
            name: "a".to_owned(),
            value: 0.0,
            default: 0,
            min: -100,
            max: 100,
            step: 8.0,
            rate: 0.002,
        };
        let schedule = Schedule::new(1000);
        assert!((schedule.shake(&parameter, 999) - 8.0).abs() < 1e-9);
        assert!((schedule.follow(&parameter, 999) - 0.016).abs() < 1e-9);
        // 1000^0.101 = 2.009; (1100 / 101)^0.602 = 4.210.
        assert!((schedule.shake(&parameter, 0) - 16.07).abs() < 0.01);
        assert!((schedule.follow(&parameter, 0) - 0.016 * 4.210 / 2.009).abs() < 1e-4);
    }
}
