// What is asked of the server.

async function asked(method, place, body, signal) {
  const options = { method, headers: {}, cache: "no-store", signal };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(place, options);
  } catch {
    if (signal?.aborted) return null;
    throw new Error("raidsim serve does not answer: is it still running?");
  }
  const told = await answer.json().catch(() => ({}));
  if (signal?.aborted) return null;
  if (answer.ok || told.state) return told; // a run that has no place in the queue is over at once
  throw new Error(told.problems?.map((one) => one.words).join(" ") ?? `The server refused this (${answer.status}).`);
}

export const scenarios = () => asked("GET", "/api/scenarios");
export const shipped = (name) => asked("GET", `/api/scenarios/${encodeURIComponent(name)}`);
export const check = (text) => asked("POST", "/api/check", { text });
export const edit = (text, path, value) => asked("POST", "/api/edit", { text, path, value });
export const leave = (key) => asked("DELETE", `/api/runs/${key}?leave`).catch(() => {});
export const stop = (key) => asked("DELETE", `/api/runs/${key}`);

const PAUSE_MS = 300;

// Runs a text, tells how far it is, and returns what came of it; null if `signal` says that nobody
// waits for it any more. The server drops the points of an earlier turn by itself.
export async function run(task, tell, signal) {
  let state = await asked("POST", "/api/runs", task, signal);
  while (state !== null && state.state !== "over") {
    tell(state);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (signal.aborted) return null;
    state = await asked("GET", `/api/runs/${state.key}`, undefined, signal);
  }
  return signal.aborted ? null : state;
}
