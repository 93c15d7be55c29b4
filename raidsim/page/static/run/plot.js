// A curve with its unit: uPlot, in the colours of the style sheet.

/* global uPlot */

import { count } from "./words.js";

const HEIGHT = 280;
const SYNC = "points";

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function pale(hex, share) {
  return `${hex}${Math.round(255 * share).toString(16).padStart(2, "0")}`;
}

// All curves on one set of places, as uPlot wants them; where a curve has no point it has null.
function aligned(curves) {
  const places = [...new Set(curves.flatMap((one) => one.x))].sort((a, b) => a - b);
  const columns = curves.map((one) => {
    const values = new Map(one.x.map((x, number) => [x, one.y[number]]));
    return places.map((x) => values.get(x) ?? null);
  });
  return [places, ...columns];
}

// Curves: { label, x, y, colour, earlier, dash, edge }. Of two edges with one name the area between
// them is filled. `under` is called with the place under the mouse, or null.
export function draw(target, curves, { axis, unit, format, under }) {
  const [places, ...columns] = aligned(curves);
  const even = axis === "step" || places.some((x) => x <= 0);
  const muted = colour("muted");
  const grid = { stroke: colour("faint"), width: 1 };
  const bands = [];
  curves.forEach((one, number) => {
    if (one.edge === "high") bands.push({ series: [number + 1, number + 2], fill: pale(one.colour, 0.18) });
  });
  const made = new uPlot(
    {
      width: Math.max(target.clientWidth, 240),
      height: HEIGHT,
      scales: {
        x: { time: false, distr: even ? 1 : 3, log: 2 },
        y: { range: (_, least, most) => [0, most > 0 ? most * 1.06 : 1] },
      },
      cursor: { drag: { x: false, y: false }, sync: { key: SYNC, setSeries: false } },
      bands,
      axes: [
        {
          label: axis, labelSize: 22, size: 34, stroke: muted, grid, ticks: grid,
          filter: (_, found) => found,
          splits: (plot) => spaced(places, plot.bbox.width / devicePixelRatio),
          values: (_, found) => found.map((x) => (x === null ? "" : x >= 100 ? count(x) : String(+x.toPrecision(4)))),
        },
        {
          label: unit, labelSize: 24, size: 64, stroke: muted, grid, ticks: grid,
          values: (_, found) => found.map((value) => (value === null ? "" : value >= 1e4 ? value.toLocaleString("en-US") : String(+value.toPrecision(6)))),
        },
      ],
      series: [
        { label: axis, value: (_, x) => (x === null ? "" : count(x).replace(/\.0$/, "")) },
        ...curves.map((one) => ({
          label: one.label,
          class: one.edge ? "edge" : "curve",
          stroke: one.edge ? "transparent" : one.earlier ? pale(one.colour, 0.38) : one.colour,
          width: one.edge ? 0 : one.earlier ? 1.6 : 2.4,
          dash: one.dash,
          spanGaps: true,
          points: { show: !one.edge, size: one.earlier ? 4 : 7 },
          value: (_, value) => (value === null ? "–" : format(value)),
        })),
      ],
      hooks: { setCursor: [(plot) => under(plot.cursor.idx === null || plot.cursor.left < 0 ? null : places[plot.cursor.idx])] },
    },
    [places, ...columns],
    target,
  );
  return made;
}

// As many of the places as there is room for their names.
function spaced(places, width) {
  const name = 9 * Math.max(...places.map((x) => count(x).replace(/\.0$/, "").length)) + 6;
  const every = Math.ceil((places.length * name) / Math.max(width, 1));
  return places.filter((_, number) => number % every === 0);
}
