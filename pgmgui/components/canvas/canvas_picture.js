// The drawing as a picture of its own: all of the graph, in the colours of the page, with no style sheet.

const INHERITED = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-family", "font-size", "font-weight",
  "font-style", "text-anchor", "dominant-baseline", "paint-order",
]
const UNSEEN = ".hits, .band, .box, .rim, .track, .card > title"
const FRAME = 28 // room around the graph

function take_picture({drawing, root}) {
  const {svg, viewport} = drawing
  const copy = svg.cloneNode(true)
  const [originals, copies] = [svg, copy].map((one) => [one, ...one.querySelectorAll("*")])
  const seen = originals.map((element, k) => inline(element, copies[k]))
  copies.forEach((element, k) => seen[k] || element.remove())
  copy.querySelectorAll(UNSEEN).forEach((element) => element.remove())
  for (const element of [copy, ...copy.querySelectorAll("*")]) strip(element)
  copy.firstElementChild.removeAttribute("transform") // the view's
  const {x, y, width, height} = viewport.getBBox()
  const box = [x - FRAME, y - FRAME, width + 2 * FRAME, height + 2 * FRAME].map(Math.round)
  for (const [key, value] of Object.entries({viewBox: box.join(" "), width: box[2], height: box[3]}))
    copy.setAttribute(key, value)
  add_background(copy, getComputedStyle(root).backgroundColor, ...box)
  return copy
}

// Write into an element what the style sheets say of its original. Whether that is seen at all.
function inline(original, copy) {
  if (original.tagName === "title") return true
  const [style, above] = [original, original.parentNode].map((element) => getComputedStyle(element))
  if (style.display === "none" || style.visibility === "hidden") return false
  const top = original.tagName === "svg"
  for (const key of INHERITED) {
    const value = style.getPropertyValue(key)
    if (!top && value === above.getPropertyValue(key)) continue
    const is_colour = (key === "fill" || key === "stroke") && value !== "none"
    const [plain, opacity] = is_colour ? plain_colour(value) : [value, 1]
    copy.setAttribute(key, plain)
    if (is_colour) copy.setAttribute(`${key}-opacity`, opacity)
  }
  if (style.opacity !== "1") copy.setAttribute("opacity", style.opacity)
  if (style.transform !== "none" && !original.hasAttribute("transform")) copy.setAttribute("transform", style.transform)
  return true
}

// Leave out what only the page needs.
function strip(element) {
  for (const {name} of [...element.attributes])
    if (/^(class|style|tabindex|role)$|^(data|aria)-/.test(name)) element.removeAttribute(name)
}
