// Asks the real AgentKit on a fresh anvil for everything that our adapter must understand, and prints the exchanges as JSON.
//   node tests/peers/agentkit/record.mjs > crates/chimera-adapters/src/wallet/agentkit/recorded.json
// after `scripts/lib/install-peers --agentkit` and `source scripts/lib/peers-env.sh`.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { env, execPath, exit, stdout } from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const require = createRequire(`${env.CHIMERA_TEST_AGENTKIT}/`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { keccak256, encodeAbiParameters } = require("viem");

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
// anvil's first account, and its second as the recipient.
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const WALLET = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

const anvil = spawn(env.CHIMERA_TEST_ANVIL, ["--chain-id", "8453", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => anvil.kill());
let rpcUrl;
for await (const line of createInterface({ input: anvil.stdout })) {
  if (line.startsWith("Listening on ")) {
    rpcUrl = `http://${line.slice("Listening on ".length).trim()}`;
    break;
  }
}
const rpc = async (method, ...params) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await (await fetch(rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body })).json();
  if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
  return answer.result;
};
const giveUsdc = (units) => {
  const slot = keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [WALLET, 0n]));
  return rpc("anvil_setStorageAt", USDC, slot, `0x${units.toString(16).padStart(64, "0")}`);
};
await rpc("anvil_setCode", USDC, readFileSync(here("../contracts/usdc.runtime.hex"), "utf8").trim());
await giveUsdc(100_000_000n);

const client = new Client({ name: "record", version: "1" });
await client.connect(
  new StdioClientTransport({
    command: execPath,
    args: [here("bridge.mjs")],
    env: { AGENTKIT_HOME: env.CHIMERA_TEST_AGENTKIT, AGENTKIT_RPC_URL: rpcUrl, AGENTKIT_KEY: KEY },
  }),
);
const recorded = [];
const record = async (called, tool, args) => {
  const result = await client.callTool({ name: tool, arguments: args });
  recorded.push({ called, tool, arguments: args, result });
};
const native = (called, to, value) => record(called, "WalletActionProvider_native_transfer", { to, value });
const token = (called, destinationAddress, amount, tokenAddress = USDC) =>
  record(called, "ERC20ActionProvider_transfer", { amount, tokenAddress, destinationAddress });
// The transfer waits in the pool while `change` happens, and is mined then.
const meanwhile = async (asked, change) => {
  await rpc("evm_setAutomine", false);
  const asking = asked();
  while ((await rpc("txpool_status")).pending === "0x0") await new Promise((resolve) => setTimeout(resolve, 20));
  await change();
  await rpc("evm_mine");
  await asking;
  await rpc("evm_setAutomine", true);
};

await record("details", "WalletActionProvider_get_wallet_details", {});
await native("a native transfer", RECIPIENT, "0.000000000123456789");
await token("a token transfer", RECIPIENT, "1.5");
await native("a native transfer of more than there is", RECIPIENT, "1000000");
await token("a token transfer of more than there is", RECIPIENT, "1000000");
await native("a native transfer to no address", "somebody.eth", "1");
await native("a native transfer to a wrong checksum", RECIPIENT.replace("C5", "c5"), "1");
await token("a token transfer to a wrong checksum", RECIPIENT.replace("C5", "c5"), "1");
await token("a token that is none", RECIPIENT, "1", RECIPIENT);
await meanwhile(() => token("a token transfer that reverts", RECIPIENT, "2.25"), () => giveUsdc(0n));
await giveUsdc(100_000_000n);
const receipt = await rpc("eth_getTransactionReceipt", recorded.at(-1).result.content[0].text.slice(-66));
if (receipt.status !== "0x0") throw new Error("the transfer did not revert");
anvil.kill();
await new Promise((resolve) => anvil.once("exit", resolve));
await native("a native transfer without a node", RECIPIENT, "1");
await token("a token transfer without a node", RECIPIENT, "1");
await record("details without a node", "WalletActionProvider_get_wallet_details", {});
await client.close();

// Which port the node had is chance.
stdout.write(`${JSON.stringify(recorded, null, 2).replaceAll(rpcUrl, "http://127.0.0.1:8545")}\n`);
exit(0);
