//! Pure decisions: may this be spent, may this be said. Depends on `domain` and `contracts`.

pub(crate) mod asker_language;
pub mod content;
pub mod crisis;
pub mod disclosure;
pub mod finished;
pub(crate) mod folding;
pub(crate) mod hashed_ngrams;
pub mod phrases;
pub mod publication;
pub mod sensitive;
pub mod spending;
pub mod wording;
