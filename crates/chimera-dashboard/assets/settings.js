// People: a key or a link is shown once, where it was asked for. Signing out forgets what this browser was given.

import { kept } from "./acts.js";

const place = document.getElementById("secret");
const made = (name, text, className = "") => Object.assign(document.createElement(name), { textContent: text, className });

function showOnce(sentence, secret) {
  const copy = Object.assign(made("button", "Copy", "button"), { type: "button" });
  copy.dataset.copy = secret;
  const done = Object.assign(made("button", "I have it", "button"), { type: "button" });
  done.addEventListener("click", () => location.reload());
  const buttons = made("p", "", "line");
  buttons.append(copy, done);
  place.replaceChildren(made("p", sentence), made("code", secret), buttons);
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
  copy.focus();
}

document.addEventListener("chimera:answered", (event) => {
  const form = event.target;
  if (form.id === "add-person") {
    event.preventDefault();
    form.reset();
    const { name, role, key } = event.detail;
    showOnce(`${name} is a ${role} now. This is the key, and it is shown this once: give it to them in a way that nobody else reads.`, key);
  } else if (form.dataset.linkFor) {
    event.preventDefault();
    const { url_fragment: fragment, until } = event.detail;
    const link = `${location.origin}/${fragment.replace(/^\//, "").replace(/^#/, "login#")}`;
    showOnce(`This link signs ${form.dataset.linkFor} in once, until ${new Date(until).toLocaleTimeString()}.`, link);
  } else if (form.id === "sign-out") {
    kept.set("change_key", null);
  }
});
