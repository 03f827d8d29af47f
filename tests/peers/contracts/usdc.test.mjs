// Puts the compiled Usdc at Base's USDC address on a real anvil and uses it the way the wallet tests do.
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { env, execPath } from "node:process";
import { fileURLToPath } from "node:url";

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const BALANCES_SLOT = 0n;
const runtime = readFileSync(new URL("usdc.runtime.hex", import.meta.url), "utf8").trim();

let anvil, url, payer, payee;

before(async () => {
  anvil = spawn(env.CHIMERA_TEST_ANVIL, ["--chain-id", "8453", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface(anvil.stdout)) {
    const port = line.match(/^Listening on 127\.0\.0\.1:(\d+)$/)?.[1];
    if (port) {
      url = `http://127.0.0.1:${port}`;
      break;
    }
  }
  anvil.stdout.resume();
  [payer, payee] = await rpc("eth_accounts");
  await rpc("anvil_setCode", USDC, runtime);
  // Mined by itself, a transaction may have no receipt yet when its hash is returned.
  await rpc("evm_setAutomine", false);
});

after(() => anvil.kill());

test("the committed code is what the source compiles to", () => {
  execFileSync(execPath, [fileURLToPath(new URL("compile.mjs", import.meta.url)), "--check"], { stdio: "pipe" });
});

test("it introduces itself as USDC with 6 decimals on Base's chain id", async () => {
  assert.equal(await rpc("eth_chainId"), "0x2105");
  assert.equal(await call("0x313ce567"), word(6n)); // decimals()
  assert.match(await call("0x95d89b41"), new RegExp(Buffer.from("USDC").toString("hex"))); // symbol()
});

test("a balance written into storage is the holder's balance", async () => {
  await mint(payer, 25_000_000n);

  assert.equal(await balance(payer), 25_000_000n);
  assert.equal(await rpc("eth_getStorageAt", USDC, word(2n), "latest"), word(0n)); // the supply stays
});

test("a transfer moves units and logs it", async () => {
  await mint(payer, 10_000_000n);
  await mint(payee, 0n);

  const hash = await rpc("eth_sendTransaction", { from: payer, to: USDC, data: transfer(payee, 4_000_000n) });
  await rpc("evm_mine");

  const receipt = await rpc("eth_getTransactionReceipt", hash);
  assert.equal(receipt.status, "0x1");
  assert.equal(receipt.logs[0].topics[0], await keccak(`0x${Buffer.from("Transfer(address,address,uint256)").toString("hex")}`));
  assert.equal(await balance(payer), 6_000_000n);
  assert.equal(await balance(payee), 4_000_000n);
});

test("a simulated transfer of too much says why it is refused", async () => {
  await mint(payer, 1n);

  await assert.rejects(
    rpc("eth_call", { from: payer, to: USDC, data: transfer(payee, 2n) }, "latest"),
    /execution reverted: ERC20: transfer amount exceeds balance/,
  );
});

test("a transfer whose balance is gone by the time it is mined reverts on the chain", async () => {
  await mint(payer, 5n);

  const hash = await rpc("eth_sendTransaction", { from: payer, to: USDC, data: transfer(payee, 5n), gas: "0x186a0" });
  await mint(payer, 0n);
  await rpc("evm_mine");

  assert.equal((await rpc("eth_getTransactionReceipt", hash)).status, "0x0");
});

async function rpc(method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error } = await answer.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function mint(holder, units) {
  const slot = await keccak(word(BigInt(holder)) + word(BALANCES_SLOT).slice(2));
  await rpc("anvil_setStorageAt", USDC, slot, word(units));
}

const call = (data) => rpc("eth_call", { to: USDC, data }, "latest");
const balance = async (holder) => BigInt(await call(`0x70a08231${word(BigInt(holder)).slice(2)}`));
const transfer = (to, units) => `0xa9059cbb${word(BigInt(to)).slice(2)}${word(units).slice(2)}`;
const keccak = (hex) => rpc("web3_sha3", hex);
const word = (number) => `0x${number.toString(16).padStart(64, "0")}`;
