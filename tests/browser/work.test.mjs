// An operator's day: a goal becomes posts, an agent is made, the fleet is stopped; nothing hostile runs; every page is readable by everybody.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, PATIENCE_MS, Project, isLive, until, violations } from "./stage.mjs";

const HOSTILE = `<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>\u202Ejavascript:alert(1)`;
const PAGES = ["/review", "/fleet", "/agents/selam", "/agents/selam/soul", "/agents/selam/memory", "/agents/new", "/campaigns", "/campaigns/new", "/calendar", "/trends", "/money", "/replay", "/what-if", "/settings"];

const project = new Project();
let browser;
let campaign;

before(async () => {
  project.createAgents();
  const text = HOSTILE.replaceAll('"', "'");
  campaign = project.startCampaign(["selam", "tariku"], `Follow open AI language models that run on phones`);
  project.run("campaign", "pause", "--agent", "tariku", "--reason", text);
  project.run("campaign", "schedule", campaign, "--at", "2030-01-01T09:00:00Z", "--about", text);
  await project.serve();
  browser = await Browser.launch();
  await project.pending(3, "content");
});

after(async () => {
  try {
    await browser?.close();
  } finally {
    project.close();
  }
});

test("a goal in plain words becomes a campaign whose post is approved and leaves as a dry run", async () => {
  const { context, page } = await browser.owner(project);
  await page.goto("/campaigns/new");
  await page.locator('textarea[name="goal"], input[name="goal"]').fill("Tell makers about open language models that run without a network");
  await page.locator('input[name="agent_ids"][value="selam"]').check();
  const watch = page.locator('[name="watch"]').first();
  if (await watch.isVisible()) await watch.fill("news://global/technology/latest");
  await page.locator("main form button[type=submit]").first().click();
  await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
  await page.getByRole("button", { name: /^Start/ }).click();
  await page.locator("main").getByText("running").first().waitFor();
  await context.close();

  const [row] = await project.pending(1, "content");
  const answered = await project.api("POST", `/api/reviews/${row.review_id}/answer`, { action: "approve" });
  assert.ok(answered.status < 300, JSON.stringify(answered.body));
  const left = await until(async () => {
    const { body } = await project.api("GET", "/api/posts?limit=50");
    return body.items?.find((post) => post.task_id === row.task_id && post.status === "dry_run");
  }, "the post to leave as a dry run");

  const again = await browser.owner(project);
  await again.page.goto(`/stories/${left.task_id}`);
  const story = await again.page.locator("main").textContent();
  for (const step of ["owner", "dry"]) assert.ok(story.includes(step), `${step} is not in the story`);
  await again.context.close();
});

test("an agent is made from a SOUL file whose faults are shown while it is written", async () => {
  const { context, page } = await browser.owner(project, { may: [/422/] });
  await page.goto("/agents/new");
  const soul = page.locator('textarea[name="soul"]');
  await soul.fill("---\nname: Mimi\nid: mimi\n---\nMimi.");
  await page.locator("main").getByText(/disclosure|handle|voice/i).first().waitFor();
  await soul.fill("---\nname: Mimi\nid: mimi\nhandle: mimi.says\nvoice_traits: [warm]\ndirectives: [Never promise returns]\ncore_beliefs: [Plain words are enough.]\nplatforms: [mastodon]\ndisclosure: AI persona @{handle}\n---\nMimi is software and says so.\n");
  await page.locator("main form button[type=submit]").first().click();
  await page.waitForURL(/\/agents\/mimi$/, { timeout: PATIENCE_MS });
  assert.match(await page.locator("main").textContent(), /0x[0-9a-fA-F]{4}/);
  await context.close();
});

