// The state of the page in its address: behind the #, which no browser sends to a server.

function coded(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function decoded(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (char) => char.charCodeAt(0));
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

const MOST = 64 * 1024; // characters: an address that is longer was not made here

export async function fragment(state) {
  if (state.scenario) return `#scenario=${encodeURIComponent(state.scenario)}`;
  const bytes = new TextEncoder().encode(state.text);
  if (!("CompressionStream" in window)) return `#plain=${coded(bytes)}`;
  return `#text=${coded(await through(new CompressionStream("deflate-raw"), bytes))}`;
}

// What an address holds: { scenario } or { text }, or null.
export async function restored(hash) {
  const found = new URLSearchParams(hash.replace(/^#/, ""));
  const words = (bytes) => new TextDecoder().decode(bytes);
  try {
    if (hash.length > MOST) return null;
    if (found.has("scenario")) return { scenario: found.get("scenario") };
    if (found.has("plain")) return { text: words(decoded(found.get("plain"))) };
    if (found.has("text")) return { text: words(await through(new DecompressionStream("deflate-raw"), decoded(found.get("text")))) };
  } catch {
    return null;
  }
  return null;
}
