//! Times behind moves in KIF files: `( 0:16/00:00:16)` in every spelling that is met.

/// A time behind a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrittenTime {
    /// None stands there.
    None,
    /// Milliseconds for the move.
    Own(u64),
    /// Something in brackets that is no time.
    Unreadable,
}

/// The time of a move in what stands behind it: hours, minutes and seconds in digits of either width, with blanks, the sum
/// missing, or with 分 and 秒.
pub(crate) fn read_time(text: &str) -> WrittenTime {
    let plain: String = text.chars().map(half_width).collect();
    let text = plain.trim().trim_end_matches('+').trim_end();
    let (inner, bracketed) = match text.strip_prefix('(') {
        Some(inner) => (inner, true),
        None => (text, false),
    };
    let inner = inner.split(')').next().unwrap_or(inner);
    let own = inner.split('/').next().unwrap_or(inner).trim();
    if own.is_empty() || own.chars().all(|c| matches!(c, ':' | '-' | ' ')) {
        return WrittenTime::None;
    }
    match milliseconds_of(own) {
        Some(time) => WrittenTime::Own(time),
        // Words behind a move that no bracket begins are no time, and nothing that was meant as one.
        None if bracketed => WrittenTime::Unreadable,
        None => WrittenTime::None,
    }
}

/// Full-width digits and marks as those of ASCII.
fn half_width(c: char) -> char {
    match c {
        '０'..='９' | '：' | '／' | '（' | '）' | '＋' | '－' | '．' => {
            char::from_u32(c as u32 - 0xFEE0).unwrap_or(c)
        }
        '\u{3000}' | '\t' => ' ',
        _ => c,
    }
}

/// `1:02:03`, `0:16`, `16`, `1.5`, `2分5秒`.
fn milliseconds_of(own: &str) -> Option<u64> {
    let units = own.replace("時間", ":").replace(['分', '時'], ":");
    let text = units.trim_end_matches(['秒', 's']).trim_end();
    let ends_in_unit = text.ends_with(':') && own.ends_with(['分', '時', '間']);
    let mut seconds = 0u64;
    let mut fraction = 0;
    let mut any = false;
    for part in text.split(':') {
        let part = part.trim();
        let (whole, rest) = part.split_once('.').unwrap_or((part, ""));
        let whole: u64 = if whole.is_empty() && rest.is_empty() {
            0
        } else {
            any = true;
            whole.parse::<u32>().ok()?.into()
        };
        seconds = seconds.checked_mul(60)?.checked_add(whole)?;
        fraction = crate::text::milliseconds(rest)?;
    }
    // `2分` has no seconds behind it, `1時間` neither minutes nor seconds.
    if ends_in_unit && own.ends_with('間') {
        seconds = seconds.checked_mul(60)?;
    }
    any.then_some(())?;
    seconds.checked_mul(1000)?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_spelling() {
        for (text, expected) in [
            ("( 0:16/00:00:16)", WrittenTime::Own(16_000)),
            ("   ( 0:16/00:00:16)+", WrittenTime::Own(16_000)),
            ("(0:3/0:0:3)", WrittenTime::Own(3000)),
            ("( 0:03/)", WrittenTime::Own(3000)),
            ("( 0:03)", WrittenTime::Own(3000)),
            ("(1:02:03/01:02:03)", WrittenTime::Own(3_723_000)),
            ("（　０：１６／００：００：１６）", WrittenTime::Own(16_000)),
            ("(00:02 / 00:00:02)", WrittenTime::Own(2000)),
            ("( 0:01.5/00:00:01)", WrittenTime::Own(1500)),
            ("(5/5)", WrittenTime::Own(5000)),
            ("(2分5秒)", WrittenTime::Own(125_000)),
            ("(2分)", WrittenTime::Own(120_000)),
            ("(1時間)", WrittenTime::Own(3_600_000)),
            ("\t(0:16/\t00:00:16)", WrittenTime::Own(16_000)),
            ("0:16", WrittenTime::Own(16_000)),
            ("( :05/ )", WrittenTime::Own(5000)),
            ("", WrittenTime::None),
            ("+", WrittenTime::None),
            ("()", WrittenTime::None),
            ("( / )", WrittenTime::None),
            ("(--:--/--:--:--)", WrittenTime::None),
            ("(x)", WrittenTime::Unreadable),
            ("(9999999999:00)", WrittenTime::Unreadable),
            ("words", WrittenTime::None),
        ] {
            assert_eq!(read_time(text), expected, "{text}");
        }
    }
}
