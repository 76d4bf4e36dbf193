//! Programs of this project as jobs of a page.

mod child;
mod describe;
mod kinds;
mod words;
mod work;

pub use child::{FollowedProgram, ProgramEnd, ProgramSetup};
pub use work::{ProgramJobs, ProgramsSetup};
