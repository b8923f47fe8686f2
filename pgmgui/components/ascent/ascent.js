// A score that climbs under its bound. Python owns the numbers: on mount we send `ready`, and draw each message we are sent.

const SVG = "http://www.w3.org/2000/svg"
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [420, 170, 62, 10, 16, 20]
const MANY = 6 // points from which on the first third may leave the picture below: the way up is long, its end matters
const FAR = 2 // a bound farther above than so many times the height of what is seen leaves the picture: it would flatten it

function make(kind, attributes, parent, text = "") {
  const element = document.createElementNS(SVG, kind)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  if (text) element.textContent = text
  parent.append(element)
  return element
}

// Round numbers from low to high, some four of them.
function find_ticks(low, high) {
  const rough = (high - low) / 5 || 1
  const power = 10 ** Math.floor(Math.log10(rough))
  const each = [1, 2, 2.5, 5, 10].map((times) => times * power).find((size) => size >= rough)
  const ticks = []
  for (let k = Math.ceil(low / each); k * each <= high; k += 1) ticks.push(k * each)
  return ticks
}

function find_frame(points, bound) {
  const last = points.at(-1)[0]
  const late = points.length >= MANY ? points.filter(([step]) => step >= last / 3) : points
  const heights = late.flatMap(([, score, best]) => [score, best])
  let [low, high] = [Math.min(...heights), Math.max(...heights)]
  const room = Math.max(high - low, 0.01)
  const seen = bound !== null && bound - high <= FAR * room
  if (seen) high = Math.max(high, bound)
  const margin = 0.06 * Math.max(high - low, 0.01)
  return {last: Math.max(last, 1), low: low - margin, high: high + margin, seen}
}

function draw(root, {points, bound, across, label}) {
  root.replaceChildren()
  const svg = make("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label}, root)
  if (!points.length) return
  const {last, low, high, seen} = find_frame(points, bound)
  const x = (step) => LEFT + step / last * (WIDTH - LEFT - RIGHT)
  const y = (value) => TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)
  for (const tick of find_ticks(low, high)) {
    make("line", {class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick)}, svg)
    make("text", {class: "tick", x: LEFT - 4, y: y(tick) + 4, "text-anchor": "end"}, svg, tick.toLocaleString("en", {maximumFractionDigits: 3}))
  }
  for (const tick of find_ticks(0, last).filter(Number.isInteger))
    make("text", {class: "tick", x: x(tick), y: HEIGHT - BOTTOM + 13, "text-anchor": "middle"}, svg, tick.toLocaleString("en"))
  // An svg of its own clips what is below the picture.
  const inside = make("svg", {x: 0, y: 0, width: WIDTH, height: HEIGHT - BOTTOM, viewBox: `0 0 ${WIDTH} ${HEIGHT - BOTTOM}`}, svg)
  const trace = (place) => points.map((point) => `${x(point[0]).toFixed(1)},${y(point[place]).toFixed(1)}`).join(" ")
  make("polyline", {class: "score", points: trace(1)}, inside)
  make("polyline", {class: "best", points: trace(2)}, inside)
  const end = points.at(-1)
  make("circle", {class: "dot", cx: x(end[0]), cy: y(end[1]), r: 3.5}, svg)
  if (bound !== null) {
    const height = seen ? y(bound) : TOP - 6
    make("line", {class: seen ? "bound" : "bound away", x1: LEFT, x2: WIDTH - RIGHT, y1: height, y2: height}, svg)
    make("text", {class: "name", x: LEFT + 4, y: height + 13}, svg, seen ? "upper bound" : `upper bound ↑ ${bound.toLocaleString("en", {maximumFractionDigits: 1})}`)
  }
  list(root, points.some((point) => point[1] < point[2]), across)
}

function list(root, falls, across) {
  const legend = document.createElement("p")
  const add = (name, text) => {
    const sample = make("svg", {viewBox: "0 0 24 8", class: "sample", "aria-hidden": "true"}, legend)
    make("line", {class: name, x1: 0, x2: 24, y1: 4, y2: 4}, sample)
    legend.append(text)
  }
  add("best", falls ? "best so far" : "score")
  if (falls) add("score", `score of each ${across}`)
  else legend.append(` by ${across}`)
  root.append(legend)
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "ascent"
  model.on("msg:custom", (message) => draw(root, message))
  model.send_msg({type: "ready"})
  return root
}
