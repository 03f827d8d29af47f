// What a campaign would do now, told as the planner answers it; what people make of it; and the parts of a new campaign's mix.

import { ask, show, tell } from "./acts.js";
import { amount } from "./amounts.js";
import { read, replace } from "./fragment.js";

// Everything below is text: what the world says is never markup here.
function made(name, { text, className, href } = {}, ...children) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  if (href) element.href = href;
  element.append(...children);
  return element;
}

const outside = (text) => Object.assign(made("span", { text: visible(text), className: "outside" }), { dir: "auto" });

// As the server draws it: what hides or turns text is written out.
function visible(text) {
  return String(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029\u115F\u1160\u3164\uFFA0]/gu, (c) => (c === "\n" ? c : c === "\u200D" ? c : `\\u{${c.codePointAt(0).toString(16).toUpperCase()}}`));
}

const usd = (micro) => amount({ units: String(micro), decimals: 6, asset: "USD" });
const counted = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;
const risks = { low: "tone-ok", medium: "tone-warn", high: "tone-danger" };

// Why nothing would be queued, as far as can be told.
function whyNothing(plan) {
  const story = plan.strongest_story;
  if (!plan.relevant_items) return "Nothing that it watches matters to the goal now. Watch more, or say the goal in the words that such news would use.";
  if (!story) return `${counted(plan.relevant_items, "item")} matter, but the date of none is known and of late.`;
  const lacks = [];
  if (story.items < story.items_needed) lacks.push(`${story.items_needed} items are needed`);
  if (story.voices < story.voices_needed) lacks.push(`${story.voices_needed} sources are needed`);
  return `Strongest story: ${counted(story.items, "item")} from ${counted(story.voices, "source")}${lacks.length ? `; ${lacks.join(" and ")}` : ""}.`;
}

function summary(plan) {
  const { tasks, estimate } = plan;
  if (tasks.length === 0) return [made("p", { className: "why", text: "Nothing would be queued now." }), made("p", { text: plan.trend ? "The missing things below say why." : whyNothing(plan) })];
  const cost = estimate.cost_micro_usd ? `, about ${usd(estimate.cost_micro_usd)}` : ", at no cost";
  const lines = [made("p", { className: "line" }, made("strong", { text: `${counted(tasks.length, "task")}: ${counted(estimate.posts, "post")}${estimate.payments ? `, ${counted(estimate.payments, "payment")}` : ""}${cost}` }), made("span", { className: `chip ${risks[estimate.risk] ?? "tone-neutral"}`, text: `${estimate.risk} risk` }))];
  for (const reason of estimate.reasons ?? []) lines.push(made("p", { className: "muted" }, outside(reason)));
  return lines;
}

function missing(places) {
  const lacking = places.filter((place) => place.missing.length > 0);
  if (lacking.length === 0) return [];
  const row = (place) => made("tr", {},
    made("td", {}, made("a", { href: `/agents/${encodeURIComponent(place.agent_id)}`, text: place.agent_id })),
    made("td", { text: place.platform ?? "everywhere" }),
    made("td", { text: place.planned ? "planned" : "not planned" }),
    made("td", {}, made("ul", { className: "plain" }, ...place.missing.map((one) => made("li", {}, outside(one))))));
  const head = made("thead", {}, made("tr", {}, ...["Agent", "Platform", "Now", "Missing"].map((text) => made("th", { text }))));
  const table = made("table", { className: "folds" }, head, made("tbody", {}, ...lacking.map(row)));
  for (const line of table.tBodies[0].rows) ["Agent", "Platform", "Now", "Missing"].forEach((label, index) => { line.cells[index].dataset.label = label; });
  return [made("h3", { text: "What is missing" }), table];
}

function told(plan) {
  const parts = [];
  if (plan.trend) parts.push(made("p", {}, made("span", { className: "muted", text: "Trend: " }), outside(plan.trend.trend.topics.join(", "))));
  for (const trend of plan.more_trends ?? []) parts.push(made("p", {}, made("span", { className: "muted", text: "Also now: " }), outside(trend.topics.join(", "))));
  parts.push(...summary(plan));
  if (!plan.trend && plan.strongest_story) parts.push(made("p", {}, made("span", { className: "muted", text: "It is about: " }), outside(plan.strongest_story.topics.join(", "))));
  if (plan.payment_left_out) parts.push(made("p", {}, made("span", { className: "muted", text: "No payment: " }), outside(plan.payment_left_out)));
  parts.push(...missing(plan.agents ?? []));
  return parts;
}

const button = document.getElementById("plan-button");
button?.addEventListener("click", async () => {
  const place = document.getElementById("plan-shown");
  button.disabled = true;
  button.textContent = "Looking…";
  place.className = "plan";
  try {
    const plan = await ask("POST", `/api/campaigns/${encodeURIComponent(button.dataset.campaign)}/plan`, {});
    await drawAgain();
    place.replaceChildren(...told(plan), made("p", { className: "muted small", text: `As of ${new Date().toLocaleTimeString()}.` }));
  } catch (problem) {
    place.className = "plan problem";
    show(problem, place);
  } finally {
    button.disabled = false;
    button.textContent = "Look again";
  }
});

// The tree is drawn by the server, and was perhaps drawn anew by a hint already.
async function drawAgain() {
  const tree = document.getElementById("campaign-plan");
  replace(await read(tree.dataset.live));
}

document.addEventListener("chimera:answered", async ({ target: form, detail: answer }) => {
  if (form.dataset.plan !== undefined) {
    form.closest("details")?.removeAttribute("open");
    if (form.closest("#add-task")) form.reset();
    await drawAgain();
  }
  if (form.dataset.budget !== undefined) {
    if (answer.stops) tell(`${answer.stops}.`, { tone: "warn", stays_ms: 0 });
    else tell("It has its new budget.");
    form.closest("details").removeAttribute("open");
    const page = await read(location.pathname);
    for (const id of ["campaign-facts", "shaping"]) replace({ children: [page.getElementById(id)] });
  }
});

// Times that are changed stand in the reader's own time.
function localTimes(within) {
  for (const field of within.querySelectorAll("input[data-instant]")) {
    const at = new Date(field.dataset.instant);
    field.value = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }
}
localTimes(document);
document.addEventListener("chimera:replaced", ({ detail }) => localTimes(detail));

// The mix is one value of the form, made of its parts; without parts it is not sent.
const mix = document.getElementById("mix");
mix?.form.addEventListener("input", () => {
  const parts = [...mix.form.querySelectorAll("[data-mix]")].filter((field) => Number(field.value) > 0).map((field) => [field.dataset.mix, Number(field.value)]);
  mix.value = parts.length ? JSON.stringify(Object.fromEntries(parts)) : "";
});
