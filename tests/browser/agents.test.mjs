// An agent's life on the page: made from a form, its SOUL changed with its faults shown live, retired with a reason.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, PATIENCE_MS, Project, isLive, until, violations } from "./stage.mjs";

const SOUL = "---\nname: Mimi\nid: mimi\nhandle: mimi.says\nvoice_traits: [warm]\ndirectives: [Never promise returns]\ncore_beliefs: [Plain words are enough.]\nplatforms: [mastodon]\ndisclosure: AI persona @{handle}\n---\nMimi is software and says so.\n";

const project = new Project();
let browser;

before(async () => {
  project.createAgents();
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

test("an agent is made, its SOUL is changed with its faults shown live, and its history tells both", async () => {
  const { context, page } = await browser.owner(project);
  await page.goto("/agents/new");
  await page.locator("#soul").fill(SOUL);
  await page.getByRole("button", { name: "Make the agent" }).click();
  await page.waitForURL(/\/agents\/mimi$/, { timeout: PATIENCE_MS });

  await page.getByRole("button", { name: "Fund (devnet, play money)" }).click();
  await page.locator("#balances").getByText("25 USDC").waitFor();

  await page.getByRole("link", { name: "Change it, or look at its history" }).click();
  await page.waitForURL(/\/agents\/mimi\/soul$/);
  await isLive(page);
  assert.equal(await page.locator("#soul").inputValue(), SOUL);
  await page.locator("#soul").fill(SOUL.replace("disclosure: AI persona @{handle}", "disclosure: hello"));
  await page.locator("#soul-check").getByText(/Line 9: disclosure/).waitFor();
  await page.locator("#soul").fill(SOUL.replace("id: mimi", "id: momo"));
  await page.locator("#soul-check").getByText(/an agent keeps its id/).waitFor();
  await page.locator("#soul").fill(SOUL.replace("voice_traits: [warm]", "voice_traits: [warm, dry]"));
  await page.locator("#soul-check").getByText(/This is a SOUL: Mimi/).waitFor();
  await until(async () => (await page.locator("#soul-difference ins").allTextContents()).join() === "voice_traits: [warm, dry]", "the difference");
  assert.deepEqual(await page.locator("#soul-difference del").allTextContents(), ["voice_traits: [warm]"]);
  assert.deepEqual(await violations(page), []);
  await page.getByRole("button", { name: "Save this SOUL" }).click();

  await page.getByText("It works by version 2, saved by owner").waitFor();
  const history = page.locator("#history ol.souls > li");
  assert.equal(await history.count(), 2);
  await history.first().locator("summary").click();
  assert.deepEqual(await history.first().locator("ins").allTextContents(), ["voice_traits: [warm, dry]"]);
  await history.last().getByRole("button", { name: "Put version 1 back into the editor" }).click();
  await until(async () => (await page.locator("#soul").inputValue()) === SOUL, "the first SOUL in the editor");
  await context.close();
});

test("who edits while somebody else saves loses nothing and overwrites nothing unseen", async () => {
  const { context, page } = await browser.owner(project);
  await page.goto("/agents/selam/soul");
  await isLive(page);
  const before = await page.locator("#soul").inputValue();
  await page.locator("#soul").fill(`${before}\nMine.\n`);
  const saved = await project.api("PUT", "/api/agents/selam/soul", { soul: `${before}\nTheirs.\n` });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));

  await page.getByText("Version 2 was saved meanwhile.").waitFor();
  assert.equal(await page.locator("#soul").inputValue(), `${before}\nMine.\n`);
  const stale = await project.api("PUT", "/api/agents/selam/soul", { soul: `${before}\nMine.\n` }, { "if-match": '"1"' });
  assert.equal(stale.status, 412);
  await page.getByRole("button", { name: "Compare with it and go on from there" }).click();
  await until(async () => (await page.locator("#soul-difference del").allTextContents()).includes("Theirs."), "what would be lost");
  await page.getByRole("button", { name: "Save this SOUL" }).click();
  await page.getByText("It works by version 3").waitFor();
  await context.close();
});

test("an agent is retired with a reason, the fleet says so, and it comes back", async () => {
  const { context, page } = await browser.owner(project);
  await page.goto("/agents/mimi");
  await page.getByRole("button", { name: "Retire agent" }).click();
  const dialog = page.locator("dialog#retire-dialog[open]");
  await dialog.getByLabel(/Reason/).fill("the season is over");
  await dialog.getByRole("button", { name: "Retire" }).click();
  await page.locator("#stops").getByText("the season is over").waitFor();
  assert.match(await page.locator("main").textContent(), /0x[0-9a-fA-F]{4}/, "its wallet stays");
  assert.deepEqual(await violations(page), []);

  await page.goto("/fleet");
  const last = page.locator("#agents > li").last();
  assert.equal(await last.getAttribute("data-live-id"), "mimi");
  assert.match(await last.textContent(), /retired: the season is over/);
  assert.deepEqual(await violations(page), []);
  await page.goto("/campaigns/new");
  assert.equal(await page.locator('input[name="agent_ids"][value="mimi"]').count(), 0);

  await page.goto("/agents/mimi");
  await page.getByRole("button", { name: "Reinstate" }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Reinstate" }).click();
  await page.getByRole("button", { name: "Retire agent" }).waitFor();
  await context.close();
});

test("the new pages fit a phone", async () => {
  const { context, page } = await browser.owner(project, { width: 360, height: 780, hasTouch: true, isMobile: true });
  for (const path of ["/agents/mimi", "/agents/mimi/soul"]) {
    await page.goto(path);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${path} is ${wide} px too wide`);
  }
  await context.close();
});
