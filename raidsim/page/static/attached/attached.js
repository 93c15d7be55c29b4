// A system that programs use: how it is, twice a second, and what is asked of it.

import { clock, digits, percent, size } from "/live/static/format.js";

const EVERY_MS = 500;
const $ = (id) => document.getElementById(id);
const shown = new Map(); // of each volume, its parts on the page

function made(kind, text, parent, name) {
  const one = document.createElement(kind);
  if (text) one.textContent = text;
  if (name) one.className = name;
  parent.append(one);
  return one;
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// -- what is asked of it

async function tell(wish) {
  const answer = await fetch("/api/attached", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(wish),
  });
  const told = await answer.json().catch(() => ({}));
  set($("problem"), answer.ok ? "" : (told.problems ?? ["This could not be done."]).join(" "));
  if (answer.ok) made("li", `${clock(told.time, true)}: ${told.did}`, $("told"));
  await look();
}

// -- how it is

function volumeOf(name) {
  if (shown.has(name)) return shown.get(name);
  const box = made("section", "", $("volumes"), "panel volume");
  const found = {
    title: made("h2", "", box),
    state: made("p", "", box),
    cache: made("p", "", box),
    policies: made("div", "", box, "row"),
    work: made("p", "", box),
    drives: made("div", "", box, "drives"),
    buttons: [],
  };
  const policy = (wish) => {
    const button = made("button", "", found.policies);
    button.type = "button";
    button.addEventListener("click", () => tell({ kind: "policy", volume: name, ...wish() }));
    return button;
  };
  found.policies.setAttribute("role", "group");
  found.policies.setAttribute("aria-label", `Policies of ${name}`);
  found.write = policy(() => ({ write: found.now.cache.asked === "through" ? "back" : "through" }));
  found.ahead = policy(() => ({ read_ahead: found.now.cache.read_ahead === "none" ? "adaptive" : "none" }));
  found.rate = policy(() => ({ rate: isFast(found.now) ? "20 %" : "90 %" }));
  box.setAttribute("aria-label", `Volume ${name}`);
  shown.set(name, found);
  return found;
}

const underWay = (volume) => volume.operations.filter((one) => one.state !== "done");
const isFast = (volume) => (underWay(volume)[0]?.rate ?? 1) > 0.5;

function drawPolicies(parts, volume) {
  parts.now = volume;
  const cache = volume.cache;
  parts.write.hidden = !cache;
  parts.ahead.hidden = !cache?.reads_ahead;
  parts.rate.hidden = !underWay(volume).length;
  if (cache) {
    set(parts.write, cache.asked === "through" ? "Write back" : "Write through");
    set(parts.ahead, cache.read_ahead === "none" ? "Read ahead" : "No read-ahead");
  }
  set(parts.rate, isFast(volume) ? "Rebuild: 20 % of the time" : "Rebuild: 90 % of the time");
}

function driveWords(one) {
  const state = one.failed ? "failed" : one.rebuilding ? `${one.rebuilding}, ${percent(one.good)} good` : one.good < 1 ? `${percent(one.good)} good` : "healthy";
  const lines = [one.name, state, `queue ${one.queue}, busy ${percent(one.busy)}`];
  if (one.temperature !== null) lines.push(`${digits(one.temperature)} °C${one.throttled && one.throttled !== "cool" ? `, throttled: ${one.throttled}` : ""}`);
  if (one.defects) lines.push(`${one.defects} bad sectors`);
  if (one.unsafe) lines.push(`${size(one.unsafe)} not yet written`);
  return lines.join("\n");
}

function drawDrives(parts, name, drives) {
  while (parts.buttons.length > drives.length) parts.buttons.pop().remove();
  drives.forEach((one, place) => {
    let button = parts.buttons[place];
    if (!button) {
      button = made("button", "", parts.drives);
      button.type = "button";
      button.addEventListener("click", () => {
        const kind = button.classList.contains("failed") ? "replacement" : "drive-failure";
        tell({ kind, volume: name, drive: place });
      });
      parts.buttons.push(button);
    }
    set(button, driveWords(one));
    button.disabled = one.spare;
    button.classList.toggle("failed", one.failed);
    button.title = one.spare ? "" : one.failed ? "Put in a new drive" : "Let it fail";
  });
}

function draw(status) {
  const behind = status.behind > 0 ? `, ${digits(status.behind)} s behind` : "";
  const power = status.power === "on" || status.power === true ? "" : ", without power";
  set($("system"), `${clock(status.time, false)} of its time, ${digits(status.speed)} times as fast as real time${behind}${power}.`);
  for (const [name, volume] of Object.entries(status.volumes)) {
    const parts = volumeOf(name);
    set(parts.title, `${name}: ${volume.health}`);
    set(parts.state, `${size(volume.size)}, ${digits(volume.iops)} IO/s, ${digits(volume.mbps)} MB/s on average; ${volume.in_flight} requests under way.`);
    const cache = volume.cache;
    set(parts.cache, cache ? `Cache: write-${cache.mode}, battery ${cache.battery}; ${size(cache.used)} of ${size(cache.size)} in use, ${size(cache.dirty)} of it not yet on the drives.` : "");
    drawPolicies(parts, volume);
    set(parts.work, underWay(volume).map((one) => `${one.kind}${one.drive === null ? "" : ` of drive ${one.drive}`}: ${percent(one.progress)}`).join("; "));
    drawDrives(parts, name, volume.drives);
  }
}

async function look() {
  const answer = await fetch("/api/attached").catch(() => null);
  const told = (await answer?.json().catch(() => null)) ?? { problems: ["The page does not answer."] };
  if (answer?.ok) draw(told.status);
  else set($("problem"), told.problems.join(" "));
  return Boolean(answer?.ok);
}

async function watch() {
  const alive = await look();
  setTimeout(watch, alive ? EVERY_MS : 4 * EVERY_MS);
}

$("power").addEventListener("click", () => tell({ kind: "power-cut" }));
$("learn").addEventListener("click", () => tell({ kind: "learn-cycle", for: "10 min" }));
$("empty").addEventListener("click", () => tell({ kind: "battery", state: "low" }));
$("charge").addEventListener("click", () => tell({ kind: "battery", state: "good" }));
watch();
