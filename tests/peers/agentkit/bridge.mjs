// Serves the wallet actions of the real AgentKit as MCP tools over stdio, as its own MCP extension does.
// AGENTKIT_HOME is where it is installed, AGENTKIT_RPC_URL the node of its chain, AGENTKIT_KEY the private key of its wallet;
// AGENTKIT_PID_FILE, if any, is told which process this is, and AGENTKIT_LOG which actions it was asked for.
// The chain is an anvil, and gets the contract that AgentKit reads tokens with.
import { appendFileSync, writeFileSync } from "node:fs";
import { createRequire, enableCompileCache, flushCompileCache } from "node:module";
import { env, pid } from "node:process";

const rpcUrl = env.AGENTKIT_RPC_URL;
// Standard output belongs to MCP.
console.log = console.warn = console.error;
// AgentKit tells its vendor of every action, and ends the process when it cannot. Nothing leaves for anywhere but the node.
const realFetch = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const url = new URL(typeof input === "string" || input instanceof URL ? input : input.url);
  return url.origin === new URL(rpcUrl).origin ? realFetch(input, init) : new Response("{}");
};

const require = createRequire(`${env.AGENTKIT_HOME}/`);
const { Server } = require("@modelcontextprotocol/sdk/server/index.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");
const { CallToolRequestSchema, ListToolsRequestSchema } = require("@modelcontextprotocol/sdk/types.js");
const { zodToJsonSchema } = require("zod-to-json-schema");

// AgentKit takes many seconds to load, during which nothing is answered: later than a client waits for the handshake.
// Compiling it takes half of that, and is done once.
enableCompileCache(`${env.AGENTKIT_HOME}/compile-cache`);
let loading;
const actions = () => (loading ??= load());
const load = async () => {
  const { AgentKit, ViemWalletProvider, walletActionProvider, erc20ActionProvider } = require("@coinbase/agentkit");
  const { createPublicClient, createWalletClient, http } = require("viem");
  const { privateKeyToAccount } = require("viem/accounts");
  const { base } = require("viem/chains");
  const { multicall3Bytecode } = require(`${env.AGENTKIT_HOME}/node_modules/viem/_cjs/constants/contracts.js`);

  flushCompileCache();

  const transport = http(rpcUrl);
  const client = createWalletClient({ account: privateKeyToAccount(env.AGENTKIT_KEY), chain: base, transport });
  const { data: multicall } = await createPublicClient({ chain: base, transport }).call({ data: multicall3Bytecode });
  await client.request({ method: "anvil_setCode", params: [base.contracts.multicall3.address, multicall] });
  const walletProvider = new ViemWalletProvider(client, { rpcUrl });
  const kit = await AgentKit.from({ walletProvider, actionProviders: [walletActionProvider(), erc20ActionProvider()] });
  return new Map(kit.getActions().map((action) => [action.name, action]));
};

const server = new Server({ name: "agentkit", version: "0.10.4" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [...(await actions()).values()].map(({ name, description, schema }) => ({ name, description, inputSchema: zodToJsonSchema(schema) })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  if (env.AGENTKIT_LOG) appendFileSync(env.AGENTKIT_LOG, `${params.name}\n`);
  const action = (await actions()).get(params.name);
  const text = await action.invoke(action.schema.parse(params.arguments ?? {}));
  return { content: [{ type: "text", text }] };
});
if (env.AGENTKIT_PID_FILE) writeFileSync(env.AGENTKIT_PID_FILE, String(pid));
await server.connect(new StdioServerTransport());
