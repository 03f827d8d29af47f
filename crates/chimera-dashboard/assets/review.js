// The inbox by keys and by pointer: one item after the other, each answer held by the server for some seconds, in which it can be taken
// back. What is on the page is the server's; this moves the eye, asks, and says what was answered.

import { Problem, ask, confirmed, isBlind, kept, on, show, tell, tellProblem } from "./acts.js";
import { put, read, replace } from "./fragment.js";
import { span } from "./time.js";

const PREFETCHED = 2;
const SLOW_MS = 200;
const MEASURE_AFTER_MS = 200;
const WORDS = { approve: "Approved", reject: "Rejected", edit: "Approved as edited", published: "On record as published", resend: "To be sent again" };

const inbox = () => document.getElementById("inbox");
const detail = () => document.getElementById("detail");
const current = () => detail()?.dataset.review ?? null;
const part = (selector) => detail()?.querySelector(selector) ?? null;
const rows = () => [...document.querySelectorAll("#rows [data-row]:not([hidden])")];
const rowOf = (id) => document.getElementById(`row-${id}`);
const isOpen = (row) => !row.classList.contains("done") && !row.classList.contains("held");
const marked = () => [...document.querySelectorAll("#rows [data-mark]:checked")].map((box) => box.dataset.mark);
const draftKey = (id) => `draft.${id}`;
const path = (id) => `/fragments/review/${id}`;

// Items that are likely to be next, read before they are wanted.
const ahead = new Map();

function fetchAhead() {
  const all = rows();
  const at = all.findIndex((row) => row.dataset.liveId === current());
  const wanted = all.slice(at + 1).filter(isOpen).slice(0, PREFETCHED).map((row) => row.dataset.liveId);
  for (const id of [...ahead.keys()]) if (!wanted.includes(id)) ahead.delete(id);
  for (const id of wanted) {
    if (ahead.has(id)) continue;
    const reading = read(path(id));
    reading.catch(() => ahead.delete(id));
    ahead.set(id, reading);
  }
}

let asked = null;

async function showItem(id, { push = true, explicit = true } = {}) {
  if (!id || !inbox()) return;
  asked = id;
  for (const row of document.querySelectorAll("#rows [data-row]")) row.toggleAttribute("data-current", row.dataset.liveId === id);
  rowOf(id)?.scrollIntoView({ block: "nearest" });
  const slow = setTimeout(() => detail().setAttribute("aria-busy", "true"), SLOW_MS);
  try {
    const parts = await (ahead.get(id) ?? read(path(id)));
    ahead.delete(id);
    if (asked !== id) return;
    const fresh = parts.querySelector("#detail");
    if (!fresh) return;
    put(detail(), fresh.parentNode ? document.importNode(fresh, true) : fresh);
    if (explicit) inbox().setAttribute("data-explicit", "");
    const address = `/review/${id}${location.search}`;
    if (push) history[matchMedia("(width < 768px)").matches ? "pushState" : "replaceState"]({ id }, "", address);
    fetchAhead();
  } catch (error) {
    tellProblem(error instanceof Problem ? error : { message: "That review could not be read.", next: "Try again." });
  } finally {
    clearTimeout(slow);
    detail()?.removeAttribute("aria-busy");
  }
}

function neighbour(by, openOnly = false) {
  const all = rows();
  const at = all.findIndex((row) => row.dataset.liveId === current());
  const ordered = by > 0 ? all.slice(at + 1) : all.slice(0, Math.max(at, 0)).reverse();
  return (openOnly ? ordered.find(isOpen) ?? all.find((row) => isOpen(row) && row.dataset.liveId !== current()) : ordered[0]) ?? null;
}

async function advance() {
  const next = neighbour(1, true);
  if (next) await showItem(next.dataset.liveId);
}

function step(by) {
  const next = neighbour(by);
  if (next) {
    showItem(next.dataset.liveId);
    next.querySelector("a")?.focus({ preventScroll: true });
  }
}

// Held answers of this reader, newest last: what `z` takes back.
const held = new Map();

function hold(id, action, effectiveAt) {
  held.get(id)?.toast.remove();
  const until = Date.parse(effectiveAt);
  if (!(until > Date.now())) return;
  const toast = tell(`${WORDS[action] ?? action}.`, { tone: "accent", stays_ms: until - Date.now(), button: { label: "Undo", does: () => takeBack(id) } });
  const left = Object.assign(document.createElement("span"), { className: "muted" });
  left.dataset.until = effectiveAt;
  left.textContent = `in ${span(until - Date.now())}`;
  const hint = Object.assign(document.createElement("kbd"), { textContent: "z" });
  toast.querySelector("p").append(" Takes effect ", left, ".");
  toast.querySelector(".button").append(hint);
  held.set(id, { toast, until });
  setTimeout(async () => {
    held.delete(id);
    await refreshRows([id]);
    // Until then it may be taken back, or may not be taken after all.
    if (rowOf(id)?.classList.contains("done")) kept.set(draftKey(id), null);
  }, until - Date.now() + 400);
}

