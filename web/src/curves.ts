// Figures over time, a line for each policy.
import { axisX, axisY, gridY, plot, pointerX, ruleX, ruleY, tip } from "@observablehq/plot";
import { chips } from "./chips";
import { Canvas, choice, h } from "./dom";
import { figureOf, type Figure } from "./figures";
import { dateWords, momentWords, number } from "./format";
import { policyLines } from "./lines";
import type { Colours } from "./policies";

export interface Curves {
  moments: readonly number[];
  span: number; // how many moments are joined to one mean
  of: { policy: string; columns: Record<string, readonly (number | null)[]> }[];
}

interface Point {
  at: Date;
  policy: string;
  value: number;
}

// Means over the neighbours on both sides; null where none of them says anything.
export function smoothed(values: readonly (number | null)[], span: number): (number | null)[] {
  if (span <= 1) return [...values];
  const half = Math.floor(span / 2);
  return values.map((_, n) => {
    const near = values
      .slice(Math.max(0, n - half), n + half + 1)
      .filter((value) => value !== null);
    return near.length ? near.reduce((sum, value) => sum + value, 0) / near.length : null;
  });
}

const fortnight = 14 * 24 * 3600 * 1000; // from then on a day says more than an hour

function pointsOf(curves: Curves, figure: Figure, shown: ReadonlySet<string>): Point[] {
  return curves.of
    .filter(({ policy }) => shown.has(policy))
    .flatMap(({ policy, columns }) =>
      smoothed(columns[figure.key] ?? [], curves.span).flatMap((value, n) =>
        value === null ? [] : [{ at: new Date(curves.moments[n]!), policy, value }],
      ),
    );
}

function draw(
  points: Point[],
  figure: Figure,
  chosen: string | null,
  colours: Colours,
  width: number,
) {
  const times = points.map(({ at }) => at.getTime());
  const isLong = Math.max(...times) - Math.min(...times) > fortnight;
  const words = ({ policy, value, at }: Point) =>
    `${policy}: ${number(value, figure.form)}\n${(isLong ? dateWords : momentWords)(at.getTime())}`;
  const percent = figure.form === "share";
  return plot({
    width,
    height: Math.min(380, Math.max(260, width * 0.45)),
    marginLeft: 52,
    ariaLabel: `${figure.name} over time, a line for each policy`,
    x: { type: "utc", label: null },
    y: { label: null, percent, zero: true, nice: true },
    marks: [
      gridY(),
      axisX({ ticks: Math.max(3, Math.floor(width / 110)) }),
      axisY({ tickFormat: percent ? (tick: number) => `${tick} %` : undefined }),
      ruleY([0]),
      ...policyLines(points, "at", "value", chosen, colours),
      ruleX(points, pointerX({ x: "at", stroke: "currentColor", strokeOpacity: 0.3 })),
      tip(points, pointerX({ x: "at", y: "value", title: words })),
    ],
  });
}

export function curvesView(
  curves: Curves,
  figures: readonly Figure[],
  first: string,
  shown: Set<string>,
  chosen: string | null,
  colours: Colours,
): HTMLElement {
  let figure = figureOf(figures, first);
  const meaning = h("figcaption");
  const canvas = new Canvas((width) =>
    draw(pointsOf(curves, figure, shown), figure, chosen, colours, width),
  );
  const show = () => {
    meaning.textContent = `${figure.name}: ${figure.words}.`;
    canvas.redraw();
  };
  const pick = choice(
    "Figure",
    figures.map(({ key, name }) => [key, name] as const),
    first,
    (key) => {
      figure = figureOf(figures, key);
      show();
    },
  );
  const legend = chips(
    curves.of.map(({ policy }) => policy),
    shown,
    colours,
    show,
  );
  show();
  return h(
    "div",
    {},
    h("div", { class: "controls" }, pick, legend),
    h("figure", {}, meaning, canvas.element),
  );
}
