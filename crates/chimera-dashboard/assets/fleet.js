// The fleet's filter: by typing and by state, over rows that are all in the page. Nothing is asked of the server.

const form = document.getElementById("fleet-filter");
const list = document.getElementById("agents");
const search = document.getElementById("fleet-search");
const none = document.getElementById("none-match");
const texts = new WeakMap();

// Read once a card: the text of a thousand cards is long.
function textOf(card) {
  if (!texts.has(card)) texts.set(card, [card.dataset.liveId, ...[...card.querySelectorAll("h2, .because, .error")].map((one) => one.textContent)].join(" ").toLowerCase());
  return texts.get(card);
}

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const states = new Set([...form.querySelectorAll("input[name=state]:checked")].map((box) => box.value));
  const counts = new Map();
  let shown = 0;
  for (const card of list.children) {
    const matches = words.length === 0 || words.every((word) => textOf(card).includes(word));
    if (matches) counts.set(card.dataset.state, (counts.get(card.dataset.state) ?? 0) + 1);
    const isShown = matches && (states.size === 0 || states.has(card.dataset.state));
    if (card.hidden === isShown) card.hidden = !isShown;
    if (isShown) shown += 1;
  }
  for (const count of form.querySelectorAll("[data-count]")) {
    const number = counts.get(count.dataset.count) ?? 0;
    count.textContent = number;
    const label = count.closest("label");
    label.hidden = number === 0 && words.length === 0 && !label.querySelector("input").checked;
  }
  const all = list.children.length;
  document.getElementById("fleet-count").textContent = shown === all ? `${all} ${all === 1 ? "agent" : "agents"}` : `${shown} of ${all} agents`;
  none.hidden = shown > 0;
}

// In idle time, so that the first letter that is typed does not wait for it.
function readAhead(cards) {
  if (!globalThis.requestIdleCallback) return;
  requestIdleCallback((deadline) => {
    while (cards.length && deadline.timeRemaining() > 2) textOf(cards.pop());
    if (cards.length) readAhead(cards);
  });
}

let waiting = false;
function soon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; filter(); });
}

if (form && list) {
  form.hidden = false;
  form.addEventListener("input", soon);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("chimera:replaced", ({ detail }) => { if (detail?.parentElement === list) soon(); });
  document.getElementById("show-all").addEventListener("click", () => { form.reset(); filter(); search.focus(); });
  // A browser that comes back to the page keeps what was typed.
  if (search.value || form.querySelector("input[name=state]:checked")) filter();
  readAhead([...list.children]);
}
