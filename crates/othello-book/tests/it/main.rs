//! Tests of books as a user of the crate sees them.
//!
//! * [`golden`]: books that Edax and Egaroucid made, and what other programs read out of them; bytes that are no books.
//! * [`index`]: positions looked up in the file.
//! * [`miner`]: lines of the classic miner, and of [`reference`], which is its algorithm as it was written down.
//! * [`convert`]: from one program to the other.
//! * [`ops`]: operations of Egaroucid, and Edax's negamax.
//! * [`side_cars`]: matching, and damage; books in the text form of Edax.
//! * [`trials`]: cases of the field.
//! * [`trust`]: grades of positions, and errors of moves.
//! * [`files`]: whole books, with their side-cars.
//! * [`real_edax`]: an Edax that is at hand, if one is.

mod convert;
mod files;
mod golden;
mod index;
mod miner;
mod ops;
mod real_edax;
mod reference;
mod side_cars;
mod trials;
mod trust;
