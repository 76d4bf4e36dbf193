//! The divisor of a network's output as its file states it.

use crate::nnue::PreparedNetwork;
use crate::nnue::arch::Architecture;
use crate::nnue::fv_scale::FvScale;

// The divisor of a network's output as its file states it.

/// Stands before the number in the texts of files.
pub(super) const KEY: &str = "fv_scale=";

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
    /// Returns the divisor of `network`.
    pub fn of(network: &PreparedNetwork) -> Self {
        Self::by_text(network.description(), network.architecture())
    }

    /// Returns the divisor of a network of this architecture with this text in its file.
    pub(crate) fn by_text(text: &[u8], architecture: &Architecture) -> Self {
        let stated = stated(text);
        Self {
            scale: stated.unwrap_or(architecture.default_fv_scale()),
            stated: stated.is_some(),
        }
    }
}

/// The number behind `fv_scale=` in a file's text, if it is a divisor.
pub(crate) fn stated(text: &[u8]) -> Option<FvScale> {
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
