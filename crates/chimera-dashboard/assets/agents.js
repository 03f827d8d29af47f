// One agent's balances, which chains answer when they answer; and a new SOUL, checked while it is written.

import { ask, on } from "./acts.js";
import { amount } from "./amounts.js";

const made = (name, text, className = "") => Object.assign(document.createElement(name), { textContent: text, className });

const balances = document.getElementById("balances");

async function showBalances() {
  balances.replaceChildren(made("p", "Its chains are asked.", "muted"));
  try {
    const { balances: found } = await ask("GET", `/api/agents/${encodeURIComponent(balances.dataset.agent)}/balances`);
    if (found.length === 0) {
      balances.replaceChildren(made("p", "No chain answers now, or none is configured.", "muted"), again());
      return;
    }
    const list = made("dl", "", "definitions");
    for (const money of found) {
      const row = document.createElement("div");
      row.append(made("dt", `Chain ${money.chain_id}`), made("dd", amount(money), "money"));
      list.append(row);
    }
    balances.replaceChildren(list);
  } catch (problem) {
    balances.replaceChildren(made("p", problem.message, "problem"), again());
  }
}

function again() {
  const button = Object.assign(made("button", "Ask again", "button"), { type: "button" });
  button.addEventListener("click", showBalances);
  return button;
}

if (balances) showBalances();

on("retire", () => document.getElementById("retire-dialog").showModal());

const CHECK_AFTER_MS = 350;
const soul = document.getElementById("soul");
const check = document.getElementById("soul-check");
const idle = check?.textContent.trim();
let waiting = null;
let asked = 0;

function checkSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(checkNow, CHECK_AFTER_MS);
}

// An answer to an older text than the newest one asked about is dropped.
async function checkNow() {
  const number = ++asked;
  if (soul.value.trim() === "") {
    check.replaceChildren(made("p", idle, "muted"));
    return;
  }
  try {
    const answer = await ask("POST", "/api/agents/check", { soul: soul.value, agent_id: soul.dataset.agent });
    if (number === asked) showCheck(answer);
  } catch (problem) {
    if (number === asked) check.replaceChildren(made("p", `It cannot be checked now. ${problem.message}`, "tone-warn"));
  }
}

function showCheck(answer) {
  check.className = answer.ok ? "check tone-ok" : "check tone-danger";
  soul.setAttribute("aria-invalid", String(!answer.ok));
  if (!answer.ok) {
    const problem = answer.problem ?? "This is not a SOUL.";
    check.replaceChildren(made("p", answer.line ? `Line ${answer.line}: ${problem}` : problem));
    if (answer.line) check.append(goTo(answer.line));
    return;
  }
  const facts = [answer.name, answer.agent_id && `id ${answer.agent_id}`, answer.handle && `@${answer.handle}`, answer.platforms?.join(", "), answer.disclosure && `every text ends with “${answer.disclosure}”`].filter(Boolean);
  check.replaceChildren(made("p", `This is a SOUL: ${facts.join(" · ")}`));
}

function goTo(line) {
  const button = Object.assign(made("button", `Go to line ${line}`, "button small"), { type: "button" });
  button.addEventListener("click", () => {
    const lines = soul.value.split("\n");
    const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    soul.focus();
    soul.setSelectionRange(from, from + (lines[line - 1] ?? "").length);
    soul.scrollTop = (soul.scrollHeight / lines.length) * Math.max(0, line - 4);
  });
  return button;
}

function fill(text) {
  soul.value = text;
  soul.dataset.typed = "";
  soul.dispatchEvent(new Event("input", { bubbles: true }));
  checkNow();
}

if (soul) {
  soul.addEventListener("input", checkSoon);
  document.getElementById("soul-file").addEventListener("change", async ({ target }) => {
    if (target.files[0]) fill(await target.files[0].text());
  });
  document.getElementById("soul-example")?.addEventListener("click", () => fill(document.getElementById("soul-example-text").textContent));
  // A browser that comes back to the page keeps what was typed.
  if (soul.value) checkNow();
}
