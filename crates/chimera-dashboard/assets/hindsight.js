// Looking back: sliders that ask again what would have been, and the replay of the event log by slider, keys or by itself.

import { on } from "./acts.js";
import { read, replace } from "./fragment.js";

const SETTLE_MS = 120;
const STEP_MS = 700;

// The newest answer wins; one that is overtaken is dropped.
let asked = 0;
async function show(path) {
  const mine = (asked += 1);
  try {
    const parts = await read(path);
    if (mine === asked) replace(parts);
    return mine === asked;
  } catch {
    return false;
  }
}

const form = document.getElementById("what-if");
if (form) {
  let settling = null;
  // What stands at today's value is not asked about, so that today's exact value stays.
  const query = () => {
    const moved = [...form.querySelectorAll("input[type=range]")].filter((slider) => slider.value !== slider.dataset.today);
    const pairs = moved.map((slider) => [slider.name, slider.value]);
    if (form.elements.agent.value) pairs.unshift(["agent", form.elements.agent.value]);
    return new URLSearchParams(pairs).toString();
  };
  const ask = () => {
    const search = query();
    history.replaceState(null, "", search ? `/what-if?${search}` : "/what-if");
    show(`/fragments/what-if?${search}`);
  };
  form.addEventListener("input", ({ target }) => {
    if (target.type === "range") target.nextElementSibling.textContent = `${target.value}${target.dataset.unit}`;
    clearTimeout(settling);
    settling = setTimeout(ask, SETTLE_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
}

const scrubber = document.getElementById("scrubber");
if (scrubber) {
  const slider = document.getElementById("event");
  const play = scrubber.querySelector('[data-act="replay-play"]');
  let playing = null;
  const last = () => Number(slider.max);
  const here = () => Number(slider.value);
  const stop = () => {
    clearInterval(playing);
    playing = null;
    play.setAttribute("aria-pressed", "false");
    play.firstElementChild.textContent = "Play";
  };
  const go = (event) => {
    const number = Math.max(1, Math.min(last(), event));
    slider.value = number;
    slider.nextElementSibling.textContent = `${number} of ${last()}`;
    scrubber.dataset.replay = number;
    history.replaceState(null, "", `/replay?event=${number}`);
    if (number === last()) stop();
    return show(`/fragments/replay?event=${number}`);
  };
  const start = () => {
    if (here() === last()) go(1);
    playing = setInterval(() => go(here() + 1), STEP_MS);
    play.setAttribute("aria-pressed", "true");
    play.firstElementChild.textContent = "Stop";
  };
  let settling = null;
  slider.addEventListener("input", () => {
    stop();
    clearTimeout(settling);
    settling = setTimeout(() => go(here()), SETTLE_MS);
  });
  const step = (by) => { stop(); go(here() + by); };
  on("replay-previous", () => step(-1));
  on("replay-next", () => step(1));
  on("replay-play", () => (playing ? stop() : start()));
  scrubber.addEventListener("click", (event) => {
    const link = event.target.closest("[data-replay-step]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    step(link.dataset.act === "replay-next" ? 1 : -1);
  });
}
