// A fleet of 1,000: it shows at once, is searched by typing, and stays quick while hundreds of its rows change each second.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { Browser, Project, emptyPage, isLive } from "./stage.mjs";

const AGENTS = 1_000;
const CHANGES_PER_SECOND = 500;

const project = new Project();
let browser;
let store;

before(async () => {
  project.createAgents();
  // Written into the store itself: making a thousand wallets is not what is looked at here.
  store = new DatabaseSync(project.path("chimera-data/chimera.db"), { timeout: 10_000 });
  const [sample] = store.prepare("SELECT soul_source FROM agents WHERE id = 'selam'").all();
  const add = store.prepare("INSERT INTO agents (id, soul_source, soul_version, address, created_at) VALUES (?, ?, ?, ?, ?)");
  store.exec("BEGIN IMMEDIATE");
  for (let at = 0; at < AGENTS - 2; at += 1) {
    const id = `agent-${String(at).padStart(4, "0")}`;
    const soul = sample.soul_source.replace("name: Selam", `name: Persona ${at}`).replace("id: selam", `id: ${id}`);
    add.run(id, soul, String(at).padStart(64, "0"), `0x${String(at).padStart(40, "0")}`, Date.now() * 1000);
  }
  store.exec("COMMIT");
  await project.serve();
  browser = await Browser.launch();
});

after(async () => {
  store?.close();
  try {
    await browser?.close();
  } finally {
    project.close();
  }
});

test("a thousand agents are shown, searched and watched without a page that stands still", async () => {
  const { context, page } = await browser.owner(project);
  await page.goto("/fleet");
  await isLive(page);
  assert.equal(await page.locator("[data-row]").count(), AGENTS);
  const field = page.locator("[data-search]").first();

  const seen = store.prepare("INSERT INTO events (at, kind, state, subject, agent_id) VALUES (?, 'agent', 'created', ?, ?)");
  let stopped = false;
  const changing = (async () => {
    for (let tick = 0; !stopped; tick += 1) {
      store.exec("BEGIN IMMEDIATE");
      for (let at = 0; at < CHANGES_PER_SECOND / 10; at += 1) {
        const id = `agent-${String((tick * 50 + at) % (AGENTS - 2)).padStart(4, "0")}`;
        seen.run(Date.now() * 1000, id, id);
      }
      store.exec("COMMIT");
      await new Promise((done) => setTimeout(done, 100));
    }
  })();

  // A page that is slow is slow each time; a machine that others use is so for a while.
  let waits, median, empty;
  for (let round = 0; round < 3; round += 1) {
    await field.fill("");
    waits = [];
    for (const letter of "persona 77") {
      const began = Date.now();
      await field.press(letter === " " ? "Space" : letter);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      waits.push(Date.now() - began);
    }
    waits.sort((a, b) => a - b);
    median = waits[Math.floor(waits.length / 2)];
    empty = await emptyPage(browser);
    if (median < Math.max(500, 8 * empty)) break;
  }
  stopped = true;
  await changing;

  const shown = await page.locator("[data-row]:visible").count();
  assert.equal(shown, 19, "every number with 77 in it");
  console.log(`a letter shows after ${median} ms in the median, ${waits.at(-1)} ms at worst; on an empty page after ${empty} ms`);
  assert.ok(median < Math.max(500, 8 * empty), waits.join(" "));
  await context.close();
});
