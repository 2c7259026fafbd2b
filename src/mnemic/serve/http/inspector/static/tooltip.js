// One tooltip for the page: whatever has data-tip says it while the pointer or the keyboard is on it.

import { h } from "./dom.js";

const GAP = 8; // pixels to the element and to the edges of the window

export function startTooltips() {
  const tip = h("div", { class: "tip", "aria-hidden": "true", hidden: true });
  document.body.append(tip);
  const hide = () => { tip.hidden = true; };
  const show = (event) => {
    const target = event.target.closest?.("[data-tip]");
    if (!target) return hide();
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    const [at, own] = [target.getBoundingClientRect(), tip.getBoundingClientRect()];
    const below = at.bottom + GAP + own.height < window.innerHeight;
    tip.style.top = `${below ? at.bottom + GAP : Math.max(GAP, at.top - GAP - own.height)}px`;
    tip.style.left = `${Math.max(GAP, Math.min(at.left + at.width / 2 - own.width / 2, window.innerWidth - own.width - GAP))}px`;
    return undefined;
  };
  document.addEventListener("pointerover", (event) => event.pointerType !== "touch" && show(event));
  document.addEventListener("focusin", (event) => (event.target.matches?.(":focus-visible") ? show(event) : hide()));
  for (const end of ["focusout", "pointerdown", "keydown", "scroll"]) document.addEventListener(end, hide, { capture: true, passive: true });
}
