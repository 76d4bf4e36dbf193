//! Tests of books that grow.

mod failing;
mod growing;
mod learning;
mod support;
