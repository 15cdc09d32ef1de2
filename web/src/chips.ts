// The legend of a chart, in which policies are turned on and off.
import { h } from "./dom";
import { swatch } from "./table";
import type { Colours } from "./policies";

export function chips(
  policies: readonly string[],
  shown: Set<string>,
  colours: Colours,
  changed: () => void,
): HTMLElement {
  const group = h("fieldset", { class: "chips" }, h("legend", {}, "Lists by"));
  for (const policy of policies) {
    const box = h("input", {
      type: "checkbox",
      checked: shown.has(policy),
      change: () => {
        if (box.checked) shown.add(policy);
        else shown.delete(policy);
        changed();
      },
    });
    group.append(h("label", { class: "chip" }, box, swatch(colours.get(policy)), policy));
  }
  return group;
}
