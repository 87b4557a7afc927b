// Lists the texts of the page whose contrast (WCAG 2.1) with what lies behind them is below 4.5, or below 3 for the
// letters within the discs and bars of a drawing, which are drawn bold.
(() => {
  const channels = text => {
    const found = text.match(/^rgba?\(([^)]*)\)$/);
    if (!found) return null;
    const [r, g, b, a = 1] = found[1].split(/[ ,/]+/).map(Number);
    return { r, g, b, a };
  };
  const luminance = ({ r, g, b }) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  // ground is the colour behind a text: all that is painted there, from the page up to the text.
  const ground = (text, x, y) => {
    const stack = document.elementsFromPoint(x, y);
    const below = stack.slice(stack.indexOf(text) + 1).reverse();
    let colour = channels(getComputedStyle(document.body).backgroundColor), shape = false;
    if (colour.a === 0) colour = { r: 255, g: 255, b: 255, a: 1 };
    const own = channels(getComputedStyle(text).backgroundColor);
    for (const e of below) {
      const style = getComputedStyle(e), svg = e instanceof SVGGeometryElement;
      const paint = channels(svg ? style.fill : style.backgroundColor);
      if (!paint) continue;
      if (svg) paint.a *= Number(style.fillOpacity);
      shape ||= svg && ["circle", "path"].includes(e.tagName) && paint.a > 0 && e.closest(".graph");
      colour = over(paint, colour);
    }
    if (own && !(text instanceof SVGElement)) colour = over(own, colour);
    return { colour, shape };
  };
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement, range = document.createRange();
    if (!node.textContent.trim() || ["SCRIPT", "STYLE", "title"].includes(e.tagName) || !e.checkVisibility()) continue;
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const x = box.x + Math.min(box.width / 2, 60), y = box.y + box.height / 2;
    const style = getComputedStyle(e), ink = channels(e instanceof SVGElement ? style.fill : style.color);
    if (!ink || box.width === 0) continue;
    const { colour, shape } = ground(e, x, y);
    const [a, b] = [luminance(over(ink, colour)), luminance(colour)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < (shape ? 3 : 4.5)) found.push(`${node.textContent.trim().slice(0, 40)}: contrast ${ratio.toFixed(2)}`);
  }
  return [...new Set(found)];
})()
