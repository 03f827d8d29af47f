//! The error object that every skill answers with; only the name of its id differs from skill to skill.

use super::{ErrorCode, False, UuidV4, Violation};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What went wrong in a skill, before it is given its ids.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillFailure {
    pub code: ErrorCode,
    /// For a person: what is wrong and what to do. Holds nothing of the machine.
    pub message: String,
    pub details: Map<String, Value>,
    /// The id of the earlier answer that this one repeats, where there is one.
    pub answer_id: Option<UuidV4>,
}

impl SkillFailure {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Map::new(), answer_id: None }
    }

    pub fn with(mut self, key: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).expect("details are plain data, which always serialises");
        self.details.insert(key.to_owned(), value);
        self
    }

    pub fn repeating(mut self, answer_id: UuidV4) -> Self {
        self.answer_id = Some(answer_id);
        self
    }

    /// `code` is `invalid_input`, or a narrower one such as `invalid_address`. The message names the first and says where all of them are.
    pub fn violations(code: ErrorCode, violations: &[Violation]) -> Self {
        let mut message = match violations.first() {
            Some(Violation { path, problem }) if path.is_empty() => problem.clone(),
            Some(Violation { path, problem }) => [path, ": ", problem].concat(),
            None => String::new(),
        };
        if violations.len() > 1 {
            message.push_str(&format!("; and {} more in details.violations", violations.len() - 1));
        }
        let listed = violations.iter().map(violation_value).collect();
        let details = Map::from_iter([("violations".to_owned(), Value::Array(listed))]);
        Self { details, ..Self::new(code, message) }
    }

    pub fn internal() -> Self {
        Self::new(ErrorCode::InternalError, "something inside failed; the server's log has the cause, and the call may be tried again")
    }
}

/// What serialising it gives, without the detour.
fn violation_value(Violation { path, problem }: &Violation) -> Value {
    let mut fields = Map::new();
    fields.insert("path".to_owned(), Value::String(path.clone()));
    fields.insert("problem".to_owned(), Value::String(problem.clone()));
    Value::Object(fields)
}

/// The error object on the wire. `id_name` in [`answer`] is the seed's name for its id.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureAnswer {
    pub success: False,
    /// The task of the input, where it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The agent of the input, where it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    pub error_code: ErrorCode,
    /// What went wrong and what to do, for a person.
    pub message: String,
    /// What a program needs to act on the code; empty when there is nothing more to say.
    pub details: Map<String, Value>,
}

/// The longest id that is echoed: a longer one is hostile, and not an id.
const ECHOED_ID_CHARS_MAX: usize = 128;

/// The error object for `failure`, with the ids that `input` gave.
pub fn answer(id_name: &str, echoes_task: bool, input: &Value, failure: SkillFailure) -> Value {
    let echoed =
        |name: &str| input.get(name).and_then(Value::as_str).filter(|id| !id.is_empty() && id.chars().count() <= ECHOED_ID_CHARS_MAX);
    // Put together by hand, each text moved in: serialising a `FailureAnswer` would copy them all, and a refusal is
    // answered as often as someone asks wrongly. A test holds the two together.
    let mut answer = Map::new();
    let mut put = |name: &str, value: Value| answer.insert(name.to_owned(), value);
    put("success", Value::Bool(false));
    put("error_code", serde_json::to_value(failure.code).expect("a code is a string"));
    put("message", Value::String(failure.message));
    put("details", Value::Object(failure.details));
    put(id_name, Value::String(failure.answer_id.unwrap_or_else(UuidV4::random).to_string()));
    // The answer must hold to its own schema, where a task is a uuid.
    if let Some(task_id) = echoed("task_id").filter(|id| echoes_task && id.parse::<UuidV4>().is_ok()) {
        put("task_id", Value::String(task_id.to_owned()));
    }
    if let Some(agent_id) = echoed("agent_id") {
        put("agent_id", Value::String(agent_id.to_owned()));
    }
    Value::Object(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_answer_is_a_failure_answer_with_the_skills_own_id() {
        let failure = || SkillFailure::new(ErrorCode::RateLimited, "wait").with("retry_after_s", 7);
        let task = "2f1d9f6e-8a0b-4c3d-9e4f-5a6b7c8d9e0f";
        let input = json!({"task_id": task, "agent_id": "a"});
        let no_task = json!({"task_id": "t", "agent_id": "a"});

        for (echoes_task, input, task_id, agent_id) in [
            (true, &input, Some(task), Some("a")),
            (false, &input, None, Some("a")),
            (true, &no_task, None, Some("a")),
            (true, &json!({"task_id": ""}), None, None),
        ] {
            let mut made = answer("transaction_id", echoes_task, input, failure());

            let wanted = FailureAnswer {
                success: False,
                task_id: task_id.map(str::to_owned),
                agent_id: agent_id.map(str::to_owned),
                error_code: ErrorCode::RateLimited,
                message: "wait".to_owned(),
                details: failure().details,
            };
            let id = made.as_object_mut().unwrap().remove("transaction_id").unwrap();
            assert!(id.as_str().unwrap().parse::<UuidV4>().is_ok(), "{id}");
            assert_eq!(made, serde_json::to_value(wanted).unwrap());
        }
    }

    #[test]
    fn the_message_names_the_first_violation_and_counts_the_rest() {
        let violation = |path: &str| Violation::new(path, "is wrong");
        for (paths, message) in [
            (vec![""], "is wrong"),
            (vec!["/a", "/b"], "/a: is wrong; and 1 more in details.violations"),
            (vec!["", "/b", "/c"], "is wrong; and 2 more in details.violations"),
        ] {
            let violations: Vec<Violation> = paths.into_iter().map(violation).collect();

            let failure = SkillFailure::violations(ErrorCode::InvalidInput, &violations);

            assert_eq!(failure.message, message);
            assert_eq!(failure.details["violations"], serde_json::to_value(violations).unwrap());
        }
    }
}
