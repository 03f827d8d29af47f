// What every page runs.

import * as acts from "./acts.js";
import * as freeze from "./freeze.js";
import * as keys from "./keys.js";
import * as live from "./live.js";
import * as time from "./time.js";

// Choices that this browser keeps: data-setting="theme" on radio buttons, data-setting="keys" on a checkbox.
function settings() {
  for (const input of document.querySelectorAll('[data-setting="theme"]')) input.checked = input.value === (acts.kept.get("theme") ?? "auto");
  for (const input of document.querySelectorAll('[data-setting="keys"]')) input.checked = keys.areOn();
  document.addEventListener("change", ({ target }) => {
    if (target.dataset.setting === "theme") {
      acts.kept.set("theme", target.value === "auto" ? null : target.value);
      if (target.value === "auto") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = target.value;
    }
    if (target.dataset.setting === "keys") {
      acts.kept.set("keys", target.checked ? null : "off");
      for (const other of document.querySelectorAll('[data-setting="keys"]')) other.checked = target.checked;
    }
  });
}

// Typing in a search field leaves the rows that have its words: data-search="#list" on the field, data-row on each row.
function searching() {
  document.addEventListener("input", ({ target }) => {
    if (!target.dataset.search) return;
    const words = target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of document.querySelectorAll(`${target.dataset.search} [data-row]`)) {
      const text = (row.dataset.text ?? row.textContent).toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
}

const rows = () => [...document.querySelectorAll("[data-list] [data-row]:not([hidden])")];

// The row that the keys are at, in any list.
export function move(by) {
  const all = rows();
  if (all.length === 0) return false;
  const at = all.findIndex((row) => row.hasAttribute("data-current") || row.contains(document.activeElement));
  const row = all[Math.max(0, Math.min(all.length - 1, at + by))];
  for (const other of all) other.toggleAttribute("data-current", other === row);
  (row.querySelector("a[href]") ?? row).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  return true;
}

acts.on("keys", () => document.getElementById("keys").showModal());
acts.on("search", () => {
  const field = document.querySelector("[data-search]");
  field?.focus();
  field?.select();
  return field !== null;
});
acts.on("next", () => move(1));
acts.on("previous", () => move(-1));
acts.on("open", () => {
  const link = document.querySelector("[data-list] [data-row][data-current] a[href]");
  link?.click();
  return link !== null;
});

document.addEventListener("click", async ({ target }) => {
  const copied = target.closest("[data-copy]");
  if (!copied) return;
  try {
    await navigator.clipboard.writeText(copied.dataset.copy);
    acts.tell("Copied.", { stays_ms: 1500 });
  } catch {
    acts.tell("This browser does not let pages copy here; select it by hand.");
  }
});

acts.start();
settings();
searching();
time.start();
keys.start();
freeze.start();
live.start();
