// Hints of what changed, and the parts of the page that they concern. An element says what it shows:
//   data-live="/fragments/x"    where it is read anew; the answer's elements replace those of the same id
//   data-live-kinds="a b"       the kinds of hints that concern it; without it, all of them
//   data-live-for="ID"          only hints that name this id
//   data-live-rows              its rows, each with data-live-id, are read anew one by one: `?ids=a,b`
//   data-live-new="pending"     with rows: a hint of this state about an id that is not there counts as a new row
// Browsers give an origin six connections, and a seventh tab would never load. So a hidden tab has no stream, and those that are seen share
// one: whichever holds the lock reads it and passes on what it hears.

import { isBlind, kept, tell } from "./acts.js";
import { read, replace } from "./fragment.js";

const GATHER_MS = 250;
const RETRY_MS = [250, 500, 1000, 2000, 2000];
const BLIND_AFTER_MS = 1200;
const IDS_MAX = 100;
const COUNT_EVERY_MS = 60_000;

const CAUGHT_UP_MAX = 200;

let after = 0;
let source = null;
let release = null;
let waiting = null;
const channel = new BroadcastChannel("chimera.live");
const pass = (message) => channel.postMessage(message);
let tries = 0;
let lostAt = null;
let retry = null;
let gathering = null;
let hints = [];
const fresh = new Map();

function show(state, word) {
  const place = document.getElementById("connection");
  if (!place) return;
  place.dataset.state = state;
  place.querySelector(".word").textContent = word;
}

function see() {
  tries = 0;
  lostAt = null;
  show("live", "Live");
  document.documentElement.removeAttribute("data-blind");
  document.getElementById("blind")?.remove();
  document.querySelectorAll("[data-changes]").forEach((one) => { one.disabled = false; });
}

function goBlind() {
  if (lostAt === null || document.hidden) return;
  const since = new Date(lostAt);
  show("blind", `No contact since ${since.toLocaleTimeString()}`);
  document.documentElement.setAttribute("data-blind", since.toISOString());
  document.querySelectorAll("[data-changes]").forEach((one) => { one.disabled = true; });
  if (document.getElementById("blind")) return;
  const bar = Object.assign(document.createElement("div"), { id: "blind", className: "stop-bar blind" });
  bar.setAttribute("role", "alert");
  bar.textContent = `The server has not been heard since ${since.toLocaleTimeString()}. What you see may be old, so nothing can be decided until it is back.`;
  document.getElementById("main")?.prepend(bar);
}

function close() {
  source?.close();
  source = null;
  clearTimeout(retry);
}

function lose() {
  close();
  heardNothing(Date.now());
  pass({ state: "lost", at: lostAt });
  retry = setTimeout(connect, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]);
  tries += 1;
}

function heardNothing(since) {
  lostAt ??= since;
  if (!isBlind()) setTimeout(goBlind, Math.max(0, lostAt + BLIND_AFTER_MS - Date.now()));
}

function connect() {
  close();
  source = new EventSource(`/api/live?after=${after}`);
  source.addEventListener("open", () => {
    see();
    pass({ state: "live", after });
  });
  source.addEventListener("error", lose);
  source.addEventListener("hint", ({ data, lastEventId }) => {
    take(data, lastEventId);
    pass({ data, lastEventId });
  });
  source.addEventListener("reset", () => {
    pass({ state: "reset" });
    startAnew();
  });
}

// Where the browser has no locks (over plain HTTP from another machine), each tab that is seen reads for itself.
function open() {
  if (document.hidden || release || waiting) return;
  if (!navigator.locks) return connect();
  waiting = new AbortController();
  const reading = () => new Promise((done) => {
    [release, waiting] = [done, null];
    connect();
  });
  navigator.locks.request("chimera.live", { signal: waiting.signal }, reading).catch(() => { /* It was hidden before its turn came. */ });
  pass({ state: "asked" });
}

function leave() {
  waiting?.abort();
  waiting = null;
  close();
  release?.();
  release = null;
}

// From the tab that reads.
channel.addEventListener("message", ({ data: heard }) => {
  if (heard.state === "asked") {
    if (source?.readyState === EventSource.OPEN) pass({ state: "live", after });
    return;
  }
  if (document.hidden || release) return;
  if (heard.state === "lost") heardNothing(heard.at);
  else if (heard.state === "reset") startAnew();
  else {
    see();
    if (heard.data) take(heard.data, heard.lastEventId);
    else if (heard.after > after) catchUp();
  }
});

// What happened while this tab was not looked at.
async function catchUp() {
  try {
    const answer = await fetch(`/api/events?after=${after}&limit=${CAUGHT_UP_MAX}`, { credentials: "same-origin" });
    const { events, last } = await answer.json();
    if (events.length === CAUGHT_UP_MAX && last > events.at(-1).number) startAnew();
    else if (events.length) take(JSON.stringify(events), events.at(-1).number);
  } catch { /* Told by the tab that reads. */ }
}