async function takeBack(id) {
  held.get(id)?.toast.remove();
  held.delete(id);
  try {
    await ask("DELETE", `/api/reviews/${id}/answer`);
    tell("Taken back. Nothing happened.");
    await refreshRows([id]);
    await showItem(id);
  } catch (problem) {
    tellProblem(problem);
    refreshRows([id]);
  }
}

async function refreshRows(ids) {
  if (!document.getElementById("rows") || ids.length === 0) return;
  try { replace(await read(`/fragments/reviews?ids=${ids.join(",")}`)); } catch { /* The stream tells when the server is away. */ }
}

// After a reload, and on another device of the same person: what can still be taken back.
function remember() {
  const me = document.body.dataset.person;
  for (const row of document.querySelectorAll(`[data-held-by="${CSS.escape(me ?? "")}"]`)) {
    const { liveId, heldAction, heldUntil } = row.dataset;
    if (!held.has(liveId)) hold(liveId, heldAction, heldUntil);
  }
}

function pace() {
  let told = {};
  try { told = JSON.parse(sessionStorage.getItem("chimera.pace") ?? "{}"); } catch { /* A browser that keeps nothing counts nothing. */ }
  told = { first: told.first ?? Date.now(), count: (told.count ?? 0) + 1 };
  try { sessionStorage.setItem("chimera.pace", JSON.stringify(told)); } catch { /* As above. */ }
  const place = document.getElementById("pace");
  if (place) place.textContent = `${told.count} decided in this sitting${told.count > 1 ? `, ${span((Date.now() - told.first) / (told.count - 1))} each` : ""}`;
}

// Sends the answer; the next item is shown at once. What was refused comes back to the reader's eyes, whole.
async function answer(id, body, { stays = false, place = null } = {}) {
  if (isBlind()) {
    tell("The server is not heard, so nothing can be decided. What you see may be old.", { tone: "warn" });
    return false;
  }
  const row = rowOf(id);
  row?.classList.add("held");
  if (!stays) advance();
  try {
    const { effective_at: effectiveAt } = await ask("POST", `/api/reviews/${id}/answer`, body);
    hold(id, body.found ? (body.found.is_there ? "published" : "resend") : body.action, effectiveAt);
    pace();
    await refreshRows([id]);
    return true;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    row?.classList.remove("held");
    await refreshRows([id]);
    if (place) show(problem, place);
    else {
      if (current() !== id) await showItem(id);
      const here = part("#problem");
      if (here) show(problem, here);
      else tellProblem(problem);
    }
    if (stays && /(answered_meanwhile|already_decided)$/.test(problem.body.type ?? "")) tell("Somebody was faster. Your edit is kept as a draft in this browser.", { tone: "warn" });
    return false;
  }
}

async function answerMarked(action, reason) {
  const ids = marked();
  if (ids.length === 0 || isBlind()) return;
  try {
    const { answers: each } = await ask("POST", "/api/reviews/answers", { review_ids: ids, action, ...(reason ? { reason } : {}) });
    for (const one of each) if (one.effective_at) hold(one.review_id, action, one.effective_at);
    const refused = each.filter((one) => !one.effective_at);
    if (refused.length) tell(`${refused.length} of ${ids.length} could not be answered: ${refused.map((one) => one.problem.detail).join(" ")}`, { tone: "danger", stays_ms: 15000 });
  } catch (problem) {
    tellProblem(problem);
  }
  unmark();
  await refreshRows(ids);
  if (ids.includes(current())) advance();
}

function countMarked() {
  const bar = document.getElementById("batch");
  if (!bar) return;
  const count = marked().length;
  bar.hidden = count === 0;
  document.getElementById("batch-count").textContent = `${count} marked`;
}

function unmark() {
  for (const box of document.querySelectorAll("#rows [data-mark]:checked")) box.checked = false;
  countMarked();
}

function mark(by = 0) {
  const here = rowOf(current())?.querySelector("[data-mark]");
  if (by === 0 && here) here.checked = !here.checked;
  if (by !== 0) {
    const there = neighbour(by)?.querySelector("[data-mark]");
    for (const box of [here, there]) if (box) box.checked = true;
    step(by);
  }
  countMarked();
  return true;
}

