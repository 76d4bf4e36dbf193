//! What the engines of a run are doing, for people.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::Seat;

/// The seats of an engine together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineStatus {
    /// How many there are.
    pub seats: usize,
    /// At how many it is thinking just now.
    pub thinking: usize,
    /// At how many it failed too often and works no more.
    pub closed: usize,
    /// Positions that were visited since the run began, as far as it told.
    pub nodes: u64,
}

impl EngineStatus {
    /// The engines of `seats`, by their `names`, one for each seat.
    pub fn by_name<'a>(
        names: impl IntoIterator<Item = &'a str>,
        seats: &[Arc<Seat>],
    ) -> BTreeMap<&'a str, Self> {
        let mut engines = BTreeMap::<_, Self>::new();
        for (name, seat) in names.into_iter().zip(seats) {
            let engine = engines.entry(name).or_default();
            engine.seats += 1;
            engine.thinking += usize::from(seat.thinking().is_some());
            engine.closed += usize::from(seat.is_closed());
            engine.nodes += seat.nodes();
        }
        engines
    }

    /// `NAME 3/4 812 k nps, 1 gone` for each engine of `seats`: [`by_name`](Self::by_name), [`told`](Self::told).
    pub fn all_told<'a>(
        names: impl IntoIterator<Item = &'a str>,
        seats: &[Arc<Seat>],
        time: Duration,
    ) -> Vec<String> {
        let engines = Self::by_name(names, seats).into_iter();
        let told = engines.map(|(name, engine)| format!("{name} {}", engine.told(time)));
        told.collect()
    }

    /// `3/4 812 k nps, 1 gone`: at how many of its seats it thinks, positions a second since the run began `time`
    /// ago, and seats where it is no more.
    pub fn told(&self, time: Duration) -> String {
        let nps = self.nodes as f64 / time.as_secs_f64().max(1e-3);
        let (nps, unit) = match nps {
            1e6.. => (nps / 1e6, " M"),
            1e3.. => (nps / 1e3, " k"),
            _ => (nps, ""),
        };
        let decimals = if unit == " M" { 2 } else { 0 };
        let gone = match self.closed {
            0 => String::new(),
            closed => format!(", {closed} gone"),
        };
        let Self {
            seats, thinking, ..
        } = self;
        format!("{thinking}/{seats} {nps:.decimals$}{unit} nps{gone}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_of_an_engine_are_told_together() {
        let seats: Vec<_> = (0..3).map(|_| Arc::new(Seat::default())).collect();
        seats[2].close();
        let told = EngineStatus::all_told(["a", "b", "a"], &seats, Duration::from_secs(1));
        assert_eq!(told, ["a 0/2 0 nps, 1 gone", "b 0/1 0 nps"]);
    }

    #[test]
    fn large_numbers_are_short() {
        let told = |nodes| {
            let engine = EngineStatus {
                seats: 1,
                nodes,
                ..EngineStatus::default()
            };
            engine.told(Duration::from_secs(2))
        };
        assert_eq!(told(1998), "0/1 999 nps");
        assert_eq!(told(1_624_000), "0/1 812 k nps");
        assert_eq!(told(2_468_000), "0/1 1.23 M nps");
    }
}
