// Keeps ticks and notes of a checklist in the browser, and counts them. The page does without.
"use strict";
(() => {
  const list = document.getElementById("list");
  const steps = [...list.querySelectorAll(".step")];
  const prefix = "buildcheck checklist\n" + list.dataset.build + "\n";

  // Storage may be full, forbidden, or not there at all.
  const tried = (work) => {
    try {
      return work();
    } catch {
      return null;
    }
  };
  const fields = steps.flatMap((step) => [...step.querySelectorAll("input")].map((input) => ({ step, input })));
  const key = (step, input) => prefix + step.dataset.key + "\n" + (input.dataset.field || "tick");
  const value = (input) => (input.type === "checkbox" ? (input.checked ? "yes" : "") : input.value);

  const show = (input, kept) => {
    if (input.type === "checkbox") input.checked = kept === "yes";
    else input.value = kept || "";
  };
  const keep = (step, input) =>
    tried(() => {
      if (value(input)) localStorage.setItem(key(step, input), value(input));
      else localStorage.removeItem(key(step, input));
    });

  const count = () => {
    for (const place of document.querySelectorAll(".progress")) {
      const within = steps.filter((step) => step.parentElement.dataset.phase === place.dataset.phase);
      const done = within.filter((step) => step.querySelector("input").checked).length;
      place.textContent = done + " of " + within.length;
      place.classList.toggle("done", done === within.length);
    }
  };

  for (const { step, input } of fields) {
    const kept = tried(() => localStorage.getItem(key(step, input)));
    show(input, kept);
    if (kept) step.closest("details").open = true;
    input.addEventListener("input", () => {
      keep(step, input);
      count();
    });
  }

  document.getElementById("clear").addEventListener("click", () => {
    if (!window.confirm("Clear all ticks and notes of this checklist?")) return;
    for (const { step, input } of fields) {
      show(input, "");
      keep(step, input);
    }
    count();
  });
  document.getElementById("tools").hidden = false;
  count();
})();
