//! Whatever is sent to a skill, it answers with its contract's JSON: never a panic, never a protocol error.

pub(crate) mod generator;

use crate::program::Folder;
use boon::{Compiler, Draft, SchemaIndex, Schemas};
use chimera::{
    config::{Environment, Settings},
    mcp::McpSkillCaller,
    wiring::{App, Role},
};
use chimera_core::{
    contracts::{
        Checker, ErrorCode, content_generator::ContentGeneratorOutput, trend_fetcher::TrendFetcherOutput,
        wallet_transaction::WalletTransactionOutput,
    },
    domain::money::{Address, U256},
    ports::skill_caller::SkillCaller,
    skills::{CONTENT_GENERATOR, SkillInfo, TREND_FETCHER, WALLET_TRANSACTION},
};
use futures::StreamExt;
use generator::Dice;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;

const CASES_DEFAULT: u64 = 300;
const SEED_DEFAULT: u64 = 20_260_728;
const AT_ONCE: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_trend_fetcher_answers_whatever_it_is_asked() {
    answers_whatever_it_is_asked(&TREND_FETCHER, |answer| TrendFetcherOutput::deserialize(answer).map(drop)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_content_generator_answers_whatever_it_is_asked() {
    answers_whatever_it_is_asked(&CONTENT_GENERATOR, |answer| ContentGeneratorOutput::deserialize(answer).map(drop)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wallet_answers_whatever_it_is_asked() {
    answers_whatever_it_is_asked(&WALLET_TRANSACTION, |answer| WalletTransactionOutput::deserialize(answer).map(drop)).await;
}

async fn answers_whatever_it_is_asked(info: &'static SkillInfo, read_success: fn(&Value) -> serde_json::Result<()>) {
    let (cases, seed) = (number("CHIMERA_TEST_CASES", CASES_DEFAULT), number("CHIMERA_TEST_SEED", SEED_DEFAULT));
    let judge = Judge::of(info, read_success);
    let world = World::open().await;
    let caller = McpSkillCaller::in_memory(&world.app.server(CancellationToken::new())).await.unwrap();

    let calls = (0..cases).map(|case| {
        let (caller, judge) = (&caller, &judge);
        async move {
            let (input, is_good) = generator::input(info.name, &mut Dice(seed.wrapping_add(case)));
            let told = format!("case {case} of seed {seed} (CHIMERA_TEST_SEED={}, CHIMERA_TEST_CASES=1): {input}", seed.wrapping_add(case));
            let answer = caller.call(info.name, &input).await.unwrap_or_else(|error| panic!("{error:?} in {told}"));
            if let Err(problem) = judge.check(&input, is_good, &answer) {
                panic!("{problem} in {told}\nanswered {answer}");
            }
            answer["error_code"].as_str().unwrap_or("success").to_owned()
        }
    });
    let outcomes: Vec<String> = futures::stream::iter(calls).buffer_unordered(AT_ONCE).collect().await;

    let mut counts = BTreeMap::<&str, usize>::new();
    outcomes.iter().for_each(|outcome| *counts.entry(outcome).or_default() += 1);
    report(info, cases, &counts);
    if cases >= CASES_DEFAULT {
        assert!(counts.contains_key("success") && counts.contains_key("invalid_input"), "too narrow: {counts:?}");
    }
    caller.close().await;
    world.app.close().await;
}

#[expect(clippy::print_stderr, reason = "the counts are a figure of the proof")]
fn report(info: &SkillInfo, cases: u64, counts: &BTreeMap<&str, usize>) {
    eprintln!("{}: {cases} inputs: {counts:?}", info.name);
}

#[expect(clippy::disallowed_methods, reason = "how much to prove is said by the environment, which only the tests' configuration reads")]
pub(crate) fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is {text:?}, which is no number")))
}

/// A skill's outputSchema in a validator that is not ours.
pub(crate) fn output_validator(info: &SkillInfo) -> (Schemas, SchemaIndex) {
    let mut schemas = Schemas::new();
    let output = compiled(&mut schemas, "output.json", (info.output_schema)(), Formats::Asserted);
    (schemas, output)
}

/// What makes an answer right, by validators that are not ours.
struct Judge {
    info: &'static SkillInfo,
    schemas: Schemas,
    input: SchemaIndex,
    output: SchemaIndex,
    checker: Checker,
    input_schema: Value,
    read_success: fn(&Value) -> serde_json::Result<()>,
}

impl Judge {
    fn of(info: &'static SkillInfo, read_success: fn(&Value) -> serde_json::Result<()>) -> Self {
        let mut schemas = Schemas::new();
        let input_schema = (info.input_schema)();
        // Formats are compared by hand: ours are narrower, such as version 4 of all uuids.
        let input = compiled(&mut schemas, "input.json", input_schema.clone(), Formats::Ignored);
        let output = compiled(&mut schemas, "output.json", (info.output_schema)(), Formats::Asserted);
        Self { info, schemas, input, output, checker: Checker::new(input_schema.clone()), input_schema, read_success }
    }

    fn check(&self, input: &Value, is_good: bool, answer: &Value) -> Result<(), String> {
        self.schemas.validate(answer, self.output).map_err(|error| format!("the answer breaks outputSchema: {error}"))?;
        match answer["success"].as_bool() {
            Some(true) => (self.read_success)(answer).map_err(|error| format!("the success object is not the contract's: {error}"))?,
            _ => self.check_failure(answer)?,
        }
        let is_invalid = matches!(answer["error_code"].as_str(), Some("invalid_input" | "invalid_address"));
        if is_good && is_invalid {
            return Err("a good input was refused".to_owned());
        }
        self.check_agreement(input, is_invalid)
    }

    fn check_failure(&self, answer: &Value) -> Result<(), String> {
        let code = &answer["error_code"];
        let known = serde_json::from_value::<ErrorCode>(code.clone()).map_err(|error| error.to_string())?;
        if known == ErrorCode::InternalError {
            return Err("something inside failed".to_owned());
        }
        let fields = answer.as_object().unwrap();
        let expected = ["success", self.info.answer_id, "task_id", "agent_id", "error_code", "message", "details"];
        if let Some(odd) = fields.keys().find(|name| !expected.contains(&name.as_str())) {
            return Err(format!("{odd} is no field of an error"));
        }
        let is_whole = fields["details"].is_object() && fields["message"].as_str().is_some_and(|message| !message.is_empty());
        if is_whole { Ok(()) } else { Err("message or details are missing".to_owned()) }
    }

    /// Our own checker and the foreign validator say the same, but for formats, which ours reads more narrowly.
    fn check_agreement(&self, input: &Value, is_invalid: bool) -> Result<(), String> {
        // Of money, nothing is guessed: there empty text is a wrong value.
        let is_money = self.info.name == chimera_core::contracts::wallet_transaction::NAME;
        let present = without_absent(input, &self.input_schema, &|inner| inner.is_null() || (!is_money && inner.as_str() == Some("")));
        let violations = self.checker.check(&present);
        let foreign = self.schemas.validate(&present, self.input);
        match (violations.is_empty(), foreign) {
            (true, Err(error)) => Err(format!("our checker accepts what the schema refuses: {error}")),
            (false, Ok(())) => {
                let ours = violations.iter().find(|violation| !has_format(&violation.path));
                ours.map_or(Ok(()), |violation| Err(format!("the schema accepts what our checker refuses: {violation:?}")))
            }
            (false, Err(_)) if !is_invalid => Err("a broken input was not called invalid".to_owned()),
            (true, Ok(())) | (false, Err(_)) => Ok(()),
        }
    }
}

enum Formats {
    Asserted,
    Ignored,
}

fn compiled(schemas: &mut Schemas, name: &str, schema: Value, formats: Formats) -> SchemaIndex {
    let mut compiler = Compiler::new();
    compiler.set_default_draft(Draft::V2020_12);
    if matches!(formats, Formats::Asserted) {
        compiler.enable_format_assertions();
    }
    compiler.add_resource(name, schema).unwrap();
    compiler.compile(name, schemas).unwrap()
}

fn has_format(path: &str) -> bool {
    path == "/task_id" || path.starts_with("/resource_uris/") || path.starts_with("/context/required_resources/")
}

/// Null on an optional field means absent, which a schema without null cannot say; and so does empty text in most.
fn without_absent(value: &Value, schema: &Value, is_absent: &dyn Fn(&Value) -> bool) -> Value {
    let (Value::Object(fields), Some(properties)) = (value, schema["properties"].as_object()) else { return value.clone() };
    let is_required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name));
    let kept = fields.iter().filter(|(name, inner)| !(is_absent(inner) && properties.contains_key(*name) && !is_required(name)));
    let kept = kept.map(|(name, inner)| (name.clone(), without_absent(inner, properties.get(name).unwrap_or(&Value::Null), is_absent)));
    Value::Object(kept.collect::<Map<_, _>>())
}

/// The whole program in this process, with sample feeds, an agent and play money.
struct World {
    app: App,
    _folder: Folder,
}

const CONFIG: &str = r#"
default_chain = "31337"
[upstreams.feeds]
command = ["PROGRAM", "feeds", "--config", "CONFIG"]
schemes = ["news", "market"]
[[feeds.news]]
region = "global"
category = "technology"
urls = ["file:feeds/sample-wire.xml"]
[[feeds.market]]
asset = "eth"
url = "file:price.json"
price = "/data/amount"
[chains.31337]
name = "chimera-devnet"
rpc = ["devnet"]
native = "ETH"
fees_per_day_max_wei = "1000000000000000000000"
[[chains.31337.tokens]]
symbol = "USDC"
address = "USDC"
decimals = 6
[policy]
first_seen_recipient = "allow"
transfers_per_hour_max = 1000000
[[policy.limits]]
chain = "31337"
asset = "USDC"
per_transaction = "5000000"
per_day = "1000000000"
[[policy.limits]]
chain = "31337"
asset = "ETH"
per_transaction = "5000000"
per_day = "1000000000"
"#;

impl World {
    async fn open() -> Self {
        let folder = Folder::new();
        let project = folder.path().join("project");
        folder.json(&["init", project.to_str().unwrap()]).await;
        let config = project.join("chimera.toml");
        let text = CONFIG
            .replace("PROGRAM", env!("CARGO_BIN_EXE_chimera"))
            .replace("CONFIG", config.to_str().unwrap())
            .replace("\"USDC\"\ndecimals", &format!("\"{}\"\ndecimals", chimera_devnet::USDC));
        folder.write("project/chimera.toml", text);
        folder.write("project/price.json", r#"{"data": {"amount": "3412.10"}}"#);
        let address: Address = folder.create_agent().await.parse().unwrap();
        // The program finds the passphrase where the demo would have put it.
        folder.write("chimera-data/passphrase", crate::program::PASSPHRASE);
        let settings = Settings::load(Some(&config), Some(&folder.data()), Environment::default()).unwrap();
        let app = App::open(settings, Role::Serving).await.unwrap();
        let devnet = app.devnet.clone().unwrap();
        devnet.fund(address, U256::from(10).pow(U256::from(21))).unwrap();
        devnet.mint_usdc(address, U256::from(1_000_000_000)).unwrap();
        Self { app, _folder: folder }
    }
}
