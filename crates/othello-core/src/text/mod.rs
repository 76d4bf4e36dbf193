//! Boards and positions as text: squares and a side, or two hexadecimal bitboards.

mod bitboards;
mod squares;

pub(crate) use squares::squares;
