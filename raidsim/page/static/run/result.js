// What a run found: curves, the table behind them, and what is said of them.

import { draw, colour } from "./plot.js";
import { figures, points, remarks } from "./table.js";
import { count, element, figure, latencyUnit, mbps } from "./words.js";

const $ = (id) => document.getElementById(id);
const UNITS = { iops: "IO/s", mbps: "MB/s" };
const DASHES = { read: undefined, write: [8, 5] };

export class Result {
  constructor() {
    this.run = null;
    this.earlier = [];
    this.plots = [];
    this.marked = null;
    this.changed = () => {};
    this.load = 0;
    this.title = null;
    this.chosen = false; // whether the load was chosen by hand
    for (const id of ["rate", "quantile"]) $(id).addEventListener("change", () => { this.#draw(); this.changed(); });
    $("load").addEventListener("change", () => {
      this.load = $("load").selectedIndex;
      this.chosen = true;
      this.#draw();
    });
    $("point").addEventListener("input", () => this.#point(Number($("point").value)));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
    let width = 0;
    new ResizeObserver(([entry]) => {
      if (Math.abs(entry.contentRect.width - width) > 2) {
        width = entry.contentRect.width;
        this.#draw();
      }
    }).observe($("plots"));
  }

  get quantile() { return $("quantile").value || "p99"; }

  // Which point is measured first when a knob is turned: the one that was looked at last.
  markedNumber(points) {
    const rows = this.#rows();
    const at = rows.findIndex((row) => row.x === this.marked);
    return at >= 0 && at < points ? at : Math.floor(points / 2);
  }

  show(run, earlier) {
    this.run = run;
    this.earlier = earlier;
    if (run.title !== this.title) this.chosen = false;
    this.title = run.title;
    if (!this.chosen) this.load = Math.max(0, run.loads.findIndex((one) => one.axis !== "step"));
    this.load = Math.min(this.load, Math.max(0, run.loads.length - 1));
    const load = run.loads[this.load];
    const chosen = $("quantile").value || "p99";
    $("shown").hidden = $("figures").hidden = false;
    $("result-words").textContent = `${run.number}. ${run.label}${run.rough ? " (within 5 %)" : ""}`;
    $("load-choice").hidden = run.loads.length < 2;
    $("load").replaceChildren(...run.loads.map((one) => element("option", { textContent: one.name })));
    $("load").selectedIndex = this.load;
    if (load) $("quantile").replaceChildren(...load.quantiles.map((one) => element("option", { value: one, textContent: one, selected: one === chosen })));
    $("cut").hidden = !run.cut;
    $("cut").textContent = run.cut ?? "";
    $("as-printed").hidden = run.printed === null;
    $("printed").textContent = run.printed ?? "";
    $("downloads").hidden = run.printed === null;
    $("get-json").href = `/runs/${run.key}/result.json`;
    $("get-svg").href = `/runs/${run.key}/picture.svg?download`;
    $("get-png").href = `/runs/${run.key}/picture.png?download`;
    const picture = run.followed ? `/runs/${run.key}/picture.svg` : "";
    $("picture").hidden = !picture;
    if (picture && $("picture").getAttribute("src") !== picture) $("picture").src = picture;
    this.#draw();
  }

  #rows(run = this.run) { return run?.loads[this.load]?.rows.filter((row) => row) ?? []; }

  #draw() {
    const run = this.run;
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    const load = run?.loads[this.load];
    if (!load) {
      $("plots").hidden = $("pointer").hidden = $("one-point").hidden = true;
      $("table").replaceChildren();
      $("notes").replaceChildren();
      return;
    }
    const rows = this.#rows();
    const single = Math.max(rows.length, load.rows.length) < 2;
    $("plots").hidden = $("pointer").hidden = single;
    $("rate").parentElement.hidden = single;
    $("quantile").parentElement.hidden = run.followed;
    $("one-point").hidden = !single || run.followed;
    this.#table(load);
    const notes = load.notes.length ? load.notes : remarks(load);
    $("notes").replaceChildren(...notes.map((one) => element("li", { textContent: one })));
    if (single) {
      this.#single(load);
      return;
    }
    $("point").max = String(rows.length - 1);
    const at = rows.findIndex((row) => row.x === this.marked);
    $("point").value = String(Math.max(at, 0));
    this.#read(at >= 0 ? rows[at] : rows[0]);
    this.#throughput(load);
    this.#latency(load);
  }

  // Of runs of one point: this one below the earlier ones that are drawn.
  #single(load) {
    const earlier = this.earlier.map((run) => ({ run, load: run.loads.find((one) => one.name === load.name) }));
    const drawn = [...earlier, { run: this.run, load }].filter((one) => one.load && one.load.rows.length === 1 && one.run.title === this.run.title);
    $("points").replaceChildren(points(drawn.map((one) => ({ name: `${one.run.number}. ${one.run.words || one.run.title}`, load: one.load })), this.quantile));
  }

  // Earlier runs that have a curve over the same axis, with their rows.
  #before(load) {
    return this.earlier
      .map((run) => ({ run, load: run.loads.find((one) => one.name === load.name) ?? run.loads[0] }))
      .filter((one) => one.load && one.load.axis === load.axis)
      .map((one) => ({ label: `run ${one.run.number}`, rows: one.load.rows.filter((row) => row) }))
      .filter((one) => one.rows.length > 1);
  }

