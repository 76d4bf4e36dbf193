//! Books through the public interface.

mod formats;
mod merging;
mod peta;
mod probe;
mod queries;
mod trees;
mod walks;
