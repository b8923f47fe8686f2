// Lines over rounds, on a log scale. Python owns them: on mount we send `ready`, and draw each message we are sent; the
// round that the user goes to is sent as `step`. Titles are untrusted text: they only ever pass through textContent.

const SVG = "http://www.w3.org/2000/svg"
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [420, 150, 42, 10, 10, 22]
const ZERO_ROW = 18 // height below the scale, which has no place for 0
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"]
const DASHES = ["", "6 3", "2 2", "8 3 2 3", "1 3", "10 4"] // told apart without colour too
const STEPS = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10}

function make(kind, attributes, parent, text = "") {
  const element = document.createElementNS(SVG, kind)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  if (text) element.textContent = text
  parent.append(element)
  return element
}

function superscript(exponent) {
  return `10${[...String(exponent)].map((digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])).join("")}`
}

class Plot {
  constructor(root, send) {
    this.send = send
    this.svg = make("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "slider", tabindex: "0"}, root)
    this.legend = document.createElement("ul")
    root.append(this.legend)
    this.last = 0
    this.number = 0
    this.listen()
  }

  listen() {
    const {svg} = this
    const find = ({clientX}) => {
      const box = svg.getBoundingClientRect()
      const x = (clientX - box.left) / box.width * WIDTH
      return Math.round((x - LEFT) / (WIDTH - LEFT - RIGHT) * this.last)
    }
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return
      svg.setPointerCapture(event.pointerId)
      this.step(find(event))
    })
    svg.addEventListener("pointermove", (event) => svg.hasPointerCapture(event.pointerId) && this.step(find(event)))
    svg.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key in STEPS) this.step(this.number + STEPS[event.key])
      else if (event.key === "Home") this.step(0)
      else if (event.key === "End") this.step(this.last)
      else return
      event.preventDefault()
      event.stopPropagation()
    })
  }

  // At once here; Python follows with words.
  step(number) {
    const wanted = Math.min(Math.max(number, 0), this.last)
    if (wanted === this.number) return
    this.number = wanted
    this.mark()
    this.send({type: "step", number: wanted})
  }

  draw({lines, number, least, label, told}) {
    const {svg} = this
    svg.replaceChildren()
    this.last = Math.max(0, ...lines.map(({values}) => values.length - 1))
    this.number = number
    const every = lines.flatMap(({values}) => values)
    const all = every.filter((value) => value > least)
    const floor = HEIGHT - BOTTOM - (all.length < every.length ? ZERO_ROW : 0)
    this.isZero = (value) => value <= least
    const top = Math.ceil(Math.log10(Math.max(...all, least * 10)))
    const bottom = Math.min(top - 1, Math.floor(Math.log10(Math.min(...all, 10 ** (top - 1)))))
    this.x = (k) => LEFT + (this.last ? k / this.last : 0) * (WIDTH - LEFT - RIGHT)
    this.level = (power) => TOP + (top - power) / (top - bottom) * (floor - TOP)
    this.y = (value) => this.isZero(value) ? HEIGHT - BOTTOM : this.level(Math.log10(value))
    this.scale(top, bottom)
    if (floor < HEIGHT - BOTTOM) this.tick("0", HEIGHT - BOTTOM)
    this.lines = lines.map(({values}, k) => this.trace(values, k))
    this.here = make("line", {class: "here", y1: TOP, y2: HEIGHT - BOTTOM}, svg)
    this.list(lines)
    svg.setAttribute("aria-label", label)
    svg.setAttribute("aria-valuemin", 0)
    svg.setAttribute("aria-valuemax", this.last)
    svg.setAttribute("aria-valuetext", told)
    this.mark()
  }

  scale(top, bottom) {
    const each = Math.ceil((top - bottom) / 4)
    for (let power = top; power >= bottom; power -= each) this.tick(superscript(power), this.level(power))
    const gap = Math.max(1, Math.ceil(this.last / 8))
    for (let k = 0; k <= this.last; k += gap)
      make("text", {class: "tick", x: this.x(k), y: HEIGHT - 6, "text-anchor": "middle"}, this.svg, String(k))
  }

  tick(text, y) {
    make("line", {class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y}, this.svg)
    make("text", {class: "tick", x: LEFT - 4, y: y + 4, "text-anchor": "end"}, this.svg, text)
  }

  // A line up to the round that is looked at, and faint after it; a dot there, hollow where it is 0.
  trace(values, k) {
    const look = {fill: "none", stroke: COLOURS[k % 6], "stroke-width": 2, "stroke-dasharray": DASHES[k % 6]}
    const faint = make("polyline", {...look, class: "faint"}, this.svg)
    const strong = make("polyline", look, this.svg)
    const dot = make("circle", {r: 3.5, stroke: COLOURS[k % 6], "stroke-width": 2}, this.svg)
    faint.setAttribute("points", values.map((value, n) => `${this.x(n)},${this.y(value)}`).join(" "))
    return {values, strong, dot, colour: COLOURS[k % 6]}
  }

  mark() {
    const {number} = this
    for (const {values, strong, dot, colour} of this.lines) {
      strong.setAttribute("points", values.slice(0, number + 1).map((value, n) => `${this.x(n)},${this.y(value)}`).join(" "))
      dot.setAttribute("cx", this.x(number))
      dot.setAttribute("cy", this.y(values[number] ?? 0))
      dot.setAttribute("fill", this.isZero(values[number] ?? 0) ? "none" : colour)
    }
    this.here.setAttribute("x1", this.x(number))
    this.here.setAttribute("x2", this.x(number))
    this.svg.setAttribute("aria-valuenow", number)
  }

  list(lines) {
    this.legend.replaceChildren(...lines.slice(0, 12).map(({title}, k) => {
      const item = document.createElement("li")
      const sample = make("svg", {viewBox: "0 0 24 8", class: "sample", "aria-hidden": "true"}, item)
      make("line", {x1: 0, x2: 24, y1: 4, y2: 4, stroke: COLOURS[k % 6], "stroke-width": 2, "stroke-dasharray": DASHES[k % 6]}, sample)
      const name = document.createElement("span")
      name.textContent = title
      item.append(name)
      return item
    }))
  }
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "rounds"
  const plot = new Plot(root, (message) => model.send_msg(message))
  model.on("msg:custom", (message) => plot.draw(message))
  model.send_msg({type: "ready"})
  return root
}
