//! Peta-shock books against those of another program, and against the plain definition.

mod definition;
mod goldens;
