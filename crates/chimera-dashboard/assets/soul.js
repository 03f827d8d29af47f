// An agent's SOUL in the editor: what would change, what was saved meanwhile, and an older one put back.

import { ask, confirmed, tellProblem } from "./acts.js";

const form = document.getElementById("soul-form");
const soul = document.getElementById("soul");
const place = document.getElementById("soul-difference");
const moved = document.getElementById("soul-moved");
const LINES_MAX = 1500;

// What the difference is told to.
let standing = soul?.defaultValue ?? "";

const made = (name, text, className = "") => Object.assign(document.createElement(name), { textContent: text, className });
const souls = async (query) => (await ask("GET", `/api/agents/${encodeURIComponent(form.dataset.agent)}/souls?limit=1${query}`)).items[0];

// The lines that went and came, by the longest common part of what is between the same beginning and the same end.
function difference(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const wide = fresh.length + 1;
  if (old.length > LINES_MAX || fresh.length > LINES_MAX) return [...old.map((line) => ["del", line]), ...fresh.map((line) => ["ins", line])];
  const common = new Uint16Array((old.length + 1) * wide);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      common[i * wide + j] = old[i] === fresh[j] ? common[(i + 1) * wide + j + 1] + 1 : Math.max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
    }
  }
  const told = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) { told.push(["div", old[i]]); i += 1; j += 1; }
    else if (j >= fresh.length || (i < old.length && common[(i + 1) * wide + j] >= common[i * wide + j + 1])) { told.push(["del", old[i]]); i += 1; }
    else { told.push(["ins", fresh[j]]); j += 1; }
  }
  return told;
}

function showDifference() {
  if (soul.value === standing) {
    place.replaceChildren(made("p", "Nothing yet.", "muted"));
    return;
  }
  const list = made("div", "", "difference lines");
  list.dir = "auto";
  for (const [name, line] of difference(standing.split("\n"), soul.value.split("\n"))) list.append(made(name, line));
  place.replaceChildren(list);
}

function fill(text) {
  soul.value = text;
  soul.dispatchEvent(new Event("input", { bubbles: true }));
}

// Another one was saved. Who has typed nothing has it before them; who has, looks at it before saving over it.
async function goOnFrom() {
  try {
    const newest = await souls("");
    const untouched = soul.value === standing;
    standing = newest.soul_source.replaceAll("\r\n", "\n");
    form.dataset.ifMatch = `"${newest.number}"`;
    form.dataset.number = newest.number;
    moved.replaceChildren();
    if (untouched) fill(standing);
    showDifference();
  } catch (problem) {
    tellProblem(problem);
  }
}

if (form) {
  let waiting = null;
  soul.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(showDifference, 200);
  });
  showDifference();

  document.addEventListener("chimera:replaced", ({ detail }) => {
    const number = detail?.id === "soul-standing" ? detail.dataset.number : undefined;
    if (!number || number === form.dataset.number) return;
    if (soul.value === standing) { goOnFrom(); return; }
    const button = Object.assign(made("button", "Compare with it and go on from there", "button"), { type: "button" });
    button.addEventListener("click", goOnFrom);
    const note = made("div", "", "banner tone-warn");
    note.append(made("p", `Version ${number} was saved meanwhile. Yours is kept here, and is not saved over it before you have seen it.`), button);
    moved.replaceChildren(note);
  });

  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("button[data-put-back]");
    if (!button) return;
    const number = Number(button.dataset.putBack);
    if (soul.value !== standing && !(await confirmed("What you wrote in the editor is lost.", "Put it back"))) return;
    try {
      const older = await souls(`&cursor=${number + 1}`);
      fill(older.soul_source.replaceAll("\r\n", "\n"));
      soul.focus();
      form.scrollIntoView();
    } catch (problem) {
      tellProblem(problem);
    }
  });
}
