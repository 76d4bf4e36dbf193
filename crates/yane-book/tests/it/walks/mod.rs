//! Records in, records out: against what the field's tools write.

mod common;
mod extend_tree;
mod extract;
mod from_sfen;
mod peta_next;
mod peta_shock_next;
mod startsfens;
