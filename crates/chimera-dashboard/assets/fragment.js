// The only place where text from our server becomes elements. Everything else writes text.

const policy = globalThis.trustedTypes?.createPolicy("chimera", { createHTML: (text) => text }) ?? { createHTML: (text) => text };
const assets = () => document.querySelector('link[rel="stylesheet"]')?.href.split("v=")[1];

export class Unreadable extends Error {}

// What `path` of our own server answers, as elements that are not yet on the page.
export async function read(path, options = {}) {
  const response = await fetch(path, { credentials: "same-origin", ...options });
  if (response.status === 401) location.assign(`/login?to=${encodeURIComponent(location.pathname + location.search)}`);
  if (!response.ok) throw new Unreadable(`${path} answers ${response.status}`);
  const made = response.headers.get("x-chimera-assets");
  if (made && assets() && made !== assets()) document.dispatchEvent(new CustomEvent("chimera:newer"));
  const template = document.createElement("template");
  template.innerHTML = policy.createHTML(await response.text());
  return template.content;
}

// Whether somebody is in the middle of something here that a replacement would lose.
const isBusy = (element) => element.matches("[data-typed]") || element.querySelector("[data-typed], dialog[open], video:not([data-idle])") !== null;

// Puts each element that has an id in the place of the one that has it on the page. Focus, what was unfolded and what was typed stay.
export function replace(parts) {
  for (const fresh of [...parts.children].filter((one) => one.id)) {
    const old = document.getElementById(fresh.id);
    if (!old || old.isEqualNode(fresh)) continue;
    if (isBusy(old)) {
      offer(old, fresh);
      continue;
    }
    put(old, fresh);
  }
}

export function put(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const key = focused?.dataset.key ?? focused?.dataset.act ?? focused?.id;
  for (const opened of old.querySelectorAll("details[open][id]")) fresh.querySelector(`#${CSS.escape(opened.id)}`)?.setAttribute("open", "");
  for (const checked of old.querySelectorAll("[data-mark]:checked")) {
    const same = fresh.querySelector(`[data-mark="${CSS.escape(checked.dataset.mark)}"]`);
    if (same) same.checked = true;
  }
  for (const kept of ["data-current", "data-explicit"]) if (old.hasAttribute(kept)) fresh.setAttribute(kept, "");
  old.replaceWith(fresh);
  if (key) {
    const same = [fresh, ...fresh.querySelectorAll("[data-key], [data-act], [id]")].find((one) => [one.dataset.key, one.dataset.act, one.id].includes(key));
    same?.focus({ preventScroll: true });
  }
  document.dispatchEvent(new CustomEvent("chimera:replaced", { detail: fresh }));
}

// Something is being written here: say that it changed, and leave it alone.
function offer(old, fresh) {
  const known = old.querySelector(":scope > .changed-meanwhile");
  const note = known ?? document.createElement("p");
  note.className = "changed-meanwhile";
  note.replaceChildren("This has changed meanwhile. ");
  const show = document.createElement("button");
  show.type = "button";
  show.className = "button";
  show.textContent = "Show it";
  show.addEventListener("click", () => put(old, fresh));
  note.append(show);
  if (!known) old.prepend(note);
}
