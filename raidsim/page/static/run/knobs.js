// Knobs: sliders and lists for a few keys of the scenario.

import { element } from "./words.js";

const PAUSE_MS = 120;
const KNOBS = ["level", "drives", "strip", "write", "read_ahead", "read", "random", "size", "outstanding", "model", "drive"];
const MOST = 12;
const FIRST = ["load", "volume", "controller"];
const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

// A value of a slider as a number, to put it in its place among the others.
function size(text) {
  return parseFloat(text) * (UNITS[text.split(" ")[1]] ?? 1);
}

// `turned` is called with the path of the key, its new value, and its name in words.
export class Knobs {
  constructor(turned) {
    this.turned = turned;
    this.box = document.getElementById("turned");
    this.box.addEventListener("input", (event) => this.#moved(event.target));
  }

  draw(groups) {
    if (this.#sliding()) return;
    const focused = document.activeElement?.id;
    const made = [];
    let number = 0;
    const kind = (group) => FIRST.indexOf(group.fields[0]?.path[0]);
    for (const group of [...groups].sort((a, b) => kind(a) - kind(b))) {
      const fields = group.fields.filter((one) => this.#turns(one));
      if (!fields.length || number >= MOST) continue;
      made.push(element("p", { className: "knobs-of", textContent: group.title }));
      for (const one of fields) made.push(this.#knob(one, `knob-${number++}`, group.title));
    }
    this.box.replaceChildren(...made);
    if (focused?.startsWith("knob-")) document.getElementById(focused)?.focus();
  }

  #sliding() { return this.timer !== undefined; }

  #turns(one) {
    if (!KNOBS.includes(one.path.at(-1)) || one.path[0] === "host") return false;
    if (one.steps.length) return !one.value.includes(","); // a sweep is no single value
    return one.words.length > 1;
  }

  #knob(one, id, group) {
    const given = { id, "data-path": JSON.stringify(one.path), "data-label": `${group}: ${one.label}`, title: one.help };
    if (!one.steps.length) {
      const words = one.words.includes(one.value) || one.value === "" ? one.words : [one.value, ...one.words];
      const list = element("select", given, ...words.map((word) => element("option", { value: word, textContent: word })));
      list.value = one.value || one.default;
      return element("div", { className: "knob" }, element("label", { htmlFor: id, textContent: one.label }), list);
    }
    const now = one.value || one.default;
    const steps = one.steps.includes(now) ? one.steps : [...one.steps, now].sort((a, b) => size(a) - size(b));
    const shown = element("output", { htmlFor: id, textContent: now });
    const slider = element("input", { ...given, type: "range", min: 0, max: steps.length - 1, step: 1, "data-steps": JSON.stringify(steps), "aria-valuetext": now });
    slider.value = String(steps.indexOf(now));
    return element("div", { className: "knob" }, element("label", { htmlFor: id }, one.label, " ", shown), slider);
  }

  #moved(field) {
    let value = field.value;
    if (field.dataset.steps) {
      value = JSON.parse(field.dataset.steps)[Number(value)];
      field.setAttribute("aria-valuetext", value);
      field.parentElement.querySelector("output").textContent = value;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.turned(JSON.parse(field.dataset.path), value, `${field.dataset.label} ${value}`);
    }, PAUSE_MS);
  }
}
