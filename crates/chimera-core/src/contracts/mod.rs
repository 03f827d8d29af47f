//! The promises to strangers: every JSON document that crosses Chimera's border, and the only serde derives of this crate.
//! `checking` validates what arrives against the very schemas that are advertised; it depends on nothing else here.

pub mod checking;
pub mod error_code;
pub mod failure;
pub mod schema;
pub mod values;

pub mod content_generator;
pub mod trend_fetcher;
pub mod wallet_transaction;

pub mod campaign;
pub mod decision;
pub mod filter_result;
pub mod lesson;
pub mod memory_context;
pub mod model_opinion;
pub mod model_plan;
pub mod result;
pub mod review;
pub mod soul;
pub mod task;
pub mod trend_alert;
pub mod views;

pub use checking::{Checker, Violation};
pub use error_code::ErrorCode;
pub use failure::SkillFailure;
pub use values::{False, True, UtcTime, UuidV4};

/// Every schema that is committed under `contracts/`, by file name without its ending.
pub fn published_schemas() -> Vec<(&'static str, serde_json::Value)> {
    use schema::of;
    vec![
        ("skill_trend_fetcher.input", trend_fetcher::input_schema()),
        ("skill_trend_fetcher.output", trend_fetcher::output_schema()),
        ("skill_content_generator.input", content_generator::input_schema()),
        ("skill_content_generator.output", content_generator::output_schema()),
        ("skill_wallet_transaction.input", wallet_transaction::input_schema()),
        ("skill_wallet_transaction.output", wallet_transaction::output_schema()),
        ("trend_alert", of::<trend_alert::TrendAlert>()),
        ("filter_result", of::<filter_result::SemanticFilterResult>()),
        ("agent_task", of::<task::AgentTask>()),
        ("worker_result", of::<result::WorkerResult>()),
        ("judge_decision", of::<decision::JudgeDecision>()),
        ("campaign_goal", of::<campaign::CampaignGoal>()),
        ("review_item", of::<review::ReviewItem>()),
        ("review_answer", of::<review::ReviewAnswer>()),
        ("memory_context", of::<memory_context::MemoryContext>()),
    ]
}
