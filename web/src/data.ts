// What simulator/report_*.cpp write. A number that a run does not have is null.

export interface Interval {
  mean: number | null;
  low: number | null;
  high: number | null;
}
export type Figures = Record<string, Interval | null>;

export interface Manifest {
  version: string;
  command: string;
  seed: number;
  [more: string]: unknown;
}

export interface LivePolicy {
  policy: string;
  default: boolean;
  figures: Figures;
  less_default?: Figures;
  curve: Record<string, number[]>;
}

export interface MapPlace {
  name: string;
  kind: string;
  lat: number;
  lon: number;
  capacity: number;
  of: "seats" | "stock" | "rate";
}

export interface CityMap {
  places: MapPlace[];
  loads: { policy: string; people: number[][] }[]; // people: by place, then moment
}

export interface LiveReport {
  kind: "live";
  seeds: number;
  overload_of_true_lists: Interval;
  policies: LivePolicy[];
  moments: number[]; // milliseconds since 1970
  moment_minutes: number;
  map: CityMap;
  manifest: Manifest & { world: Record<string, string> };
}

export interface ReplayRow {
  policy: string;
  overload: number | null; // null: capacities as they are
  capacity_scale: number;
  hits_kept: Interval;
  wap_kept: Interval;
  seated_gain: Interval;
  figures: Figures;
  less_default?: Figures;
}

export interface ReplayReport {
  kind: "replay";
  default: string | null;
  policies: ReplayRow[];
  moments: number[];
  curves: ({ policy: string; overload: number | null } & Record<string, (number | null)[]>)[];
  manifest: Manifest & {
    settings: Record<string, unknown>;
    data: Record<string, unknown>;
  };
}

export type Report = LiveReport | ReplayReport;

// One policy in a table or a chart, whichever report it is of.
export interface Row {
  policy: string;
  isDefault: boolean;
  figures: Figures;
  less: Figures; // less the default's, paired by seed
}

export function readReport(): Report {
  return JSON.parse(document.getElementById("data")!.textContent!) as Report;
}

export function meanOf(row: Row | undefined, figure: string): number | null {
  return row?.figures[figure]?.mean ?? null;
}
