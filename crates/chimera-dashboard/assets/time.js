// Times, in the words of the server: "3 min ago". One timer for all of them.

export function span(ms) {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

const relative = (ms) => (Math.abs(ms) < 1000 ? "now" : ms < 0 ? `in ${span(-ms)}` : `${span(ms)} ago`);

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function refresh() {
  const now = Date.now();
  for (const time of document.querySelectorAll("time[data-relative]")) write(time, relative(now - Date.parse(time.dateTime)));
  for (const left of document.querySelectorAll("[data-until]")) {
    const ms = Date.parse(left.dataset.until) - now;
    write(left, ms > 0 ? `in ${Math.ceil(ms / 1000)} s` : "now");
  }
}

export function start() {
  refresh();
  setInterval(() => { if (!document.hidden) refresh(); }, 1000);
  document.addEventListener("chimera:replaced", refresh);
}
