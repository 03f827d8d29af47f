// A project of its own with the real program serving it, and Chromium to look at it as a person would. Whatever a test starts ends with it.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const { CHIMERA_TEST_MODULES, CHIMERA_TEST_CHROMIUM, CHIMERA_TEST_PROGRAM = "target/debug/chimera" } = process.env;
const PROGRAM = resolve(CHIMERA_TEST_PROGRAM);
const modules = createRequire(join(resolve(CHIMERA_TEST_MODULES), "package.json"));
const { chromium } = modules("playwright-core");
const AXE = readFileSync(join(resolve(CHIMERA_TEST_MODULES), "axe-core/axe.min.js"), "utf8");

const PASSPHRASE = "correct horse battery staple";
// What takes longer hangs.
export const PATIENCE_MS = 120_000;

const environment = () => {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("CHIMERA_"));
  return { ...Object.fromEntries(kept), CHIMERA_WALLET_PASSPHRASE: PASSPHRASE };
};

export class Project {
  #serving = null;
  #servings = new Set();

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "chimera-browser-"));
    rmSync(this.folder, { recursive: true });
    this.run("init", this.folder);
  }

  path(...parts) {
    return join(this.folder, ...parts);
  }

  // A command of the program, in this project; what it prints, as JSON.
  run(...args) {
    return this.runWith("", ...args);
  }

  // One call of the wallet skill, whose answer may be a refusal.
  pay(input) {
    const done = spawnSync(PROGRAM, ["call", "skill_wallet_transaction", "--input", "-"], { cwd: this.folder, input: JSON.stringify(input), env: environment(), encoding: "utf8" });
    return JSON.parse(done.stdout);
  }

  runWith(input, ...args) {
    const inProject = args[0] === "init" ? {} : { cwd: this.folder };
    const done = spawnSync(PROGRAM, [...args, "--json"], { ...inProject, input, env: environment(), encoding: "utf8" });
    assert.equal(done.status, 0, `chimera ${args.join(" ")}: ${done.stderr}${done.stdout}`);
    return JSON.parse(done.stdout || "null");
  }

  write(name, text) {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  append(name, text) {
    appendFileSync(this.path(name), text);
  }

  copy(from, to) {
    cpSync(this.path(from), this.path(to));
  }

  // The sample personas; `more` are further ones, with their platforms.
  createAgents(more = {}) {
    for (const soul of ["souls/selam.md", "souls/tariku.md"]) this.run("agent", "create", "--soul", soul);
    for (const [id, platforms] of Object.entries(more)) {
      const soul = `---\nname: ${id}\nid: ${id}\nhandle: ${id}\nvoice_traits: [plain]\ndirectives: [Never promise returns]\ncore_beliefs: [Plain words are enough.]\nplatforms: [${platforms.join(", ")}]\ndisclosure: AI persona @{handle}\n---\nAn agent of the test, which says that it is software.\n`;
      this.run("agent", "create", "--soul", this.write(`souls/${id}.md`, soul));
    }
  }

  startCampaign(agents, goal = "Follow open AI language models that run on phones", ...flags) {
    const { campaign_id: id } = this.run("campaign", "create", "--goal", goal, "--agents", agents.join(","), "--watch", "news://global/technology/latest", "--posts-max", "40", ...flags);
    this.run("campaign", "start", id);
    return id;
  }

  // `chimera serve`: where it is, and a link that signs its owner in once.
  async serve(port = 0) {
    const child = spawn(PROGRAM, ["serve", "--listen", `127.0.0.1:${port}`, "--json"], { cwd: this.folder, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stderr.on("data", (data) => { stderr += data; });
    const told = await new Promise((done, fail) => {
      child.stdout.on("data", (data) => {
        stdout += data;
        try { done(JSON.parse(stdout)); } catch { /* Not whole yet. */ }
      });
      child.on("exit", (code) => fail(new Error(`serve ended with ${code}: ${stderr}`)));
    });
    const origin = new URL(told.mcp).origin;
    this.#serving = { child, origin, port: Number(new URL(origin).port), told, log: () => stderr };
    this.#servings.add(child);
    this.token = readFileSync(this.path("chimera-data/token"), "utf8").trim();
    return this.#serving;
  }

  get serving() {
    return this.#serving;
  }

  // As `kill -9` does it.
  async kill() {
    const { child } = this.#serving;
    const gone = new Promise((done) => child.on("exit", done));
    child.kill("SIGKILL");
    await gone;
    this.#servings.delete(child);
  }

  async api(method, path, body, headers = {}) {
    const response = await fetch(`${this.#serving.origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...(body ? { "content-type": "application/json" } : {}), ...headers },
      body: body ? JSON.stringify(body) : undefined,
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  async pending(count, kind = null) {
    const query = kind ? `&kind=${kind}` : "";
    return until(async () => {
      const { body } = await this.api("GET", `/api/reviews?status=pending&limit=100${query}`);
      return body.items?.length >= count ? body.items : null;
    }, `${count} reviews that wait`);
  }

  close() {
    for (const child of this.#servings) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

// Until `look` finds something.
export async function until(look, what, within_ms = PATIENCE_MS) {
  const end = Date.now() + within_ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `waited ${within_ms} ms for ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

// One Chromium for a file of tests; each person gets a context of their own, and none may complain or leave our server.
export class Browser {
  complaints = [];

  static async launch() {
    const browser = new Browser();
    browser.chromium = await chromium.launch({
      executablePath: CHIMERA_TEST_CHROMIUM,
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
    return browser;
  }

  // Somebody at a fresh browser, not signed in. `may` are complaints that the test itself provokes.
  async person(project, { width = 1280, height = 800, may = [], ...options } = {}) {
    const context = await this.chromium.newContext({ viewport: { width, height }, baseURL: project.serving.origin, ...options });
    const isExpected = (text) => may.some((pattern) => pattern.test(text));
    const complain = (text) => { if (!isExpected(text)) this.complaints.push(text); };
    context.on("console", (message) => { if (message.type() === "error") complain(`console: ${message.text()}`); });
    context.on("weberror", (error) => complain(`error: ${error.error()}`));
    context.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && origin !== project.serving.origin) complain(`request to ${origin}`);
    });
    return context;
  }

  // The same, signed in as the owner.
  async owner(project, options = {}) {
    const context = await this.person(project, options);
    const page = await context.newPage();
    await signIn(page, project.token);
    return { context, page };
  }

  async close() {
    await this.chromium.close();
    assert.deepEqual(this.complaints, [], "no page complains, or asks another server");
  }
}

// How long a key takes here and now on a page with nothing on it, in milliseconds: what the machine is slow at is not the page's.
export async function emptyPage(browser) {
  const page = await browser.chromium.newPage();
  await page.setContent("<input autofocus>");
  const waits = [];
  for (let at = 0; at < 15; at += 1) {
    const began = Date.now();
    await page.locator("input").press("a");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    waits.push(Date.now() - began);
  }
  await page.context().close();
  return waits.sort((a, b) => a - b)[7];
}

export async function signIn(page, key, name = "") {
  await page.goto("/login");
  if (name) await page.getByLabel("Name").fill(name);
  await page.getByLabel("Key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/review/);
}

// What axe finds that is serious.
export async function violations(page) {
  // Not as a script of the page, which its policy refuses.
  const found = await page.evaluate(`(() => { const module = undefined; ${AXE}; return globalThis.axe.run(document, { resultTypes: ["violations"] }); })()`);
  const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
}

export const isLive = (page) => page.locator('#connection[data-state="live"]').waitFor({ timeout: PATIENCE_MS });
