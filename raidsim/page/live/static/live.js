// The page: asks the simulation for what is next, and shows it. Nothing here is made up; what moves
// moves as the simulated events say, only slower or faster.

import { Charts } from "./charts.js";
import { clock, element, time } from "./format.js";
import { Lanes } from "./lanes.js";
import { Stage } from "./stage.js";
import { restored } from "/static/run/link.js";

const place = (id) => document.getElementById(id);
const SPEEDS = speeds();
const SLOW = 0.025; // simulated seconds a second, up to which single requests are followed
const LOOK_MS = 150; // from one look at the whole array to the next
const HOLD_MS = 1200; // for which the end of a request stays
const SHOWN = 60;
const STILL = matchMedia("(prefers-reduced-motion: reduce)"); // then a request goes step by step
const STILL_MS = 1200; // for each

const stage = new Stage(pressDrive);
const lanes = new Lanes(place("lanes"));
const charts = new Charts(place("charts"));
const state = {
  name: null, about: null, frame: null, story: null, head: 0, held: 0, runs: false, asking: false,
  since: 0, lastLook: 0, told: new Set(),
};

function speeds() {
  const found = [];
  for (let power = -6; power < 0; power += 1) found.push(...[1, 2, 5].map((factor) => factor * 10 ** power));
  return [...found, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
}

const speed = () => SPEEDS[place("speed").valueAsNumber];
const isSlow = () => speed() <= SLOW;

// -- asking ------------------------------------------------------------------------------------

async function post(path, asked) {
  const answer = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked),
  });
  let found = {};
  try {
    found = await answer.json();
  } catch {
    found = { problems: [`The page answered with ${answer.status}.`] };
  }
  return { ok: answer.ok, status: answer.status, ...found };
}

function lookWanted() {
  const chosen = place("look").value;
  if (chosen !== "auto") return chosen;
  if (state.frame?.cut?.torn && !state.frame.operations.length) return "torn";
  return state.frame?.frontier !== null && state.frame?.frontier !== undefined ? "frontier" : "start";
}

// One wish at a time; what comes back is shown.
async function ask(wish) {
  if (!state.name) return null;
  while (state.asking) await new Promise((done) => setTimeout(done, 20));
  if (!state.name) return null;
  state.asking = true;
  let found;
  try {
    found = await post(`/live/arrays/${state.name}`, { since: state.since, look: lookWanted(), ...wish });
  } catch {
    found = { ok: false, problems: ["The page does not answer. Is raidsim serve still running?"] };
  }
  state.asking = false;
  place("problem").textContent = found.ok ? "" : found.problems.join(" ");
  if (found.ok) show(found);
  else if (found.status !== 409) stop();
  return found.ok ? found : null;
}

async function begin(what) {
  stop();
  if (what.text) place("preset").value = "";
  const old = state.name;
  state.name = null;
  enable(false);
  place("problem").textContent = "";
  place("now").textContent = "The array is being built.";
  const patience = setTimeout(() => {
    place("now").textContent = "The array is being built. Where raidsim runs for the first time, its kernel is compiled first, once: two or three minutes.";
  }, 5000);
  if (old) post(`/live/arrays/${old}`, { do: "end" });
  let found;
  try {
    found = await post("/live/arrays", what);
  } catch {
    found = { ok: false, problems: ["The page does not answer. Is raidsim serve still running?"] };
  }
  clearTimeout(patience);
  place("now").textContent = "";
  if (!found.ok) {
    place("problem").textContent = found.problems.join(" ");
    return;
  }
  Object.assign(state, { name: found.array, about: found.about, story: null, since: 0, told: new Set() });
  state.about.cached = found.frame.cache ? found.frame.cache.size / 2 ** 20 : 0;
  state.about.readsAhead = Boolean(found.frame.cache?.reads_ahead);
  place("told").replaceChildren();
  place("try").textContent = found.about.try;
  place("try").parentElement.hidden = !found.about.try;
  place("own").hidden = !found.about.strip;
  if (found.about.strip) place("own-strip").max = String(Math.floor(found.about.capacity / found.about.strip) - 1);
  tell({ time: 0, words: introduction(found.about) });
  setSpeed(found.about.slow);
  stage.begin(found.about);
  charts.begin(found.about);
  makeActions();
  showStory(null);
  show(found);
  enable(true);
}

function introduction(about) {
  const level = about.level.startsWith("raid") ? about.level.replace("raid", "RAID ").toUpperCase() : "";
  const what = about.drives > 1 ? `${level || about.level} of ${about.drives} x ${about.card}` : about.card;
  return `${about.title}: ${what}${about.controller ? ` on ${about.controller}` : ""}.`;
}

