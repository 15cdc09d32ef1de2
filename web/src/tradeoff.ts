// What lists are worth against how many they send to full places, a dot for each policy.
import {
  axisX,
  axisY,
  dot,
  gridX,
  gridY,
  line,
  link,
  plot,
  pointer,
  text,
  tip,
} from "@observablehq/plot";
import { chips } from "./chips";
import type { Row } from "./data";
import { Canvas, choice, h } from "./dom";
import { figureOf, type Figure } from "./figures";
import { withHalf } from "./format";
import { place } from "./labels";
import { type Colours, familyOf } from "./policies";

interface Dot {
  policy: string;
  isDefault: boolean;
  x: number;
  y: number;
  low: [number, number];
  high: [number, number];
  words: string;
}

const factor = (figure: Figure) => (figure.form === "share" ? 100 : 1);

function dotOf(row: Row, x: Figure, y: Figure): Dot | null {
  const across = row.figures[x.key];
  const up = row.figures[y.key];
  if (across?.mean == null || up?.mean == null) return null;
  const [fx, fy] = [factor(x), factor(y)];
  return {
    policy: row.policy,
    isDefault: row.isDefault,
    x: fx * across.mean,
    y: fy * up.mean,
    low: [
      fx * Math.max(across.low ?? across.mean, Math.min(0, across.mean)),
      fy * (up.low ?? up.mean),
    ],
    high: [fx * (across.high ?? across.mean), fy * (up.high ?? up.mean)],
    words: `${row.policy}\n${x.name}: ${withHalf(across, x.form)}\n${y.name}: ${withHalf(up, y.form)}`,
  };
}

// Policies that differ in alpha only, by alpha: without and with prices.
function families(dots: readonly Dot[]): Dot[][] {
  const chains: [string, string][] = [
    ["unconstrained", "cap"],
    ["price", "price+cap"],
  ];
  return chains
    .map(([bare, weighed]) =>
      dots
        .filter(({ policy }) => policy === bare || familyOf(policy).name === weighed)
        .sort((a, b) => (familyOf(a.policy).alpha ?? 0) - (familyOf(b.policy).alpha ?? 0)),
    )
    .filter((chain) => chain.length > 1);
}

function label(figure: Figure): string {
  const unit = figure.form === "share" ? " (%)" : figure.form === "minutes" ? " (minutes)" : "";
  const verdict = figure.better ? `, ${figure.better} is better` : "";
  return figure.name.toLowerCase() + unit + verdict;
}

// The bars of all intervals, across and up.
function bars(dots: Dot[], stroke: (one: Dot) => string) {
  const look = { stroke, strokeOpacity: 0.6 };
  return [
    link(dots, { x1: (one: Dot) => one.low[0], x2: (one: Dot) => one.high[0], y: "y", ...look }),
    link(dots, { y1: (one: Dot) => one.low[1], y2: (one: Dot) => one.high[1], x: "x", ...look }),
  ];
}

interface Shown {
  x: Figure;
  y: Figure;
  intervals: boolean;
}

function draw(rows: readonly Row[], { x, y, intervals }: Shown, colours: Colours, width: number) {
  const dots = rows.flatMap((row) => dotOf(row, x, y) ?? []);
  const stroke = (one: Dot) => colours.get(one.policy);
  const options = {
    width,
    height: Math.min(460, Math.max(320, width * 0.6)),
    marginLeft: 52,
    marginRight: 24,
    marginBottom: 44,
    inset: 14,
    ariaLabel: `${y.name} against ${x.name}, a dot for each policy`,
    x: { label: label(x), nice: true },
    y: { label: label(y), nice: true },
  };
  const marks = [
    gridX({ strokeOpacity: 0.08 }),
    gridY({ strokeOpacity: 0.08 }),
    axisX({ ticks: Math.floor(width / 90), labelAnchor: "center", labelArrow: "none" }),
    axisY({ ticks: 6, labelArrow: "none" }),
    ...families(dots).map((chain) =>
      line(chain, { x: "x", y: "y", stroke: "currentColor", strokeOpacity: 0.35 }),
    ),
    ...(intervals ? bars(dots, stroke) : []),
    dot(dots, { x: "x", y: "y", r: (one) => (one.isDefault ? 7 : 5), fill: stroke }),
  ];
  const bare = plot({ ...options, marks });
  const spots = place(dots, bare.scale("x")!, bare.scale("y")!, width);
  return plot({
    ...options,
    marks: [
      ...marks,
      ...spots.map(({ one, dx, dy, anchor }) =>
        text([one], {
          x: "x",
          y: "y",
          text: "policy",
          dx,
          dy,
          textAnchor: anchor,
          fill: "currentColor",
          stroke: "var(--card)",
          strokeWidth: 4,
          fontWeight: one.isDefault ? "bold" : undefined,
        }),
      ),
      tip(dots, pointer({ x: "x", y: "y", title: "words" })),
    ],
  });
}

export function tradeoffView(
  rows: readonly Row[],
  figures: readonly Figure[],
  across: readonly string[],
  up: readonly string[],
  colours: Colours,
): HTMLElement {
  const view: Shown = {
    x: figureOf(figures, across[0]!),
    y: figureOf(figures, up[0]!),
    intervals: true,
  };
  const meaning = h("figcaption");
  const policies = rows.map(({ policy }) => policy);
  // Random lists are so much worse that all others would be one dot.
  const shown = new Set(policies.filter((policy) => policy !== "random"));
  const canvas = new Canvas((width) =>
    draw(
      rows.filter(({ policy }) => shown.has(policy)),
      view,
      colours,
      width,
    ),
  );
  const redraw = () => {
    const { x, y } = view;
    meaning.textContent = `${y.name}: ${y.words}. ${x.name}: ${x.words}.`;
    canvas.redraw();
  };
  const names = (keys: readonly string[]) =>
    keys.map((key) => [key, figureOf(figures, key).name] as const);
  const change = (some: Partial<Shown>) => {
    Object.assign(view, some);
    redraw();
  };
  const box = h("input", {
    type: "checkbox",
    checked: true,
    change: () => change({ intervals: box.checked }),
  });
  const pick = [
    choice("Up", names(up), view.y.key, (key) => change({ y: figureOf(figures, key) })),
    choice("Across", names(across), view.x.key, (key) => change({ x: figureOf(figures, key) })),
    h("label", { class: "choice" }, box, " intervals"),
  ];
  redraw();
  return h(
    "div",
    {},
    h("div", { class: "controls" }, ...pick, chips(policies, shown, colours, redraw)),
    h("figure", {}, meaning, canvas.element),
  );
}
