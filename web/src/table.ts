// Policies by figures: each with its 95 % interval and, below, its difference to the default.
import type { Row } from "./data";
import { h, terms } from "./dom";
import { figureOf, type Figure } from "./figures";
import { bareSigned, isClear, range, withHalf } from "./format";
import { type Colours, policyWords } from "./policies";

function verdict(row: Row, figure: Figure): "better" | "worse" | "" {
  const less = row.less[figure.key];
  if (!figure.better || !isClear(less)) return "";
  return less!.mean! > 0 === (figure.better === "more") ? "better" : "worse";
}

const marks = { better: "▲ ", worse: "▼ ", "": "" };

function cell(row: Row, figure: Figure): HTMLElement {
  const less = row.less[figure.key];
  const judged = verdict(row, figure);
  const below = less
    ? h(
        "span",
        { class: `less ${judged}`, title: judged && `${judged} than the default` },
        marks[judged] + bareSigned(less.mean, figure.form),
        h("br"),
        range(less, figure.form),
      )
    : null;
  return h("td", {}, withHalf(row.figures[figure.key], figure.form), below);
}

export function swatch(colour: string): HTMLElement {
  return h("span", { class: "swatch", style: `background: ${colour}`, "aria-hidden": "true" });
}

function line(row: Row, figures: readonly Figure[], colours: Colours): HTMLElement {
  const head = h("th", { scope: "row" }, swatch(colours.get(row.policy)), row.policy);
  if (row.isDefault) head.append(h("span", { class: "badge" }, "default"));
  return h(
    "tr",
    { class: row.isDefault ? "default" : "" },
    head,
    ...figures.map((figure) => cell(row, figure)),
  );
}

function table(
  rows: readonly Row[],
  figures: readonly Figure[],
  colours: Colours,
  caption: string,
) {
  const heads = figures.map((figure) =>
    h(
      "th",
      { scope: "col", title: figure.words },
      figure.name + (figure.form === "share" ? ", %" : figure.form === "minutes" ? ", min" : ""),
    ),
  );
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Lists by"), ...heads)),
      h("tbody", {}, ...rows.map((row) => line(row, figures, colours))),
    ),
  );
}

// What the lower lines of the cells are.
export function differenceWords(seeds: number, each: string): string {
  return seeds === 1
    ? `The lower line of a cell is the difference to the default. There was one ${each}, so nothing ` +
        "says how much of it is chance."
    : `The lower lines of a cell are the difference to the default, taken ${each} by ${each}, and its ` +
        "95 % interval; ▲ is better and ▼ worse than the default by more than chance.";
}

// The figures named `main`, or all of them; the terms below follow.
export function policyTable(
  rows: readonly Row[],
  figures: readonly Figure[],
  main: readonly string[],
  colours: Colours,
  caption: string,
): HTMLElement {
  const shown = h("div");
  const all = h("input", { type: "checkbox", change: () => draw() });
  const draw = () => {
    const some = all.checked ? figures : main.map((key) => figureOf(figures, key));
    shown.replaceChildren(
      table(rows, some, colours, caption),
      h("h3", {}, "What the columns mean"),
      terms(some.map((figure) => [figure.name, figure.words] as const)),
    );
  };
  draw();
  return h(
    "div",
    {},
    h("div", { class: "controls" }, h("label", { class: "choice" }, all, " all figures")),
    shown,
    h("h3", {}, "What the policies do"),
    terms(rows.map((row) => [row.policy, policyWords(row.policy)] as const)),
  );
}
