//! Counts, rates and times, as people read them.

use std::time::Duration;

use indicatif::{BinaryBytes, HumanCount};
use yane_io::Unit;

/// `1,200/5,000 positions`, `1.20 GiB/3.40 GiB`; without a total `1,200 positions`.
pub(super) fn counts(done: u64, total: Option<u64>, unit: Unit) -> String {
    let (amount, what) = match unit {
        Unit::Bytes => {
            let done = BinaryBytes(done);
            return match total {
                Some(total) => format!("{done}/{}", BinaryBytes(total)),
                None => done.to_string(),
            };
        }
        Unit::Records => (HumanCount(done), " records"),
        Unit::Games => (HumanCount(done), " games"),
        Unit::Positions => (HumanCount(done), " positions"),
        _ => (HumanCount(done), ""),
    };
    match total {
        Some(total) => format!("{amount}/{}{what}", HumanCount(total)),
        None => format!("{amount}{what}"),
    }
}

/// Units a second: `12,345/s`, `1.5/s`; what takes longer than ten seconds each is told by the minute: `2.5/min`.
pub(super) fn rate(per_second: f64, unit: Unit) -> String {
    if unit == Unit::Bytes {
        return format!("{}/s", BinaryBytes(per_second as u64));
    }
    if per_second >= 10.0 {
        format!("{}/s", HumanCount(per_second as u64))
    } else if per_second >= 0.1 || per_second <= 0.0 {
        format!("{per_second:.1}/s")
    } else {
        format!("{:.1}/min", per_second * 60.0)
    }
}

/// A time for people: `45 s`, `12 min`, `3 h 05 min`, `2 d 04 h`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match hours {
        0 if minutes == 0 => format!("{seconds} s"),
        0 => format!("{minutes} min"),
        1..48 => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{} d {:02} h", hours / 24, hours % 24),
    }
}

/// The time that is left; `?` as long as nothing was done, from which it could be reckoned.
pub(super) fn left(per_second: f64, time: Duration) -> String {
    if per_second > 0.0 {
        duration(time)
    } else {
        "?".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_unit() {
        let all = Some(5000);
        assert_eq!(counts(1200, all, Unit::Positions), "1,200/5,000 positions");
        assert_eq!(counts(3, None, Unit::Games), "3 games");
        let bytes = Some(3 << 30);
        assert_eq!(counts(1 << 20, bytes, Unit::Bytes), "1.00 MiB/3.00 GiB");
    }

    #[test]
    fn slow_work_has_a_rate_too() {
        assert_eq!(rate(12345.6, Unit::Records), "12,345/s");
        assert_eq!(rate(1.54, Unit::Games), "1.5/s");
        assert_eq!(rate(0.042, Unit::Positions), "2.5/min");
        assert_eq!(rate(0.0, Unit::Positions), "0.0/s");
        assert_eq!(rate(2048.0, Unit::Bytes), "2.00 KiB/s");
    }

    #[test]
    fn nothing_is_reckoned_from_nothing() {
        assert_eq!(left(0.0, Duration::ZERO), "?");
        assert_eq!(left(2.0, Duration::from_secs(90)), "1 min");
    }

    #[test]
    fn times_are_told_in_hours() {
        for (seconds, text) in [
            (45, "45 s"),
            (12 * 60 + 59, "12 min"),
            (3 * 3600 + 5 * 60, "3 h 05 min"),
            (47 * 3600, "47 h 00 min"),
            (52 * 3600, "2 d 04 h"),
        ] {
            assert_eq!(duration(Duration::from_secs(seconds)), text);
        }
    }
}
