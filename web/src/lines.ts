// A line for each policy, the default above the others, in the same manner wherever lines are.
import { dot, lineY, type Markish } from "@observablehq/plot";
import { type Colours, isFree } from "./policies";

export function policyLines<Point extends { policy: string }>(
  points: readonly Point[],
  x: keyof Point & string,
  y: keyof Point & string,
  chosen: string | null,
  colours: Colours,
): Markish[] {
  const few = new Set(points.map((point) => point[x])).size < 40;
  const colour = ({ policy }: Point) => colours.get(policy);
  const look = { x, y, z: "policy", stroke: colour };
  const some = (wanted: (policy: string) => boolean) =>
    points.filter(({ policy }) => wanted(policy));
  return [
    lineY(
      some((policy) => !isFree(policy) && policy !== chosen),
      { ...look, strokeWidth: 1.6 },
    ),
    lineY(some(isFree), { ...look, strokeWidth: 2, strokeDasharray: "5 3" }),
    lineY(
      some((policy) => policy === chosen && !isFree(policy)),
      { ...look, strokeWidth: 2.8 },
    ),
    ...(few ? [dot(points, { x, y, fill: colour, r: 3.5 })] : []),
  ];
}
