// Dates in the reader's own days: the server knows UTC alone.

const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const whole = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const two = (number) => String(number).padStart(2, "0");
const dayOf = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
const made = (name, props) => Object.assign(document.createElement(name), props);

for (const time of document.querySelectorAll("time[data-clock]")) {
  time.title = time.dateTime;
  time.textContent = clock.format(new Date(time.dateTime));
}
for (const time of document.querySelectorAll("time[data-local]")) {
  time.title = time.dateTime;
  time.textContent = whole.format(new Date(time.dateTime));
}

const agenda = document.getElementById("agenda");
const month = document.getElementById("month");

// Each entry into the section of its day here; what passed this month stays folded away above.
function sortAgenda(entries) {
  const days = Map.groupBy(entries, (entry) => dayOf(new Date(entry.dataset.at)));
  const today = dayOf(new Date());
  const sections = [];
  const past = made("details", { className: "past" });
  for (const [key, ofDay] of [...days].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const section = made("section", { className: "day", id: `day-${key}` });
    const heading = document.createElement("h2");
    const when = new Date(ofDay[0].dataset.at);
    heading.append(made("time", { dateTime: key, textContent: day.format(when) }));
    if (key === today) heading.append(made("span", { className: "chip tone-accent", textContent: "today" }));
    const list = made("ul", { className: "rows" });
    list.append(...ofDay);
    section.append(heading, list);
    if (key < today) past.append(section);
    else sections.push(section);
  }
  for (const old of agenda.querySelectorAll(":scope > .day")) old.remove();
  const after = agenda.querySelector("[data-zone]");
  after.textContent = `Days and times are yours (${Intl.DateTimeFormat().resolvedOptions().timeZone}).`;
  if (past.childElementCount) {
    past.prepend(made("summary", { textContent: `${past.childElementCount} ${past.childElementCount === 1 ? "day" : "days"} before today` }));
    sections.unshift(past);
  }
  after.after(...sections);
}

function fillMonth(entries) {
  const today = dayOf(new Date());
  for (const square of month.querySelectorAll("td")) {
    square.toggleAttribute("aria-current", false);
    if (square.dataset.day === today) square.setAttribute("aria-current", "date");
    const ofDay = entries.filter((entry) => dayOf(new Date(entry.dataset.at)) === square.dataset.day);
    const dots = square.querySelector(".dots");
    dots.replaceChildren(...ofDay.slice(0, 2).map((entry) => made("a", { href: `#${entry.id}`, textContent: clock.format(new Date(entry.dataset.at)) })));
    if (ofDay.length > 2) dots.append(made("span", { className: "muted", textContent: `+${ofDay.length - 2}` }));
  }
}

if (agenda && month) {
  const entries = [...agenda.querySelectorAll(".entry")].sort((one, other) => Date.parse(one.dataset.at) - Date.parse(other.dataset.at));
  if (entries.length) sortAgenda(entries);
  fillMonth(entries);
  addEventListener("hashchange", unfold);
  unfold();
}

function unfold() {
  const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  const folded = target?.closest("details");
  if (folded) folded.open = true;
  target?.scrollIntoView({ block: "center" });
}

// Who may be chosen follows from the campaign, and the campaign says where the form is sent.
for (const form of document.querySelectorAll(".entry-form")) {
  const campaign = form.querySelector("[data-campaign]");
  const agents = form.querySelector("[data-agents-of]");
  const choose = () => {
    const chosen = campaign.selectedOptions[0];
    if (!chosen) return;
    form.dataset.action = `/api/campaigns/${encodeURIComponent(chosen.value)}/calendar`;
    agents.replaceChildren(agents.options[0], ...chosen.dataset.agents.split(",").filter(Boolean).map((id) => new Option(id, id)));
  };
  campaign.addEventListener("change", choose);
  choose();
}
