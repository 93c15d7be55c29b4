// Tables: the figures of a run, the runs so far, and two of them side by side.

import { count, element, figure, latencyUnit, mbps } from "./words.js";

const head = (text, more = {}) => element("th", { scope: "col", textContent: text, ...more });

// The table of one load, as raidsim run prints it. `marked` is a place on its axis.
export function figures(load, confidence, marked) {
  const rows = load.rows.filter((row) => row);
  const [unit, factor] = latencyUnit(rows);
  const top = element("tr", {}, head(load.axis, { rowSpan: 2 }), head("IO/s", { rowSpan: 2 }), head(`± at ${confidence}`, { rowSpan: 2 }), head("MB/s", { rowSpan: 2 }));
  const below = element("tr");
  for (const kind of load.kinds) {
    top.append(head(`${kind} latency, ${unit}`, { colSpan: load.quantiles.length, scope: "colgroup" }));
    below.append(...load.quantiles.map((one) => head(one)));
  }
  top.append(head("limited by", { rowSpan: 2 }));
  const body = rows.map((row) => {
    const cells = [count(row.iops), row.interval, mbps(row.mbps)];
    for (const kind of load.kinds) {
      const values = row.latency_ms[kind] ?? load.quantiles.map(() => null);
      cells.push(...values.map((value) => figure(value === null ? null : value * factor)));
    }
    return element("tr", { className: row.x === marked ? "marked" : "" },
      element("th", { scope: "row", textContent: row.at }),
      ...[...cells, row.limit].map((text) => element("td", { textContent: text })));
  });
  return element("table", {},
    element("caption", { textContent: load.sentence ? `${load.name}: ${load.sentence}` : load.name }),
    element("thead", {}, top, below), element("tbody", {}, ...body));
}

// What is said of points that were measured one by one: each remark once, with where it holds.
export function remarks(load) {
  const rows = load.rows.filter((row) => row);
  const places = new Map();
  for (const row of rows) for (const text of row.remarks) places.set(text, [...(places.get(text) ?? []), row.at]);
  return [...places].map(([text, at]) => (at.length === rows.length ? `every point: ${text}` : `${at.join(", ")} ${load.axis}: ${text}`));
}

// Runs of one point each, one below the other: [{ name, load }], the newest last.
export function points(runs, quantile) {
  const rows = runs.map(({ name, load }) => ({ name, row: load.rows.find((one) => one), load })).filter((one) => one.row);
  const kinds = [...new Set(rows.flatMap((one) => one.load.kinds))];
  const [unit, factor] = latencyUnit(rows.map((one) => one.row));
  const body = rows.map(({ name, row, load }) => {
    const at = load.quantiles.indexOf(quantile);
    const latencies = kinds.map((kind) => row.latency_ms[kind]?.[at] ?? null);
    const cells = [count(row.iops), mbps(row.mbps), ...latencies.map((one) => figure(one === null ? null : one * factor)), row.limit];
    return element("tr", {}, element("th", { scope: "row", className: "text", textContent: name }), ...cells.map((text) => element("td", { textContent: text })));
  });
  const heads = ["IO/s", "MB/s", ...kinds.map((kind) => `${kind} ${quantile}, ${unit}`), "limited by"];
  return element("table", {}, element("thead", {}, element("tr", {}, head("Run", { className: "text" }), ...heads.map((text) => head(text)))), element("tbody", {}, ...body));
}

const percent = (a, b) => (a > 0 ? `${b >= a ? "+" : "−"}${Math.abs((100 * (b - a)) / a).toFixed(1)} %` : "-");

// Two runs of a load, place by place: throughput and one figure of latency.
export function sideBySide(a, b, quantile) {
  const places = [...new Set([...a.rows, ...b.rows].filter((row) => row).map((row) => row.x))].sort((x, y) => x - y);
  const [unit, factor] = latencyUnit([...a.rows, ...b.rows].filter((row) => row));
  const kinds = a.kinds.filter((kind) => b.kinds.includes(kind));
  const at = a.quantiles.indexOf(quantile);
  const top = element("tr", {}, head(a.axis, { rowSpan: 2 }), head("IO/s", { colSpan: 3, scope: "colgroup" }));
  const below = element("tr", {}, head("A"), head("B"), head("B over A"));
  for (const kind of kinds) {
    top.append(head(`${kind} latency, ${quantile}, ${unit}`, { colSpan: 3, scope: "colgroup" }));
    below.append(head("A"), head("B"), head("B over A"));
  }
  const body = places.map((x) => {
    const [one, two] = [a, b].map((load) => load.rows.find((row) => row && row.x === x));
    const cells = [];
    const pair = (first, second, write, lessIsBetter) => {
      const both = first !== null && second !== null && first !== undefined && second !== undefined;
      const better = both && first !== second ? (second > first) !== lessIsBetter : null;
      cells.push(element("td", { textContent: write(first) }), element("td", { textContent: write(second) }),
        element("td", { textContent: both ? percent(first, second) : "-", className: better === null ? "" : better ? "up" : "down" }));
    };
    pair(one?.iops, two?.iops, count, false);
    for (const kind of kinds) {
      const [first, second] = [one, two].map((row) => {
        const value = row?.latency_ms[kind]?.[at] ?? null;
        return value === null ? null : value * factor;
      });
      pair(first, second, figure, true);
    }
    return element("tr", {}, element("th", { scope: "row", textContent: (one ?? two).at }), ...cells);
  });
  return element("table", {}, element("thead", {}, top, below), element("tbody", {}, ...body));
}
