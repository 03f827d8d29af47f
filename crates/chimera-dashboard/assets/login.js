// Signing in, with a key or with a link that works once. The link's secret is in the fragment, which no server or log sees, and it is
// taken out of the address before anything else is done.

import { ask, kept } from "./acts.js";

const form = document.getElementById("sign-in");
const problem = document.getElementById("sign-in-problem");
const to = new URLSearchParams(location.search).get("to");
// As the browser reads it: it drops tabs and line ends, and takes a backslash for a slash.
const isOurs = to !== null && to.startsWith("/") && URL.canParse(to, location.origin) && new URL(to, location.origin).origin === location.origin;

async function signIn(body) {
  problem.hidden = true;
  try {
    const { change_key: changeKey } = await ask("POST", "/api/session", body);
    kept.set("change_key", changeKey ?? null);
    location.replace(isOurs ? to : "/review");
  } catch (refused) {
    problem.textContent = [refused.message, refused.next].filter(Boolean).join(" ");
    problem.hidden = false;
  }
}

function useLink() {
  const once = new URLSearchParams(location.hash.slice(1)).get("once");
  if (!once) return;
  history.replaceState(null, "", location.pathname + location.search);
  signIn({ link: once });
}

useLink();
// A link that is opened where this page is already.
addEventListener("hashchange", useLink);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const name = form.elements.username.value.trim();
  signIn({ ...(name ? { name } : {}), key: form.elements.key.value.trim() });
});
