// The drawing as a picture of its own: all of the graph, in the colours of the page, with no style sheet.

const INHERITED = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-family", "font-size", "font-weight",
  "font-style", "text-anchor", "dominant-baseline", "paint-order",
]
const UNSEEN = ".hits, .band, .box, .rim, .track, .card > title"
const FRAME = 28 // room around the graph

// A large graph, most of which is not drawn, is drawn while the picture is taken, but not laid out for the screen; and
// what has the same classes looks the same there, as nobody hovers over what is not seen.
function take_picture({drawing, root, legend}) {
  const {svg, viewport, sight} = drawing
  const background = getComputedStyle(root).backgroundColor
  const classes = svg.getAttribute("class") // some leave out what is too small on the screen
  svg.setAttribute("class", "graph")
  if (sight.whole) {
    const [copy, box] = [copy_drawing(svg), viewport.getBBox()]
    svg.setAttribute("class", classes)
    return frame_picture(copy, add_legend(legend, copy, box), background)
  }
  svg.style.display = "none"
  const copy = sight.wholly(() => copy_drawing(svg, new Map()))
  svg.style.display = ""
  svg.setAttribute("class", classes)
  const boxes = [...drawing.nodes.map(with_card), ...drawing.factors.all, ...drawing.hulls.map(({box}) => box)]
  const [left, top, right, bottom] = box_around(boxes)
  const box = {x: left - HULL, y: top - 2 * HULL, width: right - left + 2 * HULL, height: bottom - top + 3 * HULL}
  return frame_picture(copy, add_legend(legend, copy, box), background)
}

// A copy in which every element says what the style sheets say of it. `known` are looks to be used again.
function copy_drawing(svg, known = null) {
  const copy = svg.cloneNode(true)
  const [originals, copies] = [svg, copy].map((one) => [one, ...one.querySelectorAll("*")])
  const kinds = new Map()
  originals.forEach((element, k) => {
    if (element.tagName === "title") return
    const kind = known && `${kinds.get(element.parentNode)} ${kind_of(element)}`
    kinds.set(element, kind)
    const look = known?.get(kind) ?? find_look(element)
    known?.set(kind, look)
    for (const [key, value] of Object.entries(look)) copies[k].setAttribute(key, value)
  })
  copy.querySelectorAll(`[data-unseen], ${UNSEEN}`).forEach((element) => element.remove())
  for (const element of [copy, ...copy.querySelectorAll("*")]) strip(element)
  copy.querySelector("g").removeAttribute("transform") // the view's
  return copy
}

function kind_of(element) {
  const say = (key) => element.getAttribute(key) ?? ""
  return [element.tagName, say("class"), say("data-role"), say("font-size"), say("stroke-width")].join("|")
}

function frame_picture(copy, {x, y, width, height}, background) {
  const box = [x - FRAME, y - FRAME, width + 2 * FRAME, height + 2 * FRAME].map(Math.round)
  for (const [key, value] of Object.entries({viewBox: box.join(" "), width: box[2], height: box[3]}))
    copy.setAttribute(key, value)
  add_background(copy, background, ...box)
  return copy
}

// What the style sheets say of an element, as attributes.
function find_look(element) {
  const [style, above] = [element, element.parentNode].map((one) => getComputedStyle(one))
  const top = element.tagName === "svg"
  if (!top && (style.display === "none" || style.visibility === "hidden")) return {"data-unseen": ""}
  const look = {}
  for (const key of INHERITED) {
    const value = style.getPropertyValue(key)
    if (!top && value === above.getPropertyValue(key)) continue
    const is_colour = (key === "fill" || key === "stroke") && value !== "none"
    const [plain, opacity] = is_colour ? plain_colour(value) : [value, 1]
    look[key] = plain
    if (is_colour) look[`${key}-opacity`] = opacity
  }
  if (style.opacity !== "1") look.opacity = style.opacity
  if (style.transform !== "none" && !element.hasAttribute("transform")) look.transform = style.transform
  return look
}

// Leave out what only the page needs.
function strip(element) {
  for (const {name} of [...element.attributes])
    if (/^(class|style|tabindex|role)$|^(data|aria)-/.test(name)) element.removeAttribute(name)
}
