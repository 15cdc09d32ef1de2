// Elements in one expression. Text is never read as markup.

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// A labelled choice; `chosen` is told the value.
export function choice<Value extends string>(
  label: string,
  options: readonly (readonly [Value, string])[],
  first: Value,
  chosen: (value: Value) => void,
): HTMLElement {
  const select = h("select", { change: () => chosen(select.value as Value) });
  for (const [value, words] of options) {
    select.append(h("option", { value, selected: value === first }, words));
  }
  return h("label", { class: "choice" }, label + " ", select);
}

// What is drawn anew when its width changes or somebody asks for it.
export class Canvas {
  readonly element = h("div", { class: "canvas" });
  private width = 0;

  constructor(private readonly draw: (width: number) => Node) {
    // Not at once: what is drawn changes the height, and the observer would have to look again.
    new ResizeObserver(() =>
      requestAnimationFrame(() => {
        if (this.element.clientWidth !== this.width) this.redraw();
      }),
    ).observe(this.element);
  }

  redraw(): void {
    this.width = this.element.clientWidth;
    this.element.replaceChildren(this.draw(this.width || 640));
  }
}

// A part of the page: a heading, what it shows in a sentence or two, and the rest.
export function section(heading: string, words: string, ...rest: Child[]): HTMLElement {
  const id = heading.toLowerCase().replace(/[^a-z]+/g, "-");
  return h(
    "section",
    { "aria-labelledby": id },
    h("h2", { id }, heading),
    h("p", { class: "words" }, words),
    ...rest,
  );
}

// Terms and what they mean, one line each.
export function terms(entries: readonly (readonly [string, string])[]): HTMLElement {
  const list = h("dl", { class: "terms" });
  for (const [term, words] of entries) {
    list.append(h("div", {}, h("dt", {}, term), h("dd", {}, words)));
  }
  return list;
}
