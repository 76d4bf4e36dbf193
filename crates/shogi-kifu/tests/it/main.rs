//! Game records through the public interface.

mod generate;
mod goldens;
mod roundtrips;
mod spellings;
