// The runs so far: which are drawn, which two are compared, what each changed.

import { sideBySide } from "./table.js";
import { count, element, mbps } from "./words.js";

const MOST = 12; // the oldest that nobody compares goes first
const DRAWN = 5; // earlier curves that are ticked by themselves

const values = (form) => new Map(form.flatMap((group) => group.fields.map((one) => [one.key, [group.title, one.label, one.value || one.default]])));

// What the form of one run has that the other's has not, in words.
function changes(before, after) {
  const old = values(before);
  const found = [];
  for (const [key, [, label, value]] of values(after)) {
    const was = old.get(key)?.[2];
    if (was !== undefined && was !== value) found.push(`${label} ${value || "left out"}`);
  }
  return found.join(", ");
}

const most = (run, name) => Math.max(0, ...run.loads.flatMap((load) => load.rows.filter((row) => row).map((row) => row[name] ?? 0)));

// Points that were measured one by one, on the axis that they have together: by steps, if this load
// is not the one that is swept.
function placed(rows, axis) {
  const found = rows.filter((row) => row).map((row) => row.x);
  if (new Set(found).size === found.length) return { rows: [...rows], axis };
  return { rows: rows.map((row, number) => ({ ...row, x: number + 1, at: String(number + 1) })), axis: "step" };
}

export class Runs {
  constructor({ result, restore }) {
    this.result = result;
    this.restore = restore;
    this.all = [];
    this.a = this.b = null;
    this.number = 0;
    this.box = document.getElementById("runs");
    this.body = document.querySelector("#history tbody");
    this.compared = document.getElementById("compared");
    result.changed = () => this.#compare();
  }

  begin({ text, form, title, why, rough }) {
    const before = this.all.at(-1);
    const same = before && before.title === title;
    const changed = same && before.text === text ? before.words : (same && changes(before.form, form)) || "";
    const words = changed || why;
    return { number: ++this.number, text, form, title, rough, words, loads: [], drawn: true, label: words ? `${title}: ${words}` : title };
  }

  // Takes over what came of a run: all of it, or one of its points.
  add(run, found, number, points) {
    run.key = found.key;
    run.confidence = found.shown.confidence;
    run.followed = found.shown.followed;
    run.cut = found.cut;
    run.printed = run.rough && points > 1 ? null : found.shown.printed;
    found.shown.loads.forEach((load, place) => {
      run.loads[place] ??= { ...load, rows: [], notes: [] };
      const kept = run.loads[place];
      if (number === null) Object.assign(kept, load);
      else {
        kept.measured ??= [];
        kept.measured[number] = load.rows[0];
        Object.assign(kept, placed(kept.measured, load.axis));
        for (const kind of load.kinds) if (!kept.kinds.includes(kind)) kept.kinds = [...kept.kinds, kind].sort();
      }
    });
    if (!this.all.includes(run)) this.#take(run);
    this.#show();
  }

  drop(run) {
    this.all = this.all.filter((one) => one !== run);
    this.#show();
  }

  #take(run) {
    this.all.push(run);
    while (this.all.length > MOST) {
      const gone = this.all.findIndex((one) => one !== this.a && one !== this.b);
      this.all.splice(gone, 1);
    }
    if (this.now?.title !== run.title) for (const one of this.all) one.drawn = one.title === run.title;
    this.all.filter((one) => one !== run && one.drawn).slice(0, -DRAWN).forEach((one) => { one.drawn = false; });
    this.now = run;
  }

  #show() {
    this.box.hidden = this.all.length < 1;
    const last = this.now && this.all.includes(this.now) ? this.now : this.all.at(-1);
    if (last) this.result.show(last, this.all.filter((one) => one !== last && one.drawn));
    this.body.replaceChildren(...[...this.all].reverse().map((run) => this.#row(run, last)));
    this.#compare();
  }

  #row(run, last) {
    const name = `run ${run.number}, ${run.label}`;
    const drawn = element("input", { type: "checkbox", checked: run.drawn || run === last, disabled: run === last, ariaLabel: `Draw ${name}` });
    drawn.addEventListener("change", () => { run.drawn = drawn.checked; this.#show(); });
    const choice = (letter) => {
      const radio = element("input", { type: "radio", name: `compare-${letter}`, checked: this[letter] === run, ariaLabel: `${letter.toUpperCase()}: ${name}` });
      radio.addEventListener("change", () => { this[letter] = run; this.#compare(); });
      return element("td", {}, radio);
    };
    const again = element("button", { type: "button", textContent: "Restore", ariaLabel: `Restore ${name}` });
    again.addEventListener("click", () => this.restore(run));
    const look = element("button", { type: "button", textContent: "Show", disabled: run === last, ariaLabel: `Show ${name}` });
    look.addEventListener("click", () => { this.now = run; this.#show(); });
    return element("tr", {}, element("td", {}, drawn), choice("a"), choice("b"),
      element("td", { className: "text" }, `${run.number}. ${run.label}`),
      element("td", { textContent: count(most(run, "iops")) }), element("td", { textContent: mbps(most(run, "mbps")) }),
      element("td", { className: run.rough ? "text rough" : "text", textContent: run.cut ? "cut short" : run.rough ? "within 5 %" : "as asked" }),
      element("td", { className: "text" }, look, " ", again));
  }

  #compare() {
    const { a, b } = this;
    if (!a || !b || !this.all.includes(a) || !this.all.includes(b)) {
      this.compared.replaceChildren();
      return;
    }
    const made = [element("h3", { textContent: "A and B side by side" }),
      element("p", { className: "note", textContent: a === b ? "A and B are the same run." : `A: ${a.number}. ${a.label}. B: ${b.number}. ${b.label}. ${changes(a.form, b.form) ? `In B: ${changes(a.form, b.form)}.` : ""}` })];
    for (const load of a.loads) {
      const other = b.loads.find((one) => one.name === load.name) ?? (a.loads.length === 1 ? b.loads[0] : undefined);
      if (!other) continue;
      if (other.axis !== load.axis) {
        made.push(element("p", { className: "note", textContent: `${load.name}: one is swept over ${load.axis}, the other over ${other.axis}.` }));
        continue;
      }
      made.push(element("div", { className: "scroll", role: "region", tabIndex: 0, ariaLabel: `A and B, load ${load.name}` }, sideBySide(load, other, this.result.quantile)));
    }
    this.compared.replaceChildren(...made);
  }
}
