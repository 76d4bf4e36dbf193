//! The binary formats and the conversions between all formats.

mod broken;
mod conversions;
mod goldens;
mod round_trips;
mod support;
