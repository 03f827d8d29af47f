//! What a campaign may use up, from the known keys of its `budget_constraints`. Keys that are not known here are somebody else's.

use serde_json::{Map, Value};

/// Posts that may be approved for publishing.
const POSTS_MAX_KEY: &str = "posts_max";
/// Payments that may be planned.
const PAYMENTS_MAX_KEY: &str = "payments_max";

/// Absent is unlimited: the agents' policies and the platforms' limits hold all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    pub posts_max: Option<u64>,
    pub payments_max: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("budget_constraints.{key} is {found}; it must be a whole number, 0 or more")]
pub struct NotABudget {
    key: &'static str,
    found: String,
}

impl Budget {
    pub fn of(constraints: &Map<String, Value>) -> Result<Self, NotABudget> {
        let number = |key: &'static str| match constraints.get(key) {
            None => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| NotABudget { key, found: value.to_string() }),
        };
        Ok(Self { posts_max: number(POSTS_MAX_KEY)?, payments_max: number(PAYMENTS_MAX_KEY)? })
    }

    pub fn constraints(&self) -> Map<String, Value> {
        [(POSTS_MAX_KEY, self.posts_max), (PAYMENTS_MAX_KEY, self.payments_max)]
            .into_iter()
            .filter_map(|(key, limit)| limit.map(|limit| (key.to_owned(), limit.into())))
            .collect()
    }

    /// Why no further post may be approved, when so many are.
    pub fn posts_gone(&self, posts: u64) -> Option<String> {
        self.posts_max.filter(|max| posts >= *max).map(|max| format!("{posts} of {max} posts are used up"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(constraints: Value) -> Result<Budget, NotABudget> {
        Budget::of(constraints.as_object().unwrap())
    }

    #[test]
    fn known_keys_are_read_back_as_they_were_written_and_unknown_ones_are_left_alone() {
        let budget = Budget { posts_max: Some(3), payments_max: None };
        assert_eq!(Budget::of(&budget.constraints()), Ok(budget));
        assert_eq!(of(json!({ "usdc_per_day": "5" })), Ok(Budget::default()));
        assert_eq!(budget.posts_gone(2), None);
        assert_eq!(budget.posts_gone(3).as_deref(), Some("3 of 3 posts are used up"));
    }

    #[test]
    fn a_limit_that_is_no_number_is_refused() {
        for wrong in [json!("3"), json!(-1), json!(1.5), json!(null)] {
            let error = of(json!({ "posts_max": wrong })).unwrap_err();
            assert!(error.to_string().contains("posts_max"), "{error}");
        }
    }
}
