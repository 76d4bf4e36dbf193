//! Curves of bounded size.

/// Points of a curve at most.
pub(crate) const MOST_POINTS: usize = 500;

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The half width of the interval of `y`.
    pub(crate) error: Option<f64>,
}

/// A curve that grows: when it is full, every second point goes, and of those to come as many are left out.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    points: Vec<Point>,
    every: u64,
    seen: u64,
    last: Option<Point>,
}

impl Default for Curve {
    fn default() -> Self {
        Self {
            points: Vec::new(),
            every: 1,
            seen: 0,
            last: None,
        }
    }
}

impl Curve {
    pub(crate) fn push(&mut self, point: Point) {
        if self.last.is_some_and(|last| last.x > point.x) {
            // Measured again, from an earlier point on.
            self.points.retain(|old| old.x < point.x);
        }
        if self.seen.is_multiple_of(self.every) {
            self.points.push(point);
        }
        self.seen += 1;
        self.last = Some(point);
        if self.points.len() >= MOST_POINTS {
            let mut number = 0;
            self.points.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.every *= 2;
        }
    }

    #[cfg(test)]
    pub(crate) const fn last(&self) -> Option<Point> {
        self.last
    }

    /// The points, the last one among them.
    pub(crate) fn points(&self) -> impl Iterator<Item = Point> + '_ {
        let last = self.last.filter(|last| self.points.last() != Some(last));
        self.points.iter().copied().chain(last)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn curve(count: u32) -> Curve {
        let mut curve = Curve::default();
        for n in 0..count {
            let x = f64::from(n);
            curve.push(Point {
                x,
                y: 2.0 * x,
                error: None,
            });
        }
        curve
    }

    #[test]
    fn short_curves_are_whole() {
        let points: Vec<_> = curve(499).points().collect();
        assert_eq!(points.len(), 499);
        assert!(curve(0).points().next().is_none());
    }

    #[test]
    fn what_is_measured_again_replaces_what_was() {
        let mut curve = curve(10);
        let again = Point {
            x: 3.0,
            y: 0.0,
            error: Some(1.0),
        };
        curve.push(again);
        let points: Vec<_> = curve.points().collect();
        assert_eq!((points.len(), points[3]), (4, again));
    }

    proptest! {
        #[test]
        fn curves_are_bounded_ordered_and_have_both_ends(count in 1u32..20_000) {
            let points: Vec<_> = curve(count).points().collect();
            prop_assert!(points.len() <= MOST_POINTS);
            let ends = [points[0].x, points[points.len() - 1].x];
            prop_assert_eq!(ends.map(|x| x as u32), [0, count - 1]);
            prop_assert!(points.windows(2).all(|two| two[0].x < two[1].x));
        }
    }
}
