// What is asked of a page, by name: `//: name`, then what it finds, then a function.
// `COLOURS;` stands for what is below that name.

//: witness
// Runs before anything of a page, and under its policy: notes what the policy forbade, and
// names elements by where they stand.
window.__name = e => {
  const path = [];
  for (; e && e !== document.body; e = e.parentElement) {
    const hint = e.id ? "#" + e.id : e.getAttribute("class") ? "." + e.getAttribute("class").trim().replace(/\s+/g, ".")
      : e.hasAttribute("aria-labelledby") ? `[aria-labelledby=${e.getAttribute("aria-labelledby")}]` : "";
    path.unshift(e.localName + hint);
    if (e.id) break;
  }
  return path.join(" > ");
};
window.__forbidden = [];
document.addEventListener("securitypolicyviolation", e =>
  window.__forbidden.push(`${e.violatedDirective} ${e.blockedURI} line ${e.lineNumber} ${e.sample}`));

//: axe
options => axe.run(document, {resultTypes: ["violations"], ...options}).then(result =>
  result.violations.flatMap(v => v.nodes.map(n =>
    `${v.id} at ${n.target}: ${n.failureSummary.replace(/\s+/g, " ")} in ${n.html.slice(0, 160)}`)))

//: texts
// Every text of a page in order. Texts in what only scripts fill are left out: counts, buttons.
() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walk.nextNode()) {
    const text = walk.currentNode.data.trim(), at = walk.currentNode.parentElement;
    if (text && !at.closest("script, style, button, output, progress, [role=status], .progress, .comfort")) found.push(text);
  }
  return found;
}

//: first
// What has to be on the first two sheets: verdict, slot map, findings, parts, sums, signatures.
() => [...document.querySelectorAll(
  ".verdict .answer, #slots, .finding.error > summary, .finding.warning > summary, .lines .name, .lines tfoot .total, .sign tr",
)].map(e => e.textContent)

