// What buttons and forms do. The page names it: `data-act` on a button, `data-method` and `data-action` on a form whose fields become a
// JSON body; `data-tells` names the part of the answer that is told. Every change of the program goes through `ask`.

const acts = new Map();
export const on = (act, does) => acts.set(act, does);

// Does what is registered, else presses the one thing on the page that is named so.
export function run(act, from = null) {
  if (acts.has(act)) return acts.get(act)(from) !== false;
  const named = [...document.querySelectorAll(`[data-act="${act}"], [data-go="${act}"]`)].find((one) => !one.disabled && one !== from);
  if (!named || named === from) return false;
  named.click();
  return true;
}

export const kept = {
  get: (key) => { try { return localStorage.getItem(`chimera.${key}`); } catch { return null; } },
  set: (key, value) => { try { value === null ? localStorage.removeItem(`chimera.${key}`) : localStorage.setItem(`chimera.${key}`, value); } catch { /* This browser keeps nothing. */ } },
};

// A change or question that the server did not do, with everything that it said about it.
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `the server answers ${status}`);
    Object.assign(this, { status, next: body.next, violations: body.violations ?? [], body });
  }
}

export const isBlind = () => document.documentElement.hasAttribute("data-blind");

const random = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export async function ask(method, path, body, extra = {}) {
  const headers = { accept: "application/json", ...extra };
  if (method !== "GET") headers["x-chimera-change"] = kept.get("change_key") ?? "";
  if (method === "POST") headers["idempotency-key"] = random();
  if (body !== undefined) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, credentials: "same-origin", body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Problem(0, { detail: "The server did not answer.", next: "Whether it was done is not known: look again once the connection is back." });
  }
  if (response.status === 401 && path !== "/api/session") location.assign(`/login?to=${encodeURIComponent(location.pathname + location.search)}`);
  const text = await response.text();
  let answer = {};
  try { answer = text ? JSON.parse(text) : {}; } catch { answer = { detail: text.slice(0, 300) }; }
  if (!response.ok) throw new Problem(response.status, answer);
  return answer;
}

const made = (name, text) => Object.assign(document.createElement(name), { textContent: text });

// All reasons, and what to do.
export function show(problem, place) {
  place.replaceChildren(made("p", problem.message));
  if (problem.violations?.length) {
    const list = document.createElement("ul");
    for (const violation of problem.violations) list.append(made("li", typeof violation === "string" ? violation : [violation.path ?? violation.pointer, violation.problem ?? violation.message ?? violation.detail].filter(Boolean).join(": ")));
    place.append(list);
  }
  if (problem.next) place.append(Object.assign(made("p", problem.next), { className: "next" }));
  place.hidden = false;
}

// A sentence at the corner; it is read out, and goes by itself unless it is one that must be seen.
export function tell(sentence, { tone = "neutral", button = null, stays_ms = 6000 } = {}) {
  const toast = Object.assign(document.createElement("div"), { className: `toast tone-${tone}` });
  toast.append(made("p", sentence));
  if (button) {
    const press = Object.assign(made("button", button.label), { type: "button", className: "button" });
    press.addEventListener("click", () => { toast.remove(); button.does(); });
    toast.append(press);
  }
  const close = Object.assign(made("button", "×"), { type: "button", className: "close" });
  close.setAttribute("aria-label", "Close");
  close.addEventListener("click", () => toast.remove());
  toast.append(close);
  document.getElementById("toasts")?.append(toast);
  if (stays_ms) setTimeout(() => toast.remove(), stays_ms);
  return toast;
}

export const tellProblem = (problem) => tell([problem.message, problem.next].filter(Boolean).join(" "), { tone: "danger", stays_ms: 15000 });

