"use strict";
// Reads typed numbers and marks answers, by the rules of raidsim/teaching/marking.py, which the
// page carries as data.

// A number with or without its unit, in the unit that is asked for; null for anything else.
function readNumber(rules, text, unit) {
  const found = new RegExp(`^(?:${rules.number})$`, "i").exec(text);
  if (!found) return null;
  const over = found[2] === undefined ? 1 : Number(found[2]);
  const value = Number(found[1].replace(/[,_ ]/g, "")) / over * factor(rules, found[3] || "", unit);
  return Number.isFinite(value) ? value : null;
}

// What a number in one unit is multiplied by to be one in another; NaN if they have nothing in common.
function factor(rules, typed, unit) {
  if (typed === "" || typed.toLowerCase() === unit.toLowerCase()) return 1;
  const family = rules.families.find((one) => typed in one && unit in one);
  return family ? family[typed] / family[unit] : NaN;
}

function near(value, other, share) {
  return Math.abs(value - other) <= share * Math.abs(other);
}

// Whether an answer is right; if not, the hint to the mistake that was made, or the general one.
function markOf(rules, about, value) {
  const choice = about.options.length > 0;
  const right = choice ? value === about.right[0] : about.right.some((one) => near(value, one, about.tolerance));
  if (right) return { right, hint: "" };
  const share = choice ? rules.exact : rules.mistake;
  const known = about.mistakes.find((one) => near(value, one.value, share));
  return { right, hint: known ? known.hint : about.hint };
}
