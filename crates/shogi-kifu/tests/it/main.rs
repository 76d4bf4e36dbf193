//! Game records through the public interface.

mod dialects;
mod field;
mod generate;
mod goldens;
mod grow;
mod roundtrips;
mod spellings;
