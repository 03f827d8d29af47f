//! What every page is put together from: small functions from a value to HTML. Text that others wrote goes through [`text`], which escapes
//! it and draws what hides in it; nothing here writes a `style` attribute or a handler, which the pages' policy would not run.

pub(crate) mod chips;
pub(crate) mod controls;
pub(crate) mod icons;
pub(crate) mod layout;
pub(crate) mod text;
pub(crate) mod values;
pub(crate) mod why;

pub(crate) use chips::{Tone, agent_state, chip, platform_name};
pub(crate) use controls::{Look, act_button, button_link, key_hint};
pub(crate) use layout::{banner, definitions, empty, more};
pub(crate) use text::{WebLink, outside, outside_line};
pub(crate) use values::{address, amount, budget_bar, exact, hash, money, percent, time};
