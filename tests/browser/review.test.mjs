// A reviewer's day: ten reviews by keys, an answer taken back, two people on one item, a server that goes away, and money.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, PATIENCE_MS, Project, emptyPage, isLive, signIn, until } from "./stage.mjs";

const HELD_MS = 8_000;
const REVIEWS = 10;
const PAYEE = "0x52908400098527886E0F7030069857D2E4169EE7";

const project = new Project();
let browser;

before(async () => {
  project.createAgents({ abeba: ["bluesky", "mastodon", "threads"], dawit: ["twitter", "linkedin", "threads"], hanna: ["bluesky", "mastodon", "linkedin"] });
  project.startCampaign(["selam", "tariku", "abeba", "dawit", "hanna"]);
  await project.serve();
  browser = await Browser.launch();
  await project.pending(REVIEWS + 3, "content");
});

after(async () => {
  try {
    await browser?.close();
  } finally {
    project.close();
  }
});

const open = (page) => page.locator("#detail").getAttribute("data-review");
const waiting = (page) => page.locator("#rows .row:not(.done):not(.held)").count();
const toast = (page, text) => page.locator("#toasts .toast", { hasText: text });

test("ten posts are decided by single keys, and each next one is there in a tenth of a second", async () => {
  const { context, page } = await browser.owner(project);
  await isLive(page);
  const before = await waiting(page);
  await page.evaluate(() => {
    window.waits = [];
    document.addEventListener("keydown", () => { window.pressedAt = performance.now(); }, true);
    document.addEventListener("chimera:replaced", ({ detail }) => {
      const at = window.pressedAt;
      if (detail?.id === "detail") requestAnimationFrame(() => requestAnimationFrame(() => window.waits.push(performance.now() - at)));
    });
  });
  const decided = [];
  for (let at = 0; at < REVIEWS; at += 1) {
    const id = await open(page);
    decided.push(id);
    if (at % 2 === 0) await page.keyboard.press("a");
    else {
      await page.keyboard.press("r");
      await page.keyboard.press("1");
    }
    await page.waitForFunction((was) => document.getElementById("detail").dataset.review !== was, id, { timeout: PATIENCE_MS });
  }

  assert.equal(new Set(decided).size, REVIEWS);
  assert.ok(await waiting(page) <= before - REVIEWS);
  await until(async () => (await project.api("GET", "/api/reviews?status=decided&limit=100")).body.items.length >= REVIEWS, "the answers to take effect");
  const { body } = await project.api("GET", "/api/reviews?status=decided&limit=100");
  const words = decided.map((id) => body.items.find((row) => row.review_id === id)?.status);
  assert.deepEqual(words, decided.map((_, at) => (at % 2 === 0 ? "approved" : "rejected")));
  const waits = await page.evaluate(() => window.waits.sort((a, b) => a - b));
  const median = waits[Math.floor(waits.length / 2)];
  const empty = await emptyPage(browser);
  console.log(`key to next painted item: median ${median.toFixed(0)} ms, longest ${waits.at(-1).toFixed(0)} ms; a key on an empty page ${empty} ms`);
  assert.ok(median < Math.max(200, 4 * empty), `${median} ms`);
  await context.close();
});

test("an answer is taken back within its seconds, also after a reload, and not after them", async () => {
  const { context, page } = await browser.owner(project, { may: [/409/] });
  await isLive(page);
  const id = await open(page);
  await page.keyboard.press("a");
  await toast(page, "Approved").waitFor();
  await page.reload();
  await toast(page, "Approved").waitFor();
  await page.waitForTimeout(HELD_MS - 3_000);
  await page.keyboard.press("z");
  await toast(page, "Taken back").waitFor();
  assert.equal((await project.api("GET", `/api/reviews/${id}`)).body.row.status, "pending");

  await page.goto(`/review/${id}`);
  await page.keyboard.press("a");
  await toast(page, "Approved").waitFor();
  await until(async () => (await project.api("GET", `/api/reviews/${id}`)).body.row.status === "approved", "the approval to take effect", HELD_MS + 5_000);
  const late = await project.api("DELETE", `/api/reviews/${id}/answer`);
  assert.equal(late.status, 409, JSON.stringify(late.body));
  assert.match(late.body.detail, /taken back/);
  await context.close();
});

