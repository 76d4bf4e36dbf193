//! `pack2hcpe` as people and scripts run it.

mod damage;
mod goldens;
#[cfg(unix)]
mod robust;
#[cfg(unix)]
#[path = "../../../teacher/tests/teacher/trouble.rs"]
mod trouble;
mod usage;
#[path = "../../../teacher/tests/teacher/util.rs"]
mod util;
