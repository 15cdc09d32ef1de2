// Where the labels of dots stand so that they hide neither each other nor another dot.
import type { Scale } from "@observablehq/plot";

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
export interface Label<One> {
  one: One;
  dx: number;
  dy: number;
  anchor: "start" | "end" | "middle";
}

const letter = 6.4; // pixels, about
const high = 13;

const tries = [
  { dx: 10, dy: 0, anchor: "start" },
  { dx: -10, dy: 0, anchor: "end" },
  { dx: 0, dy: -14, anchor: "middle" },
  { dx: 0, dy: 14, anchor: "middle" },
  { dx: 10, dy: -13, anchor: "start" },
  { dx: 10, dy: 13, anchor: "start" },
  { dx: -10, dy: -13, anchor: "end" },
  { dx: -10, dy: 13, anchor: "end" },
  { dx: 12, dy: -26, anchor: "start" },
  { dx: 12, dy: 26, anchor: "start" },
  { dx: -12, dy: -26, anchor: "end" },
  { dx: -12, dy: 26, anchor: "end" },
] as const;

function overlap(a: Box, b: Box): number {
  const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return across > 0 && down > 0 ? across * down : 0;
}

function boxOf(x: number, y: number, words: string, at: (typeof tries)[number]): Box {
  const wide = words.length * letter;
  const left = x + at.dx - (at.anchor === "start" ? 0 : at.anchor === "end" ? wide : wide / 2);
  const top = y + at.dy - high / 2;
  return { left, right: left + wide, top, bottom: top + high };
}

// One after the other, each where it covers least; outside of the chart counts as covered.
export function place<One extends { x: number; y: number; policy: string }>(
  dots: readonly One[],
  across: Scale,
  up: Scale,
  width: number,
): Label<One>[] {
  const spots = dots.map((one) => ({ one, x: across.apply(one.x), y: up.apply(one.y) }));
  const taken: Box[] = spots.map(({ x, y }) => ({
    left: x - 6,
    right: x + 6,
    top: y - 6,
    bottom: y + 6,
  }));
  return spots.map(({ one, x, y }) => {
    let best: (typeof tries)[number] = tries[0];
    let least = Infinity;
    for (const at of tries) {
      const box = boxOf(x, y, one.policy, at);
      const outside = Math.max(0, box.right - width + 4) + Math.max(0, 48 - box.left);
      const covered = taken.reduce((sum, other) => sum + overlap(box, other), 0) + outside * high;
      if (covered < least) [best, least] = [at, covered];
    }
    taken.push(boxOf(x, y, one.policy, best));
    return { one, ...best };
  });
}
