// Who gets in: links that work once, keys, and what another server on this machine can do with a cookie.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Browser, Project, isLive, signIn, until } from "./stage.mjs";

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

test("the link that serve prints signs in once, and leaves no secret in the address", async () => {
  const link = project.serving.told.sign_in;
  const context = await browser.person(project);
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForURL(/\/review/);
  assert.ok(!page.url().includes("once"), page.url());
  await isLive(page);

  const other = await browser.person(project, { may: [/401|403|410|429/] });
  const second = await other.newPage();
  await second.goto(link);
  await second.locator("#sign-in-problem").filter({ hasText: /./ }).waitFor();
  assert.match(second.url(), /\/login$/);
  await context.close();
  await other.close();
});

test("every page asks for a sign-in first, and comes back to where one wanted to go", async () => {
  const context = await browser.person(project);
  const page = await context.newPage();
  for (const path of ["/review", "/fleet", "/money", "/settings", "/agents/selam"]) {
    await page.goto(path);
    assert.match(page.url(), /\/login/, path);
  }
  await page.getByLabel("Key").fill(project.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/agents\/selam$/);
  await context.close();
});

test("a page of another server on this machine gets the cookie and can change nothing", async () => {
  const { context, page } = await browser.owner(project, { may: [/403|CORS|blocked|Failed to load/] });
  const evil = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<!doctype html><title>elsewhere</title>"));
  await new Promise((done) => evil.listen(0, "127.0.0.1", done));
  const there = await context.newPage();
  browser.complaints.length = 0;
  await there.goto(`http://127.0.0.1:${evil.address().port}/`);
  const tried = await there.evaluate(async (origin) => {
    const ways = [
      { method: "POST", credentials: "include", mode: "no-cors", headers: { "content-type": "text/plain" }, body: '{"reason":"attack"}' },
      { method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body: '{"reason":"attack"}' },
    ];
    const answers = [];
    for (const way of ways) answers.push(await fetch(`${origin}/api/freezes`, way).then((answer) => answer.type + answer.status, (error) => String(error)));
    const form = document.createElement("form");
    Object.assign(form, { method: "POST", action: `${origin}/api/freezes`, enctype: "text/plain", target: "_blank" });
    document.body.append(form);
    form.submit();
    return answers;
  }, project.serving.origin);
  await there.waitForTimeout(1_000);

  const { body } = await project.api("GET", "/api/stops");
  assert.deepEqual(body.stops, [], JSON.stringify(tried));
  browser.complaints.length = 0;
  await page.bringToFront();
  await context.close();
  evil.close();
});

test("a person who is removed is out at once, on every device", async () => {
  const { body: added } = await project.api("POST", "/api/people", { name: "guest", role: "viewer" });
  const context = await browser.person(project, { may: [/401/] });
  const page = await context.newPage();
  await signIn(page, added.key, "guest");
  await isLive(page);
  assert.equal((await project.api("DELETE", "/api/people/guest")).status < 300, true);
  await until(async () => {
    await page.goto("/fleet");
    return page.url().includes("/login");
  }, "the guest to be out", 5_000);
  await context.close();
});

test("the owner of the token can neither be removed nor added again", async () => {
  const removed = await project.api("DELETE", "/api/people/owner");
  assert.equal(removed.status, 409, JSON.stringify(removed.body));
  assert.match(removed.body.next, /token/);
  assert.equal((await project.api("POST", "/api/people", { name: "owner", role: "owner" })).status, 409);
});

test("what a role may not do is not offered", async () => {
  const { body: added } = await project.api("POST", "/api/people", { name: "watcher", role: "viewer" });
  const context = await browser.person(project);
  const page = await context.newPage();
  await signIn(page, added.key, "watcher");
  assert.equal(await page.locator('[data-act="freeze"]').count(), 0);
  await page.goto("/settings");
  assert.equal(await page.locator('form[data-action="/api/people"]').count(), 0);
  await page.goto("/campaigns");
  assert.equal(await page.locator('main a[href="/campaigns/new"]').count(), 0);
  await context.close();
});
