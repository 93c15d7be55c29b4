// How numbers are written: as raidsim's own tables have them.

export function figure(value) {
  if (value === null || value === undefined) return "-";
  const size = Math.abs(value);
  if (size < 9.9995) return value.toFixed(3);
  if (size < 99.995) return value.toFixed(2);
  if (size < 999.95) return value.toFixed(1);
  return value.toFixed(0);
}

export function count(value) {
  if (value === null || value === undefined) return "-";
  return Math.abs(value) < 99.95 ? value.toFixed(1) : Math.round(value).toLocaleString("en-US");
}

export function mbps(value) {
  if (value === null || value === undefined) return "-";
  return Math.abs(value) < 999.95 ? value.toFixed(1) : value.toFixed(0);
}

// One unit of latency for all that is shown together, and its factor from ms.
export function latencyUnit(rows) {
  let most = 0;
  for (const row of rows) for (const one of Object.values(row.latency_ms)) for (const value of one) most = Math.max(most, value ?? 0);
  return most > 0 && most < 1 ? ["us", 1000] : ["ms", 1];
}

// An element with what is in it; text stays text.
export function element(tag, given = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...inside);
  return made;
}