function enable(can) {
  for (const id of ["go", "step", "mode"]) place(id).disabled = !can;
}

// -- showing -----------------------------------------------------------------------------------

function show(found) {
  const frame = found.frame;
  state.frame = frame;
  stage.frame(frame);
  if (!state.story || state.head >= state.story.request.took) showRows(found.rows);
  for (const one of frame.told) {
    state.since = Math.max(state.since, one.number);
    if (!state.told.has(one.number)) tell(one);
    state.told.add(one.number);
  }
  if (!isSlow()) charts.add(frame);
  showClock();
  updateActions();
  if (frame.ended) {
    place("problem").textContent = `The simulation cannot go on: ${frame.ended}`;
    stop();
  }
}

function showRows(picture) {
  if (!picture) return;
  stage.picture(picture);
}

function showClock() {
  if (!state.frame) return;
  const story = state.story;
  const followed = story && state.head < story.request.took;
  const seconds = followed ? (story.request.issued + state.head) / 1e9 : state.frame.time;
  place("clock").textContent = clock(seconds, isSlow());
}

function tell(one) {
  const item = element("li");
  item.append(element("span", "when", time(one.time)), element("span", "", one.words));
  const list = place("told");
  list.append(item);
  while (list.children.length > SHOWN) list.firstChild.remove();
  list.scrollTop = list.scrollHeight;
}

// -- slow motion -------------------------------------------------------------------------------

function showStory(story) {
  state.story = story;
  state.head = 0;
  state.held = 0;
  stage.clearTokens();
  place("steps").replaceChildren();
  place("request-title").textContent = story ? story.request.title : "Slow motion";
  place("summary").textContent = story ? "" : "Press Go or Step, and one request is followed.";
  place("request").classList.toggle("plays", Boolean(story));
  lanes.draw(story);
  if (!story) return;
  if (story.picture) showRows(story.picture);
  for (const step of story.steps) {
    place("steps").append(element("li", "", `${time(step.from / 1e9)}: ${step.words} (${time((step.to - step.from) / 1e9)})`));
  }
}

async function follow(wish) {
  const found = await ask({ do: "follow", op: place("which").value, ...wish });
  if (!found) return false;
  if (!found.request) {
    place("now").textContent = found.why;
    stop();
    return false;
  }
  showStory(found);
  showHead(false);
  return true;
}

// Show the request as it is at `state.head` ns.
function showHead(announce) {
  const { story, head } = state;
  const over = head >= story.request.took;
  const active = over ? [] : story.steps.filter((step) => step.from <= head && head < Math.max(step.to, step.from + 1));
  stage.mark(active);
  stage.put(over ? [] : tokens(story, head), story.request.op);
  lanes.at(head);
  showClock();
  const level = story.levels.findLast((one) => one.from <= head);
  if (level) stage.level(level, state.frame);
  if (over) {
    place("summary").textContent = story.request.summary;
    if (announce) place("now").textContent = story.request.summary;
    else place("now").textContent = "";
    return;
  }
  const begun = active.filter((step) => step.from === head);
  const told = announce && begun.length ? begun.map((step) => step.words) : active.map((step) => brief(step.words));
  const words = [...new Set(told)];
  const said = words.length ? words.join(" ") : waitWords(story, head);
  if (announce || !state.runs) place("now").textContent = said;
  else {
    place("now").setAttribute("aria-live", "off");
    place("now").textContent = said;
  }
}

// A step without the times of its parts, which stand in the list of all steps.
const brief = (words) => words.replace(/: [^:]*\.$/, ".");

function waitWords(story, head) {
  const waits = story.steps.filter((step) => step.from > head && step.from - step.waits <= head);
  return [...new Set(waits.map((step) => step.waits_for))].join(" ");
}

// Where each command of a request is, and the request itself while none is under way.
function tokens(story, head) {
  const keys = new Map();
  for (const step of story.steps) {
    const key = step.command ?? "request";
    if (!keys.has(key)) keys.set(key, []);
    keys.get(key).push(step);
  }
  const found = [];
  for (const [key, steps] of keys) {
    const now = steps.findLast((step) => step.from <= head && head < step.to);
    if (now) {
      found.push([key, now, false]);
      continue;
    }
    const begun = steps.some((step) => step.from <= head);
    const next = steps.find((step) => step.from > head);
    if (begun && next && key !== "request") found.push([key, next, true]);
  }
  if (!found.length) {
    const last = story.steps.findLast((step) => step.from <= head);
    if (last) found.push(["request", last, true]);
  }
  return found;
}

