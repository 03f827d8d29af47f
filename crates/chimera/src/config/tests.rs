use super::*;

fn load(text: &str, environment: &[(&str, &str)]) -> Result<Settings> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chimera.toml");
    std::fs::write(&path, text).unwrap();
    Settings::load(Some(&path), Some(folder.path()), Environment::of(environment))
}

#[test]
fn the_committed_defaults_are_the_defaults_of_the_program() {
    let written: ConfigFile = parse_config(include_str!("../../../../chimera.default.toml")).unwrap();
    assert_eq!(written, ConfigFile::default());
}

#[test]
fn an_unknown_key_is_an_error_with_its_line_and_the_nearest_key() {
    let error = load("[server]\nlisten = \"127.0.0.1:1\"\n[judge]\naprove_above = 0.5\n", &[]).unwrap_err().to_string();
    assert!(error.contains("chimera.toml:4: \"aprove_above\" is not a setting here; the nearest one is \"approve_above\""), "{error}");
}

#[test]
fn malformed_configurations_are_refused_with_their_line_or_their_key() {
    let table = [
        ("x", "chimera.toml:1:"),
        ("\n[server]\nlisten = 5", "chimera.toml:3:"),
        ("[server]\npublic_url = 'chimera.example'", "server.public_url is"),
        ("[server]\npublic_url = 'https://chimera.example/app'", "without a path"),
        ("[judge]\napprove_above = 2.0", "judge.approve_above is 2"),
        ("[judge]\napprove_above = 0.1", "judge.reject_below (0.7) is above"),
        ("[trends]\nitems_min = 0\nvoices_min = 0", "trends.items_min and trends.voices_min are at least 1"),
        ("[trends]\nvoices_min = 4", "trends.voices_min (4) is above trends.items_min (3)"),
        ("[trends]\nitems_min = -3", "chimera.toml:2:"),
        ("[chains.base]\nname='b'\nnative='ETH'", "\"base\" is not a chain id"),
        ("[upstreams.a]\nschemes=['x']", "upstreams.a needs exactly one of command and url"),
        ("[upstreams.a]\ncommand=['x']\nurl='http://y'", "upstreams.a needs exactly one of command and url"),
        ("[model]\nprovider='oracle'", "chimera.toml:2: unknown variant `oracle`"),
        ("[model]\nprovider='openai'", "model.provider needs model.name"),
        ("[model]\nprovider='openai'\nname='a'\nfallback=['anthropic']", "model.fallback needs [model.anthropic]"),
        ("[model]\nprovider='openai'\nname='a'\nfallback=['openai']", "names Openai again"),
        ("[model]\ntokens_per_day_max=-1", "chimera.toml:2:"),
        ("[model]\nprovider='openai'\nname='a'\nmicro_usd_per_day_max=1", "needs [model.prices.\"a\"]"),
        ("[model.prices.a]\ninput_micro_usd_per_million_tokens=1", "output_micro_usd_per_million_tokens"),
        ("[model.prices.a]\ninput_micro_usd_per_million_tokens=0.5", "chimera.toml:2:"),
        ("[agents.selam.wallet]\nkind='metamask'", "chimera.toml:2: unknown variant `metamask`"),
        ("[agents.selam.wallet]\nkind='agentkit'", "agents.selam.wallet.upstream belongs to the kind \"agentkit\""),
        ("[agents.selam.wallet]\nupstream='a'", "agents.selam.wallet.upstream belongs to the kind \"agentkit\""),
        ("[agents.selam.wallet]\nkind='agentkit'\nupstream='a'", "there is no [upstreams.a]"),
        ("[agents.selam.wallet]\nurl='https://x'", "agents.selam.wallet.url belongs to the kind \"cdp\""),
        ("[agents.Selam.wallet]\nkind='cdp'", "\"Selam\" is not an agent id"),
        (
            "[upstreams.a]\ncommand=['x']\n[agents.one.wallet]\nkind='agentkit'\nupstream='a'\n[agents.two.wallet]\nkind='agentkit'\nupstream='a'",
            "which is the wallet of one already",
        ),
    ];
    for (text, expected) in table {
        let error = format!("{:#}", load(text, &[]).unwrap_err());
        assert!(error.contains(expected), "{text:?} gave {error:?}");
    }
}

