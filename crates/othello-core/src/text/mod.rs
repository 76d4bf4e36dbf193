//! Games, boards and positions as text, in every spelling that programs and people use.
//!
//! [`moves`] reads transcripts and [`result`] what stands behind them, [`boards`] boards of 64 signs, [`drawn`] boards in numbered rows, [`numbers`] pairs of
//! hexadecimal numbers, [`properties`] GGF and SGF, [`json`] JSON, [`wthor`] WTHOR; [`fold`] makes characters alike
//! before. [`reading`](crate::reading) says which of these a text is. [`squares`] and [`bitboards`] are the plain forms
//! that are written.

mod bitboards;
pub(crate) mod boards;
pub(crate) mod drawn;
pub(crate) mod fold;
pub(crate) mod json;
pub(crate) mod moves;
pub(crate) mod numbers;
pub(crate) mod properties;
pub(crate) mod result;
pub(crate) mod sides;
mod squares;
pub(crate) mod wthor;

pub(crate) use squares::squares;
