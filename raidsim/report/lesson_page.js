// The page of a lesson: draws what was computed beforehand, and marks answers.

const DATA = JSON.parse(document.getElementById("data").textContent);

// Three figures, and thousands parted by commas.
function shown(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e12 || size < 1e-3) return value.toExponential(2);
  if (Number.isInteger(value) && size < 1e6) return value.toLocaleString("en-US");
  return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

function withUnit(text, unit, between = " ") {
  return unit ? `${text}${between}${unit}` : String(text);
}

// ---------------------------------------------------------------- sliders and plot

const SVG = "http://www.w3.org/2000/svg";
// A narrow screen gets a narrow picture, so that its text stays as large as that around it.
const WIDTH = window.innerWidth < 640 ? 460 : 900, HEIGHT = 380, LEFT = 74, RIGHT = 20, TOP = 34, BOTTOM = 52;

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

class Plot {
  constructor(explore) {
    this.explore = explore;
    this.at = explore.knobs.map(() => 0);
    this.at[0] = Math.floor(explore.knobs[0].values.length / 2);
    this.figure = 0;
    this.before = null;
    this.build();
    this.draw();
  }

  build() {
    const place = document.getElementById("knobs");
    if (this.explore.shown.length > 1) {
      const label = document.createElement("label");
      label.append("Figure");
      const select = document.createElement("select");
      this.explore.shown.forEach((one, number) => {
        select.append(new Option(withUnit(one.name, one.unit, ", "), number));
      });
      select.addEventListener("change", () => {
        this.figure = Number(select.value);
        this.before = null;
        this.draw();
      });
      label.append(select);
      place.append(label);
    }
    this.explore.knobs.forEach((knob, number) => {
      const label = document.createElement("label");
      const output = document.createElement("output");
      const input = document.createElement("input");
      Object.assign(input, { type: "range", min: 0, max: knob.values.length - 1, step: 1 });
      input.value = this.at[number];
      const say = () => {
        output.textContent = withUnit(knob.values[this.at[number]], knob.unit);
        input.setAttribute("aria-valuetext", output.textContent);
      };
      input.addEventListener("input", () => {
        if (number > 0) this.before = this.curve("figures");
        this.at[number] = Number(input.value);
        say();
        this.draw();
      });
      say();
      label.append(`${knob.name}: `, output, input);
      place.append(label);
    });
  }

  // The number of a setting: the last knob changes first.
  index(first) {
    return this.explore.knobs.reduce(
      (total, knob, number) => total * knob.values.length + (number ? this.at[number] : first), 0);
  }

  curve(of) {
    return this.explore.knobs[0].values.map((_, first) => this.explore[of][this.index(first)][this.figure]);
  }

  // Numbers lie where they belong, on a logarithmic axis if they span much; words side by side.
  places() {
    const values = this.explore.knobs[0].values;
    const numbers = values.every((value) => typeof value === "number");
    const span = (share) => LEFT + 14 + share * (WIDTH - LEFT - RIGHT - 28);
    if (!numbers) return values.map((_, n) => span(values.length > 1 ? n / (values.length - 1) : 0.5));
    const low = values[0], high = values[values.length - 1];
    const scale = low > 0 && high / low > 8 ? Math.log : (value) => value;
    return values.map((value) => span((scale(value) - scale(low)) / (scale(high) - scale(low))));
  }

