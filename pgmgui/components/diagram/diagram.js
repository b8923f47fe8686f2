// Boxes, lines and frames at given places. Python owns them: on mount we send `ready`, and draw each message we are sent;
// a press on a box is sent as `press`. Texts are untrusted: they only ever pass through textContent and setAttribute.

const SVG = "http://www.w3.org/2000/svg"
const EDGE = 10 // room around the drawing
const HEAD = 8 // the length of an arrow's head
const LEAST_ZOOM = 0.15
const LEGIBLE = 0.5 // what is drawn at first is no smaller
const MOST_ZOOM = 3
const WAYS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}

function make(kind, attributes, parent, text = "") {
  const element = document.createElementNS(SVG, kind)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  if (text) element.textContent = text
  parent?.append(element)
  return element
}

function trace(points, arrow) {
  const path = points.map(([x, y], k) => `${k ? "L" : "M"}${x} ${y}`).join("")
  if (!arrow) return [path, ""]
  const [[ax, ay], [bx, by]] = points.slice(-2)
  const length = Math.hypot(bx - ax, by - ay) || 1
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length]
  const [cx, cy] = [bx - ux * HEAD, by - uy * HEAD]
  return [path, `M${bx} ${by}L${cx - uy * 4} ${cy + ux * 4}L${cx + uy * 4} ${cy - ux * 4}Z`]
}

class Sheet {
  constructor(root, press) {
    Object.assign(this, {press, zoom: 1, reached: "", boxes: [], size: [1, 1]})
    const tools = document.createElement("div")
    tools.className = "tools"
    this.button(tools, "−", "Smaller (−)", () => this.zoom_by(0.8))
    this.button(tools, "+", "Larger (+)", () => this.zoom_by(1.25))
    this.button(tools, "Fit", "See all of it (0)", () => this.fit())
    this.scroll = document.createElement("div")
    this.scroll.className = "scroll"
    this.svg = make("svg", {role: "group"}, this.scroll)
    root.append(tools, this.scroll)
    this.scroll.addEventListener("keydown", (event) => this.key(event) && event.preventDefault())
  }

  button(parent, text, about, action) {
    const button = document.createElement("button")
    Object.assign(button, {type: "button", textContent: text, title: about})
    button.setAttribute("aria-label", about)
    button.addEventListener("click", action)
    parent.append(button)
  }

  draw({boxes, lines, frames, label, fitted}) {
    const held = this.svg.contains(this.svg.getRootNode().activeElement)
    this.svg.replaceChildren()
    this.svg.setAttribute("aria-label", label)
    const things = [...boxes, ...frames]
    this.size = ["x", "y"].map((side, k) => {
      return Math.max(1, ...things.map((one) => one[side] + one[k ? "height" : "width"])) + 2 * EDGE
    })
    this.svg.setAttribute("viewBox", `${-EDGE} ${-EDGE} ${this.size.join(" ")}`)
    for (const {x, y, width, height, look} of frames) make("rect", {class: `frame ${look}`, x, y, width, height, rx: 12}, this.svg)
    lines.forEach((line) => this.draw_line(line))
    for (const {x, y, title} of frames) if (title) make("text", {class: "title", x: x + 10, y: y + 16}, this.svg, title)
    this.boxes = boxes.map((box) => ({...box, element: this.draw_box(box)}))
    const pressable = this.boxes.filter(({key}) => key)
    // Tab leads to one box, the last that was reached; arrows lead on.
    const here = pressable.find(({key}) => key === this.reached) ?? pressable[0]
    here?.element.setAttribute("tabindex", "0")
    if (held) here?.element.focus({preventScroll: true})
    this.scroll.tabIndex = here ? -1 : 0
    if (label !== this.label) {
      this.label = label
      this.scroll.scrollTo(0, 0)
      this.zoom = 1
      if (fitted) this.zoom = Math.min(Math.max(this.room()[0], LEGIBLE), 1)
    }
    this.resize()
  }

  draw_line({points, arrow, text, at, look}) {
    const [path, head] = trace(points, arrow)
    make("path", {class: `line ${look}`, d: path}, this.svg)
    if (head) make("path", {class: `head ${look}`, d: head}, this.svg)
    if (!text) return
    const [from, to] = [points[0], points.at(-1)]
    const [x, y] = at ?? [(from[0] + to[0]) / 2 + 6, (from[1] + to[1]) / 2]
    make("text", {class: "beside", x, y}, this.svg, text)
  }

  draw_box(box) {
    const {key, x, y, width, height, text, detail, about, look} = box
    const group = make("g", {class: `box ${look}${key ? " live" : ""}`, "data-box": key || text}, this.svg)
    const round = look.includes("round") ? height / 2 : 5
    make("rect", {x, y, width, height, rx: round}, group)
    const middle = y + height / 2
    make("text", {class: "text", x: x + width / 2, y: detail ? middle - 7 : middle}, group, text)
    if (detail) make("text", {class: "detail", x: x + width / 2, y: middle + 9}, group, detail)
    if (about) make("title", {}, group, about)
    if (!key) return group
    for (const [name, value] of Object.entries({role: "button", tabindex: "-1", "aria-label": about || text}))
      group.setAttribute(name, value)
    if (look.includes("picked")) group.setAttribute("aria-pressed", "true")
    group.addEventListener("click", () => this.choose(box))
    group.addEventListener("focus", () => this.reach(key))
    return group
  }

  choose({key}) {
    this.reach(key)
    this.press(key)
  }

  reach(key) {
    for (const box of this.boxes) if (box.key) box.element.setAttribute("tabindex", box.key === key ? "0" : "-1")
    this.reached = key
  }

  // Whether a key was for us.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    const here = this.boxes.find(({key, element}) => key && element === event.target)
    if (event.key === "+" || event.key === "=") this.zoom_by(1.25)
    else if (event.key === "-") this.zoom_by(0.8)
    else if (event.key === "0") this.fit()
    else if (here && (event.key === "Enter" || event.key === " ")) this.choose(here)
    else if (here && WAYS[event.key]) this.walk(here, WAYS[event.key])
    else return false
    return true
  }

  // Go to the next box in a direction: near, and not far off to the side.
  walk(here, [dx, dy]) {
    let [best, nearest] = [null, Infinity]
    for (const box of this.boxes) {
      const along = (box.x - here.x) * dx + (box.y - here.y) * dy
      const aside = Math.abs((box.x - here.x) * dy) + Math.abs((box.y - here.y) * dx)
      if (box.key && along > 0 && along + 2 * aside < nearest) [best, nearest] = [box, along + 2 * aside]
    }
    best?.element.focus()
    best?.element.scrollIntoView({block: "nearest", inline: "nearest"})
  }

  zoom_by(factor) {
    this.zoom = Math.min(Math.max(this.zoom * factor, LEAST_ZOOM), MOST_ZOOM)
    this.resize()
  }

  // How far it can be zoomed until it fills the room, across and down.
  room() {
    const type = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
    return [this.scroll.offsetWidth, this.scroll.offsetHeight].map((size, k) => (size - 20) / (this.size[k] * type))
  }

  fit() {
    this.zoom = Math.min(Math.max(Math.min(...this.room()), LEAST_ZOOM), 1)
    this.resize()
  }

  // In rem: it grows with the type.
  resize() {
    const [width, height] = this.size.map((size) => `${size * this.zoom / 16}rem`)
    Object.assign(this.svg.style, {width, height})
  }
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "diagram"
  const sheet = new Sheet(root, (key) => model.send_msg({type: "press", key}))
  model.on("msg:custom", (message) => sheet.draw(message))
  model.send_msg({type: "ready"})
  return root
}