// Asks once more, with the focus on the way out; where a `question` is given, on its field. Answers what was typed, "yes", or null.
export function confirmed(sentence, label, question = null) {
  const dialog = Object.assign(document.createElement("dialog"), { className: "dialog" });
  const form = document.createElement("form");
  const [cancel, go] = [made("button", "Cancel"), made("button", label)];
  Object.assign(cancel, { type: "button", className: "button" });
  go.className = "button danger";
  const footer = document.createElement("footer");
  footer.append(cancel, go);
  const field = question === null ? null : Object.assign(document.createElement("input"), { className: "field", required: true, maxLength: 500 });
  form.append(made("p", sentence));
  if (field) {
    const name = document.createElement("label");
    name.append(made("span", question), field);
    form.append(name);
  }
  form.append(footer);
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  (field ?? cancel).focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => { dialog.remove(); resolve(dialog.returnValue || null); });
    cancel.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", (event) => { event.preventDefault(); dialog.close(field ? field.value.trim() : "yes"); });
  });
}

// Empty fields are left out. `data-type`: number, list (one a line, or between commas), each (all that are ticked), flag, json, instant.
function bodyOf(form) {
  const body = {};
  for (const field of form.elements) {
    if (!field.name || field.disabled || field.type === "submit" || field.matches("fieldset, output")) continue;
    const type = field.dataset.type ?? (field.type === "checkbox" ? "flag" : "text");
    if (field.type === "radio" && !field.checked) continue;
    if (type === "each") {
      if (field.checked) (body[field.name] ??= []).push(field.value);
    } else if (type === "flag") {
      if (field.checked) body[field.name] = true;
    } else if (field.value.trim() !== "" || field.dataset.keepEmpty !== undefined) {
      if (type === "number") body[field.name] = Number(field.value);
      else if (type === "list") body[field.name] = field.value.split(/[\n,]/).map((one) => one.trim()).filter(Boolean);
      else if (type === "json") body[field.name] = JSON.parse(field.value);
      else if (type === "instant") body[field.name] = new Date(field.value).toISOString();
      else body[field.name] = field.value;
    }
  }
  return body;
}

async function send(form) {
  const place = form.querySelector("[data-problem]");
  if (place) place.hidden = true;
  if (isBlind()) return;
  if (form.dataset.confirm && !(await confirmed(form.dataset.confirm, form.dataset.confirmLabel ?? "Do it"))) return;
  const buttons = [...form.querySelectorAll("button[type=submit]")];
  buttons.forEach((button) => { button.disabled = true; });
  try {
    const method = form.dataset.method ?? "POST";
    const body = method === "DELETE" ? undefined : bodyOf(form);
    const answer = await ask(method, form.dataset.action, body, form.dataset.ifMatch ? { "if-match": form.dataset.ifMatch } : {});
    form.querySelectorAll("[data-typed]").forEach((one) => one.removeAttribute("data-typed"));
    form.removeAttribute("data-typed");
    if (form.dataset.told) tell(form.dataset.told);
    if (form.dataset.tells) tell(answer[form.dataset.tells], { stays_ms: 15000 });
    const handled = !form.dispatchEvent(new CustomEvent("chimera:answered", { bubbles: true, cancelable: true, detail: answer }));
    const then = form.dataset.then ?? "stay";
    if (handled) return;
    if (then === "reload") location.reload();
    else if (then !== "stay") location.assign(then.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(answer[name] ?? "")));
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (place) show(problem, place);
    else tellProblem(problem);
  } finally {
    buttons.forEach((button) => { button.disabled = isBlind() && button.hasAttribute("data-changes"); });
  }
}

export function start() {
  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("button[data-act]");
    if (pressed) run(pressed.dataset.act, pressed);
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.dataset.action) return;
    event.preventDefault();
    send(event.target);
  });
  // What was typed in is not replaced under the writer's hands.
  document.addEventListener("input", (event) => {
    if (event.target.matches("textarea, input:not([type=checkbox]):not([type=search])")) event.target.dataset.typed = "";
  });
  on("close", (from) => {
    const dialog = from?.closest("dialog");
    if (dialog) dialog.close();
    else document.activeElement?.blur();
  });
  on("reload", () => location.reload());
}
