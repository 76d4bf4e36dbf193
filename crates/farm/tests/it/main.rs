//! Engines at work, from outside.

mod running;
