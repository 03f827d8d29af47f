use super::*;
use crate::contracts::{content_generator, published_schemas, trend_fetcher, wallet_transaction};
use serde_json::json;

fn trend_input() -> Value {
    json!({
        "agent_id": "selam",
        "campaign_id": "spring",
        "resource_uris": ["news://global/technology/latest", "twitter://mentions/recent", "market://crypto/eth/price"],
        "goal_context": "follow technology news",
        "relevance_threshold": 0.75,
        "options": { "include_raw": false, "time_window_hours": 4 }
    })
}

fn content_input() -> Value {
    json!({
        "task_id": "2f1d9f6e-8a0b-4c3d-9e4f-5a6b7c8d9e0f",
        "agent_id": "selam",
        "task_type": "generate_content",
        "context": {
            "goal_description": "tell people about the new chip",
            "persona_constraints": ["never promise returns"],
            "required_resources": ["mcp://feeds/news%3A%2F%2Fglobal%2Ftechnology%2Flatest"],
            "campaign_id": "spring"
        },
        "acceptance_criteria": { "content_type": "text", "platform": "twitter", "min_confidence": 0.0 },
        "memory_context": { "soul_summary": "calm", "short_term_refs": ["a"], "long_term_refs": ["b"] }
    })
}

fn wallet_input() -> Value {
    json!({
        "task_id": "2f1d9f6e-8a0b-4c3d-9e4f-5a6b7c8d9e0f",
        "agent_id": "selam",
        "operation": "token_transfer",
        "params": {
            "asset": "USDC",
            "to_address": "0x000000000000000000000000000000000000dEaD",
            "amount_wei_or_units": "1000000",
            "chain_id": "8453"
        },
        "budget_check": { "daily_spend_key": "daily:selam", "max_daily_limit_units": "5000000" }
    })
}

/// Each input contract: its name, its schema, the checker of it, and an input that is right.
fn contracts() -> [(&'static str, Value, Checker, Value); 3] {
    [
        ("trend", trend_fetcher::input_schema(), trend_input()),
        ("content", content_generator::input_schema(), content_input()),
        ("wallet", wallet_transaction::input_schema(), wallet_input()),
    ]
    .map(|(name, schema, input)| (name, schema.clone(), Checker::new(schema), input))
}

/// Every place inside `value` as a JSON pointer, objects' fields and arrays' items alike.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(object) => object.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (name, value) in inner {
        let path = format!("{path}/{name}");
        found.push(path.clone());
        places(value, &path, found);
    }
}

fn all_places(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    places(value, "", &mut found);
    found
}

