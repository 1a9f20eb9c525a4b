// Elements: made without any markup in strings, so that no text can become code.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

/** Makes an element; `onclick` and the like become listeners, `class` and others attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "style") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(parent: Node, children: (Child | Child[])[]): void {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replaces all that is in an element. Whoever is in it with the keyboard stays where they are, and what was typed stays. */
export function fill(element: Element, ...children: (Child | Child[])[]): void {
  const held = element.contains(document.activeElement) ? document.activeElement : null;
  const typed = [...element.querySelectorAll<HTMLInputElement>("input[name]")].filter((input) => input.value !== input.defaultValue);
  element.replaceChildren();
  append(element, children);
  for (const { name, value } of typed) {
    const again = element.querySelector<HTMLInputElement>(`input[name="${CSS.escape(name)}"]`);
    if (again) again.value = value;
  }
  if (held) refocus(element, held);
}

/** Focuses what took the place of an element: the same link, or the same name. */
function refocus(parent: Element, gone: Element): void {
  const key = ["href", "name"].find((key) => gone.hasAttribute(key));
  if (!key) return;
  const again = parent.querySelector<HTMLElement>(`[${key}="${CSS.escape(gone.getAttribute(key) ?? "")}"]`);
  again?.focus({ preventScroll: true });
}

/** Tells something in the corner for a while. */
export function notice(text: string, kind: "good" | "bad" = "good"): void {
  const box = h("div", { class: `notice ${kind}` }, text);
  document.getElementById("notices")?.appendChild(box);
  setTimeout(() => box.remove(), kind === "bad" ? 12_000 : 4_000);
}

/** Calls `draw` once per frame however often it is asked for. */
export function onceAFrame(draw: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

/** What may be wider than the page scrolls in a place of its own, which the keyboard reaches. */
export function sideways(label: string, ...children: (Child | Child[])[]): HTMLElement {
  return h("div", { class: "sideways", role: "region", tabindex: "0", "aria-label": label }, ...children);
}

/** The heading of a page, and under it what belongs to it in a few words. */
export function heading(title: string, about: Child): HTMLElement {
  return h("div", { class: "heading" }, h("h1", {}, title), about ? h("p", { class: "soft" }, about) : null);
}

/** A card with a heading and a sentence that says what is seen. */
export function card(title: string, about: Child, ...children: (Child | Child[])[]): HTMLElement {
  return h(
    "section",
    { class: "card", "aria-label": title },
    h("div", { class: "card-head" }, h("h2", {}, title), h("p", {}, about)),
    ...children,
  );
}