async function step() {
  stop();
  if (!isSlow()) {
    await ask({ do: "advance", seconds: speed() * 0.25 });
    return;
  }
  place("now").setAttribute("aria-live", "polite");
  if (!state.story || state.head >= state.story.request.took) {
    if (await follow({})) showHead(true);
    return;
  }
  state.head = nextBegin();
  showHead(true);
}

// When the next step of the request begins, or the request ends.
function nextBegin() {
  const begins = state.story.steps.map((one) => one.from).filter((from) => from > state.head);
  return begins.length ? Math.min(...begins) : state.story.request.took;
}

// -- running -----------------------------------------------------------------------------------

function go() {
  state.runs = true;
  state.lastLook = performance.now();
  place("go").textContent = "Stop";
  place("go").setAttribute("aria-pressed", "true");
  requestAnimationFrame(tick);
}

function stop() {
  state.runs = false;
  place("go").textContent = "Go";
  place("go").setAttribute("aria-pressed", "false");
}

let lastTick = 0;

async function tick(now) {
  if (!state.runs) {
    lastTick = 0;
    return;
  }
  const passed = lastTick ? Math.min(now - lastTick, 100) : 0;
  lastTick = now;
  if (isSlow()) await tickSlow(passed);
  else await tickFast();
  requestAnimationFrame(tick);
}

async function tickSlow(passed) {
  const story = state.story;
  if (!story || (state.head >= story.request.took && state.held >= HOLD_MS)) {
    await follow({});
    lastTick = 0;
    return;
  }
  if (state.head >= story.request.took) {
    state.held += passed;
    return;
  }
  if (STILL.matches) {
    state.held += passed;
    if (state.held < STILL_MS) return;
    state.held = 0;
    state.head = nextBegin();
  } else {
    state.head = Math.min(state.head + passed * 1e6 * speed(), story.request.took);
  }
  showHead(false);
}

async function tickFast() {
  if (state.story) showStory(null);
  const now = performance.now();
  if (now - state.lastLook < LOOK_MS || state.asking) return;
  const real = Math.min((now - state.lastLook) / 1000, 0.5);
  state.lastLook = now;
  const wanted = speed() * real;
  const before = state.frame.time;
  const found = await ask({ do: "advance", seconds: wanted });
  if (!found) return;
  const done = state.frame.time - before;
  place("now").textContent = done < 0.8 * wanted ? `This computer simulates ${time(done / real)} a second, not more.` : "";
}

// -- speed -------------------------------------------------------------------------------------

function setSpeed(wanted) {
  const nearest = SPEEDS.reduce((best, one, index) => (Math.abs(Math.log(one / wanted)) < Math.abs(Math.log(SPEEDS[best] / wanted)) ? index : best), 0);
  place("speed").value = String(nearest);
  sayKeep();
}

function sayKeep() {
  const words = `${time(speed())} a second`;
  place("speed-words").textContent = isSlow() ? `${words}, slow motion` : words;
  place("request").hidden = !isSlow();
  place("mode").textContent = isSlow() ? "Whole array" : "Slow motion";
  place("speed").setAttribute("aria-valuetext", `${time(speed())} of the array in a second`);
  if (state.name && !isSlow() && state.story) showStory(null);
  if (state.about) charts.draw();
  showClock();
}

// -- what visitors let happen ------------------------------------------------------------------

async function happen(wish) {
  if (state.story) showStory(null); // what was followed lies before it
  await ask({ do: "happen", wish });
}

function pressDrive(number) {
  const drive = state.frame.drives[number];
  if (drive.failed) happen({ kind: "replacement", drive: number });
  else happen({ kind: "drive-failure", drive: number });
}

let actions = [];

