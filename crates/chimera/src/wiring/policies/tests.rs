use super::*;
use crate::config::Environment;

const COMMON: &str = r#"
[policy]
first_seen_recipient = "ask"
allow = ["0x1111111111111111111111111111111111111111", "0x2222222222222222222222222222222222222222"]
transfers_per_hour_max = 10
[[policy.limits]]
chain = "8453"
asset = "USDC"
per_transaction = "100"
per_day = "500"
ask_above = "50"
"#;

fn load(common: &str, own: Option<&str>) -> Result<SpendingPolicies> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("chimera.toml"), common).unwrap();
    if let Some(own) = own {
        fs::create_dir(folder.path().join("policies")).unwrap();
        fs::write(folder.path().join("policies/selam.toml"), own).unwrap();
    }
    let settings = Settings::load(Some(&folder.path().join("chimera.toml")), Some(folder.path()), Environment::default()).unwrap();
    policies(&settings)
}

fn selam() -> AgentId {
    "selam".parse().unwrap()
}

#[test]
fn without_a_policy_no_agent_has_one() {
    assert!(load("", None).unwrap().of(&selam()).is_none());
}

/// The file that would open everything, where a common policy allows it.
const OPEN: &str = r#"
    first_seen_recipient = "allow"
    allow = ["0x4444444444444444444444444444444444444444"]
    transfers_per_hour_max = 1000
    limits = [{ chain = "8453", asset = "USDC", per_transaction = "1000", per_day = "1000" }]
"#;

#[test]
fn without_a_common_policy_an_agents_own_file_opens_nothing_and_that_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("policies")).unwrap();
    fs::write(folder.path().join("policies/selam.toml"), OPEN).unwrap();
    fs::write(folder.path().join("chimera.toml"), "").unwrap();
    let settings = Settings::load(Some(&folder.path().join("chimera.toml")), Some(folder.path()), Environment::default()).unwrap();

    assert!(policies(&settings).unwrap().of(&selam()).is_none());
    let told = without_effect(&settings).unwrap();
    assert_eq!(told.len(), 1);
    for part in ["policies/selam.toml", "limits for USDC on chain 8453", "allow", "no [policy]"] {
        assert!(told[0].contains(part), "{told:?}");
    }
    let slip = format!("{:#}", load("", Some("limits = [{ chain = \"8453\", asset = \"USDC\", per_day = \"1.5\" }]")).unwrap_err());
    assert!(slip.contains("selam.toml") && slip.contains("per_day"), "{slip}");
}

#[test]
fn one_limit_alone_is_tightened_and_the_others_stay() {
    let limits = |fields: &str| {
        let own = format!("limits = [{{ chain = \"8453\", asset = \"USDC\"{fields} }}]");
        let limit = load(COMMON, Some(&own)).unwrap().of(&selam()).unwrap().limits[0].clone();
        [Some(limit.per_transaction_units), Some(limit.per_day_units), limit.ask_above_units]
            .map(|units| units.map(|units| units.to::<u64>()))
    };
    for (fields, expected) in [
        (", per_transaction = \"10\"", [10, 500, 50]),
        (", per_day = \"200\"", [100, 200, 50]),
        (", ask_above = \"0\"", [100, 500, 0]),
        ("", [100, 500, 50]),
    ] {
        assert_eq!(limits(fields), expected.map(Some), "{fields}");
    }
}

#[test]
fn a_limit_of_the_common_policy_is_whole_and_given_once() {
    let half = "[[policy.limits]]\nchain = \"8453\"\nasset = \"ETH\"\nper_day = \"5\"\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chimera.toml");
    fs::write(&file, half).unwrap();
    let error = Settings::load(Some(&file), Some(folder.path()), Environment::default()).map(drop).unwrap_err();
    assert!(format!("{error:#}").contains("per_transaction"), "{error:#}");
    let twice = format!("{COMMON}[[policy.limits]]\nchain = \"8453\"\nasset = \"USDC\"\nper_transaction = \"1\"\nper_day = \"1\"\n");
    let error = format!("{:#}", load(&twice, None).unwrap_err());
    assert!(error.contains("limits for USDC on chain 8453 are given twice"), "{error}");
}

#[test]
fn an_agents_own_file_tightens_what_it_names_and_keeps_the_rest() {
    let own = r#"
        first_seen_recipient = "refuse"
        deny = ["0x3333333333333333333333333333333333333333"]
        limits = [{ chain = "8453", asset = "USDC", per_transaction = "10", per_day = "500" }]
    "#;

    let policies = load(COMMON, Some(own)).unwrap();

    let policy = policies.of(&selam()).unwrap();
    assert_eq!(policy.first_seen_recipient, FirstSeenRecipient::Refuse);
    assert_eq!((policy.allow.len(), policy.deny.len(), policy.transfers_per_hour_max), (2, 1, 10));
    assert_eq!(policy.limits[0].per_transaction_units, U256::from(10));
    assert_eq!(policy.limits[0].ask_above_units, Some(U256::from(50)), "leaving ask_above out does not lift it");
}

#[test]
fn a_looser_value_in_an_agents_own_file_is_an_error_that_names_it() {
    let limit = |fields: &str| format!("limits = [{{ chain = \"8453\", asset = \"USDC\", {fields} }}]");
    let table = [
        ("first_seen_recipient = \"allow\"".to_owned(), "first_seen_recipient"),
        ("allow = [\"0x4444444444444444444444444444444444444444\"]".to_owned(), "allow names"),
        ("transfers_per_hour_max = 11".to_owned(), "transfers_per_hour_max is 11"),
        (limit("per_transaction = \"101\", per_day = \"500\""), "per_transaction is 101"),
        (limit("per_transaction = \"100\", per_day = \"501\""), "per_day is 501"),
        (limit("per_transaction = \"1\", per_day = \"1\", ask_above = \"51\""), "ask_above is 51"),
        ("limits = [{ chain = \"8453\", asset = \"ETH\", per_transaction = \"1\", per_day = \"1\" }]".to_owned(), "would loosen that"),
        ("surprise = 1".to_owned(), "\"surprise\" is not a setting here"),
        ("deny = [\"0x12\"]".to_owned(), "deny"),
    ];
    for (own, expected) in table {
        let error = format!("{:#}", load(COMMON, Some(&own)).expect_err(&own));
        assert!(error.contains(expected), "{own} gave {error}");
    }
}
