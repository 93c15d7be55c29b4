// A request over time: a lane for each place, a bar for each step, and a line for now.

import { digits, element, svg, time } from "./format.js";

const LABEL = 92;
const LANE = 17;
const TOP = 4;
const FOOT = 22;
const NAMES = { host: "host", controller: "controller", cache: "cache", parity: "parity" };

export class Lanes {
  constructor(place) {
    this.place = place;
  }

  draw(story) {
    this.story = story;
    this.place.replaceChildren();
    if (!story) return;
    const lanes = lanesOf(story);
    this.end = Math.max(story.request.took, 1);
    this.width = Math.max(this.place.clientWidth, 300);
    const height = TOP + LANE * lanes.length + FOOT;
    const drawing = svg("svg", { width: this.width, height, viewBox: `0 0 ${this.width} ${height}`, role: "img" });
    drawing.setAttribute("aria-label", `${story.request.title}. ${story.request.summary} All steps are listed below.`);
    const at = new Map();
    lanes.forEach(([key, name], number) => {
      const y = TOP + LANE * number;
      at.set(key, y);
      drawing.append(svg("text", { x: LABEL - 8, y: y + 12, class: "lane-name" }, name));
      drawing.append(svg("line", { x1: LABEL, x2: this.width - 8, y1: y + LANE - 1, y2: y + LANE - 1, class: "lane-line" }));
    });
    for (const other of story.others) {
      const y = at.get(`drive-${other.drive}`);
      if (y === undefined || other.from >= this.end) continue;
      const bar = this.bar(other.from, Math.min(other.to, this.end), y + 3, LANE - 7, "bar other");
      bar.append(svg("title", {}, `for others: ${WHY[other.why]}`));
      drawing.append(bar);
    }
    for (const step of story.steps) {
      const y = at.get(keyOf(step));
      const at_wait = step.drive === null ? at.get(step.waits_at) : y;
      if (step.waits > 0 && at_wait !== undefined) {
        const x1 = this.x(step.from - step.waits);
        drawing.append(svg("line", { x1, x2: this.x(step.from), y1: at_wait + 8, y2: at_wait + 8, class: "wait" }));
      }
      const kind = step.op ?? "other-work";
      const bar = this.bar(step.from, step.to, y + 2, LANE - 5, `bar ${step.place === "link" ? "link-bar" : kind}`);
      bar.append(svg("title", {}, `${step.words} ${time(step.from / 1e9)} to ${time(step.to / 1e9)}`));
      drawing.append(bar);
      if (step.moves !== null) this.parts(drawing, step, y);
    }
    this.axis(drawing, height);
    this.line = svg("line", { x1: LABEL, x2: LABEL, y1: 0, y2: height - FOOT + 3, class: "playhead" });
    drawing.append(this.line);
    this.place.append(drawing);
    const keys = element("p", "lane-keys");
    const said = [["read", "read"], ["write", "write"], ["wait-key", "waits"], ["other", "works for others"]];
    if (story.steps.some((step) => step.moves !== null)) {
      said.splice(2, 0, ["seek", "of that: the arm moves"], ["turn", "the platter turns"]);
    }
    for (const [kind, words] of said) {
      keys.append(element("span", `key ${kind}`), element("span", "", words));
    }
    this.place.append(keys);
  }

  // What of an access is seek and what rotation.
  parts(drawing, step, y) {
    const pieces = [[step.from, step.moves, "seek"], [step.from + step.moves, step.rotates, "turn"]];
    for (const [from, length, kind] of pieces) {
      drawing.append(this.bar(from, from + length, y + LANE - 7, 4, `bar ${kind}`));
    }
  }

  bar(from, to, y, height, kind) {
    const x = this.x(from);
    return svg("rect", { x, y, width: Math.max(this.x(to) - x, 1.5), height, class: kind });
  }

  x(ns) {
    return LABEL + (Math.min(Math.max(ns, 0), this.end) / this.end) * (this.width - LABEL - 10);
  }

  axis(drawing, height) {
    const seconds = this.end / 1e9;
    const [unit, name] = seconds < 1e-6 ? [1e-9, "ns"] : seconds < 1e-3 ? [1e-6, "us"] : seconds < 1 ? [1e-3, "ms"] : [1, "s"];
    const step = niceStep(seconds / unit / 6);
    for (let value = 0; value * unit <= seconds; value += step) {
      const x = this.x(value * unit * 1e9);
      drawing.append(svg("line", { x1: x, x2: x, y1: height - FOOT, y2: height - FOOT + 4, class: "lane-line" }));
      drawing.append(svg("text", { x, y: height - 5, class: "tick" }, value === 0 ? "0" : `${digits(Number(value.toPrecision(6)))} ${name}`));
    }
  }

  at(ns) {
    if (!this.line) return;
    this.line.setAttribute("x1", this.x(ns));
    this.line.setAttribute("x2", this.x(ns));
  }
}

const WHY = {
  request: "another request", destage: "the cache writes to the drives", rebuild: "background work",
  repair: "a repair", drive: "the drive's own work",
};

export function keyOf(step) {
  return step.drive === null ? step.place : `drive-${step.drive}`;
}

function lanesOf(story) {
  const keys = new Set(story.steps.map(keyOf));
  const above = Object.keys(NAMES).filter((key) => keys.has(key)).map((key) => [key, NAMES[key]]);
  const drives = [...new Set(story.steps.filter((step) => step.drive !== null).map((step) => step.drive))];
  drives.sort((a, b) => a - b);
  return [...above, ...drives.map((number) => [`drive-${number}`, `drive ${number}`])];
}

export function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-12)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}