function makeActions() {
  const { about } = state;
  const off = () => state.frame.power !== "on";
  actions = [
    { words: () => (state.frame.power === "off" ? "Put in the plug" : "Pull the plug"), wish: () => ({ kind: state.frame.power === "off" ? "power-on" : "power-off" }) },
  ];
  for (const name of about.loads) {
    const runs = () => state.frame.loads.find((load) => load.name === name)?.runs;
    actions.push({ words: () => `${runs() ? "Stop" : "Start"} load “${name}”`, wish: () => ({ kind: runs() ? "load-stop" : "load-start", load: name }), not: off });
  }
  if (about.battery) {
    const battery = () => state.frame.cache?.battery;
    actions.push({ words: () => (battery() === "learning" ? "Battery learns" : "Battery: learn, 10 min"), wish: () => ({ kind: "learn-cycle", for: "10 min" }), not: () => off() || battery() !== "good" });
    actions.push({ words: () => (battery() === "low" ? "Charge the battery" : "Empty the battery"), wish: () => ({ kind: "battery", state: battery() === "low" ? "good" : "low" }), not: () => off() || battery() === "learning" });
  }
  if (about.cached && about.strip) {
    const cache = () => state.frame.cache;
    actions.push({ words: () => (cache().asked === "through" ? "Write back" : "Write through"), wish: () => ({ kind: "policy", write: cache().asked === "through" ? "back" : "through" }), not: off });
    if (about.readsAhead) {
      actions.push({ words: () => (cache().read_ahead === "none" ? "Read ahead" : "No read-ahead"), wish: () => ({ kind: "policy", read_ahead: cache().read_ahead === "none" ? "adaptive" : "none" }), not: off });
    }
  }
  if (about.strip && about.drives > 1) {
    const work = () => state.frame.operations[0];
    const fast = () => (work()?.rate ?? 1) > 0.5;
    actions.push({ words: () => (fast() ? "Rebuild: 20 % of the time" : "Rebuild: 90 % of the time"), wish: () => ({ kind: "policy", rate: fast() ? "20 %" : "90 %" }), not: () => off() || !work() });
  }
  if (about.heats) {
    const fails = () => state.frame.air.airflow < 1;
    actions.push({ words: () => (fails() ? "Put the fan back" : "A fan fails"), wish: () => (fails() ? { kind: "air", airflow: "100 %" } : { kind: "fan-failure", airflow: "15 %" }) });
    actions.push({ words: () => (state.frame.air.ambient > 40 ? "Room at 25 C" : "Room at 45 C"), wish: () => ({ kind: "air", ambient: state.frame.air.ambient > 40 ? "25 C" : "45 C" }) });
  }
  if (about.strip && about.drives > 1) {
    actions.push({ words: () => "Check consistency", wish: () => ({ kind: "consistency-check" }), not: () => off() || state.frame.health !== "optimal" || state.frame.operations.length > 0 });
  }
  const row = place("actions");
  row.replaceChildren();
  for (const one of actions) {
    one.button = element("button");
    one.button.type = "button";
    one.button.addEventListener("click", () => happen(one.wish()));
    row.append(one.button);
  }
}

function updateActions() {
  for (const one of actions) {
    one.button.textContent = one.words();
    one.button.disabled = state.frame.power === "coming" || Boolean(one.not?.());
  }
}

async function own(event) {
  event.preventDefault();
  const op = event.submitter?.value ?? "read";
  if (!isSlow()) setSpeed(state.about.slow);
  stop();
  const offset = place("own-strip").valueAsNumber * state.about.strip;
  if (await follow({ op, offset, length: 4096 })) go();
}

// -- begin -------------------------------------------------------------------------------------

place("speed").max = String(SPEEDS.length - 1);
place("speed").addEventListener("input", sayKeep);
place("go").addEventListener("click", () => (state.runs ? stop() : go()));
place("step").addEventListener("click", step);
let watched = null; // what "Begin anew" begins with
place("mode").addEventListener("click", () => setSpeed(isSlow() ? state.about.fast : state.about.slow));
place("anew").addEventListener("click", () => begin(watched));
place("preset").addEventListener("change", beginPreset);
place("watch").addEventListener("click", () => begin((watched = { text: place("text").value })));
place("look").addEventListener("change", () => ask({ do: "advance", seconds: 0 }));
place("own").addEventListener("submit", own);
window.addEventListener("resize", () => {
  if (state.story) {
    lanes.draw(state.story);
    showHead(false);
  }
  if (state.about) charts.draw();
});

function beginPreset() {
  begin((watched = { preset: place("preset").value }));
}

// An address may name an array, or hold a scenario as those of the page "Run" do.
async function first() {
  const kept = await restored(location.hash);
  let text = kept?.text;
  if (kept?.scenario) {
    const answer = await fetch(`/api/scenarios/${encodeURIComponent(kept.scenario)}`);
    if (answer.ok) text = (await answer.json()).text;
  }
  if (text) {
    place("own-text").open = true;
    place("text").value = text;
    begin((watched = { text }));
    return;
  }
  const wanted = new URLSearchParams(location.search).get("array");
  if ([...place("preset").options].some((option) => option.value === wanted)) place("preset").value = wanted;
  beginPreset();
}
first();
