// The page on which scenarios are run: what belongs together, and in which order.

import * as api from "./api.js";
import { Editor } from "./editor.js";
import { Knobs } from "./knobs.js";
import { fragment, restored } from "./link.js";
import { Result } from "./result.js";
import { Runs } from "./runs.js";
import { element } from "./words.js";

const $ = (id) => document.getElementById(id);
const FIRST = "p3700-database";
const AT_A_TIME = 3; // points of a turned knob that are asked for side by side

const shippedTexts = new Map(); // by name, as they came
const PAGE = crypto.getRandomValues(new Uint32Array(2)).join("-"); // tells this page from others
let turn = 0;
let asking = new AbortController(); // what was asked for before the last turn is not waited for
let running = null; // key of what was asked for last
let whole = false; // whether that is a run, which Stop ends with what was measured until then
let why = ""; // what was changed last, in words: the name of the next run

const result = new Result();
const runs = new Runs({ result, restore: (run) => load(run.text, "restored") });
const knobs = new Knobs(turned);
const editor = new Editor((told) => {
  knobs.draw(told.form);
  remember();
});

function say(words) { $("status").textContent = words; }

function busy(on) {
  $("run").disabled = on;
  $("stop").disabled = !on;
  $("progress").hidden = !on;
  if (!on) $("progress").removeAttribute("value");
}

function failed(problems) {
  say(problems.map((one) => (one.line === null ? one.words : `Line ${one.line}: ${one.words}`)).join(" "));
}

// -- the text, and the address that holds it

async function remember() {
  const text = editor.text;
  const name = [...shippedTexts].find(([, one]) => one === text)?.[0];
  const made = await fragment(name ? { scenario: name } : { text });
  if (editor.text === text && location.hash !== made) history.replaceState(null, "", made);
  $("watch").href = `/live${made}`;
  $("shipped").value = name ?? "";
}

async function load(text, words) {
  why = words;
  const told = await editor.put(text);
  if (!told.problems.length && !told.followed) await roughly(told);
  else if (!told.problems.length) say("This one is followed through events: press Run.");
}

async function choose(name) {
  if (!shippedTexts.has(name)) {
    const found = await api.shipped(name);
    if (found.text === undefined) throw new Error(`No scenario is called ${name}.`);
    shippedTexts.set(name, found.text);
  }
  await load(shippedTexts.get(name), "");
}

async function restore() {
  const state = await restored(location.hash);
  if (state?.text !== undefined) await load(state.text, "from a link");
  else if (state?.scenario && [...$("shipped").options].some((one) => one.value === state.scenario)) await choose(state.scenario);
  else await choose(FIRST);
}

// -- runs

async function turned(path, value, words) {
  why = words;
  const told = await editor.set(path, value);
  if (told === null) return;
  if (told.problems.length) {
    failed(told.problems);
    return;
  }
  await roughly(told);
}

// Nobody waits any more for what was asked for until now.
function begun() {
  asking.abort();
  asking = new AbortController();
  turn++;
  if (running !== null) api.leave(running);
  running = null;
  return asking.signal;
}

// Measures every point roughly; those in the middle first, and each is drawn as it comes.
async function roughly(told) {
  const signal = begun();
  const text = editor.text;
  const run = runs.begin({ text, form: told.form, title: told.title, why, rough: true });
  const number = turn;
  const start = performance.now();
  why = "";
  whole = false;
  busy(true);
  say("Measuring …");
  const middle = result.markedNumber(told.points);
  const points = told.followed ? [null] : [...Array(told.points).keys()].sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  let first = null;
  let wrong = null;
  const oneByOne = async () => {
    while (points.length && !signal.aborted && wrong === null) {
      const point = points.shift();
      const task = { text, rough: true, page: PAGE, turn: number };
      if (point !== null) task.point = point;
      const found = await api.run(task, tell, signal);
      if (found === null) return;
      if (found.shown) {
        first ??= performance.now() - start;
        runs.add(run, found, point, told.points);
      } else wrong = found.problems ?? [];
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, oneByOne));
    if (signal.aborted) return;
    if (wrong !== null) {
      runs.drop(run);
      failed(wrong);
    } else say(`Measured within 5 %: the first point after ${(first / 1000).toFixed(2)} s.`);
  } catch (error) {
    if (!signal.aborted) say(error.message);
  }
  if (!signal.aborted) {
    running = null;
    busy(false);
  }
}

// How far what was asked for is.
function tell(state) {
  running = state.key;
  if (state.waits) say(state.waits);
  else if (state.state === "waiting") say(`In the queue: place ${state.place} of ${state.waiting}.`);
  else if (state.fraction > 0) {
    $("progress").value = state.fraction;
    const rate = state.iops > 0 ? `, ${Math.round(state.iops).toLocaleString("en-US")} IO/s` : "";
    say(`${Math.round(100 * state.fraction)} %: ${state.label}${rate}`);
  } else say(state.label || "Running …");
}

async function runAll() {
  const signal = begun();
  const told = await editor.settled();
  if (told.problems.length) {
    failed(told.problems);
    $("problems").scrollIntoView({ block: "nearest" });
    busy(false);
    return;
  }
  const text = editor.text;
  whole = true;
  busy(true);
  say("Asked for …");
  try {
    const found = await api.run({ text }, tell, signal);
    if (found === null) return;
    if (found.shown) {
      const run = runs.begin({ text, form: told.form, title: told.title, why, rough: false });
      why = "";
      runs.add(run, found, null, told.points);
      say(found.cut ?? "Done.");
      $("result").scrollIntoView({ block: "start" });
    } else failed(found.problems ?? [{ line: null, words: "It was stopped before any point was finished." }]);
  } catch (error) {
    if (!signal.aborted) say(error.message);
  }
  if (!signal.aborted) {
    running = null;
    busy(false);
  }
}

async function stop() {
  say("Stopping …");
  const told = running === null || !whole ? { shared: true } : await api.stop(running).catch(() => ({ shared: true }));
  if (!told.shared) return; // it says itself when it has stopped
  begun();
  busy(false);
  say("You wait no longer.");
}

// -- what is pressed

function save(text) {
  const place = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
  const link = element("a", { href: place, download: "scenario.toml" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(place), 1000);
}

async function copyLink() {
  await remember();
  try {
    await navigator.clipboard.writeText(location.href);
    $("copied").textContent = "Copied.";
  } catch {
    $("copied").textContent = "The link is in the address line.";
  }
  setTimeout(() => { $("copied").textContent = ""; }, 4000);
}

async function begin() {
  $("run").addEventListener("click", runAll);
  $("stop").addEventListener("click", stop);
  $("save-text").addEventListener("click", () => save(editor.text));
  $("copy-link").addEventListener("click", copyLink);
  $("shipped").addEventListener("change", (event) => { if (event.target.value) choose(event.target.value).catch((error) => say(error.message)); });
  addEventListener("hashchange", () => restore().catch((error) => say(error.message)));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) runAll();
  });
  busy(false);
  try {
    const known = await api.scenarios();
    $("shipped").append(element("option", { value: "", textContent: "a text of one's own" }),
      ...known.map((one) => element("option", { value: one.name, textContent: `${one.name}: ${one.title}`, title: one.description })));
    await restore();
  } catch (error) {
    say(error.message);
  }
}

begin();
