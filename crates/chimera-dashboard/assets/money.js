// The ledger's verdict, and the next rows of a list below those that are there.

import { ask, tell } from "./acts.js";
import { read } from "./fragment.js";

const made = (name, text, className = "") => Object.assign(document.createElement(name), { textContent: text, className });

const verify = document.getElementById("verify-button");
verify?.addEventListener("click", async () => {
  const place = document.getElementById("verdict");
  verify.disabled = true;
  place.replaceChildren(made("p", "Every entry is read.", "muted"));
  try {
    const { ok, entries, first_bad: firstBad, problem } = await ask("GET", "/api/ledger/verification");
    const when = new Date().toLocaleTimeString();
    place.replaceChildren(ok
      ? made("p", `Whole: all ${entries} entries are as this node wrote and signed them. ${when}`, "banner tone-ok")
      : made("p", `Not whole${firstBad ? ` from entry ${firstBad} on` : ""}: ${problem ?? "it contradicts itself"}. Keep a copy of the data folder and find out who changed it. ${when}`, "banner tone-danger"));
  } catch (problem) {
    place.replaceChildren(made("p", [problem.message, problem.next].filter(Boolean).join(" "), "problem"));
  } finally {
    verify.disabled = false;
  }
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-append]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    const page = await read(link.getAttribute("href").split("#")[0]);
    const list = document.getElementById(`${link.dataset.append}-list`);
    const fresh = page.querySelector(`#${list.id}`);
    if (fresh) list.append(...fresh.children);
    const next = page.querySelector(`a[data-append="${link.dataset.append}"]`);
    if (next) link.replaceWith(next);
    else link.remove();
    document.dispatchEvent(new CustomEvent("chimera:replaced", { detail: list }));
  } catch {
    tell("The next rows cannot be read now.", { tone: "danger" });
  }
});