  draw() {
    const now = this.curve("figures"), hand = this.curve("hand");
    const known = [...now, ...hand, ...(this.before || [])].filter((value) => value !== null);
    const [top, step] = this.scale(Math.max(...known));
    const y = (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
    const xs = this.places();
    const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
    for (let value = 0; value <= top * 1.0001; value += step) {
      svg.append(element("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }));
      svg.append(element("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, shown(Number(value.toPrecision(6)))));
    }
    let last = -Infinity;
    this.explore.knobs[0].values.forEach((value, n) => {
      if (xs[n] - last < 34) return;
      last = xs[n];
      svg.append(element("text", { x: xs[n], y: HEIGHT - BOTTOM + 20, "text-anchor": "middle" }, value));
    });
    const knob = this.explore.knobs[0], one = this.explore.shown[this.figure];
    svg.append(element("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, "text-anchor": "middle" },
      withUnit(knob.name, knob.unit, ", ")));
    svg.append(element("text", { x: LEFT, y: TOP - 16, "text-anchor": "start" },
      withUnit(one.name, one.unit, ", ")));
    const line = (values, kind) => {
      const points = values.map((value, n) => (value === null ? null : `${xs[n]},${y(value)}`)).filter(Boolean);
      if (points.length > 1) svg.append(element("polyline", { class: kind, points: points.join(" ") }));
    };
    if (this.before) line(this.before, "before");
    line(now, "now");
    line(hand, "hand");
    now.forEach((value, n) => {
      const dot = element("circle", { class: "dot", cx: xs[n], cy: y(value), r: 3.5 });
      const words = [`${knob.name}: ${withUnit(knob.values[n], knob.unit)}`, `${one.name}: ${withUnit(shown(value), one.unit)}`];
      if (hand[n] !== null) words.push(`by the closed form: ${withUnit(shown(hand[n]), one.unit)}`);
      // A larger place to point at than the dot is.
      const place = element("circle", { cx: xs[n], cy: y(value), r: 12, fill: "transparent" });
      place.append(element("title", {}, words.join("\n")));
      svg.append(dot, place);
    });
    svg.append(element("circle", { class: "mark", cx: xs[this.at[0]], cy: y(now[this.at[0]]), r: 6.5, "pointer-events": "none" }));
    document.getElementById("plot").replaceChildren(svg);
    this.say(now, hand);
  }

  scale(most) {
    if (!(most > 0)) return [1, 0.25];
    const raw = most / 4, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= raw);
    return [Math.ceil((most / step) * 0.9999) * step, step];
  }

  say(now, hand) {
    const one = this.explore.shown[this.figure], at = this.at[0];
    const reading = document.getElementById("reading");
    const figure = document.createElement("b");
    figure.textContent = withUnit(shown(now[at]), one.unit);
    reading.replaceChildren(`${one.name}: `, figure, " simulated");
    if (hand[at] !== null) reading.append(`, ${withUnit(shown(hand[at]), one.unit)} by the closed form`);
    if (this.before) reading.append(`; before: ${withUnit(shown(this.before[at]), one.unit)}`);
    document.getElementById("command").textContent = this.explore.commands[this.index(at)];
  }
}

// ---------------------------------------------------------------- questions

const RULES = DATA.rules;
const score = { right: 0, marked: 0 };

class Question {
  constructor(form, about) {
    this.form = form;
    this.about = about;
    this.said = form.querySelector(".said");
    this.wrong = 0;
    this.over = false;
    form.addEventListener("submit", (event) => { event.preventDefault(); this.mark(); });
    form.querySelector('[data-does="hint"]').addEventListener("click", () => this.say(["Hint: " + about.hint], ""));
    form.querySelector('[data-does="answer"]').addEventListener("click", () => this.end(false, []));
  }

  typed() {
    if (this.about.options.length) {
      const chosen = this.form.querySelector("input:checked");
      return chosen ? Number(chosen.value) : null;
    }
    return readNumber(RULES, this.form.querySelector("input").value, this.about.unit);
  }

  mark() {
    const value = this.typed();
    const { about } = this;
    if (value === null) {
      this.say([about.options.length ? "Choose one of them." : withUnit("Type a number", about.unit && `in ${about.unit}`) + ", as in 12.5."], "wrong");
      return;
    }
    if (about.predict) {
      this.end(null, [`Your prediction: ${about.options.length ? about.options[value] : withUnit(shown(value), about.unit)}.`]);
      return;
    }
    const marked = markOf(RULES, about, value);
    if (marked.right) { this.end(true, ["Right."]); return; }
    this.wrong += 1;
    if (this.wrong < DATA.tries) this.say([`Not that. ${marked.hint}`], "wrong");
    else this.end(false, [`Not that. ${marked.hint}`]);
  }

  // right: true or false; null for what is not marked.
  end(right, lines) {
    if (!this.over && right !== null && !this.about.predict) {
      score.marked += 1;
      score.right += right ? 1 : 0;
      document.getElementById("score").textContent = `${score.right} of ${score.marked} right.`;
    }
    this.over = true;
    this.say([...lines, ...this.about.answer], right === false ? "wrong" : "right");
  }

  say(lines, kind) {
    this.said.replaceChildren(...lines.map((line) => {
      const made = document.createElement("p");
      made.textContent = line;
      if (kind) made.className = kind;
      return made;
    }));
  }
}

new Plot(DATA.explore);
document.querySelectorAll("form").forEach((form) => new Question(form, DATA.questions[Number(form.dataset.question)]));
