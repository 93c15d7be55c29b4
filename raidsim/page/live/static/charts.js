// Figures of the last looks, over the time of the array: small charts with their units.

import { digits, element, svg, time } from "./format.js";
import { niceStep } from "./lanes.js";

const KEPT = 240;
const HEIGHT = 92;
const LEFT = 46;
const FOOT = 18;
const LEAST_SPAN = 0.05; // of a scale, whatever its unit

export class Charts {
  constructor(place) {
    this.place = place;
    this.points = [];
    this.wanted = [];
  }

  begin(about) {
    this.points = [];
    this.wanted = [
      { name: "Throughput", unit: "IO/s", lines: [["iops", "all", "all-line"]] },
      { name: "Mean latency", unit: "ms", lines: [["read", "reads", "read-line"], ["write", "writes", "write-line"]] },
    ];
    if (about.cached) this.wanted.push({ name: "Dirty in the cache", unit: "MiB", lines: [["dirty", "dirty", "write-line"]], most: about.cached });
    if (about.heats) this.wanted.push({ name: "Hottest drive", unit: "C", lines: [["warm", "temperature", "write-line"]], least: 20, marks: about.throttles_from });
    this.draw();
  }

  add(frame) {
    const rates = frame.rates;
    const last = this.points.at(-1);
    if (rates.seconds === undefined || (last && last.time >= frame.time)) return;
    const warm = frame.drives.map((drive) => drive.temperature).filter((value) => value !== null);
    this.points.push({
      time: frame.time,
      iops: rates.iops,
      read: rates.read_s === null ? null : rates.read_s * 1e3,
      write: rates.write_s === null ? null : rates.write_s * 1e3,
      dirty: frame.cache ? frame.cache.dirty / 2 ** 20 : null,
      warm: warm.length ? Math.max(...warm) : null,
    });
    if (this.points.length > KEPT) this.points.shift();
    this.draw();
  }

  draw() {
    this.place.parentElement.hidden = this.points.length < 2;
    this.place.replaceChildren(...this.wanted.map((chart) => this.chart(chart)));
  }

  chart(chart) {
    const figure = element("figure");
    const now = chart.lines.map(([key, name]) => {
      const value = this.points.at(-1)?.[key];
      const words = value === null || value === undefined ? "none" : `${digits(value)} ${chart.unit}`;
      return chart.lines.length > 1 ? `${name} ${words}` : words;
    });
    figure.append(element("figcaption", "", `${chart.name}, ${chart.unit}: ${now.join(", ")}`));
    const room = this.place.clientWidth;
    const width = Math.max(room > 1100 ? room / this.wanted.length - 14 : room > 480 ? room / 2 - 14 : room, 200);
    figure.style.width = `${width}px`;
    const drawing = svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img" });
    drawing.setAttribute("aria-label", `${chart.name} over time. Now: ${now.join(", ")}`);
    const values = this.points.flatMap((point) => chart.lines.map(([key]) => point[key])).filter((value) => value !== null);
    const low = chart.least ?? 0;
    const marks = chart.marks ?? [];
    values.push(...marks);
    const step = niceStep((Math.max(...values, low + LEAST_SPAN) - low) / 2.2);
    const top = low + step * Math.max(Math.ceil((Math.max(...values, low) - low) / step), 1);
    const first = this.points[0]?.time ?? 0;
    const end = Math.max(this.points.at(-1)?.time ?? 1, first + 1e-9);
    const x = (seconds) => LEFT + ((seconds - first) / (end - first)) * (width - LEFT - 8);
    const y = (value) => 6 + (1 - (value - low) / (top - low)) * (HEIGHT - FOOT - 10);
    for (let value = low; value <= top + step / 2; value += step) {
      drawing.append(svg("line", { x1: LEFT, x2: width - 6, y1: y(value), y2: y(value), class: "lane-line" }));
      drawing.append(svg("text", { x: LEFT - 5, y: y(value) + 4, class: "lane-name" }, digits(Number(value.toPrecision(6)))));
    }
    for (const mark of marks) {
      drawing.append(svg("line", { x1: LEFT, x2: width - 6, y1: y(mark), y2: y(mark), class: "mark" }));
    }
    if (marks.length) {
      const words = `throttles from ${digits(marks[0])} C`;
      drawing.append(svg("text", { x: LEFT + 6, y: y(marks[0]) + 13, class: "tick-left" }, words));
    }
    for (const [key, name, kind] of chart.lines) {
      let path = "";
      let pen = "M";
      for (const point of this.points) {
        if (point[key] === null) {
          pen = "M";
          continue;
        }
        path += `${pen}${x(point.time).toFixed(1)} ${y(point[key]).toFixed(1)}`;
        pen = "L";
      }
      if (!path) continue;
      const line = svg("path", { d: path, class: `line ${kind}` });
      line.append(svg("title", {}, name));
      drawing.append(line);
    }
    if (this.points.length > 1) {
      drawing.append(svg("text", { x: LEFT, y: HEIGHT - 3, class: "tick-left" }, `${time(end - first)} of the array`));
    }
    figure.append(drawing);
    return figure;
  }
}
