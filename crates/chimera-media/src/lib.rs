//! Pictures and videos without a model: designed cards in the persona's colours, still and in motion, signed with Content
//! Credentials. Depends on `chimera-core` alone, and is a crate of its own to keep its cost out of everyone else's builds.

pub mod card;
pub mod colour;
pub mod credentials;
pub mod lettering;
pub mod video;

mod alt_text;
mod embedded;
mod facts;
mod logos;
mod png_file;
mod signing;
mod upstream;

pub use embedded::EmbeddedMaker;
pub use png_file::encode_png;
pub use signing::Signing;
pub use upstream::UpstreamMaker;
