//! No passphrase and no private key is ever printed, logged, stored in the clear, or given to a child: everything that a full run leaves
//! is searched for them, at the finest log level there is.

mod search;

use crate::{
    anvil::Anvil,
    keys::{ADDRESS, KEY, KEY_FILE, KEY_FILE_PASSPHRASE, run_with},
    ordinary_user::is_root,
    program::{Finished, Folder, Running, SOUL},
    wallet_stage::{POLICY, UNITS_AT_START, WALLET, WEI_AT_START, balance, config, usdc, with},
};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::SkillCaller;
use nix::sys::signal::Signal;
use search::{Found, Needle};
use serde_json::json;
use std::{fs, path::Path};

const WALLET_PASSPHRASE: &str = "Zebra-Quilt-71-wallet";
const NEW_PASSPHRASE: &str = "Zebra-Quilt-72-new";
const EXPORT_PASSPHRASE: &str = "Zebra-Quilt-73-export";
const WRONG_PASSPHRASE: &str = "Zebra-Quilt-74-wrong";
const UPSTREAM: &str = "[upstreams.feeds]\ncommand = [\"chimera\", \"feeds\"]\n[[feeds.news]]\nregion = \"global\"\ncategory = \"technology\"\nurls = [\"file:news.xml\"]\n";

fn needles() -> Vec<Needle> {
    let key: Vec<u8> = (0..KEY.len()).step_by(2).map(|at| u8::from_str_radix(&KEY[at..at + 2], 16).unwrap()).collect();
    let words = [WALLET_PASSPHRASE, NEW_PASSPHRASE, EXPORT_PASSPHRASE, WRONG_PASSPHRASE, KEY_FILE_PASSPHRASE];
    let mut needles: Vec<Needle> = words.iter().map(|word| Needle::new("a passphrase", word.as_bytes())).collect();
    needles.push(Needle::new("the private key", &key));
    needles
}

/// Everything that was seen outside the program so far.
struct Seen {
    needles: Vec<Needle>,
    found: Vec<Found>,
}

impl Seen {
    fn text(&mut self, place: &str, bytes: &[u8]) {
        self.found.extend(search::in_bytes(&self.needles, place, bytes));
    }

    fn output(&mut self, place: &str, done: &Finished) {
        assert!(!done.stderr.contains("panicked"), "{done:?}");
        self.text(&format!("standard output of {place}"), done.stdout.as_bytes());
        self.text(&format!("standard error of {place}"), done.stderr.as_bytes());
    }

    fn folder(&mut self, path: &Path) {
        for entry in fs::read_dir(path).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                self.folder(&entry.path());
            } else {
                self.text(&entry.path().display().to_string(), &fs::read(entry.path()).unwrap());
            }
        }
    }

    /// Environment and command line of every process below `parent`. Says how many there are.
    fn children(&mut self, parent: i32) -> usize {
        let children = search::children_of(parent);
        for child in &children {
            for what in ["environ", "cmdline"] {
                let bytes = match fs::read(format!("/proc/{child}/{what}")) {
                    Ok(bytes) => bytes,
                    // A child that is this program keeps everybody out but root.
                    Err(_) if what == "environ" && !is_root() => continue,
                    Err(error) => panic!("{what} of a child: {error}"),
                };
                assert!(what == "environ" || !bytes.is_empty());
                self.text(&format!("{what} of a child"), &bytes);
            }
        }
        children.len()
    }
}