// The editor. What is typed is kept in this browser until it is taken or discarded.
function edit() {
  const editor = part("#editor");
  if (!editor) return false;
  editor.hidden = !editor.hidden;
  detail().toggleAttribute("data-editing", !editor.hidden);
  part("#reasons").hidden = true;
  if (editor.hidden) return true;
  const text = part("#edit-text");
  const draft = kept.get(draftKey(current()));
  if (draft !== null && draft !== text.value) {
    text.value = draft;
    part("#draft-note").hidden = false;
    measure();
  }
  text.focus();
  return true;
}

async function measure() {
  const id = current();
  const text = part("#edit-text")?.value ?? "";
  try {
    const parts = await read(`${path(id)}/edited`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-chimera-change": kept.get("change_key") ?? "" },
      body: JSON.stringify({ text }),
    });
    const fresh = parts.querySelector("#edited");
    if (current() === id && fresh) part("#edited")?.replaceWith(fresh);
  } catch { /* The next letter asks again. */ }
}

let measuring = null;

function typed({ target }) {
  if (target.id !== "edit-text") return;
  kept.set(draftKey(current()), target.value);
  clearTimeout(measuring);
  measuring = setTimeout(measure, MEASURE_AFTER_MS);
}

let saving = false;

async function saveEdit() {
  if (saving) return;
  saving = true;
  try { await sendEdit(); } finally { saving = false; }
}

async function sendEdit() {
  const id = current();
  const text = part("#edit-text").value;
  const reason = part("#edit-reason").value.trim();
  const taken = await answer(id, { action: "edit", text, ...(reason ? { reason } : {}) }, { stays: true, place: part("#problem") });
  if (!taken) return part("#problem")?.scrollIntoView({ block: "nearest" });
  detail().querySelectorAll("[data-typed]").forEach((one) => one.removeAttribute("data-typed"));
  advance();
}

function reject() {
  if (document.getElementById("batch") && marked().length) return rejectMarked();
  const reasons = part("#reasons");
  if (!reasons) return false;
  reasons.hidden = !reasons.hidden;
  if (reasons.hidden) return true;
  if (part("#editor")) part("#editor").hidden = true;
  detail().removeAttribute("data-editing");
  reasons.scrollIntoView({ block: "nearest" });
  (reasons.querySelector("[data-reason]") ?? reasons.querySelector("input")).focus({ preventScroll: true });
  return true;
}

function rejectMarked() {
  confirmed(`Reject ${marked().length} posts?`, "Reject", "The reason, for all of them").then((reason) => reason && answerMarked("reject", reason));
  return true;
}

const sendReason = (reason) => answer(current(), { action: "reject", ...(reason ? { reason } : {}), ...(part("#give-up")?.checked ? { give_up: true } : {}) });

function approve() {
  if (document.getElementById("batch") && marked().length) return answerMarked("approve");
  if (!part('footer [data-act="approve"]')) return false;
  const dialog = part("#pay");
  const asks = part("[data-asks]")?.dataset.asks;
  if (asks) {
    const id = current();
    confirmed(asks, "Try again").then((yes) => yes && answer(id, { action: "approve" }));
    return true;
  }
  if (!dialog) return answer(current(), { action: "approve" });
  dialog.showModal();
  dialog.querySelector("[autofocus]").focus();
  return true;
}

async function pay(form) {
  const address = form.elements.confirm_address;
  const place = part("#pay-problem");
  if (address && address.value.toLowerCase() !== address.dataset.mustBe.toLowerCase()) {
    return show({ message: "That is not the address that is asked for.", next: "Compare the two again. If you do not mean exactly this one, cancel and reject." }, place);
  }
  const taken = await answer(current(), { action: "approve", ...(address ? { confirm_address: address.value } : {}) }, { stays: true, place });
  if (!taken) return;
  part("#pay")?.close();
  advance();
}

// What was found of a post that may have left. The danger of sending it again stands in the dialog.
const opens = (name) => () => named(`#${name}`, (dialog) => { dialog.showModal(); dialog.querySelector("[autofocus]").focus(); });

async function settle(name, found) {
  const taken = await answer(current(), { action: "approve", found }, { stays: true, place: part(`#${name}-problem`) });
  if (!taken) return;
  part(`#${name}`)?.close();
  advance();
}

const isThere = (form) => {
  const url = form.elements.url.value.trim();
  return settle("found", { is_there: true, ...(url ? { url } : {}) });
};

