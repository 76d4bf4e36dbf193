//! Tests of the solver: collected problems, and small random ones against a plain search.

mod collections;
mod oracle;
mod random;
mod support;
