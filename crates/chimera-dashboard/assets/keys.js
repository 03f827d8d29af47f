// Single keys. The table is the one of the `?` sheet: what it shows is what is handled. They rest while somebody types or a dialog is
// open, leave every combination to the browser, and can be switched off.

import { kept, run } from "./acts.js";

const SEQUENCE_MS = 1200;
let begun = null;

const table = () => [...document.querySelectorAll("#keys [data-does]")].map(({ dataset }) => ({ keys: dataset.key, act: dataset.does, scope: dataset.scope }));
const isTyping = (target) => target.closest?.("input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]") !== null;
const isPressed = (target, key) => (key === " " || key === "Enter") && target.closest?.("a, button, summary, video, input") !== null;

function isActive(scope) {
  const reasons = document.querySelector("#reasons:not([hidden])");
  if (scope === "everywhere") return true;
  if (scope === "reasons") return reasons !== null;
  if (scope === "field" || reasons) return false;
  if (scope === "replay") return document.querySelector("[data-replay]") !== null;
  return scope === "lists" ? document.querySelector("[data-list]") !== null : document.querySelector("[data-review]") !== null;
}

export const areOn = () => kept.get("keys") !== "off";

function pressed(event) {
  // A key that is held down moves on, and decides nothing.
  if (event.repeat && !"jk".includes(event.key)) return;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Escape" && isTyping(event.target) && !document.querySelector("dialog[open]")) {
    event.target.blur();
    return;
  }
  if (!areOn() || isTyping(event.target) || document.querySelector("dialog[open], :popover-open") || isPressed(event.target, event.key)) return;
  const known = table().filter((one) => isActive(one.scope));
  const digit = /^[1-9]$/.test(event.key) && isActive("reasons");
  const sequence = begun ? `${begun} ${event.key}` : null;
  const found = known.find((one) => one.keys === sequence) ?? (digit ? { act: "reason" } : known.find((one) => one.keys === event.key));
  begun = null;
  if (found) {
    if (run(found.act, digit ? { digit: Number(event.key) } : null)) event.preventDefault();
  } else if (known.some((one) => one.keys.startsWith(`${event.key} `))) {
    begun = event.key;
    setTimeout(() => { begun = null; }, SEQUENCE_MS);
    event.preventDefault();
  }
}

export function start() {
  document.addEventListener("keydown", pressed);
}
