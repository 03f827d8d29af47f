// A campaign as a person shapes it: a goal in plain words, a plan with one task dropped and one briefed, a post, another budget, and an end.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, PATIENCE_MS, Project, isLive, until, violations } from "./stage.mjs";

const BRIEF = "Speak of the licence, and what it means for small companies";

const project = new Project();
let browser;
let campaign;

before(async () => {
  project.createAgents({ abeba: ["mastodon"], dawit: ["bluesky"] });
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

const planned = (page, agent) => page.locator("#campaign-plan li", { has: page.locator(`header a[href="/agents/${agent}"]`) }).first();

test("a goal in plain words becomes a plan; one task is dropped, one is told what to say, and other pages see it", async () => {
  const { context, page } = await browser.owner(project);
  await page.goto("/campaigns/new");
  await page.locator('textarea[name="goal"]').fill("Follow open AI language models that run on people's own devices");
  for (const agent of ["abeba", "dawit"]) await page.locator(`input[name="agent_ids"][value="${agent}"]`).check();
  await page.locator("main form button[type=submit]").first().click();
  await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
  campaign = new URL(page.url()).pathname.split("/").at(-1);
  const other = await browser.owner(project);
  await other.page.goto(`/campaigns/${campaign}`);
  await isLive(other.page);

  await page.getByRole("button", { name: "Look now" }).click();
  await planned(page, "dawit").waitFor({ timeout: PATIENCE_MS });
  assert.match(await page.locator("#plan-sum").textContent(), /posts to come/);
  for (const agent of ["abeba", "dawit"]) assert.match(await planned(page, agent).textContent(), /planned.*risk.*costs nothing/s);

  await planned(page, "dawit").getByRole("button", { name: "Drop it" }).click();
  await page.locator('#campaign-plan li[data-state="dropped"]').getByRole("button", { name: "Put it back" }).waitFor();
  await other.page.locator('#campaign-plan li[data-state="dropped"]').waitFor({ timeout: 5_000 });
  const own = planned(page, "abeba");
  await own.getByText("Brief it").click();
  await own.locator('textarea[name="brief"]').fill(BRIEF);
  await own.getByRole("button", { name: "Tell it" }).click();
  await page.locator("#campaign-plan blockquote", { hasText: BRIEF }).waitFor();
  await other.page.locator("#campaign-plan blockquote", { hasText: BRIEF }).waitFor({ timeout: 5_000 });
  await other.context.close();

  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("#campaign-standing").getByText("running").waitFor();
  const rows = await project.pending(1, "content");
  assert.ok(rows.every((row) => row.agent_id === "abeba"), "nobody writes what was dropped");
  const { body: review } = await project.api("GET", `/api/reviews/${rows[0].review_id}`);
  assert.match(JSON.stringify(review), /licence/i, "the draft speaks of what the brief names");
  await context.close();
});

test("deleting is refused while an answer is held, and says so; the post leaves as a dry run", async () => {
  const { context, page } = await browser.owner(project, { may: [/409/] });
  await page.goto(`/campaigns/${campaign}`);
  const rows = await project.pending(1, "content");
  for (const row of rows) {
    const answered = await project.api("POST", `/api/reviews/${row.review_id}/answer`, { action: "approve" });
    assert.equal(answered.status, 202, JSON.stringify(answered.body));
  }
  await page.locator("#delete-campaign > summary").click();
  const remove = async () => {
    await page.getByRole("button", { name: "Delete the campaign" }).click();
    await page.locator("dialog[open]").getByRole("button", { name: "Delete it" }).click();
  };
  await remove();
  await page.locator("#delete-campaign [data-problem]").getByText(/answers? (is|are) held/).waitFor();
  await until(async () => {
    const { body } = await project.api("GET", `/api/posts?campaign=${campaign}`);
    return body.items?.some((post) => post.status === "dry_run");
  }, "the post to leave as a dry run");
  await context.close();
});

test("a budget below what is used stops the campaign and says so; a larger one lets it go on", async () => {
  const { context, page } = await browser.owner(project);
  await page.goto(`/campaigns/${campaign}`);
  await isLive(page);
  const budget = async (posts) => {
    await page.locator("#change-budget > summary").click();
    await page.locator('#change-budget input[name="posts_max"]').fill(posts);
    await page.getByRole("button", { name: "Change the budget" }).click();
  };
  await budget("0");
  await page.locator("#toasts").getByText(/of 0 posts are used up/).waitFor();
  await page.locator("#campaign-facts").getByText("ends after 0 posts").waitFor();
  await page.locator("#campaign-standing").getByText("exhausted").waitFor({ timeout: PATIENCE_MS });
  await budget("50");
  await page.locator("#campaign-facts").getByText("ends after 50 posts").waitFor();
  await page.locator("#campaign-standing").getByRole("button", { name: "Resume" }).click();
  await page.locator("#campaign-standing").getByText("running").waitFor();
  await context.close();
});

test("its page is readable by everybody, also on a phone", async () => {
  const phone = await browser.owner(project, { width: 360, height: 780, hasTouch: true, isMobile: true });
  await phone.page.goto(`/campaigns/${campaign}`);
  for (const id of ["add-task", "change-budget", "change-agents", "delete-campaign"]) await phone.page.locator(`#${id} > summary`).click();
  const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `it is ${wide} px too wide`);
  await phone.context.close();
  for (const colorScheme of ["light", "dark"]) {
    const { context, page } = await browser.owner(project, { colorScheme });
    await page.goto(`/campaigns/${campaign}`);
    for (const id of ["add-task", "change-budget", "change-agents", "delete-campaign"]) await page.locator(`#${id} > summary`).click();
    assert.deepEqual(await violations(page), [], colorScheme);
    await context.close();
  }
});

test("a person's own post is added to the plan and written, and the campaign is deleted with its posts on record", async () => {
  const { context, page } = await browser.owner(project);
  await page.goto(`/campaigns/${campaign}`);
  await page.locator("#add-task > summary").click();
  await page.locator('#add-task select[name="agent_id"]').selectOption("dawit");
  await page.locator('#add-task select[name="platform"]').selectOption("bluesky");
  await page.locator('#add-task textarea[name="brief"]').fill("Say what developers built within an hour");
  await page.getByRole("button", { name: "Add it", exact: true }).first().click();
  await page.locator("#campaign-plan").getByText("asked for by a person").waitFor();
  const [row] = await until(async () => {
    const rows = (await project.pending(1, "content")).filter((row) => row.agent_id === "dawit");
    return rows.length > 0 && rows;
  }, "the draft that was asked for");
  const { body: review } = await project.api("GET", `/api/reviews/${row.review_id}`);
  assert.match(JSON.stringify(review), /hour/i);

  await page.goto(`/campaigns/${campaign}`);
  await page.locator("#delete-campaign > summary").click();
  await page.getByRole("button", { name: "Delete the campaign" }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Delete it" }).click();
  await page.waitForURL(/\/campaigns$/);
  assert.equal(await page.locator(`a[href="/campaigns/${campaign}"]`).count(), 0);
  const { body } = await project.api("GET", `/api/posts?campaign=${campaign}`);
  assert.ok(body.items.length > 0, "its posts stay on record");
  await page.goto(`/campaigns/${campaign}`);
  await page.locator("#campaign-standing").getByText("It is deleted").waitFor();
  await context.close();
});