test("of two people on one item the second is told who was first, and keeps the edit", async () => {
  const name = `rev-${Date.now()}`;
  const { body: added } = await project.api("POST", "/api/people", { name, role: "reviewer" });
  const { context, page } = await browser.owner(project);
  const other = await browser.person(project, { may: [/409/] });
  const slower = await other.newPage();
  await signIn(slower, added.key, name);
  await isLive(slower);
  const id = await open(slower);
  await page.goto(`/review/${id}`);
  await slower.goto(`/review/${id}`);
  await slower.keyboard.press("e");
  const edited = `${await slower.locator("#edit-text").inputValue()} `.replace(/ $/, "");
  await slower.locator("#edit-text").fill(edited.replace(/\w+/, "Today"));

  await page.locator('#detail[data-review] footer [data-act="approve"]').waitFor();
  await page.keyboard.press("a");
  await toast(page, "Approved").waitFor();
  await slower.getByRole("button", { name: /Approve as edited/ }).click();

  await slower.locator("#problem").filter({ hasText: "owner" }).waitFor();
  assert.match(await slower.locator("#edit-text").inputValue(), /^Today/);
  await until(async () => (await project.api("GET", `/api/reviews/${id}`)).body.answer?.reviewer_id === "owner", "the first answer to count");
  await context.close();
  await other.close();
});

test("a page says within two seconds that its server is gone, refuses to act on what it sees, and goes on by itself", async () => {
  const { context, page } = await browser.owner(project, { may: [/ERR_CONNECTION|Failed to load|net::/] });
  await isLive(page);
  const { port } = project.serving;
  const killed = Date.now();
  await project.kill();
  await page.locator("#blind").waitFor({ timeout: 3_000 });
  const took = Date.now() - killed;
  assert.ok(took < 2_500, `${took} ms`);
  assert.ok(await page.locator('#detail footer [data-act="approve"]').isDisabled());
  const id = await open(page);
  await page.keyboard.press("a");

  await project.serve(port);
  await isLive(page);
  assert.equal(await page.locator("#blind").count(), 0);
  assert.equal((await project.api("GET", `/api/reviews/${id}`)).body.row.status, "pending", "what was pressed while blind changed nothing");
  await context.close();
});

test("seven tabs of one person all load and are all alive when they are looked at", async () => {
  const { context, page } = await browser.owner(project);
  const tabs = [page];
  for (let at = 1; at < 7; at += 1) {
    const tab = await context.newPage();
    await tab.goto("/fleet", { timeout: 20_000 });
    tabs.push(tab);
  }
  for (const tab of tabs) {
    await tab.bringToFront();
    await tab.locator("h1").waitFor();
  }
  await isLive(tabs.at(-1));
  await context.close();
});

test("keys that are switched off do nothing, and come back when they are switched on", async () => {
  const { context, page } = await browser.owner(project);
  await isLive(page);
  const id = await open(page);
  await page.keyboard.press("?");
  await page.locator("dialog#keys[open]").waitFor();
  await page.getByText("Single keys are on").click();
  await page.locator("#keys").getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("a");
  await page.keyboard.press("j");
  await page.waitForTimeout(500);
  assert.equal(await open(page), id);
  assert.equal((await project.api("GET", `/api/reviews/${id}`)).body.row.held, undefined);

  await page.goto("/settings");
  await page.locator('main [data-setting="keys"]').check();
  await page.goto("/review");
  await page.keyboard.press("j");
  await page.waitForFunction((was) => document.getElementById("detail").dataset.review !== was, id);
  await context.close();
});

test("money is never decided by one key: a dialog repeats it, with the focus on the way out", async () => {
  const input = { task_id: crypto.randomUUID(), agent_id: "selam", operation: "token_transfer", params: { asset: "USDC", to_address: PAYEE, amount_wei_or_units: "1500000" } };
  const held = project.pay(input);
  assert.equal(held.success, false, JSON.stringify(held));
  const [row] = await project.pending(1, "money");
  const { context, page } = await browser.owner(project);
  await page.goto(`/review/${row.review_id}`);
  await page.keyboard.press("a");
  const dialog = page.locator("dialog#pay[open]");
  await dialog.waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Cancel");
  const said = (await dialog.textContent()).replaceAll(/\s/g, "");
  assert.ok(said.includes(PAYEE) && said.includes("1.5") && said.includes("selam"), said);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  assert.equal((await project.api("GET", `/api/reviews/${row.review_id}`)).body.row.held, undefined);

  const viewer = `see-${Date.now()}`;
  const { body: added } = await project.api("POST", "/api/people", { name: viewer, role: "reviewer" });
  const refused = await fetch(`${project.serving.origin}/api/reviews/${row.review_id}/answer`, {
    method: "POST", headers: { authorization: `Bearer ${added.key}`, "content-type": "application/json" }, body: JSON.stringify({ action: "approve" }),
  });
  assert.equal(refused.status, 403, "a reviewer decides no money");
  await context.close();
});
