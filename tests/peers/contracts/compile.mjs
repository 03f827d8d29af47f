// Compiles Usdc.sol into usdc.runtime.hex; with --check, only says whether the committed file is what comes out.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { argv, env, exit } from "node:process";

const solc = createRequire(`${env.CHIMERA_TEST_MODULES}/`)("solc");
const here = (name) => new URL(name, import.meta.url);

const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: "Solidity",
      sources: { "Usdc.sol": { content: readFileSync(here("Usdc.sol"), "utf8") } },
      settings: {
        evmVersion: "paris", // runs on every chain, also on those without PUSH0
        optimizer: { enabled: true, runs: 200 },
        metadata: { appendCBOR: false }, // code and nothing else, so that a comment does not change it
        outputSelection: { "*": { "*": ["evm.deployedBytecode.object", "storageLayout"] } },
      },
    }),
  ),
);
if (output.errors?.length) {
  console.error(output.errors.map((error) => error.formattedMessage).join("\n"));
  exit(1);
}

const contract = output.contracts["Usdc.sol"].Usdc;
const runtime = `0x${contract.evm.deployedBytecode.object}\n`;
const slots = contract.storageLayout.storage.map(({ slot, label }) => `${slot} ${label}`).join(", ");
console.log(`${solc.version()}: ${(runtime.length - 3) / 2} bytes, slots: ${slots}`);
if (!argv.includes("--check")) {
  writeFileSync(here("usdc.runtime.hex"), runtime);
} else if (runtime !== readFileSync(here("usdc.runtime.hex"), "utf8")) {
  console.error("usdc.runtime.hex is not what Usdc.sol compiles to: run compile.mjs and commit the result");
  exit(1);
}
