// The page of headroom-sim replay.
import { curvesView, type Curves } from "./curves";
import { meanOf, type ReplayReport, type Row } from "./data";
import { choice, h, section } from "./dom";
import { figureOf, replayCurves, replayFigures } from "./figures";
import { count, share } from "./format";
import { type Card, headline } from "./headline";
import { levelsView } from "./levels";
import { manifestView } from "./manifest";
import { Colours, isFree, policyWords } from "./policies";
import { levelsOf, rowsAt } from "./replay_rows";
import { differenceWords, policyTable } from "./table";
import { tradeoffView } from "./tradeoff";

const main = [
  "hits_kept",
  "wap_kept",
  "seated_gain",
  "hit_rate",
  "overload_people",
  "overload_time",
  "value_share",
  "coverage",
];

const levelWords = (level: number | null): string =>
  level === null
    ? "Seats as they are"
    : `Seats so few that unconstrained lists send ${share(level)} of the people beyond them`;

function cardsOf(own: Row, free: Row | undefined, level: number | null): Card[] {
  const beyond = meanOf(free, "overload_people") ?? level;
  return [
    {
      name: "Hits kept",
      own: meanOf(own, "hits_kept"),
      form: "share",
      better: "more",
      words: "lists that held the place really visited, beside unconstrained lists",
    },
    {
      name: "Hits with a seat",
      own: meanOf(own, "seated_gain"),
      form: "share",
      better: "more",
      words: "more than with unconstrained lists",
    },
    {
      name: "Sent beyond the seats",
      own: meanOf(own, "overload_people"),
      form: "share",
      better: "less",
      words: "of the people whom lists are expected to bring",
      ...(beyond !== null && { other: beyond }),
    },
    {
      name: "Of the bound",
      own: meanOf(own, "value_share"),
      form: "share",
      better: "more",
      words: "people helped, beside what no lists can exceed",
    },
  ];
}

function outcomeOf(own: Row, level: number | null): string {
  const gain = meanOf(own, "seated_gain");
  return (
    `${levelWords(level)}: ${own.policy} (${policyWords(own.policy)}) keeps ` +
    `${share(meanOf(own, "hits_kept"))} of the hits of unconstrained lists; of hits at a place with a ` +
    `free seat it has ${share(gain === null ? null : Math.abs(gain))} ` +
    `${gain !== null && gain < 0 ? "fewer" : "more"} than they. It sends ` +
    `${share(meanOf(own, "overload_people"))} of the people beyond the seats.`
  );
}

function runWords(report: ReplayReport): string {
  const { settings, data } = report.manifest;
  const seeds = Number(settings["seeds"]);
  return (
    `${count(Number(settings["events"]))} visits of the data set ${String(data["name"])} ` +
    `were gone through in the order of time. Before each its user got a list of ` +
    `${String(settings["places"])} places, then the visit was learned. People did what the data say, ` +
    `so seats are counted by how many people a list is expected to bring.` +
    (seeds > 1 ? ` Figures are means over ${seeds} runs, ± half of a 95 % interval.` : "")
  );
}

function curvesOf(report: ReplayReport, level: number | null): Curves {
  const kept = report.curves.filter(({ overload }) => (overload as unknown) === level);
  return {
    moments: report.moments,
    span: 2 * Math.floor(report.moments.length / 50) + 1,
    of: kept.map(({ policy, overload, ...columns }) => ({ policy, columns })),
  };
}

// Redraws what depends on the level; a run with one level has no choice.
function byLevel(levels: readonly (number | null)[], draw: (level: number | null) => HTMLElement) {
  const shown = h("div", {}, draw(levels[levels.length - 1]!));
  if (levels.length === 1) return shown;
  const options = levels.map((level, n) => [String(n), levelWords(level)] as const);
  const pick = choice("Scarcity", options, String(levels.length - 1), (n) =>
    shown.replaceChildren(draw(levels[Number(n)]!)),
  );
  return h("div", {}, h("div", { class: "controls" }, pick), shown);
}

export function replayPage(report: ReplayReport): Node[] {
  const levels = levelsOf(report);
  const hardest = levels[levels.length - 1]!;
  const rows = rowsAt(report, hardest);
  const own =
    rows.find(({ isDefault }) => isDefault) ??
    rows.find(({ policy }) => !isFree(policy)) ??
    rows[0]!;
  const colours = new Colours(
    rows.map(({ policy }) => policy),
    own.policy,
  );
  const names = new Set([own.policy, "none", "greedy", "cutoff", "price"]);
  const pick = (keys: readonly string[]) => keys.map((key) => figureOf(replayFigures, key));
  const scarcer =
    levels.length > 1
      ? [
          section(
            "As seats get scarcer",
            "Across is how many of the people whom unconstrained lists send find no seat.",
            levelsView(report.policies, pick(main), new Set(names), own.policy, colours),
          ),
        ]
      : [];
  return [
    headline(
      "What lists keep when seats are few",
      runWords(report),
      outcomeOf(own, hardest),
      cardsOf(
        own,
        rows.find(({ policy }) => isFree(policy)),
        hardest,
      ),
    ),
    section(
      "Policies side by side",
      report.default === null
        ? "The default (price or both) was not among the policies, so there are no differences to it."
        : differenceWords(Number(report.manifest.settings["seeds"]), "run"),
      byLevel(levels, (level) =>
        policyTable(rowsAt(report, level), replayFigures, main, colours, levelWords(level)),
      ),
    ),
    ...scarcer,
    section(
      "What it costs, what it saves",
      "Up is what lists find, across is how crowded they make it. Bars are 95 % intervals.",
      byLevel(levels, (level) =>
        tradeoffView(
          rowsAt(report, level),
          replayFigures,
          ["overload_people", "overload_time", "capacity_loss"],
          ["hits_kept", "wap_kept", "hit_rate", "seated", "coverage"],
          colours,
        ),
      ),
    ),
    section(
      "Over time",
      "The first run. Lines are means over neighbouring periods, so that they can be told apart.",
      byLevel(levels, (level) =>
        curvesView(
          curvesOf(report, level),
          replayCurves,
          "hit_rate",
          new Set(names),
          own.policy,
          colours,
        ),
      ),
    ),
    manifestView(report.manifest),
    h(
      "footer",
      {},
      "The numbers are in report.json, policies.csv and curves.csv beside this page.",
    ),
  ];
}
