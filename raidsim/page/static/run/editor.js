// Form and text side by side. The text is what counts; the form shows what stands in it.

import * as api from "./api.js";
import { element } from "./words.js";

const PAUSE_MS = 350;

export class Editor {
  // `changed` is called with what the server says of the text, whenever that is new.
  constructor(changed) {
    this.changed = changed;
    this.form = document.getElementById("form");
    this.area = document.getElementById("text");
    this.gutter = document.getElementById("gutter");
    this.problems = document.getElementById("problems");
    this.told = null;
    this.turn = 0;
    this.area.addEventListener("input", () => this.#typed());
    this.area.addEventListener("scroll", () => { this.gutter.scrollTop = this.area.scrollTop; });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("change", (event) => this.#entered(event.target));
  }

  get text() { return this.area.value; }

  // Takes over a text, and returns what the server says of it.
  async put(text) {
    this.area.value = text;
    this.area.scrollTop = 0;
    return this.#check();
  }

  // Changes a key; returns what the server says of the new text, or null if it could not be.
  async set(path, value) {
    const turn = ++this.turn;
    const told = await api.edit(this.text, path, value);
    if (turn !== this.turn) return null;
    if (told.text === undefined) {
      this.#tell(told.problems);
      return null;
    }
    this.area.value = told.text;
    this.#take(told);
    return told;
  }

  #typed() {
    this.turn++;
    clearTimeout(this.timer);
    this.#number(new Set());
    this.timer = setTimeout(() => this.#check(), PAUSE_MS);
  }

  // The same text is not asked about again.
  async settled() {
    clearTimeout(this.timer);
    return this.told !== null && this.told.of === this.text ? this.told : this.#check();
  }

  async #check() {
    const turn = ++this.turn;
    const text = this.text;
    let told;
    try {
      told = await api.check(text);
    } catch (error) {
      told = { problems: [{ line: null, words: error.message }], form: [] };
    }
    if (turn === this.turn) this.#take(told);
    return { ...told, of: text };
  }

  #take(told) {
    this.told = { ...told, of: this.text };
    this.#draw(told.form);
    this.#tell(told.problems);
    this.changed(this.told);
  }

  async #entered(field) {
    const path = JSON.parse(field.dataset.path);
    try {
      await this.set(path, field.value);
    } catch (error) {
      this.#tell([{ line: null, words: error.message }]);
    }
  }

  // -- drawing

  #draw(groups) {
    const typing = this.form.contains(document.activeElement) ? document.activeElement : null;
    const unsaved = typing && typing.tagName === "INPUT" && typing.value !== typing.defaultValue ? typing.value : null;
    const top = this.form.scrollTop;
    this.form.replaceChildren(...groups.map((group) =>
      element("fieldset", {}, element("legend", { textContent: group.title }), ...group.fields.map((one) => this.#field(one)))));
    this.form.scrollTop = top;
    if (!typing) return;
    const same = [...this.form.querySelectorAll("[data-path]")].find((one) => one.dataset.path === typing.dataset.path);
    if (same && unsaved !== null) same.value = unsaved; // what is being typed is not lost
    same?.focus();
  }

  #field(one) {
    const id = `field-${one.key.replace(/\W+/g, "-")}`;
    const given = { id, title: one.help, "data-path": JSON.stringify(one.path) };
    let input;
    if (one.words.length) {
      const words = one.words.includes(one.value) || one.value === "" ? one.words : [one.value, ...one.words];
      input = element("select", given, ...words.map((word) => element("option", { value: word, textContent: word })));
      if (!one.needed || one.value === "") input.prepend(element("option", { value: "", textContent: one.needed ? "choose one" : `${one.default || "none"} (left out)` }));
      input.value = one.value;
    } else {
      input = element("input", { ...given, type: "text", defaultValue: one.value, placeholder: one.default, spellcheck: false });
    }
    return element("div", { className: "field" }, element("label", { htmlFor: id, textContent: one.label }), input);
  }

  #tell(problems) {
    const bad = new Set(problems.map((one) => one.line).filter((line) => line !== null));
    this.#number(bad);
    this.area.setAttribute("aria-invalid", problems.length ? "true" : "false");
    if (!problems.length) {
      this.problems.replaceChildren(element("p", { className: "fine", textContent: "Nothing is wrong with this scenario." }));
      return;
    }
    this.problems.replaceChildren(element("ul", {}, ...problems.map((one) => {
      const item = element("li");
      if (one.line !== null) {
        const go = element("button", { type: "button", textContent: `Line ${one.line}` });
        go.addEventListener("click", () => this.#goTo(one.line));
        item.append(go, " ");
      }
      item.append(one.words);
      return item;
    })));
  }

  #number(bad) {
    const lines = this.text.split("\n").length;
    const made = [];
    for (let line = 1; line <= lines; line++) {
      made.push(bad.has(line) ? element("span", { className: "bad", textContent: String(line) }) : String(line), "\n");
    }
    this.gutter.replaceChildren(...made);
    this.gutter.scrollTop = this.area.scrollTop;
  }

  #goTo(line) {
    const lines = this.text.split("\n");
    const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(from, from + lines[line - 1].length);
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.scrollTop = Math.max(0, (line - 5) * height);
  }
}
