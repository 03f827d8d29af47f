//! From fetched text to trends: clean, flag, score, cluster, weigh. Pure, except that vectors come from the `Embedder` port.
//! Depends on `ports` and below; `docs/perception.md` says what each number means.

pub mod background;
pub mod clean;
pub mod cluster;
pub mod content_classifier;
pub mod dates;
pub mod emerging;
pub mod entities;
pub mod injection;
pub mod items;
pub mod json_items;
pub mod judged;
pub mod language;
pub mod likeness;
pub mod price;
pub mod remembering;
pub mod rounded;
pub mod score;
pub mod screening;
pub mod seen;
pub mod sensitivity;
pub mod topics;
pub mod toxicity;
pub mod trend;
pub mod unseen;
pub mod vectors;
pub(crate) mod weighted_words;
pub mod words;
