// The freeze panel: what it asks, or what happened since, is read when it opens.

import { on, tellProblem } from "./acts.js";
import { read, replace } from "./fragment.js";

async function fill() {
  try { replace(await read("/fragments/freeze")); } catch (error) { tellProblem(error); }
}

export function start() {
  const dialog = document.getElementById("freeze");
  if (!dialog) return;
  on("freeze", async () => {
    await fill();
    dialog.querySelector("#freeze-title").textContent = dialog.querySelector("form[data-method=POST]") ? "Freeze the fleet" : "The freeze";
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("[autofocus]")?.focus();
  });
  dialog.addEventListener("chimera:answered", async () => {
    await fill();
    dialog.querySelector("#freeze-title").textContent = "The freeze";
  });
}
