//! `pack2hcpe` as people and scripts run it.

mod goldens;
#[cfg(unix)]
mod robust;
#[cfg(unix)]
#[path = "../../../teacher/tests/it/trouble.rs"]
mod trouble;
mod usage;
#[path = "../../../teacher/tests/it/util.rs"]
mod util;

/// The program that is tested.
pub(crate) const PROGRAM: &str = "pack2hcpe";
