//! Tests of books that grow.

mod growing;
mod learning;
mod support;
