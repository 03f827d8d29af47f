// The dialog that asks why somebody is stopped: data-stop names what the button does, data-agent and data-name whom.

import { tell } from "./acts.js";
import { read, replace } from "./fragment.js";

const means = {
  pause: { title: "Pause", action: "/api/pauses", told: "paused", sentence: "Nothing of it is begun or published until an operator resumes it. What is in work ends." },
  freeze: { title: "Freeze", action: "/api/freezes", told: "frozen", sentence: "Nothing of it is signed or sent until an owner unfreezes it. What was signed before cannot be called back." },
};

const dialog = document.getElementById("stop-dialog");
const form = document.getElementById("stop-form");
let asked = null;

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-stop]");
  if (!button || !dialog) return;
  asked = { ...means[button.dataset.stop], agent: button.dataset.agent, name: button.dataset.name };
  document.getElementById("stop-title").textContent = `${asked.title} ${asked.name}`;
  document.getElementById("stop-means").textContent = asked.sentence;
  document.getElementById("stop-go").textContent = asked.title;
  form.dataset.action = asked.action;
  form.elements.agent_id.value = asked.agent;
  form.elements.reason.value = "";
  form.querySelector("[data-problem]").hidden = true;
  dialog.showModal();
  form.elements.reason.focus();
});

form?.addEventListener("chimera:answered", async (event) => {
  event.preventDefault();
  dialog.close();
  tell(`${asked.name} is ${asked.told}.`, { tone: "ok" });
  const list = document.getElementById("agents");
  if (asked.agent && list) replace(await read(`${list.dataset.live}?ids=${encodeURIComponent(asked.agent)}`));
  else location.reload();
});
