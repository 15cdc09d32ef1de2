// Everything that is needed to run it again, folded away.
import type { Manifest } from "./data";
import { h } from "./dom";

function isTable(value: unknown): value is Record<string, unknown> {
  if (Array.isArray(value)) return value.some((part) => typeof part === "object");
  return typeof value === "object" && value !== null;
}

function valueOf(value: unknown): Node | string {
  if (isTable(value)) return tableOf(value);
  if (Array.isArray(value)) return value.join(", ");
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
  const entries = Object.entries(more);
  const lines = entries.filter(([, value]) => !isTable(value));
  const parts = entries
    .filter(([, value]) => isTable(value))
    .map(([name, value]) =>
      h("details", {}, h("summary", {}, name), h("div", { class: "scroll" }, valueOf(value))),
    );
  return h(
    "section",
    { class: "manifest" },
    h(
      "details",
      {},
      h("summary", {}, h("h2", {}, "How it was run")),
      h(
        "p",
        {},
        `Headroom ${version}, seed ${seed}. On the same kind of machine the same command ` +
          "with the same version gives the same figures.",
      ),
      h("pre", {}, h("code", {}, command)),
      tableOf(Object.fromEntries(lines)),
      ...parts,
    ),
  );
}
