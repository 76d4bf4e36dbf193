//! The packed forms of a position.

use shogi_core::Position;

use crate::error::{PackError, UnpackError};
use crate::form::{HCP_FORM, PACKED_SFEN_FORM};
use crate::level::Level;
use crate::placement::Placement;

macro_rules! packed {
    ($(#[$doc:meta])* $name:ident, $form:expr, $read:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 32]);

        impl $name {
            /// Packs a position.
            ///
            /// # Errors
            /// When a king is missing.
            #[inline(always)]
            pub fn encode(position: &Position) -> Result<Self, PackError> {
                let mut bytes = [0; 32];
                Level::best().encode(position, &$form, &mut bytes)?;
                Ok(Self(bytes))
            }

            /// Packs a position into these bytes, without a copy of the result. After an error the bytes are of no use.
            ///
            /// # Errors
            /// When a king is missing.
            #[inline]
            pub fn encode_into(&mut self, position: &Position) -> Result<(), PackError> {
                Level::best().encode(position, &$form, &mut self.0)
            }

            /// Unpacks the position, with move number 1. Any 32 bytes give a position or an error.
            ///
            /// # Errors
            /// See [`UnpackError`].
            pub fn decode(&self) -> Result<Position, UnpackError> {
                let mut placement = Placement::empty();
                placement.$read(self)?;
                Ok(placement.to_position(1))
            }
        }

        impl std::fmt::Display for $name {
            /// 64 lower-case hexadecimal digits.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }
    };
}

packed! {
    /// A position in YaneuraOu's packed form (PSV and pack files, `.ybb` books).
    PackedSfen, PACKED_SFEN_FORM, read_packed_sfen
}
packed! {
    /// A position in Apery's packed form (`HuffmanCodedPos`; hcpe and pack files).
    Hcp, HCP_FORM, read_hcp
}
