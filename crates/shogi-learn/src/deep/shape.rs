//! The shape of a residual network, by a name.

use std::fmt;
use std::str::FromStr;

use shogi_deep::InputFormat;
use shogi_deep::convolution::vectors_of;

/// The shape of a residual network in dlshogi's form. Its name is `resnet5x32`: blocks and channels; behind them may stand `_fc64`, the units of
/// the value's hidden layer (as many as channels otherwise), and `_wcsc35` for 119 planes of hands and entering kings instead of 57.
///
/// ```
/// use shogi_learn::DeepShape;
///
/// let shape: DeepShape = "resnet10x96_fc128".parse()?;
/// assert_eq!((shape.blocks, shape.channels, shape.value_units), (10, 96, 128));
/// # Ok::<(), shogi_learn::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeepShape {
    /// The planes that it wants.
    pub format: InputFormat,
    /// Residual blocks, 1 to 40.
    pub blocks: usize,
    /// Channels of a map, 8 to 512.
    pub channels: usize,
    /// Units of the value's hidden layer, 8 to 1024.
    pub value_units: usize,
}

impl DeepShape {
    /// Vectors of a row of a map.
    pub(super) const fn vectors(&self) -> usize {
        vectors_of(self.channels)
    }
}

/// Why a text names no shape of a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Another form.
    #[error(
        "{0:?} is no residual network: expected resnet BLOCKS x CHANNELS, such as resnet5x32, resnet10x96_fc128 or resnet5x32_wcsc35"
    )]
    Form(String),
    /// A size out of bounds.
    #[error("{shape}: {found} {what}, expected {least} to {most}")]
    Size {
        /// The text.
        shape: String,
        /// What has the size.
        what: &'static str,
        /// The size.
        found: usize,
        /// The smallest.
        least: usize,
        /// The largest.
        most: usize,
    },
}

impl FromStr for DeepShape {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Self, ShapeError> {
        let expected = || ShapeError::Form(text.to_owned());
        let mut words = text.strip_prefix("resnet").ok_or_else(expected)?.split('_');
        let (blocks, channels) = (words.next())
            .and_then(|word| word.split_once('x'))
            .ok_or_else(expected)?;
        let number = |text: &str| text.parse::<usize>().map_err(|_| expected());
        let mut shape = Self {
            format: InputFormat::Wcsc28,
            blocks: number(blocks)?,
            channels: number(channels)?,
            value_units: number(channels)?,
        };
        for word in words {
            match (word, word.strip_prefix("fc")) {
                ("wcsc35", _) => shape.format = InputFormat::Wcsc35,
                (_, Some(units)) => shape.value_units = number(units)?,
                _ => return Err(expected()),
            }
        }
        for (what, found, range) in [
            ("blocks", shape.blocks, 1..=40),
            ("channels", shape.channels, 8..=512),
            (
                "units of the value's hidden layer",
                shape.value_units,
                8..=1024,
            ),
        ] {
            if !range.contains(&found) {
                let (least, most) = range.into_inner();
                return Err(ShapeError::Size {
                    shape: text.to_owned(),
                    what,
                    found,
                    least,
                    most,
                });
            }
        }
        Ok(shape)
    }
}

impl fmt::Display for DeepShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            format,
            blocks,
            channels,
            value_units,
        } = *self;
        write!(f, "resnet{blocks}x{channels}")?;
        if value_units != channels {
            write!(f, "_fc{value_units}")?;
        }
        match format {
            InputFormat::Wcsc28 => Ok(()),
            InputFormat::Wcsc35 => f.write_str("_wcsc35"),
        }
    }
}