#[tokio::test]
async fn no_secret_leaves_the_program_in_a_full_run() {
    let Some(anvil) = Anvil::start().await else { return };
    let folder = Folder::with_config(&config(&anvil.url, &format!("{POLICY}{UPSTREAM}")));
    folder.write("soul.md", SOUL);
    folder.write("key.json", KEY_FILE);
    folder.write("news.xml", "<rss version=\"2.0\"><channel><title>t</title><item><title>Chips get faster</title></item></channel></rss>");
    let outside = Folder::new();
    let bare = outside.write("bare-key", format!("\"{KEY}\""));
    let mut seen = Seen { needles: needles(), found: Vec::new() };

    let trace = ("CHIMERA_LOG", "trace");
    let wallet = ("CHIMERA_WALLET_PASSPHRASE", WALLET_PASSPHRASE);
    let import = ("CHIMERA_IMPORT_PASSPHRASE", KEY_FILE_PASSPHRASE);
    let export = ("CHIMERA_EXPORT_PASSPHRASE", EXPORT_PASSPHRASE);
    let create = ["agent", "create", "--soul", "soul.md", "--import", "key.json"];
    let made = run_with(&folder, &[trace, wallet, import], &create).await;
    assert!(made.code == Some(0) && made.stdout.contains(ADDRESS), "{made:?}");
    seen.output("agent create", &made);
    anvil.give_wei(ADDRESS, WEI_AT_START).await;
    anvil.give_usdc(ADDRESS, UNITS_AT_START).await;

    serve_and_pay(&folder, &[trace, wallet], &mut seen).await;

    let new = ("CHIMERA_NEW_WALLET_PASSPHRASE", NEW_PASSPHRASE);
    let wrong = ("CHIMERA_WALLET_PASSPHRASE", WRONG_PASSPHRASE);
    let wrong_import = ("CHIMERA_IMPORT_PASSPHRASE", WRONG_PASSPHRASE);
    let bare = bare.to_str().unwrap();
    let show = ["wallet", "show", "--agent", "selam"];
    let export_to = |out: &'static str| vec!["wallet", "export", "--agent", "selam", "--out", out];
    let import_from = |file| vec!["wallet", "import", "--agent", "selam", "--file", file];
    /// Variables, arguments, and the exit code.
    type Row<'a> = (&'a [(&'a str, &'a str)], Vec<&'a str>, i32);
    let commands: [Row<'_>; 12] = [
        (&[wallet], vec!["doctor"], 0),
        (&[wallet], vec!["doctor", "--json"], 0),
        (&[wrong], vec!["doctor"], 1),
        (&[wallet], show.to_vec(), 0),
        (&[wallet, export], export_to("out.json"), 0),
        (&[wallet, export], export_to("out.json"), 1),
        (&[wrong, export], export_to("other.json"), 1),
        (&[wallet, import], import_from("key.json"), 0),
        (&[wallet, wrong_import], import_from("key.json"), 1),
        (&[wallet, import], import_from(bare), 1),
        (&[wallet, new], vec!["wallet", "passphrase"], 0),
        (&[wallet, new], vec!["wallet", "passphrase"], 1),
    ];
    for (variables, args, code) in commands {
        let done = run_with(&folder, &[variables, &[trace]].concat(), &args).await;
        assert_eq!(done.code, Some(code), "{args:?}: {done:?}");
        seen.output(&args.join(" "), &done);
    }
    seen.folder(folder.path());
    assert!(seen.found.is_empty(), "{:?}", seen.found);

    // It would have been found: in a file, and in a child's environment.
    folder.write("chimera-data/planted", format!("key = 0x{}", KEY.to_uppercase()));
    seen.folder(folder.path());
    assert_eq!(seen.found.len(), 1, "{:?}", seen.found);
    let planted =
        format!("{POLICY}{UPSTREAM}").replace("[[feeds.news]]", &format!("env = {{ PLANTED = \"{WALLET_PASSPHRASE}\" }}\n[[feeds.news]]"));
    folder.write("chimera.toml", config(&anvil.url, &planted));
    let mut of_children = Seen { needles: needles(), found: Vec::new() };
    serve_and_pay(&folder, &[("CHIMERA_WALLET_PASSPHRASE", NEW_PASSPHRASE)], &mut of_children).await;
    let is_found = of_children.found.iter().any(|found| found.place == "environ of a child");
    assert_eq!(is_found, is_root(), "{:?}", of_children.found);
}

/// A server at work: transfers that are made and refused, a resource read by a child, and the end.
async fn serve_and_pay(folder: &Folder, variables: &[(&str, &str)], seen: &mut Seen) {
    let mut command = folder.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    command.envs(variables.iter().copied());
    let mut running = Running::start(command);
    let told = running.json().await;
    let token = fs::read_to_string(folder.data().join("token")).unwrap();
    let caller = McpSkillCaller::http(told["mcp"].as_str().unwrap(), Some(&token)).await.unwrap();
    for (input, is_made) in [
        (balance("USDC"), true),
        (usdc(1_000), true),
        (usdc(26_000_000), false),
        (with(usdc(1), "/params/to_address", "0x1234"), false),
        (with(usdc(1), "/agent_id", "nobody"), false),
    ] {
        let answer = caller.call(WALLET, &input).await.unwrap();
        assert_eq!(answer["success"], is_made, "{answer}");
        seen.text("an answer", answer.to_string().as_bytes());
    }
    let uris = ["news://global/technology/latest"];
    let trend = json!({"agent_id": "selam", "campaign_id": "spring", "resource_uris": uris, "goal_context": "faster chips"});
    let answer = caller.call("skill_trend_fetcher", &trend).await.unwrap();
    seen.text("an answer", answer.to_string().as_bytes());
    assert!(seen.children(running.id()) > 0, "the upstream runs as a child: {answer}");
    caller.close().await;
    running.signal(Signal::SIGTERM);
    let done = running.finish().await;
    assert_eq!(done.code, Some(0), "{done:?}");
    seen.text("told at start", told.to_string().as_bytes());
    seen.output("serve", &done);
}
