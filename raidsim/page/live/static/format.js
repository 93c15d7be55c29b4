// Figures in words: the same as the simulation side says them.

export function time(seconds) {
  if (seconds === 0) return "0 s";
  const units = [["ns", 1e-9], ["us", 1e-6], ["ms", 1e-3], ["s", 1]];
  for (const [name, unit] of units) {
    if (seconds < 999.5 * unit) return `${digits(seconds / unit)} ${name}`;
  }
  return seconds < 3600 ? `${digits(seconds / 60)} min` : `${digits(seconds / 3600)} h`;
}

export function digits(value) {
  if (value === 0) return "0";
  if (value >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

export function size(bytes) {
  for (const name of ["B", "KiB", "MiB", "GiB"]) {
    if (bytes < 1024) return `${digits(bytes)} ${name}`;
    bytes /= 1024;
  }
  return `${digits(bytes)} TiB`;
}

export function percent(share) {
  return `${Math.round(100 * share)} %`;
}

// The same for a style.
export function share(value) {
  return `${(100 * Math.min(Math.max(value, 0), 1)).toFixed(2)}%`;
}

// The clock of the array: as fine as what is looked at.
export function clock(seconds, fine) {
  const whole = Math.floor(seconds);
  const pad = (value) => String(value).padStart(2, "0");
  const hms = `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`;
  return hms + (seconds - whole).toFixed(fine ? 6 : 1).slice(1);
}

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes ?? {})) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
