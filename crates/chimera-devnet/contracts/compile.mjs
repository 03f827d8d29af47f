// Rewrites DevnetUsdc.runtime.hex from DevnetUsdc.sol. In this folder:
//   npm install --no-save solc@0.8.37 && node compile.mjs && rm -r node_modules
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const solc = createRequire(import.meta.url)("solc");
const source = "DevnetUsdc.sol";
const input = {
  language: "Solidity",
  sources: { [source]: { content: readFileSync(source, "utf8") } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: "prague",
    // Without the metadata hash the same source always gives the same bytes.
    metadata: { bytecodeHash: "none", appendCBOR: false },
    outputSelection: { "*": { "*": ["evm.deployedBytecode.object", "storageLayout"] } },
  },
};

const output = JSON.parse(solc.compile(JSON.stringify(input)));
const errors = (output.errors ?? []).filter((error) => error.severity === "error");
if (errors.length > 0) {
  throw new Error(errors.map((error) => error.formattedMessage).join("\n"));
}
const contract = output.contracts[source].DevnetUsdc;
writeFileSync("DevnetUsdc.runtime.hex", contract.evm.deployedBytecode.object + "\n");
for (const slot of contract.storageLayout.storage) {
  console.log(`slot ${slot.slot}: ${slot.label}`);
}
