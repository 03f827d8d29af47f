// Looking back: what other thresholds would have done, the fleet as it stood, and why a number is what it is.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, PATIENCE_MS, Project, until, violations } from "./stage.mjs";

const project = new Project();
let browser;

before(async () => {
  project.createAgents();
  project.startCampaign(["selam", "tariku"]);
  await project.serve();
  browser = await Browser.launch();
  // Those that the score alone put before a person.
  const rows = await until(async () => {
    const waiting = (await project.pending(3, "content")).filter((row) => /^confidence .* is between/.test(row.reason));
    return waiting.length >= 2 ? waiting : null;
  }, "two texts of middling confidence");
  await project.api("POST", `/api/reviews/${rows[0].review_id}/answer`, { action: "approve" });
  await project.api("POST", `/api/reviews/${rows[1].review_id}/answer`, { action: "reject", reason: "too thin", give_up: true });
  await until(async () => {
    const { body } = await project.api("GET", "/api/reviews?status=decided&limit=10");
    return body.items?.length >= 2;
  }, "both answers to take effect");
});

after(async () => {
  try {
    await browser?.close();
  } finally {
    project.close();
  }
});

const numbers = (page, outcome) => page.locator(`#content tr[data-outcome="${outcome}"] td`).evaluateAll((cells) => cells.map((cell) => Number.parseInt(cell.textContent, 10)));

test("a moved threshold says what would have gone out, as the API does, and changes nothing", async () => {
  const { context, page } = await browser.owner(project);
  const before = (await project.api("GET", "/api/reviews?status=pending&limit=100")).body.items.length;
  await page.goto("/what-if");
  const [recorded, today, these] = await numbers(page, "person");
  assert.ok(recorded >= 3, `${recorded} went to a person`);
  assert.deepEqual([today, these], [recorded, recorded], "today's values are what was decided");

  const slider = page.getByLabel(/goes out by itself when its confidence is above/);
  await slider.focus();
  await page.keyboard.press("Home");
  await page.locator('#content tr[data-outcome="alone"] td.changed').waitFor({ timeout: PATIENCE_MS });
  const alone = await numbers(page, "alone");
  assert.ok(alone[2] > alone[1], `${alone}`);
  assert.match(page.url(), /approve_above_percent=0/);
  assert.match(await page.locator("#to-set").textContent(), /\[judge\] approve_above = 0/);
  const said = await page.locator("#content .loosened").textContent();
  assert.match(said, /approved 1, edited 0 and rejected 1/);
  assert.ok((await page.locator('#content-changes a[href^="/stories/"]').count()) > 0);

  const { status, body } = await project.api("GET", "/api/what-if?approve_above_percent=0");
  assert.equal(status, 200);
  const column = (outcomes) => [outcomes.alone, outcomes.person, outcomes.refused];
  const shown = await Promise.all(["alone", "person", "refused"].map((outcome) => numbers(page, outcome)));
  assert.deepEqual(shown.map((row) => row[2]), column(body.content.then));
  assert.deepEqual(shown.map((row) => row[0]), column(body.content.recorded));
  const later = (await project.api("GET", "/api/reviews?status=pending&limit=100")).body.items.length;
  assert.ok(later >= before, "nothing left the inbox by it");
  await context.close();
});

test("the fleet is gone back through by keys, by slider and playing", async () => {
  const { context, page } = await browser.owner(project);
  await page.goto("/replay?event=4");
  const event = () => page.locator("#replay-then").getAttribute("data-event").then(Number);
  const reach = (number) => page.locator(`#replay-then[data-event="${number}"]`).waitFor({ timeout: PATIENCE_MS });
  assert.equal(await event(), 4);
  await page.locator("#main").focus();
  await page.keyboard.press(",");
  await reach(3);
  await page.keyboard.press(".");
  await page.keyboard.press(".");
  await reach(5);
  await page.keyboard.press("Shift+P");
  await until(async () => (await event()) >= 7, "it to play on");
  await page.keyboard.press("Shift+P");
  await page.getByLabel("Event", { exact: true }).focus();
  await page.keyboard.press("Home");
  await reach(1);
  await page.keyboard.press("End");
  const last = Number(await page.locator("#event").getAttribute("max"));
  await reach(last);
  assert.ok((await page.locator("#replay-then .agent").count()) >= 2);
  await page.getByRole("link", { name: /^Back/ }).click();
  await reach(last - 1);

  const started = Date.now();
  const { body } = await project.api("GET", `/api/replay?event=${last}`);
  console.log(`one look back of ${body.last} events took ${Date.now() - started} ms`);
  assert.equal(body.event, last);
  assert.deepEqual((await project.api("GET", `/api/replay?at=${encodeURIComponent(body.last_at)}`)).body.agents, body.agents);
  assert.equal((await project.api("GET", "/api/replay?at=yesterday")).status, 422);
  await context.close();
});

test("why a number is what it is opens and closes by keys alone", async () => {
  const { context, page } = await browser.owner(project);
  for (const [path, id] of [["/fleet", "why-state"], ["/review", "why-confidence"], ["/agents/selam", "why-state"]]) {
    await page.goto(path);
    const button = page.locator(`main [popovertarget="${id}"]`).first();
    await button.focus();
    await page.keyboard.press("Enter");
    const told = page.locator(`#${id}`);
    await told.waitFor({ state: "visible" });
    assert.ok((await told.getByRole("link").count()) > 0, `${id} leads on`);
    assert.deepEqual(await violations(page), [], `${id} on ${path}`);
    await page.keyboard.press("Escape");
    await told.waitFor({ state: "hidden" });
    assert.equal(await button.evaluate((one) => one === document.activeElement), true, `${path}: the focus is back`);
  }
  await context.close();
});

test("looking back fits a phone and has no serious fault for those who cannot see it", async () => {
  const phone = await browser.owner(project, { width: 360, height: 780, hasTouch: true, isMobile: true });
  for (const path of ["/what-if?approve_above_percent=0", "/replay", "/replay?event=3"]) {
    await phone.page.goto(path);
    const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${path} is ${wide} px too wide`);
  }
  await phone.context.close();
  for (const colorScheme of ["light", "dark"]) {
    const { context, page } = await browser.owner(project, { colorScheme });
    for (const path of ["/what-if?approve_above_percent=0", "/replay"]) {
      await page.goto(path);
      assert.deepEqual(await violations(page), [], `${path} in ${colorScheme}`);
    }
    await context.close();
  }
});
