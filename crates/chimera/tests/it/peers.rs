//! The foreign programs that some tests talk to. A test without its program is skipped loudly, or fails where skips are forbidden.

use std::{io::Write, path::PathBuf};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Peer {
    Anvil,
    Cast,
    Node,
    Inspector,
    Python,
    Conformance,
    Ffprobe,
    Chromium,
    /// A gigabyte, so only where it is asked for: `./scripts/prove`.
    AgentKit,
    /// Half a gigabyte, and likewise.
    Pds,
}

/// `None`, with a word on standard error, when the peer is not installed and that is allowed.
#[expect(clippy::disallowed_methods, reason = "where the peers are is said by the environment, which only the tests' configuration reads")]
pub(crate) fn program(peer: Peer) -> Option<PathBuf> {
    let variable = match peer {
        Peer::Anvil => "CHIMERA_TEST_ANVIL",
        Peer::Cast => "CHIMERA_TEST_CAST",
        Peer::Node => "CHIMERA_TEST_NODE",
        Peer::Inspector => "CHIMERA_TEST_INSPECTOR",
        Peer::Python => "CHIMERA_TEST_PYTHON",
        Peer::Conformance => "CHIMERA_TEST_CONFORMANCE",
        Peer::Ffprobe => "CHIMERA_TEST_FFPROBE",
        Peer::Chromium => "CHIMERA_TEST_CHROMIUM",
        Peer::AgentKit => "CHIMERA_TEST_AGENTKIT",
        Peer::Pds => "CHIMERA_TEST_PDS",
    };
    let (demand, runner) = match peer {
        Peer::AgentKit => ("CHIMERA_TEST_REQUIRE_AGENTKIT", "./scripts/prove"),
        Peer::Pds => ("CHIMERA_TEST_REQUIRE_PDS", "./scripts/prove"),
        Peer::Anvil | Peer::Cast | Peer::Node | Peer::Inspector | Peer::Python | Peer::Conformance | Peer::Ffprobe | Peer::Chromium => {
            ("CHIMERA_TEST_REQUIRE_PEERS", "./scripts/test")
        }
    };
    let found = std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    if found.is_none() {
        let forbidden = std::env::var_os(demand).is_some_and(|value| value == "1");
        assert!(!forbidden, "{variable} is not set; run scripts/lib/install-peers and source scripts/lib/peers-env.sh");
        // Not `eprintln!`: the runner would keep it to itself.
        let _ = writeln!(std::io::stderr(), "SKIPPED a test: {variable} is not set; {runner} runs it");
    }
    found
}
