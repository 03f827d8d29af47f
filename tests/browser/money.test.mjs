// Money: an approval that is not used yet is taken back, what the books come to, and the ledger to take along.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Browser, Project, isLive, until, violations } from "./stage.mjs";

const PAYEE = "0x52908400098527886E0F7030069857D2E4169EE7";

const project = new Project();
let browser;

before(async () => {
  project.createAgents();
  const config = readFileSync(project.path("chimera.toml"), "utf8");
  project.write("chimera.toml", config.replace('native = "ETH"\n', 'native = "ETH"\nexplorer = "https://explorer.example/tx/{hash}"\n'));
  project.run("wallet", "fund", "--agent", "selam");
  await project.serve();
  browser = await Browser.launch();
});

after(async () => {
  try {
    await browser?.close();
  } finally {
    project.close();
  }
});

// A payment that a person approved, and that a freeze keeps from being made.
async function unusedApproval(units) {
  const input = { task_id: crypto.randomUUID(), agent_id: "selam", operation: "token_transfer", params: { asset: "USDC", to_address: PAYEE, amount_wei_or_units: units } };
  assert.equal(project.pay(input).success, false);
  const row = (await project.pending(1, "money")).find((one) => one.task_id === input.task_id);
  const frozen = await project.api("POST", "/api/freezes", { reason: "a test" });
  assert.equal(frozen.status, 201, JSON.stringify(frozen.body));
  const approved = await project.api("POST", `/api/reviews/${row.review_id}/answer`, { action: "approve" });
  assert.equal(approved.status, 202, JSON.stringify(approved.body));
  await until(async () => {
    const { body } = await project.api("GET", `/api/reviews/${row.review_id}`);
    return body.payment?.approved_until;
  }, "the approval to wait unused");
  return { ...row, input };
}

test("an approval that is not used yet says so where money is, and is taken back there", async () => {
  const row = await unusedApproval("1500000");
  const { body: added } = await project.api("POST", "/api/people", { name: "only-reviews", role: "reviewer" });
  const refused = await fetch(`${project.serving.origin}/api/reviews/${row.review_id}/revoke`, {
    method: "POST", headers: { authorization: `Bearer ${added.key}`, "content-type": "application/json" }, body: "{}",
  });
  assert.equal(refused.status, 403, "a reviewer decides no money");

  const { context, page } = await browser.owner(project);
  await page.goto(`/review/${row.review_id}`);
  await page.locator("#detail").getByText("Approved, not used yet").waitFor();
  await page.goto("/money");
  await isLive(page);
  const entry = page.locator("#transfers-list > li").first();
  await entry.getByText("Approved, not used yet.").waitFor();
  await entry.locator("details.decisions summary").click();
  assert.match(await entry.locator("details.decisions").textContent(), /a person is asked[\s\S]*approved by owner/);
  await entry.getByLabel(/Why/).fill("a wrong invoice");
  await entry.getByRole("button", { name: /Revoke/ }).click();
  const dialog = page.locator("dialog[open]");
  assert.match(await dialog.textContent(), /never made/);
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.locator("#transfers-list > li").first().getByText("declined").waitFor();

  const { body } = await project.api("GET", `/api/reviews/${row.review_id}`);
  assert.deepEqual([body.payment.state, body.payment.revoked], ["declined", "revoked by owner: a wrong invoice"]);
  const again = await project.api("POST", `/api/reviews/${row.review_id}/revoke`, {});
  assert.equal(again.status, 409, JSON.stringify(again.body));
  assert.match(again.body.detail, /revoked before/);
  await page.goto(`/review/${row.review_id}`);
  await page.locator("#detail").getByText("Never paid:").waitFor();
  await project.api("DELETE", "/api/freezes/fleet");
  assert.equal(project.pay(row.input).error_code, "not_approved", "it is never made under its task");
  await context.close();
});

test("what is paid is on the books of its day, with a link to the chain's explorer, and in the files to take along", async () => {
  await project.api("DELETE", "/api/freezes/fleet");
  const row = await (async () => {
    const input = { task_id: crypto.randomUUID(), agent_id: "selam", operation: "token_transfer", params: { asset: "USDC", to_address: PAYEE, amount_wei_or_units: "2500000" } };
    project.pay(input);
    return (await project.pending(1, "money")).find((one) => one.task_id === input.task_id);
  })();
  await project.api("POST", `/api/reviews/${row.review_id}/answer`, { action: "approve", reason: "=HYPERLINK(\"https://evil.example\")" });
  const paid = await until(async () => {
    const { body } = await project.api("GET", "/api/transfers");
    return body.items.find((one) => one.task_id === row.task_id && one.state === "confirmed");
  }, "the payment");
  assert.equal(paid.explorer_url, `https://explorer.example/tx/${paid.tx_hash}`);
  const { body: results } = await project.api("GET", "/api/results?days=2&agent=selam");
  const usdc = results.days.find((day) => day.asset === "USDC");
  assert.deepEqual([usdc.paid_units, usdc.fees_units, usdc.result_units], ["2500000", "0", "-2500000"]);

  const { context, page } = await browser.owner(project);
  await page.goto("/money");
  const link = page.locator("#transfers-list a", { hasText: "On the explorer" }).first();
  assert.equal(await link.getAttribute("href"), paid.explorer_url);
  await page.locator("#results").getByText("−2.5").waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /CSV/ }).click()]);
  assert.equal(download.suggestedFilename(), "chimera-ledger.csv");
  assert.deepEqual(await violations(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no sideways scrolling");
  await context.close();

  const csv = await project.api("GET", "/api/ledger.csv");
  assert.match(csv.headers.get("content-type"), /^text\/csv/);
  const lines = csv.body.trim().split("\r\n");
  const { body: { entries } } = await project.api("GET", "/api/ledger.json");
  const postings = entries.reduce((sum, entry) => sum + Math.max(entry.postings.length, 1), 0);
  assert.equal(lines.length, postings + 1);
  assert.deepEqual(entries.map((entry) => entry.number), entries.map((_, at) => at + 1));
  for (const line of lines.slice(1)) assert.doesNotMatch(line, /(^|,)"?[=+@-]/, "no cell is a formula");
});
