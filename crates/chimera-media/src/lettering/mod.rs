//! Letters: the embedded typefaces, which text they can write, how a line of any script runs, and how a text of any length is
//! fitted into a box.

mod breaking;
mod fitting;
mod fonts;
mod outline;
mod scripts;
mod shaping;
mod writable;

pub use breaking::{cut, pieces};
pub use fitting::{Fitted, Style, fit};
pub use fonts::Family;
pub use scripts::{Han, is_cjk, is_devanagari, is_right_to_left};
pub use shaping::{Line, Setting, line};
pub use writable::{REPLACEMENT, Unprintable, Writable, writable};
