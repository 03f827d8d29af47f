//! Values that are valid by construction. Depends on `contracts` only.

pub mod agent_id;
pub mod agent_state;
pub mod asset;
pub mod author;
pub mod campaign;
pub mod foreign_text;
pub mod freeze;
pub mod heard;
pub mod hidden;
pub mod language;
pub mod ledger;
pub mod money;
pub mod percent;
pub mod platform;
pub mod praise;
pub mod review;
pub mod soul;
pub mod task;
pub mod transfer;
pub mod untrusted;
pub mod web_url;

pub use agent_id::AgentId;
pub use author::Author;
pub use language::Language;
pub use platform::Platform;
pub use soul::Soul;
pub use untrusted::Untrusted;
pub use web_url::WebUrl;
