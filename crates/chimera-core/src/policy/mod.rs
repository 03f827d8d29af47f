//! Pure decisions: may this be spent, may this be said. Depends on `domain` and `contracts`.

pub mod content;
pub mod disclosure;
pub mod finished;
pub mod publication;
pub mod sensitive;
pub mod spending;
pub mod wording;
