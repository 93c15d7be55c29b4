// The array itself: host, controller, cache and drives with their strips, and tokens on their way.

import { element, percent, share, size } from "./format.js";

const place = (id) => document.getElementById(id);
const QUEUE_SHOWN = 8;
const MOST_WIDE = 9; // drives that have room for the numbers of their strips

export class Stage {
  constructor(onDrive) {
    this.onDrive = onDrive;
    this.columns = [];
    this.tokens = new Map();
    this.drives = place("drives");
    this.room = place("tokens");
  }

  begin(about) {
    this.about = about;
    this.columns = [];
    this.drives.replaceChildren();
    this.clearTokens();
    place("at-controller").hidden = about.controller === null;
    place("controller-words").textContent = about.controller ?? "";
    place("at-parity").hidden = about.parity === 0;
    place("parity-words").textContent = about.controller ? "XOR engine" : "a thread of the host";
  }

  // -- drives and strips ---------------------------------------------------------------------

  frame(frame) {
    if (this.columns.length !== frame.drives.length) this.makeColumns(frame.drives);
    place("stage").classList.toggle("dark-stage", frame.power === "off");
    frame.drives.forEach((drive, number) => this.drive(this.columns[number], drive, frame));
    place("host-busy").style.width = share(frame.host);
    place("host-words").textContent =
      `${frame.in_flight} outstanding, busiest processor ${percent(frame.host)}`;
    this.cache(frame.cache, frame.power);
  }

  makeColumns(drives) {
    this.drives.replaceChildren();
    this.labels = element("div", "labels");
    this.drives.append(this.labels);
    const many = drives.length > MOST_WIDE;
    this.drives.classList.toggle("many", many);
    this.columns = drives.map((drive) => {
      const column = element("div", "column");
      const button = element("button", "drive");
      button.type = "button";
      button.id = `drive-${drive.number}`;
      const name = element("b", "", many ? String(drive.number) : drive.name);
      const state = element("span", "state");
      const queue = element("span", "queue");
      const busy = element("span", "busy");
      const bar = element("i");
      busy.append(bar);
      button.append(name, state, queue, busy);
      button.addEventListener("click", () => this.onDrive(drive.number));
      const strips = element("div", "strips");
      const whole = element("div", "whole");
      const good = element("i");
      whole.append(good);
      const foot = element("small", "foot");
      column.append(button, strips, whole, foot);
      this.drives.append(column);
      return { button, name, state, queue, bar, strips, whole, good, foot, cells: new Map() };
    });
    this.shown = "";
  }

  drive(column, drive, frame) {
    const state = stateOf(drive, frame);
    column.state.textContent = state;
    column.button.dataset.state = drive.failed ? "failed" : drive.rebuilding ? "rebuilding" : drive.spare ? "spare" : "healthy";
    column.button.classList.toggle("hot", drive.throttled !== "");
    column.button.disabled = drive.spare || !frame.drives_ready;
    this.queue(column, drive.queue);
    column.bar.style.width = share(drive.busy);
    column.good.style.width = share(drive.failed ? 0 : drive.good);
    column.whole.hidden = drive.spare;
    const parts = [];
    if (drive.temperature !== null) parts.push(`${drive.temperature.toFixed(0)} C`);
    if (drive.rebuilding) parts.push(`${(100 * drive.good).toFixed(1)} % restored`);
    if (drive.unsafe > 0) parts.push(`${size(drive.unsafe)} in its buffer`);
    if (drive.defects > 0) parts.push(`${drive.defects} bad sectors`);
    column.foot.textContent = parts.join(", ");
    const press = drive.spare ? "" : drive.failed ? " Press to put in a new drive." : " Press to let it fail.";
    const said = [drive.name, state, `queue ${drive.queue}`, ...parts].join(", ");
    column.button.setAttribute("aria-label", `${said}.${press}`);
  }

  queue(column, length) {
    column.queue.textContent = "▮".repeat(Math.min(length, QUEUE_SHOWN)) + (length > QUEUE_SHOWN ? `+${length - QUEUE_SHOWN}` : "");
    column.queue.title = `${length} commands`;
  }

  // Queues and the cache at an instant within a request.
  level(level, frame) {
    level.queues.forEach((length, number) => {
      if (this.columns[number]) this.queue(this.columns[number], length);
    });
    if (frame.cache) this.cache({ ...frame.cache, dirty: level.dirty }, frame.power);
  }

