// A line for each policy, in the same manner wherever lines are.
import { lineY, type Markish } from "@observablehq/plot";
import { type Colours, isFree } from "./policies";

export function policyLines<Point extends { policy: string }>(
  points: readonly Point[],
  x: keyof Point & string,
  y: keyof Point & string,
  chosen: string | null,
  colours: Colours,
): Markish[] {
  const some = (free: boolean) => points.filter(({ policy }) => isFree(policy) === free);
  const look = { x, y, z: "policy", stroke: ({ policy }: Point) => colours.get(policy) };
  return [
    lineY(some(true), { ...look, strokeWidth: 2, strokeDasharray: "5 3" }),
    lineY(some(false), {
      ...look,
      strokeWidth: ({ policy }: Point) => (policy === chosen ? 2.8 : 1.6),
    }),
  ];
}
