// A replay's rows as tables and charts take them.
import type { Figures, ReplayReport, ReplayRow, Row } from "./data";

// The three that are beside the unconstrained lists stand with the others.
export function figuresOf(row: ReplayRow): Figures {
  const { hits_kept, wap_kept, seated_gain } = row;
  return { hits_kept, wap_kept, seated_gain, ...row.figures };
}

export function rowsAt(report: ReplayReport, level: number | null): Row[] {
  return report.policies
    .filter(({ overload }) => overload === level)
    .map((row) => ({
      policy: row.policy,
      isDefault: row.policy === report.default,
      figures: figuresOf(row),
      less: row.policy === report.default ? {} : (row.less_default ?? {}),
    }));
}

export function levelsOf(report: ReplayReport): (number | null)[] {
  return [...new Set(report.policies.map(({ overload }) => overload))];
}
