// A replay's figures as seats get scarcer: a line for each policy over the levels of overload.
import { axisX, axisY, gridY, plot, pointer, tip } from "@observablehq/plot";
import { chips } from "./chips";
import type { ReplayRow } from "./data";
import { Canvas, choice, h } from "./dom";
import { figureOf, type Figure } from "./figures";
import { share, withHalf } from "./format";
import { policyLines } from "./lines";
import type { Colours } from "./policies";
import { figuresOf } from "./replay_rows";

interface Point {
  policy: string;
  level: number;
  value: number;
  words: string;
}

function pointsOf(rows: readonly ReplayRow[], figure: Figure): Point[] {
  const factor = figure.form === "share" ? 100 : 1;
  return rows.flatMap((row) => {
    const interval = figuresOf(row)[figure.key];
    if (row.overload === null || interval?.mean == null) return [];
    const means = withHalf(interval, figure.form);
    const words = `${row.policy} at ${share(row.overload)}\n${figure.name}: ${means}`;
    return [
      { policy: row.policy, level: 100 * row.overload, value: factor * interval.mean, words },
    ];
  });
}

function draw(
  points: Point[],
  figure: Figure,
  chosen: string | null,
  colours: Colours,
  width: number,
) {
  const unit = figure.form === "share" ? " %" : "";
  return plot({
    width,
    height: Math.min(400, Math.max(280, width * 0.5)),
    marginLeft: 56,
    marginBottom: 44,
    inset: 10,
    ariaLabel: `${figure.name} by level of overload, a line for each policy`,
    x: { label: "overload of unconstrained lists: people sent beyond the seats (%)" },
    y: { label: null, nice: true },
    marks: [
      gridY({ strokeOpacity: 0.08 }),
      axisX({
        ticks: [...new Set(points.map(({ level }) => level))],
        labelAnchor: "center",
        labelArrow: "none",
      }),
      axisY({ ticks: 6, tickFormat: (tick: number) => `${tick}${unit}` }),
      ...policyLines(points, "level", "value", chosen, colours),
      tip(points, pointer({ x: "level", y: "value", title: "words" })),
    ],
  });
}

export function levelsView(
  rows: readonly ReplayRow[],
  figures: readonly Figure[],
  shown: Set<string>,
  chosen: string | null,
  colours: Colours,
): HTMLElement {
  let figure = figures[0]!;
  const meaning = h("figcaption");
  const canvas = new Canvas((width) =>
    draw(
      pointsOf(
        rows.filter(({ policy }) => shown.has(policy)),
        figure,
      ),
      figure,
      chosen,
      colours,
      width,
    ),
  );
  const show = () => {
    meaning.textContent = `${figure.name}: ${figure.words}.`;
    canvas.redraw();
  };
  const pick = choice(
    "Figure",
    figures.map(({ key, name }) => [key, name] as const),
    figure.key,
    (key) => {
      figure = figureOf(figures, key);
      show();
    },
  );
  const legend = chips([...new Set(rows.map(({ policy }) => policy))], shown, colours, show);
  show();
  return h(
    "div",
    {},
    h("div", { class: "controls" }, pick, legend),
    h("figure", {}, meaning, canvas.element),
  );
}
