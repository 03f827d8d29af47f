// A real Bluesky server (PDS) and its directory on loopback, with one account. Says where it is in one line of JSON, and ends with its input.
// Run from the folder where it is installed: node …/server.mjs
import { createRequire } from "node:module";
import { cwd, exit, stdin, stdout } from "node:process";
import { pathToFileURL } from "node:url";

const here = createRequire(pathToFileURL(`${cwd()}/package.json`));
const { TestNetworkNoAppView } = await import(pathToFileURL(here.resolve("@atproto/dev-env")).href);

// Its own words belong to standard error.
console.log = console.error;
const network = await TestNetworkNoAppView.create({});
const agent = network.pds.getAgent();
const password = "pass-of-selam";
const { data } = await agent.com.atproto.server.createAccount({ handle: "selam.test", email: "selam@example.com", password });
stdout.write(`${JSON.stringify({ service: network.pds.url, handle: data.handle, did: data.did, password })}\n`);

stdin.resume();
stdin.on("end", async () => {
  await network.close();
  exit(0);
});
