// Numbers as people read them.
import type { Interval } from "./data";
import type { Form } from "./figures";

const none = "–";
const percent = "\u00a0%"; // never on a line of its own

function grouped(value: number, digits: number): string {
  const text = value.toLocaleString("en-GB", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return text.replace("-", "−");
}

function digitsOf(size: number, form: Form): number {
  if (form === "share") return size >= 0.1 ? 1 : 2;
  if (form === "minutes") return 2;
  if (form === "count") return 0;
  return size >= 100 ? 0 : size >= 1 ? 2 : 4;
}

// `size` says how many digits make sense; it is the value's own unless a column shares one.
export function number(
  value: number | null | undefined,
  form: Form,
  size = Math.abs(value ?? 0),
): string {
  if (value === null || value === undefined) return none;
  const digits = digitsOf(size, form);
  return form === "share" ? grouped(100 * value, digits) + percent : grouped(value, digits);
}

// With a sign, and none where it is 0 as written.
export function signed(value: number | null, form: Form, size?: number): string {
  const text = number(value, form, size);
  if (!/[1-9]/.test(text)) return text.replace("−", "");
  return value !== null && value > 0 ? "+" + text : text;
}

export function halfWidth(interval: Interval): number | null {
  if (interval.low === null || interval.high === null) return null;
  return (interval.high - interval.low) / 2;
}

// "6,501 ± 87", shares without their sign; without the second where there was one seed only.
export function withHalf(interval: Interval | null | undefined, form: Form): string {
  if (!interval || interval.mean === null) return none;
  const half = halfWidth(interval);
  if (half === null) return number(interval.mean, form);
  const bare = (value: number) =>
    number(value, form, Math.abs(interval.mean!)).replace(percent, "");
  return `${bare(interval.mean)} ± ${bare(half)}`;
}

// "−74"; shares without their sign, for where a head or a sentence has it.
export function bareSigned(value: number | null, form: Form, size?: number): string {
  return signed(value, form, size).replace(percent, "");
}

// "−90 to −58"; nothing where there was one seed only.
export function range(interval: Interval, form: Form): string {
  const { mean, low, high } = interval;
  if (mean === null || low === null || high === null) return "";
  const size = Math.abs(mean);
  return `${bareSigned(low, form, size)} to ${bareSigned(high, form, size)}`;
}

// Whether the difference is more than chance.
export function isClear(interval: Interval | null | undefined): boolean {
  if (!interval || interval.low === null || interval.high === null) return false;
  return interval.low > 0 || interval.high < 0;
}

const clock = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});
const date = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
export const momentWords = (at: number): string => clock.format(at);
export const dateWords = (at: number): string => date.format(at);

export const share = (value: number | null): string => number(value, "share");
export const count = (value: number | null): string => number(value, "count");
