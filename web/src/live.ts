// The page of headroom-sim live.
import { curvesView, type Curves } from "./curves";
import { type LiveReport, meanOf, type Row } from "./data";
import { h, section } from "./dom";
import { liveCurves, liveFigures } from "./figures";
import { count, share } from "./format";
import { type Card, headline, moreOrLess, negated } from "./headline";
import { manifestView } from "./manifest";
import { mapView } from "./map";
import { Colours, isFree, policyWords } from "./policies";
import { differenceWords, policyTable } from "./table";
import { tradeoffView } from "./tradeoff";

const main = [
  "value",
  "seated",
  "turned_away",
  "gave_up",
  "wait_minutes",
  "overload_people",
  "overload_time",
  "coverage",
];

function rowsOf(report: LiveReport): Row[] {
  return report.policies.map(({ policy, default: isDefault, figures, less_default }) => ({
    policy,
    isDefault,
    figures,
    less: less_default ?? {},
  }));
}

function cardsOf(own: Row, free: Row | undefined): Card[] {
  const cards: Omit<Card, "own" | "other" | "less">[] = [
    {
      name: "Value",
      form: "count",
      better: "more",
      words: "chances of being glad of the place, summed over all who got a seat",
    },
    { name: "Got a seat", words: "people, at once or after a wait", form: "count", better: "more" },
    {
      name: "Turned away",
      words: "people who met a full place and went",
      form: "count",
      better: "less",
    },
    {
      name: "Minutes of waiting",
      words: "mean over all who came to a place",
      form: "minutes",
      better: "less",
    },
    {
      name: "Met a full place",
      words: "of those whom a list sent there",
      form: "share",
      better: "less",
    },
  ];
  const keys = ["value", "seated", "turned_away", "wait_minutes", "overload_people"];
  return cards.map((card, n) => ({
    ...card,
    own: meanOf(own, keys[n]!),
    ...(free && { other: meanOf(free, keys[n]!), less: negated(free.less[keys[n]!]) }),
  }));
}

function outcomeOf(own: Row, free: Row | undefined): string {
  const [full, wait] = [meanOf(own, "overload_people"), meanOf(own, "wait_minutes")];
  const start = `Headroom's default here is ${own.policy}: ${policyWords(own.policy)}. `;
  if (!free) return `${start}${share(full)} of those whom its lists sent met a full place.`;
  const than = (key: string, unit: string) => moreOrLess(negated(free.less[key]), "count", unit);
  return (
    start +
    `Beside unconstrained lists it seated ${than("seated", "people")}, turned away ` +
    `${than("turned_away", "people")}, and of those whom its lists sent ${share(full)} met a full ` +
    `place instead of ${share(meanOf(free, "overload_people"))}. People waited for ` +
    `${wait?.toFixed(2) ?? "–"} minutes on average instead of ` +
    `${meanOf(free, "wait_minutes")?.toFixed(2) ?? "–"}.`
  );
}

function runWords(report: LiveReport): string {
  const { world } = report.manifest;
  const days = Number(world["days"]) - Number(world["warm_days"]);
  const cities = report.seeds === 1 ? "one city" : `${report.seeds} cities`;
  return (
    `${count(Number(world["users"]))} people of a made-up city asked where to go, of ` +
    `${count(Number(world["items"]))} places with little room: lists of the truly best places for ` +
    `each would have sent ${share(report.overload_of_true_lists.mean)} of their followers to a full ` +
    `one. Every policy met the same people, over ${days} measured ${days === 1 ? "day" : "days"} in ` +
    `${cities}${report.seeds === 1 ? "" : "; figures are means over them, ± half of a 95 % interval"}.`
  );
}

function curvesOf(report: LiveReport): Curves {
  return {
    moments: report.moments,
    span: 1,
    of: report.policies.map(({ policy, curve }) => ({ policy, columns: curve })),
  };
}

export function livePage(report: LiveReport): Node[] {
  const rows = rowsOf(report);
  const own = rows.find(({ isDefault }) => isDefault) ?? rows[0]!;
  const free = rows.find(({ policy }) => isFree(policy));
  const colours = new Colours(
    rows.map(({ policy }) => policy),
    own.policy,
  );
  const shown = new Set([own.policy, free?.policy ?? own.policy, "greedy", "popularity"]);
  const shownAll = report.map.places.length === Number(report.manifest.world["items"]);
  const title = free
    ? "Lists that mind how full places are, beside lists that don't"
    : "Lists for a city with little room";
  return [
    headline(title, runWords(report), outcomeOf(own, free), cardsOf(own, free)),
    section(
      "Policies side by side",
      "Each policy made all lists of the same people. " + differenceWords(report.seeds, "city"),
      policyTable(
        rows,
        liveFigures,
        main,
        colours,
        report.seeds > 1 ? "Means over the cities" : "One city",
      ),
    ),
    section(
      "The city on a map",
      `The first city, ${report.moment_minutes} minutes at a time, from the worst moment of the lists on ` +
        "the left. Each dot is a place, larger with more room: seats, in a shop copies on sale, in a " +
        "museum or gym admissions of a slot." +
        (shownAll ? "" : ` Shown are the ${report.map.places.length} places that were fullest.`),
      mapView(report, own.policy),
    ),
    section(
      "Over time",
      `The first city, each ${report.moment_minutes} minutes.`,
      curvesView(curvesOf(report), liveCurves, "waiting", shown, own.policy, colours),
    ),
    section(
      "What it costs, what it saves",
      "Up is what lists are worth, across is how crowded they make it. Bars are 95 % intervals. A grey " +
        "line joins policies that differ in alpha only, the weight of capacity in learning.",
      tradeoffView(
        rows,
        liveFigures,
        ["overload_people", "overload_time", "wait_minutes", "turned_away"],
        ["value", "seated", "value_by_list", "coverage"],
        colours,
      ),
    ),
    manifestView(report.manifest),
    h(
      "footer",
      {},
      "The numbers are in report.json, figures.csv, curves.csv and load.csv beside this page.",
    ),
  ];
}