#[test]
fn the_environment_overrides_the_file_with_strings_numbers_and_lists() {
    let environment = [
        ("CHIMERA_STORE__URL", "sqlite:other.db"),
        ("CHIMERA_JUDGE__RETRIES_MAX", "7"),
        ("CHIMERA_UPSTREAMS__NEWS__COMMAND", "[\"chimera\", \"feeds\"]"),
        ("CHIMERA_TOKEN", "not-a-setting"),
    ];
    let settings = load("[store]\nurl = \"sqlite:a.db\"\n", &environment).unwrap();
    assert_eq!(settings.file.store.url, "sqlite:other.db");
    assert_eq!(settings.file.judge.retries_max, 7);
    assert_eq!(settings.file.upstreams["news"].command, ["chimera", "feeds"]);
}

#[test]
fn a_wrong_override_is_refused_by_its_name() {
    let error = load("", &[("CHIMERA_STORE__ULR", "x")]).unwrap_err().to_string();
    assert!(error.contains("CHIMERA_STORE__ULR") && error.contains("\"url\""), "{error}");
}

#[test]
fn secrets_come_from_the_environment_or_from_a_file_it_names_and_are_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    std::fs::write(&path, "from file\n").unwrap();
    let by_file = load("", &[("CHIMERA_WALLET_PASSPHRASE_FILE", path.to_str().unwrap())]).unwrap().passphrase().unwrap().unwrap();
    assert_eq!(by_file.expose(), "from file");
    assert_eq!(format!("{by_file:?}"), "Passphrase(masked)");
    assert!(load("", &[]).unwrap().passphrase().unwrap().is_none());
    assert!(load("", &[("CHIMERA_WALLET_PASSPHRASE_FILE", "/nowhere/at/all")]).unwrap().passphrase().is_err());
}

#[test]
fn a_command_that_needs_a_passphrase_says_which_variable_gives_it() {
    let settings = load("", &[("CHIMERA_EXPORT_PASSPHRASE", "given")]).unwrap();
    assert_eq!(settings.export_passphrase().unwrap().expose(), "given");
    for (missing, name) in [
        (settings.ensure_given_passphrase(), "CHIMERA_WALLET_PASSPHRASE"),
        (settings.new_passphrase().map(drop), "CHIMERA_NEW_WALLET_PASSPHRASE"),
        (settings.import_passphrase().map(drop), "CHIMERA_IMPORT_PASSPHRASE"),
    ] {
        let error = missing.unwrap_err();
        assert!(error.is::<Misconfigured>(), "{error}");
        assert!(
            error.to_string().contains(&format!("{name} is not set")) && error.to_string().contains(&format!("{name}_FILE")),
            "{error}"
        );
    }
}

#[test]
fn settings_do_not_show_what_the_environment_holds() {
    let settings = load("", &[("CHIMERA_WALLET_PASSPHRASE", "open sesame"), ("CHIMERA_TOKEN", "let me in")]).unwrap();
    let shown = format!("{settings:?} {settings:#?}");
    assert!(shown.contains("CHIMERA_WALLET_PASSPHRASE"), "{shown}");
    assert!(!shown.contains("open sesame") && !shown.contains("let me in"), "{shown}");
}

#[test]
fn a_secret_file_that_is_empty_or_endless_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    for (text, expected) in [("", "is empty"), ("\r\n\n", "is empty"), (&"x".repeat(4097), "too long for a secret")] {
        std::fs::write(&path, text).unwrap();
        let error = load("", &[("CHIMERA_WALLET_PASSPHRASE_FILE", path.to_str().unwrap())]).unwrap().passphrase().unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn the_keys_of_cdp_come_together_and_are_never_shown() {
    let environment = [("CDP_API_KEY_ID", "id"), ("CDP_API_KEY_SECRET", "s1"), ("CDP_WALLET_SECRET", "s2")];
    let secrets = load("", &environment).unwrap().cdp_secrets().unwrap();
    assert_eq!((secrets.api_key_id.as_str(), secrets.api_key_secret.as_str(), secrets.wallet_secret.as_str()), ("id", "s1", "s2"));
    assert_eq!(format!("{secrets:?}"), "CdpSecrets(masked)");
    let error = load("", &environment[..2]).unwrap().cdp_secrets().unwrap_err().to_string();
    assert!(error.contains("CDP_WALLET_SECRET"), "{error}");
}

#[test]
fn the_token_is_made_once_with_mode_0600_and_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::load(None, Some(folder.path()), Environment::default()).unwrap();

    let first = settings.token().unwrap();
    let second = settings.token().unwrap();

    assert_eq!(first.expose(), second.expose());
    assert_eq!(first.expose().len(), 64);
    let mode = std::fs::metadata(folder.path().join("token")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
