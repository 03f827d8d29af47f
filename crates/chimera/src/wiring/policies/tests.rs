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
        ("limits = [{ chain = \"8453\", asset = \"ETH\", per_transaction = \"1\", per_day = \"1\" }]".to_owned(), "would loosen it"),
        ("surprise = 1".to_owned(), "\"surprise\" is not a setting here"),
        ("deny = [\"0x12\"]".to_owned(), "deny"),
    ];
    for (own, expected) in table {
        let error = format!("{:#}", load(COMMON, Some(&own)).expect_err(&own));
        assert!(error.contains(expected), "{own} gave {error}");
    }
}