  #throughput(load) {
    const rate = $("rate").value;
    const rows = this.#rows();
    const scale = rate === "iops" ? () => 1 : (row) => (row.iops > 0 ? row.mbps / row.iops : 0);
    const stroke = colour("throughput");
    const curve = (label, found, earlier) => ({ label, x: found.map((row) => row.x), y: found.map((row) => row[rate]), colour: stroke, earlier });
    const edge = (name) => ({ ...curve(name, rows), y: rows.map((row) => (row[name] === null ? null : row[name] * scale(row))), edge: name });
    const curves = this.#before(load).map((one) => curve(one.label, one.rows, true));
    curves.push(edge("high"), edge("low"), curve(UNITS[rate], rows));
    const write = rate === "iops" ? count : mbps;
    $("throughput-title").textContent = `Throughput, ${UNITS[rate]}${rate === "mbps" ? " (of 2^20 bytes)" : ""}`;
    this.#plot("throughput", curves, load, UNITS[rate], (value) => `${write(value)} ${UNITS[rate]}`);
  }

  #latency(load) {
    const at = load.quantiles.indexOf(this.quantile);
    const before = this.#before(load);
    const [unit, factor] = latencyUnit([...this.#rows(), ...before.flatMap((one) => one.rows)]);
    const curve = (label, kind, found, earlier) => {
      const there = found.filter((row) => row.latency_ms[kind]?.[at] !== undefined && row.latency_ms[kind][at] !== null);
      return { label, x: there.map((row) => row.x), y: there.map((row) => row.latency_ms[kind][at] * factor), colour: colour(kind), earlier, dash: DASHES[kind] };
    };
    const curves = [];
    for (const one of before) for (const kind of load.kinds) curves.push(curve(`${kind}, ${one.label}`, kind, one.rows, true));
    for (const kind of load.kinds) curves.push(curve(kind, kind, this.#rows()));
    $("latency-title").textContent = `Latency, ${this.quantile}, ${unit}`;
    this.#plot("latency", curves.filter((one) => one.x.length), load, unit, (value) => `${figure(value)} ${unit}`);
  }

  #plot(id, curves, load, unit, format) {
    $(id).replaceChildren();
    if (!curves.length) return;
    const under = (x) => {
      const row = x === null ? undefined : this.#rows().find((one) => one.x === x);
      if (row && row.x !== this.marked) {
        this.marked = row.x;
        $("point").value = String(this.#rows().indexOf(row));
        this.#read(row);
        this.#table(load);
      }
    };
    this.plots.push(draw($(id), curves, { axis: load.axis, unit, format, under }));
  }

  #point(number) {
    const row = this.#rows()[number];
    if (!row) return;
    this.marked = row.x;
    this.#read(row);
    this.#table(this.run.loads[this.load]);
    for (const plot of this.plots) plot.setCursor({ left: plot.valToPos(row.x, "x"), top: 10 }, false);
  }

  #table(load) { $("table").replaceChildren(figures(load, this.run.confidence, this.marked)); }

  // One point in words.
  #read(row) {
    const load = this.run.loads[this.load];
    const at = load.quantiles.indexOf(this.quantile);
    const [unit, factor] = latencyUnit(this.#rows());
    const parts = [`${row.at} ${load.axis}: ${count(row.iops)} IO/s`, `${mbps(row.mbps)} MB/s`];
    for (const kind of load.kinds) {
      const value = row.latency_ms[kind]?.[at] ?? null;
      if (value !== null) parts.push(`${kind} ${this.quantile} ${figure(value * factor)} ${unit}`);
    }
    $("reading").textContent = `${parts.join(", ")}; limited by ${row.limit}`;
  }
}
