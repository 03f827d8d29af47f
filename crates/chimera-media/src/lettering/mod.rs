//! Letters: the embedded typefaces, how a line of text runs, and how a text of any length is fitted into a box.

mod fitting;
mod fonts;

pub use fitting::{Fitted, Style, fit};
pub use fonts::{Family, Line, Unprintable, line, printable, width};