test("a freeze is on every open page within a second, and proves itself", async () => {
  const { context, page } = await browser.owner(project);
  const other = await browser.owner(project);
  await other.page.goto("/trends");
  await isLive(page);
  await isLive(other.page);
  await other.page.evaluate(() => {
    new MutationObserver(() => { if (document.querySelector(".stop-bar.freeze")) window.frozenAt ??= Date.now(); }).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole("button", { name: "Freeze" }).first().click();
  const dialog = page.locator("dialog#freeze[open]");
  await dialog.getByLabel(/Reason/).fill("a drill");
  const pressed = await page.evaluate(() => {
    document.querySelector("dialog#freeze form button[type=submit]").click();
    return Date.now();
  });
  await other.page.locator(".stop-bar.freeze").waitFor({ timeout: 5_000 });
  const took = (await other.page.evaluate(() => window.frozenAt)) - pressed;
  console.log(`freeze seen on another page after ${took} ms`);
  assert.ok(took < 1_000, `${took} ms`);
  await dialog.getByText(/It is event/).waitFor();
  assert.match(await dialog.textContent(), /Payments\s*0/);

  await dialog.getByRole("button", { name: "Lift the freeze" }).click();
  await other.page.locator(".stop-bar.freeze").waitFor({ state: "detached", timeout: 5_000 });
  await context.close();
  await other.context.close();
});

test("no page runs what strangers wrote, is wider than a phone, or has a serious fault for those who cannot see it", async () => {
  const { context, page } = await browser.owner(project, { width: 360, height: 780, hasTouch: true, isMobile: true });
  for (const path of [...PAGES, `/campaigns/${campaign}`]) {
    await page.goto(path);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${path} is ${wide} px too wide`);
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => window.hurt), undefined, path);
    assert.equal(await page.locator("main img[src='x'], main [onerror]").count(), 0, path);
    assert.equal(await page.locator('a[href^="javascript:"]').count(), 0, path);
  }
  await context.close();
  for (const colorScheme of ["light", "dark"]) {
    const wide = await browser.owner(project, { colorScheme });
    for (const path of [...PAGES, `/campaigns/${campaign}`]) {
      await wide.page.goto(path);
      assert.deepEqual(await violations(wide.page), [], `${path} in ${colorScheme}`);
    }
    await wide.context.close();
  }
});

test("the first load is under 100 kB and paints without a long task", async () => {
  const context = await browser.person(project);
  const page = await context.newPage();
  await page.goto("/login");
  await page.getByLabel("Key").fill(project.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/review/);
  const fresh = await context.newPage();
  const session = await context.newCDPSession(fresh);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => { bytes += encodedDataLength; });
  await fresh.addInitScript(() => {
    window.long = [];
    new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask", buffered: true });
  });
  await fresh.goto("/review", { waitUntil: "load" });
  await fresh.waitForTimeout(500);
  const paint = await fresh.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  const long = await fresh.evaluate(() => window.long);
  console.log(`first load ${(bytes / 1000).toFixed(0)} kB, first paint ${paint?.toFixed(0)} ms, long tasks ${long.map((each) => each.toFixed(0)).join(" ") || "none"}`);
  assert.ok(bytes < 100_000, `${bytes} bytes`);
  await context.close();
});

test("an agent forgets what a person tells it to forget, and nothing else", async () => {
  const { context, page } = await browser.owner(project);
  await page.goto("/agents/selam");
  await page.getByRole("link", { name: "What it remembers" }).click();
  const rows = page.locator("#memories > li");
  await rows.first().waitFor();
  const before = await rows.evaluateAll((all) => all.map((one) => one.id));

  await rows.first().getByRole("button", { name: "Forget" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal(await rows.count(), before.length, "nothing is forgotten without a yes");
  await rows.first().getByRole("button", { name: "Forget" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await page.locator(`[id="${before[0]}"]`).waitFor({ state: "detached" });

  const { body } = await project.api("GET", "/api/agents/selam/memories");
  assert.ok(!body.items.some((memory) => `memory-${memory.memory_id}` === before[0]));
  assert.ok(body.items.length >= before.length - 1, "the others are there still");
  await context.close();
});
