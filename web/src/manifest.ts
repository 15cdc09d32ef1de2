// Everything that is needed to run it again, folded away.
import type { Manifest } from "./data";
import { h } from "./dom";

function valueOf(value: unknown): Node | string {
  if (Array.isArray(value) && value.every((part) => typeof part !== "object")) return value.join(", ");
  if (typeof value === "object" && value !== null) return tableOf(value as Record<string, unknown>);
  return value === null ? "–" : String(value);
}

function tableOf(values: Record<string, unknown>): HTMLElement {
  const body = h("tbody");
  for (const [name, value] of Object.entries(values)) {
    body.append(h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, valueOf(value))));
  }
  return h("table", { class: "settings" }, body);
}

export function manifestView(manifest: Manifest): HTMLElement {
  const { version, command, seed, ...more } = manifest;
  const parts = Object.entries(more).map(([name, values]) =>
    h("details", {}, h("summary", {}, name), h("div", { class: "scroll" }, valueOf(values))));
  return h("section", { class: "manifest" },
    h("details", {},
      h("summary", {}, h("h2", {}, "How it was run")),
      h("p", {}, `Headroom ${version}, seed ${seed}. The same command with the same version gives the same figures.`),
      h("pre", {}, h("code", {}, command)),
      ...parts));
}
