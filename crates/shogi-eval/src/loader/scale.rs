//! The divisor of a network's output as its file states it.

use crate::nnue::arch::Architecture;
use crate::nnue::{FvScale, PreparedNetwork};

/// Stands before the number in the texts of files.
const KEY: &str = "fv_scale=";

/// The divisor that goes with a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnScale {
    /// The divisor.
    pub scale: FvScale,
    /// True if the file's text states it (`fv_scale=N`); else it is what is usual for networks of this
    /// architecture.
    pub stated: bool,
}

impl OwnScale {
    /// That of `network`.
    pub fn of(network: &PreparedNetwork) -> Self {
        Self::by_text(network.description(), network.architecture())
    }

    /// That of a network of this architecture with this text in its file.
    pub(crate) fn by_text(text: &[u8], architecture: &Architecture) -> Self {
        let stated = stated(text);
        Self {
            scale: stated.unwrap_or(architecture.default_fv_scale()),
            stated: stated.is_some(),
        }
    }
}

/// The number behind `fv_scale=` in a file's text, if it is a divisor.
fn stated(text: &[u8]) -> Option<FvScale> {
    let at = text
        .windows(KEY.len())
        .position(|part| part.eq_ignore_ascii_case(KEY.as_bytes()))?;
    let digits = &text[at + KEY.len()..];
    let end = digits
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(digits.len());
    let number = std::str::from_utf8(&digits[..end]).ok()?.parse().ok()?;
    FvScale::new(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_files() {
        for (text, expected) in [
            ("Features=X,fv_scale=28", Some(28)),
            ("FV_SCALE=14,qa=127", Some(14)),
            ("fv_scale=0", None),
            ("fv_scale=129", None),
            ("fv_scale=99999999999999999999", None),
            ("fv_scale=", None),
            ("fv_scale=-3", None),
            ("", None),
            ("fv_scal", None),
        ] {
            let found = stated(text.as_bytes()).map(FvScale::get);
            assert_eq!(found, expected, "{text}");
        }
    }
}