//: too_wide
// What is wider than the window though it does not lie in a box that scrolls.
() => {
  const root = document.documentElement, found = [];
  const scrolls = e => e && e !== root && e !== document.body
    && (/auto|scroll|hidden|clip/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} px wide`);
  for (const e of document.body.querySelectorAll("*")) {
    const box = e.getBoundingClientRect();
    if (box.width && box.right > innerWidth + 1 && !scrolls(e.parentElement) && !e.closest("svg svg, .skip"))
      found.push(`${window.__name(e)} ends at ${Math.round(box.right)} px`);
  }
  return found.slice(0, 8);
}

//: unreached
// Boxes that scroll and that no key reaches, and boxes that cut their text off.
() => [...document.body.querySelectorAll("*")].flatMap(e => {
  const style = getComputedStyle(e), name = window.__name(e);
  if (e.scrollWidth <= e.clientWidth + 1 || style.display === "inline" || e.closest("svg")) return [];
  if (/auto|scroll/.test(style.overflowX))
    return e.matches("[tabindex='0']") || e.querySelector("a[href], button, input, summary, [tabindex='0']")
      ? [] : [`${name} scrolls and takes no focus`];
  return /hidden|clip/.test(style.overflowX) && e.clientWidth > 1 ? [`${name} cuts its text off`] : [];
})

//: colours
  const rgba = text => { const n = (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (top, below) => [0, 1, 2].map(i => top[3] * top[i] + (1 - top[3]) * below[i]).concat(1);
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };

//: faint
// Texts that stand out too little from the ground of the boxes they are in. Axe looks closer, and
// takes a hundred times as long.
() => {
  COLOURS;

  const found = new Map();
  for (const e of document.body.querySelectorAll("*")) {
    if (e.closest("svg, :disabled") || !e.checkVisibility({visibilityProperty: true})) continue;
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const style = getComputedStyle(e), layers = [], fore = rgba(style.color);
    for (let at = e; at; at = at.parentElement) {
      const own = getComputedStyle(at);
      fore[3] *= own.opacity;
      layers.push(rgba(own.backgroundColor));
    }
    const below = layers.reduceRight((ground, top) => over(top, ground), [255, 255, 255, 1]);
    const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    const stands = ratio(over(fore, below), below);
    if (stands < (large ? 3 : 4.5)) found.set(`${style.color} on rgb(${below.slice(0, 3)})`, `${stands.toFixed(1)}:1 ${window.__name(e)}`);
  }
  return [...found].map(([colours, where]) => `${where} ${colours}`);
}

//: pale
// Texts of drawings that stand out too little from what lies below them; axe does not look there.
() => {
  COLOURS;

  const ground = (stack) => {
    const layers = [];
    for (const e of stack) {
      const style = getComputedStyle(e), shape = e instanceof SVGGeometryElement;
      const colour = rgba(shape ? (style.fill === "none" ? "rgba(0, 0, 0, 0)" : style.fill) : style.backgroundColor);
      colour[3] *= (shape ? style.fillOpacity : 1) * style.opacity;
      layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reduceRight((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  const found = [];
  for (const text of document.querySelectorAll("svg text")) {
    if (!text.textContent.trim()) continue;
    text.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
    const box = text.getBoundingClientRect(), style = getComputedStyle(text);
    if (!box.width) continue;
    const drawing = text.ownerSVGElement;
    for (const share of [.02, .25, .5, .75, .98]) {
      const x = box.x + share * box.width, y = box.y + box.height / 2;
      const stack = document.elementsFromPoint(x, y).filter(e => !(e instanceof SVGTextContentElement));
      if (!stack.includes(drawing)) continue;
      const halo = style.paintOrder.startsWith("stroke") && style.stroke !== "none" && parseFloat(style.strokeWidth) >= 2;
      const below = halo ? rgba(style.stroke) : ground(stack);
      const fore = rgba(style.fill); fore[3] *= style.fillOpacity * style.opacity;
      const stands = ratio(over(fore, below), below);
      if (stands < 4.5) { found.push(`${stands.toFixed(1)}:1 "${text.textContent.trim().slice(0, 40)}" class="${text.getAttribute("class")}" ${style.fill} on rgb(${below.slice(0, 3)})`); break; }
    }
  }
  return found;
}

//: crowded
// Texts of drawings that reach out of them or lie on one another.
() => [...document.querySelectorAll("svg")].flatMap(drawing => {
  const frame = drawing.getBoundingClientRect(), found = [];
  const texts = [...drawing.querySelectorAll("text")].filter(t => t.textContent.trim())
    .map(t => [t.textContent.trim().slice(0, 40), t.getBoundingClientRect()]).filter(([, box]) => box.width);
  texts.forEach(([words, box], n) => {
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      found.push(`"${words}" reaches out of ${window.__name(drawing)}`);
    for (const [other, next] of texts.slice(n + 1)) {
      const across = Math.min(box.right, next.right) - Math.max(box.left, next.left);
      const down = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
      if (across > 2 && down > .4 * Math.min(box.height, next.height))
        found.push(`"${words}" lies on "${other}" in ${window.__name(drawing)}`);
    }
  });
  return found;
})

//: focused
// What has the focus, and how a reader sees that it has.
() => {
  const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
  const last = window.__last || document.body, after = last.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING;
  window.__last = e;
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  const within = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const x = Math.min(Math.max(box.left + 3, 0), innerWidth - 1), y = box.top + box.height / 2;
  const top = document.elementFromPoint(x, Math.min(Math.max(y, 1), innerHeight - 1));
  return {after: !!after, name: `${window.__name(e)} ${e.textContent.trim().slice(0, 40)}`,
    tag: e.localName, href: e.getAttribute("href"), main: !!e.closest("main"), ring, within,
    covered: !!top && !e.contains(top) && !top.contains(e)};
}

//: stops
// How many elements the Tab key should reach.
() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter(e => !e.disabled && e.tabIndex >= 0 && e.checkVisibility({visibilityProperty: true})).length

//: on_paper
// What has to stand on paper: headings, rows, and every text but what the style leaves off it.
// What is folded up in a finding is not left off for that.
() => {
  const printed = e => e.checkVisibility({visibilityProperty: true});
  const leftOff = e => e && (getComputedStyle(e).display === "none" || leftOff(e.parentElement));
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), texts = [];
  while (walk.nextNode()) {
    const at = walk.currentNode.parentElement;
    if (at.closest("script, style, button, output, progress, svg title, svg desc")) continue;
    const folded = at.closest("article details, .finding details");
    if (printed(at) || folded && printed(folded) && !leftOff(at)) texts.push(walk.currentNode.data);
  }
  const rows = [...document.querySelectorAll("main tr")].filter(printed);
  return {
    texts,
    headings: [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(printed).map(e => e.textContent),
    rows: rows.map(r => [...r.cells].filter(printed).map(c => c.textContent)),
  };
}

//: elements
// How many elements of each name there are.
() => {
  const count = {};
  for (const e of document.querySelectorAll("*")) count[e.localName] = (count[e.localName] || 0) + 1;
  return count;
}

//: alive
// What could run or load something, other than the page's own script.
() => [...document.querySelectorAll("*")].flatMap(e => {
  const bad = [...e.attributes].filter(a => /^on/i.test(a.name) || (a.name === "style")
    || (/^(href|src|xlink:href|action|data)$/i.test(a.name) && /^\s*(javascript|data|vbscript):/i.test(a.value)));
  const loads = /^(img|iframe|object|embed|link|base|form|video|audio|foreignObject|animate|set)$/i.test(e.localName);
  return loads || bad.length ? [e.outerHTML.slice(0, 160)] : [];
})

//: cut_words
// The words of a block of code that stand on two lines.
pre => {
  const walk = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT), cut = [];
  while (walk.nextNode()) {
    const words = walk.currentNode.data.matchAll(/[^\s,]+/g);
    for (const word of words) {
      const range = document.createRange();
      range.setStart(walk.currentNode, word.index);
      range.setEnd(walk.currentNode, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) cut.push(word[0]);
    }
  }
  return cut;
}

//: keeps_nothing
// What a browser does that keeps nothing; before anything of a page.
Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } });
