// The places of the first city, coloured by people against capacity, for two policies side by side.
import { dot, plot, tip, pointer } from "@observablehq/plot";
import type { CityMap, LiveReport, MapPlace } from "./data";
import { Canvas, choice, h } from "./dom";
import { count, momentWords } from "./format";
import { isFree } from "./policies";

const steps = [
  { below: 0.25, colour: "var(--load0)", words: "under 25 %" },
  { below: 0.5, colour: "var(--load1)", words: "25 to 50 %" },
  { below: 0.75, colour: "var(--load2)", words: "50 to 75 %" },
  { below: 1.0001, colour: "var(--load3)", words: "75 to 100 %" },
  { below: Infinity, colour: "var(--load4)", words: "more people than room" },
];
const stepOf = (load: number) => steps.find(({ below }) => load < below)!;

const units = { seats: "seats", stock: "copies", rate: "admissions a slot" };

interface Spot {
  place: MapPlace;
  x: number;
  y: number;
  people: number;
  load: number;
}

function spotsOf(map: CityMap, people: readonly number[][], moment: number): Spot[] {
  const shrink = Math.cos(((map.places[0]?.lat ?? 0) * Math.PI) / 180); // of a degree of longitude
  return map.places.map((place, n) => {
    const here = people[n]![moment]!;
    return {
      place,
      x: place.lon * shrink,
      y: place.lat,
      people: here,
      load: here / place.capacity,
    };
  });
}

function draw(spots: Spot[], policy: string, width: number): Element {
  const words = ({ place, people }: Spot) =>
    `${place.name}\n${people.toFixed(1)} people, ${count(place.capacity)} ${units[place.of]}`;
  const fullLast = [...spots].sort((a, b) => a.load - b.load);
  return plot({
    width,
    height: Math.min(width, 460),
    margin: 14,
    ariaLabel: `map of the places under ${policy}, coloured by people against capacity`,
    x: { axis: null },
    y: { axis: null },
    aspectRatio: 1,
    r: {
      domain: [0, Math.max(20, ...spots.map(({ place }) => place.capacity))],
      range: [4, Math.max(11, width / 34)],
    },
    marks: [
      dot(fullLast, {
        x: "x",
        y: "y",
        r: ({ place }: Spot) => place.capacity,
        fill: ({ load }: Spot) => stepOf(load).colour,
        fillOpacity: 0.9,
        stroke: ({ load }: Spot) => (load > 1 ? "var(--text)" : "var(--card)"),
        strokeWidth: ({ load }: Spot) => (load > 1 ? 1.8 : 0.8),
      }),
      tip(fullLast, pointer({ x: "x", y: "y", title: words })),
    ],
  });
}

function summary(spots: readonly Spot[]): string {
  const over = spots.filter(({ load }) => load > 1);
  const beyond = over.reduce((sum, { people, place }) => sum + people - place.capacity, 0);
  return over.length === 0
    ? "No place has more people than room."
    : `${over.length} of ${spots.length} places overfull, ` +
        `${count(Math.ceil(beyond))} people beyond their room.`;
}

// One map with its choice of policy.
class Panel {
  readonly element: HTMLElement;
  private moment = 0;
  private policy: string;
  private readonly said = h("p", { class: "said" });
  private readonly canvas: Canvas;

  constructor(
    private readonly map: CityMap,
    first: string,
  ) {
    this.policy = first;
    this.canvas = new Canvas((width) => draw(this.spots(), this.policy, width));
    const policies = map.loads.map(({ policy }) => [policy, policy] as const);
    this.element = h(
      "div",
      { class: "panel" },
      choice("Lists by", policies, first, (policy) => {
        this.policy = policy;
        this.show(this.moment);
      }),
      this.canvas.element,
      this.said,
    );
  }

  show(moment: number): void {
    this.moment = moment;
    this.said.textContent = summary(this.spots());
    this.canvas.redraw();
  }

  private spots(): Spot[] {
    const loads = this.map.loads.find(({ policy }) => policy === this.policy)!;
    return spotsOf(this.map, loads.people, this.moment);
  }
}

// When most people are beyond the room of their place.
function worst(map: CityMap, policy: string): number {
  const { people } = map.loads.find((loads) => loads.policy === policy)!;
  let most = -1;
  let found = 0;
  const moments = people[0]?.length ?? 0;
  for (let moment = 0; moment < moments; ++moment) {
    const beyond = people.reduce(
      (sum, here, n) => sum + Math.max(0, here[moment]! - map.places[n]!.capacity),
      0,
    );
    if (beyond > most) [most, found] = [beyond, moment];
  }
  return found;
}

// The slider over the moments, with a button that moves it by itself.
function timeline(report: LiveReport, first: number, moved: (moment: number) => void): HTMLElement {
  const last = report.moments.length - 1;
  const clock = h("output", { class: "clock" });
  const slider = h("input", {
    type: "range",
    min: 0,
    max: last,
    step: 1,
    value: first,
    "aria-label": "time of day",
    input: () => go(Number(slider.value)),
  });
  let timer: number | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "▶ Play";
  };
  const play = h(
    "button",
    {
      type: "button",
      click: () => {
        if (timer !== undefined) return stop();
        play.textContent = "❚❚ Pause";
        timer = setInterval(() => go((Number(slider.value) + 1) % (last + 1)), 300);
      },
    },
    "▶ Play",
  );
  const go = (moment: number) => {
    slider.value = String(moment);
    const words = momentWords(report.moments[moment]!);
    slider.setAttribute("aria-valuetext", words);
    clock.textContent = words;
    moved(moment);
  };
  go(first);
  return h("div", { class: "timeline" }, play, slider, clock);
}

function legend(): HTMLElement {
  const entries = steps.map(({ colour, words }, n) =>
    h(
      "span",
      { class: "entry" },
      h("span", {
        class: n === steps.length - 1 ? "ball over" : "ball",
        style: `background: ${colour}`,
      }),
      words,
    ),
  );
  return h("p", { class: "legend" }, "People there and waiting, of the place's room: ", ...entries);
}

export function mapView(report: LiveReport, chosen: string): HTMLElement {
  const { map } = report;
  const names = map.loads.map(({ policy }) => policy);
  const other = names.find(isFree) ?? names.find((name) => name !== chosen);
  const panels = [...(other ? [new Panel(map, other)] : []), new Panel(map, chosen)];
  const time = timeline(report, worst(map, other ?? chosen), (moment) =>
    panels.forEach((panel) => panel.show(moment)),
  );
  return h(
    "div",
    {},
    time,
    legend(),
    h("div", { class: "panels" }, ...panels.map(({ element }) => element)),
  );
}