function startAnew() {
  leave();
  if (!document.querySelector("[data-typed]")) return location.reload();
  tell("Much has changed since this page was read.", { button: { label: "Read it anew", does: () => location.reload() }, stays_ms: 0 });
}

function take(data, lastEventId) {
  const told = JSON.parse(data);
  const number = Number(lastEventId);
  if (number > after) after = number;
  for (const hint of Array.isArray(told) ? told : [told]) {
    after = Math.max(after, hint.number ?? 0);
    hints.push(hint);
    document.dispatchEvent(new CustomEvent("chimera:hint", { detail: hint }));
  }
  gathering ??= setTimeout(flush, GATHER_MS);
}

const names = (hint, id) => [hint.subject, hint.agent_id, hint.campaign_id, hint.task_id].includes(id);
const isSeen = (element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > -200 && top < innerHeight + 200;
};

function wanted(element, gathered, reads) {
  const { live, liveKinds, liveFor, liveRows, liveNew } = element.dataset;
  const concerned = gathered.filter((hint) => (!liveKinds || liveKinds.split(" ").includes(hint.kind)) && (!liveFor || names(hint, liveFor)));
  if (concerned.length === 0) return [];
  if (liveRows === undefined) {
    reads.add(live);
    return [];
  }
  const rows = [...element.querySelectorAll("[data-live-id]")];
  const changed = rows.filter((row) => concerned.some((hint) => names(hint, row.dataset.liveId)));
  if (liveNew !== undefined) countNew(element, rows, concerned.filter((hint) => hint.state === liveNew));
  changed.sort((one, other) => isSeen(other) - isSeen(one));
  const [now, later] = [changed.slice(0, IDS_MAX), changed.slice(IDS_MAX)];
  const ids = now.map((row) => row.dataset.liveId).join(",");
  if (ids) reads.add(`${live}${live.includes("?") ? "&" : "?"}ids=${encodeURIComponent(ids)}`);
  return later.map((row) => ({ kind: liveKinds?.split(" ")[0], subject: row.dataset.liveId }));
}

async function flush() {
  const gathered = hints;
  hints = [];
  gathering = null;
  const reads = new Set();
  for (const element of document.querySelectorAll("[data-live]")) hints.push(...wanted(element, gathered, reads));
  await Promise.all([...reads].map(async (path) => {
    try { replace(await read(path)); } catch { /* The stream says when the server is away; the next hint reads it again. */ }
  }));
  pending();
  if (hints.length) gathering ??= setTimeout(flush, 1000);
}

// New rows wait behind a button: nothing moves under a pointer.
function countNew(element, rows, concerned) {
  const known = new Set(rows.map((row) => row.dataset.liveId));
  const waiting = fresh.get(element.id) ?? new Set();
  concerned.filter((hint) => !known.has(hint.subject)).forEach((hint) => waiting.add(hint.subject));
  fresh.set(element.id, waiting);
  if (waiting.size === 0) return;
  let button = element.previousElementSibling?.matches(".new-rows") ? element.previousElementSibling : null;
  if (!button) {
    button = Object.assign(document.createElement("button"), { type: "button", className: "new-rows" });
    button.addEventListener("click", async () => {
      const page = await read(location.href);
      const list = page.querySelector(`#${CSS.escape(element.id)}`);
      fresh.delete(element.id);
      button.remove();
      if (list) document.getElementById(element.id).replaceWith(list);
      document.dispatchEvent(new CustomEvent("chimera:replaced", { detail: list }));
    });
    element.before(button);
  }
  button.textContent = `${waiting.size} new`;
}

// The count in the rail, at the bottom and in the tab's title.
function pending() {
  const count = document.getElementById("notices")?.dataset.pendingNow;
  if (count === undefined) return;
  for (const place of document.querySelectorAll("[data-pending]")) {
    place.textContent = count;
    place.hidden = count === "0";
  }
  document.title = (count === "0" ? "" : `(${count}) `) + document.title.replace(/^\(\d+\) /, "");
}

async function countWhileHidden() {
  if (!document.hidden) return;
  try { replace(await read("/fragments/notices")); pending(); } catch { /* Told once the tab is looked at. */ }
}

export function start() {
  if (!document.body.dataset.after) return;
  after = Number(document.body.dataset.after);
  open();
  setInterval(countWhileHidden, COUNT_EVERY_MS);
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : open()));
  addEventListener("pagehide", leave);
  addEventListener("pageshow", (event) => event.persisted && open());
  addEventListener("online", () => release && connect());
  addEventListener("offline", () => release && lose());
  document.addEventListener("chimera:newer", () => {
    if (kept.told) return;
    kept.told = true;
    tell("The server was updated.", { button: { label: "Load the new page", does: () => location.reload() }, stays_ms: 0 });
  });
}
