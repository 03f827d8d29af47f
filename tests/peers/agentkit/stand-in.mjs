// Stands in for bridge.mjs where AgentKit is not installed: the same tools over stdio, the words that the real one was recorded to say,
// and real transactions, which anvil signs for its first account. It checks nothing, as a wallet that nobody should believe.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { env, pid, stdin, stdout } from "node:process";
import { createInterface } from "node:readline";

const recorded = JSON.parse(readFileSync(env.AGENTKIT_RECORDED, "utf8"));
const exchange = (called) => recorded.find((exchange) => exchange.called === called);
const rpc = async (method, ...params) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await (await fetch(env.AGENTKIT_RPC_URL, { method: "POST", headers: { "content-type": "application/json" }, body })).json();
  if (answer.error) throw new Error(answer.error.message);
  return answer.result;
};
const [wallet] = await rpc("eth_accounts");

// The recorded words, about another transfer.
const said = ({ arguments: then, result }, now, hash) =>
  Object.keys(then)
    .reduce((text, name) => text.replace(then[name], now[name]), result.content[0].text)
    .replace(/0x[0-9a-f]{64}/, hash);

// The real one waits for the receipt too, and does not look whether it is one of success.
const sent = async (transaction) => {
  const hash = await rpc("eth_sendTransaction", { from: wallet, ...transaction });
  while (!(await rpc("eth_getTransactionReceipt", hash))) await new Promise((resolve) => setTimeout(resolve, 20));
  return hash;
};
const units = (amount, decimals) => {
  const [whole, fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
};
const word = (value) => value.toString(16).replace("0x", "").padStart(64, "0").toLowerCase();
const actions = {
  WalletActionProvider_get_wallet_details: async () => exchange("details").result.content[0].text,
  WalletActionProvider_native_transfer: async (args) => {
    const hash = await sent({ to: args.to, value: `0x${units(args.value, 18).toString(16)}` });
    return said(exchange("a native transfer"), args, hash);
  },
  ERC20ActionProvider_transfer: async (args) => {
    const data = `0xa9059cbb${word(args.destinationAddress)}${word(units(args.amount, 6))}`;
    return said(exchange("a token transfer"), args, await sent({ to: args.tokenAddress, data, gas: "0x30d40" }));
  },
};

const requests = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "agentkit", version: "0.10.4" } }),
  "tools/list": () => ({ tools: Object.keys(actions).map((name) => ({ name, inputSchema: { type: "object" } })) }),
  "tools/call": async ({ name, arguments: args }) => {
    if (env.AGENTKIT_LOG) appendFileSync(env.AGENTKIT_LOG, `${name}\n`);
    const text = await actions[name](args).catch((error) => `Error: ${error}`);
    return { content: [{ type: "text", text }] };
  },
};
if (env.AGENTKIT_PID_FILE) writeFileSync(env.AGENTKIT_PID_FILE, String(pid));
for await (const line of createInterface({ input: stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const request = requests[method];
  const answer = (body) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
  if (request) Promise.resolve(request(params ?? {})).then((result) => answer({ result }));
  else answer({ error: { code: -32601, message: "no such method" } });
}