  cache(cache, power) {
    place("at-cache").hidden = cache === null;
    if (cache === null) return;
    place("cache-used").style.width = share(cache.used / cache.size);
    place("cache-dirty").style.width = share(cache.dirty / cache.size);
    place("cache-high").style.left = share(cache.high / cache.size);
    const battery = cache.battery === "absent" ? "no battery" : `battery ${cache.battery}`;
    const mode = cache.mode === "back" ? "write-back" : "write-through";
    const held = power === "on" ? `; lines with dirty data ${size(cache.dirty)} of ${size(cache.size)}` : "";
    place("cache-words").textContent = `${mode}, ${battery}${held}`;
    place("at-cache").dataset.battery = cache.battery;
  }

  picture(picture) {
    const key = JSON.stringify(picture);
    if (key === this.shown) return;
    this.shown = key;
    this.labels.replaceChildren(element("span", "corner"));
    for (const column of this.columns) {
      column.strips.replaceChildren();
      column.cells.clear();
    }
    let last = null;
    for (const row of picture.rows) {
      const apart = last !== null && row.row !== last + 1;
      last = row.row;
      this.labels.append(element("span", apart ? "row-name apart" : "row-name", (this.columns.length > MOST_WIDE ? "" : "row ") + row.row.toLocaleString("en")));
      row.cells.forEach((cell, number) => {
        const column = this.columns[number];
        if (!column) return;
        const kind = cell.lost ? "lost" : cell.kind;
        const made = element("div", `strip ${kind}${cell.torn ? " torn" : ""}${apart ? " apart" : ""}`, cell.text);
        made.title = `${cell.text || cell.kind}, drive ${number}, row ${row.row}${cell.lost ? ": lost" : ""}${cell.torn ? ": torn" : ""}`;
        column.strips.append(made);
        column.cells.set(row.row, made);
      });
    }
    const kinds = place("kinds");
    kinds.replaceChildren();
    for (const [kind, words] of Object.entries(picture.kinds)) {
      const item = element("li");
      item.append(element("span", `strip ${kind}`), element("span", "", words));
      kinds.append(item);
    }
  }

  // -- a request on its way ------------------------------------------------------------------

  clearTokens() {
    this.room.replaceChildren();
    this.tokens.clear();
    this.mark([]);
  }

  // Light up what works now.
  mark(active) {
    for (const lit of document.querySelectorAll("#stage .lit")) lit.classList.remove("lit");
    for (const lit of document.querySelectorAll("#stage .reading, #stage .writing")) lit.classList.remove("reading", "writing");
    for (const step of active) {
      this.at(step)?.classList.add("lit");
      if (step.drive === null || step.place !== "drive") continue;
      const column = this.columns[step.drive];
      for (const row of step.rows) column?.cells.get(row)?.classList.add(step.op === "write" ? "writing" : "reading");
    }
  }

  at(step) {
    if (step.drive !== null) return this.columns[step.drive]?.button;
    const found = place(`at-${step.place}`);
    return found && !found.hidden ? found : place("at-host");
  }

  // Put tokens where they are: key, step, and whether it waits there.
  put(wanted, op) {
    const room = this.room.getBoundingClientRect();
    const seen = new Set();
    const crowd = new Map();
    for (const [key, step, waits] of wanted) {
      const target = this.at(step);
      if (!target) continue;
      seen.add(key);
      let token = this.tokens.get(key);
      if (!token) {
        token = element("span", "token");
        this.tokens.set(key, token);
        this.room.append(token);
      }
      const box = target.getBoundingClientRect();
      const beside = crowd.get(target) ?? 0;
      crowd.set(target, beside + 1);
      const kind = step.op ?? op;
      token.className = `token ${kind}${waits ? " waits" : ""}`;
      token.textContent = kind === "write" ? "W" : "R";
      const x = box.left - room.left + box.width / 2 - 11 + 24 * beside;
      const half = step.place === "link" ? -14 : step.drive === null ? box.height - 26 : box.height / 2 - 4;
      token.style.transform = `translate(${x}px, ${box.top - room.top + half}px)`;
    }
    for (const [key, token] of this.tokens) {
      if (seen.has(key)) continue;
      token.remove();
      this.tokens.delete(key);
    }
  }
}

function stateOf(drive, frame) {
  if (frame.power === "off") return "no power";
  if (!frame.drives_ready) return "starts";
  if (drive.failed) return "failed";
  if (drive.spare) return "hot spare";
  if (drive.rebuilding) return drive.rebuilding === "rebuild" ? "rebuilding" : "copy-back";
  if (drive.throttled) return `throttles ${drive.throttled}`;
  if (drive.slow_s > 0) return "slow";
  return drive.good < 1 ? "not whole" : "healthy";
}
