// Every figure that the page knows: its name, what it means, how it is written, what is better.

export type Form = "count" | "share" | "minutes" | "number";

export interface Figure {
  key: string;
  name: string;
  words: string;
  form: Form;
  better?: "more" | "less";
}

export const liveFigures: readonly Figure[] = [
  {
    key: "value",
    name: "Value",
    form: "count",
    better: "more",
    words: "the chances of being glad of the place, summed over all who got a seat",
  },
  { key: "seated", name: "Seated", form: "count", better: "more", words: "people who got a seat" },
  {
    key: "turned_away",
    name: "Turned away",
    form: "count",
    better: "less",
    words: "people who met a full place and went",
  },
  {
    key: "gave_up",
    name: "Gave up",
    form: "count",
    better: "less",
    words: "people who waited at a full place and went before a seat was free",
  },
  {
    key: "wait_minutes",
    name: "Wait",
    form: "minutes",
    better: "less",
    words: "minutes that people waited, mean over all who came to a place",
  },
  {
    key: "overload_people",
    name: "Met full",
    form: "share",
    better: "less",
    words: "of those whom a list sent, the share that found no seat at once",
  },
  {
    key: "overload_time",
    name: "Time overfull",
    form: "share",
    better: "less",
    words: "share of the time in which a place has more people than seats, over all places",
  },
  {
    key: "coverage",
    name: "Places shown",
    form: "share",
    words: "share of the places that are on some list",
  },
  {
    key: "gini",
    name: "Gini",
    form: "number",
    words: "how unequally places are shown: 0 all alike, 1 one alone",
  },
  {
    key: "followed",
    name: "Followed",
    form: "share",
    words: "share of the lists that led their user to one of their places",
  },
  {
    key: "value_by_list",
    name: "Value by list",
    form: "count",
    better: "more",
    words: "the part of the value that lists brought",
  },
  {
    key: "seated_by_list",
    name: "Seated by list",
    form: "count",
    better: "more",
    words: "people whom a list brought to a seat",
  },
  {
    key: "organic_overload_time",
    name: "Overfull anyway",
    form: "share",
    words: "as time overfull, by those alone whom no list sent: no list can help that",
  },
  {
    key: "listen_bias",
    name: "Listening, bias",
    form: "number",
    words: "chance of following a list as estimated, less what people did; 0 is best",
  },
  {
    key: "listen_rmse",
    name: "Listening, error",
    form: "number",
    better: "less",
    words: "root mean square distance of that estimate from the truth",
  },
  {
    key: "listen_regret",
    name: "Listening, regret",
    form: "number",
    better: "less",
    words: "log loss of that estimate above the truth's own, in nats a list",
  },
];

export const liveCurves: readonly Figure[] = [
  {
    key: "waiting",
    name: "People waiting",
    form: "number",
    words: "people who wait at a full place, on average",
  },
  {
    key: "overloaded_items",
    name: "Overfull places",
    form: "number",
    words: "places with more people than seats, on average",
  },
  { key: "seated", name: "Seated", form: "count", words: "people who got a seat" },
  {
    key: "turned_away",
    name: "Turned away",
    form: "count",
    words: "people who met a full place and went",
  },
  { key: "gave_up", name: "Gave up", form: "count", words: "people who waited and went" },
  {
    key: "value",
    name: "Value",
    form: "number",
    words: "the chances of being glad of the place, summed over all who got a seat",
  },
  {
    key: "followed",
    name: "Lists followed",
    form: "count",
    words: "people who set out to a place of their list",
  },
  {
    key: "asked",
    name: "Lists asked for",
    form: "count",
    words: "the same for all policies: they meet the same people",
  },
];

export const replayFigures: readonly Figure[] = [
  {
    key: "hits_kept",
    name: "Hits kept",
    form: "share",
    better: "more",
    words: "hits (the place really visited was on the list) beside those of unconstrained lists",
  },
  {
    key: "wap_kept",
    name: "WAP kept",
    form: "share",
    better: "more",
    words: "the same, where a hit counts more high on the list and for users who listen",
  },
  {
    key: "seated_gain",
    name: "Seated gain",
    form: "share",
    better: "more",
    words: "how many more hits found a free seat than with unconstrained lists",
  },
  {
    key: "hit_rate",
    name: "Hit rate",
    form: "share",
    better: "more",
    words: "share of the events whose place was on the list",
  },
  {
    key: "seated",
    name: "Seated hits",
    form: "share",
    better: "more",
    words: "share of the events whose place was on the list and had a free seat",
  },
  {
    key: "overload_people",
    name: "Sent beyond seats",
    form: "share",
    better: "less",
    words: "of the people whom lists are expected to bring, the share beyond the seats",
  },
  {
    key: "overload_time",
    name: "Time overfull",
    form: "share",
    better: "less",
    words: "share of the time in which a place has more people than seats, over all places",
  },
  {
    key: "value_share",
    name: "Of the bound",
    form: "share",
    better: "more",
    words: "people helped, beside a bound that no lists can exceed",
  },
  {
    key: "coverage",
    name: "Places shown",
    form: "share",
    words: "share of the places that are on some list",
  },
  {
    key: "turned_away",
    name: "Hits turned away",
    form: "count",
    better: "less",
    words: "hits that found no seat",
  },
  {
    key: "oversized",
    name: "Oversized",
    form: "count",
    words: "hits at a place that can't hold even the one user's expected party",
  },
  {
    key: "people_turned_away",
    name: "People beyond",
    form: "count",
    better: "less",
    words: "people whom lists are expected to bring beyond the seats",
  },
  {
    key: "capacity_loss",
    name: "Capacity loss",
    form: "number",
    better: "less",
    words: "the paper's measure of expected usage beyond capacity",
  },
  {
    key: "gini",
    name: "Gini",
    form: "number",
    words: "how unequally places are shown: 0 all alike, 1 one alone",
  },
  {
    key: "listening_error",
    name: "Listening, error",
    form: "number",
    better: "less",
    words: "distance of the chance of a hit that was told from the share that came true",
  },
];

export const replayCurves: readonly Figure[] = replayFigures.filter((figure) =>
  [
    "hit_rate",
    "seated",
    "overload_people",
    "overload_time",
    "value_share",
    "listening_error",
  ].includes(figure.key),
);

export function figureOf(figures: readonly Figure[], key: string): Figure {
  const found = figures.find((figure) => figure.key === key);
  if (!found) throw new Error(`no figure ${key}`);
  return found;
}