/// Whether the schema requires the field at `path`.
fn is_required(schema: &Value, path: &str) -> bool {
    let mut at = schema;
    let mut required = true;
    for name in path.split('/').skip(1) {
        match at["type"].as_str() {
            Some("array") => {
                at = &at["items"];
                required = false;
            }
            _ => {
                required = at["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name));
                at = &at["properties"][name];
            }
        }
    }
    required
}

#[test]
fn the_examples_of_the_contract_are_valid_and_read_into_their_types() {
    for (name, _, checker, input) in contracts() {
        assert_eq!(checker.check(&input), [], "{name}");
    }
    assert!(Checker::new(trend_fetcher::input_schema()).read::<trend_fetcher::TrendFetcherInput>(&trend_input()).is_ok());
    assert!(Checker::new(content_generator::input_schema()).read::<content_generator::ContentGeneratorInput>(&content_input()).is_ok());
    assert!(Checker::new(wallet_transaction::input_schema()).read::<wallet_transaction::WalletTransactionInput>(&wallet_input()).is_ok());
}

#[test]
fn the_absence_of_every_required_field_is_named_and_of_every_other_is_fine() {
    for (name, schema, checker, input) in contracts() {
        for path in all_places(&input) {
            let (parent, field) = path.rsplit_once('/').unwrap();
            let mut changed = input.clone();
            let Some(Value::Object(object)) = changed.pointer_mut(parent) else { continue };
            object.remove(field);

            let violations = checker.check(&changed);

            if is_required(&schema, &path) {
                assert_eq!(violations, [Violation::new(&path, "is required")], "{name}");
            } else {
                assert_eq!(violations, [], "{name} {path}");
            }
        }
    }
}

#[test]
fn every_wrong_type_in_every_place_is_named_at_its_own_path() {
    let wrong = [json!(null), json!(true), json!(7), json!(-1.5), json!("x y"), json!([]), json!([[1]]), json!({}), json!({"a": {}})];
    for (name, schema, checker, input) in contracts() {
        for path in all_places(&input) {
            let right = kind(input.pointer(&path).unwrap());
            for value in wrong.iter().filter(|value| kind(value) != right) {
                let mut changed = input.clone();
                *changed.pointer_mut(&path).unwrap() = value.clone();

                let violations = checker.check(&changed);

                let optional_null = value.is_null() && !is_required(&schema, &path) && !path.ends_with(|c: char| c.is_ascii_digit());
                if optional_null {
                    assert_eq!(violations, [], "{name} {path}: null means absent");
                } else {
                    assert_eq!(violations.len(), 1, "{name} {path} {value}: {violations:?}");
                    assert_eq!(violations[0].path, path, "{name} {value}");
                }
            }
        }
    }
}

#[test]
fn unknown_fields_are_named_at_every_level() {
    for (name, _, checker, input) in contracts() {
        let mut objects = all_places(&input);
        objects.push(String::new());
        for path in objects {
            let mut changed = input.clone();
            let Some(Value::Object(object)) = changed.pointer_mut(&path) else { continue };
            object.insert("sur~prise/".to_owned(), json!(1));

            let violations = checker.check(&changed);

            assert_eq!(violations, [Violation::new(format!("{path}/sur~0prise~1"), "is not a field of this contract")], "{name}");
        }
    }
}

#[test]
fn all_violations_are_in_one_answer() {
    let input = json!({
        "task_id": "00000000-0000-1000-8000-000000000000",
        "operation": "steal",
        "params": { "asset": "", "chain_id": "0x1" },
        "budget_check": { "daily_spend_key": "UPPER", "max_daily_limit_units": "-1" },
        "extra": true
    });

    let violations = Checker::new(wallet_transaction::input_schema()).check(&input);

    let mut paths: Vec<&str> = violations.iter().map(|violation| violation.path.as_str()).collect();
    paths.sort_unstable();
    let expected = [
        "/agent_id",
        "/budget_check/daily_spend_key",
        "/budget_check/max_daily_limit_units",
        "/extra",
        "/operation",
        "/params/asset",
        "/params/chain_id",
        "/task_id",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn both_sides_of_every_limit_of_the_trend_fetcher_are_known() {
    let checker = Checker::new(trend_fetcher::input_schema());
    let uris = |count: usize| json!((0..count).map(|n| format!("news://a/b/{n}")).collect::<Vec<_>>());
    let table = [
        ("/relevance_threshold", json!(0), true),
        ("/relevance_threshold", json!(1.0), true),
        ("/relevance_threshold", json!(-0.001), false),
        ("/relevance_threshold", json!(1.001), false),
        ("/options/time_window_hours", json!(0), false),
        ("/options/time_window_hours", json!(0.01), true),
        ("/options/time_window_hours", json!(168), true),
        ("/options/time_window_hours", json!(168.5), false),
        ("/resource_uris", uris(0), false),
        ("/resource_uris", uris(1), true),
        ("/resource_uris", uris(64), true),
        ("/resource_uris", uris(65), false),
        ("/resource_uris/0", json!("news://{region}/x/latest"), false),
        ("/resource_uris/0", json!("latest"), false),
        ("/resource_uris/0", json!(""), false),
        ("/resource_uris/0", json!("news://a b"), false),
        ("/goal_context", json!(""), false),
        ("/goal_context", json!("g".repeat(4000)), true),
        ("/goal_context", json!("g".repeat(4001)), false),
        ("/agent_id", json!(""), false),
    ];
    for (path, value, valid) in table {
        let mut input = trend_input();
        *input.pointer_mut(path).unwrap() = value.clone();
        assert_eq!(checker.check(&input).is_empty(), valid, "{path} {value}");
    }
}

#[test]
fn a_uuid_of_another_version_or_form_is_refused() {
    let checker = Checker::new(wallet_transaction::input_schema());
    for id in
        ["", "x", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "2f1d9f6e8a0b4c3d9e4f5a6b7c8d9e0f", "{2f1d9f6e-8a0b-4c3d-9e4f-5a6b7c8d9e0f}"]
    {
        let mut input = wallet_input();
        input["task_id"] = json!(id);
        assert_eq!(checker.check(&input).len(), 1, "{id:?}");
    }
}

/// Some hosts make their model fill in every field there is.
#[test]
fn empty_text_in_an_optional_field_is_no_text_where_no_money_is_moved() {
    let mut input = content_input();
    input["context"]["campaign_id"] = json!("");
    input["acceptance_criteria"]["platform"] = json!("");
    let strict: Result<content_generator::ContentGeneratorInput, _> = Checker::new(content_generator::input_schema()).read(&input);
    let read: content_generator::ContentGeneratorInput =
        Checker::with_empty_as_absent(content_generator::input_schema()).read(&input).unwrap();
    assert_eq!(strict.unwrap_err().len(), 2);
    assert_eq!((read.context.campaign_id, read.acceptance_criteria.platform), (None, None));

    input["agent_id"] = json!("");
    let required: Result<content_generator::ContentGeneratorInput, _> =
        Checker::with_empty_as_absent(content_generator::input_schema()).read(&input);
    assert_eq!(required.unwrap_err(), [Violation::new("/agent_id", "must not be empty")], "what is required is still missed");
}

/// Words that a vendor's converter does not know make it drop the tool.
#[test]
fn what_is_advertised_uses_few_words_and_loses_no_field() {
    for (name, schema, _, input) in contracts() {
        let portable = crate::contracts::schema::portable(&schema);
        let text = portable.to_string();
        for unwanted in ["$schema", "additionalProperties", "\"format\"", "exclusiveMinimum", "oneOf", "anyOf", "\"const\""] {
            assert!(!text.contains(unwanted), "{name} has {unwanted}: {text}");
        }
        assert!(Checker::new(portable.clone()).check(&input).is_empty(), "{name}");
        assert_eq!(portable["required"], schema["required"], "{name}");
        assert_eq!(portable["properties"].as_object().unwrap().len(), schema["properties"].as_object().unwrap().len(), "{name}");
        assert!(text.contains("A UUID.") || name == "trend", "a format is said in words: {text}");
    }
}

#[test]
fn noise_gives_a_bounded_answer() {
    let many: serde_json::Map<String, Value> = (0..5000).map(|n| (format!("field{n}{}", "x".repeat(500)), json!(n))).collect();

    let violations = Checker::new(trend_fetcher::input_schema()).check(&Value::Object(many));

    assert_eq!(violations.len(), VIOLATIONS_MAX);
    assert!(violations.iter().all(|violation| violation.path.len() < 200));
}

#[test]
fn published_schemas_are_flat_objects_without_null_and_without_references() {
    for (name, schema) in published_schemas() {
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        let text = schema.to_string();
        for unwanted in ["$ref", "$defs", "\"null\"", "x-nullable", "\"format\":\"double\"", "uint"] {
            let allowed = name == "skill_trend_fetcher.output" && unwanted == "\"null\"";
            assert!(allowed || !text.contains(unwanted), "{name} has {unwanted}: {text}");
        }
        Checker::new(schema);
    }
}