function submitted(event) {
  const does = { editor: saveEdit, "pay-form": pay, "found-form": isThere, "resend-form": () => settle("resend", { is_there: false }), reasons: () => {
    const reason = part("#own-reason").value.trim();
    if (reason || detail().dataset.kind === "unknown_post") sendReason(reason);
  } }[event.target.id];
  if (!does) return;
  event.preventDefault();
  does(event.target);
}

function clicked(event) {
  const reason = event.target.closest("[data-reason]");
  if (reason) return sendReason(reason.dataset.reason);
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
  const open = event.target.closest("[data-open]");
  if (open && plain && inbox()) {
    event.preventDefault();
    showItem(open.dataset.open);
  }
  if (event.target.closest("[data-back]") && plain && inbox()) {
    event.preventDefault();
    inbox().removeAttribute("data-explicit");
    history.pushState({}, "", `/review${location.search}`);
  }
}

function play() {
  const video = part("video");
  if (!video) return false;
  if (video.paused) video.play();
  else video.pause();
  return true;
}

// The tab's count is the rail's.
function countWaiting() {
  const [place, count] = [document.querySelector(".list .tabs .count"), document.getElementById("notices")?.dataset.pendingNow];
  if (place && count !== undefined) place.textContent = count;
}

// How wide the preview is drawn; the reader's choice goes with them from item to item.
let width = matchMedia("(width < 768px)").matches ? "phone" : "desktop";

function drawWidth() {
  const preview = part("#preview");
  if (preview) preview.dataset.width = width;
}

function named(selector, does) {
  const found = part(selector);
  if (!found) return false;
  does(found);
  return true;
}

function acts() {
  on("approve", approve);
  on("edit", edit);
  on("found", opens("found"));
  on("resend", opens("resend"));
  on("reject", reject);
  on("skip", () => (advance(), true));
  on("story", () => named('[data-go="story"]', (link) => link.click()));
  on("play", play);
  on("undo", () => {
    const newest = [...held.entries()].filter(([, one]) => one.until > Date.now()).at(-1);
    const mine = newest?.[0] ?? (part('[data-act="undo"]') ? current() : null);
    if (!mine) tell("There is nothing to take back.", { stays_ms: 2000 });
    else takeBack(mine);
    return true;
  });
  on("reason", (from) => named(`#reasons li:nth-child(${from?.digit}) [data-reason]`, (button) => button.click()));
  on("own-reason", () => named("#own-reason", (field) => field.focus()));
  on("width", () => named("#preview", () => { width = width === "phone" ? "desktop" : "phone"; drawWidth(); }));
  on("notes", () => named("#trace", (trace) => { trace.open = !trace.open; trace.scrollIntoView({ block: "nearest" }); }));
  on("why", () => named("#confidence", (why) => why.scrollIntoView({ block: "center" })) || named("#why", (why) => why.scrollIntoView({ block: "center" })));
  on("discard-draft", () => {
    kept.set(draftKey(current()), null);
    const text = part("#edit-text");
    text.value = text.defaultValue;
    part("#draft-note").hidden = true;
    measure();
  });
  on("next", () => (step(1), true));
  on("previous", () => (step(-1), true));
  on("open", () => (showItem(rows().find((row) => row.hasAttribute("data-current"))?.dataset.liveId), true));
  on("mark", () => mark());
  on("mark-next", () => mark(1));
  on("mark-previous", () => mark(-1));
  on("approve-marked", () => answerMarked("approve"));
  on("reject-marked", rejectMarked);
  on("unmark", unmark);
}

function start() {
  acts();
  document.addEventListener("click", clicked);
  document.addEventListener("submit", submitted);
  document.addEventListener("input", typed);
  document.addEventListener("change", ({ target }) => target.matches("[data-mark]") && countMarked());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.id === "edit-text") saveEdit();
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
      if (part("#reasons:not([hidden])")) part("#reasons").hidden = true;
      else if (part("#editor:not([hidden])")) edit();
    }
  });
  document.addEventListener("play", ({ target }) => target.matches?.("video") && target.removeAttribute("data-idle"), true);
  document.addEventListener("pause", ({ target }) => target.matches?.("video") && target.setAttribute("data-idle", ""), true);
  addEventListener("popstate", ({ state }) => {
    if (state?.id) showItem(state.id, { push: false });
    else if (location.pathname === "/review") inbox().removeAttribute("data-explicit");
  });
  document.addEventListener("chimera:replaced", () => { remember(); countMarked(); countWaiting(); drawWidth(); });
  remember();
  drawWidth();
  fetchAhead();
}

start();
