// The first lines of the page: what was run and what came of it.
import type { Interval } from "./data";
import { h } from "./dom";
import type { Form } from "./figures";
import { bareSigned, isClear, number, range } from "./format";

export interface Card {
  name: string;
  words: string;
  own: number | null;
  other?: number | null; // of the unconstrained lists
  less?: Interval | null; // own less other
  form: Form;
  better: "more" | "less";
}

export function negated(interval: Interval | null | undefined): Interval | null {
  if (!interval || interval.mean === null) return null;
  const flip = (value: number | null) => (value === null ? null : -value);
  return { mean: -interval.mean, low: flip(interval.high), high: flip(interval.low) };
}

function verdict({ less, better }: Card): string {
  if (!less || less.mean === null) return "";
  if (less.low === null) return "one run: it may be chance";
  if (!isClear(less)) return "no clear difference";
  return less.mean > 0 === (better === "more") ? "better" : "worse";
}

const tones: Record<string, string> = { better: "better", worse: "worse" };

function differenceOf(less: Interval, form: Form, said: string): HTMLElement {
  const unit = form === "share" ? " points" : "";
  const between = range(less, form);
  return h(
    "p",
    { class: `less ${tones[said] ?? ""}` },
    h("strong", {}, bareSigned(less.mean, form) + unit),
    between && ` (${between})`,
    h("br"),
    said,
  );
}

function cardOf(card: Card): HTMLElement {
  const said = verdict(card);
  return h(
    "div",
    { class: "card" },
    h("h3", {}, card.name),
    h("p", { class: "big" }, number(card.own, card.form)),
    card.other === undefined
      ? null
      : h("p", { class: "other" }, `unconstrained lists: ${number(card.other, card.form)}`),
    card.less ? differenceOf(card.less, card.form, said) : null,
    h("p", { class: "fine" }, card.words),
  );
}

export function headline(
  title: string,
  run: string,
  outcome: string,
  cards: readonly Card[],
): HTMLElement {
  return h(
    "header",
    {},
    h("p", { class: "brand" }, "Headroom report"),
    h("h1", {}, title),
    h("p", { class: "lead" }, run),
    h("p", { class: "lead outcome" }, outcome),
    h("div", { class: "cards" }, ...cards.map(cardOf)),
  );
}

// "119 more", "as many" ... in a sentence; by the mean, and by how sure it is.
export function moreOrLess(less: Interval | null, form: Form, unit: string): string {
  if (!less || less.mean === null) return "";
  if (less.low !== null && !isClear(less))
    return `about as ${form === "count" ? "many" : "much"} ${unit}`;
  const size = number(Math.abs(less.mean), form);
  const word = less.mean > 0 ? "more" : form === "count" ? "fewer" : "less";
  return `${size} ${word} ${unit}`;
}
