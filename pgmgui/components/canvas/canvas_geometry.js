// Shapes and sizes: pure functions, but for `make`, `once_a_frame` and `Room`.

const SVG = "http://www.w3.org/2000/svg"
const ARROW = 11
const HULL = 16 // how far a component's outline stands off its nodes
const RIM = 12 // how wide the ring around a node is from which arrows are drawn

function make(kind, attributes, parent) {
  const element = document.createElementNS(SVG, kind)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  parent?.appendChild(element)
  return element
}

// Calls `action` with what it was last asked for, once a frame.
function once_a_frame(action) {
  let frame = null
  let latest = null
  const ask = (argument) => {
    latest = argument
    frame ??= requestAnimationFrame(() => { frame = null; action(latest) })
  }
  ask.cancel = () => { cancelAnimationFrame(frame); frame = null }
  return ask
}

function shorten(name, longest) {
  const characters = Array.from(name)
  return characters.length <= longest ? name : characters.slice(0, longest - 1).join("") + "…"
}

// A node that has no size: where the pointer is.
function point_node(x, y) {
  return {x, y, width: 0, height: 0}
}

function covers(node, x, y, margin = 0) {
  return Math.abs(node.x - x) <= node.width / 2 + margin && Math.abs(node.y - y) <= node.height / 2 + margin
}

// The box around nodes: its left, top, right and bottom.
function box_around(nodes) {
  const box = [Infinity, Infinity, -Infinity, -Infinity]
  for (const {x, y, width, height} of nodes) {
    box[0] = Math.min(box[0], x - width / 2)
    box[1] = Math.min(box[1], y - height / 2)
    box[2] = Math.max(box[2], x + width / 2)
    box[3] = Math.max(box[3], y + height / 2)
  }
  return box
}

// The box around nodes, as a node has one.
function box_of(nodes) {
  const [left, top, right, bottom] = box_around(nodes)
  return {x: (left + right) / 2, y: (top + bottom) / 2, width: right - left, height: bottom - top}
}

// Whether something is in a box, at least in part; and whether a straight line between two nodes crosses it.
function overlaps([left, top, right, bottom], {x, y, width, height}) {
  return x + width / 2 >= left && x - width / 2 <= right && y + height / 2 >= top && y - height / 2 <= bottom
}

function passes(box, {from, to}) {
  let [first, last] = [0, 1] // the part of the line that is inside so far
  for (const [k, side] of ["x", "y"].entries()) {
    const [start, step] = [from[side], to[side] - from[side]]
    if (!step && (start < box[k] || start > box[k + 2])) return false
    if (!step) continue
    const [one, other] = [(box[k] - start) / step, (box[k + 2] - start) / step]
    first = Math.max(first, Math.min(one, other))
    last = Math.min(last, Math.max(one, other))
  }
  return first <= last
}

// What is taken of a plane. It is kept by squares, so that each box is compared with those near it only.
class Room {
  constructor(side) {
    Object.assign(this, {side, squares: new Map()})
  }

  keys({x, y, width, height}) {
    const [left, top, right, bottom] = box_around([{x, y, width, height}]).map((edge) => Math.floor(edge / this.side))
    const keys = []
    for (let x = left; x <= right; x++) for (let y = top; y <= bottom; y++) keys.push(`${x} ${y}`)
    return keys
  }

  put(box, keys = this.keys(box)) {
    for (const key of keys) this.squares.has(key) ? this.squares.get(key).push(box) : this.squares.set(key, [box])
  }

  // Take the room of a box if nothing has any of it; whether that could be done.
  take(box) {
    const [keys, sides] = [this.keys(box), box_around([box])]
    if (keys.some((key) => this.squares.get(key)?.some((other) => overlaps(sides, other)))) return false
    this.put(box, keys)
    return true
  }
}

// Where the line from the middle of a node towards (dx, dy) leaves its outline: a box with round ends.
function rim(node, dx, dy) {
  const radius = node.height / 2
  const straight = node.width / 2 - radius
  const length = Math.hypot(dx, dy) || 1
  const [ux, uy] = [dx / length, dy / length]
  const across = Math.abs(ux) * radius / Math.max(Math.abs(uy), 1e-9)
  let reach = radius / Math.max(Math.abs(uy), 1e-9)
  if (across > straight) {
    const along = Math.abs(ux) * straight
    reach = along + Math.sqrt(along * along + radius * radius - straight * straight)
  }
  return [node.x + ux * reach, node.y + uy * reach]
}

// The left part of a box with round ends, so much of its width; w and h are half its sides.
function fill_path(w, h, share) {
  const [x, left, right] = [w * (2 * share - 1), h - w, w - h]
  const arc = (to_x, to_y) => `A${h} ${h} 0 0 0 ${to_x} ${to_y}`
  const y = Math.sqrt(Math.max(h * h - Math.max(left - x, x - right, 0) ** 2, 0))
  if (x <= left) return `M${x} ${-y}${arc(x, y)}Z`
  const ends = x > right ? [`${arc(right, -h)}`, `H${right}${arc(x, y)}`] : ["", `H${x}`]
  return `M${x} ${-y}${ends[0]}H${left}${arc(left, h)}${ends[1]}Z`
}

// The transformation of what hangs on a node and grows with it.
function place_at({scale}, x, y) {
  return scale === 1 ? `translate(${x} ${y})` : `translate(${x} ${y}) scale(${scale})`
}

function edge_path(from, to, directed, bend = null) {
  const {start: [x1, y1], turn: [tx, ty], end: [x2, y2]} = find_way(from, to, bend)
  if (!directed) return bend ? `M${x1} ${y1}Q${tx} ${ty} ${x2} ${y2}` : `M${x1} ${y1}L${x2} ${y2}`
  // The arrowhead is part of the path: markers need url(#id), which does not work in a shadow DOM.
  const [dx, dy] = bend ? [x2 - tx, y2 - ty] : [to.x - from.x, to.y - from.y]
  const length = Math.hypot(dx, dy) || 1
  const [ux, uy] = [dx / length, dy / length]
  const [bx, by] = [x2 - ux * ARROW, y2 - uy * ARROW]
  const [nx, ny] = [-uy * ARROW * 0.45, ux * ARROW * 0.45]
  // There and back, where it bends: the path is filled, for its head, and so has nothing to fill.
  const line = bend ? `M${x1} ${y1}Q${tx} ${ty} ${bx} ${by}Q${tx} ${ty} ${x1} ${y1}` : `M${x1} ${y1}L${bx} ${by}`
  return `${line}M${x2} ${y2}L${bx + nx} ${by + ny}L${bx - nx} ${by - ny}Z`
}

// The next node from here in a direction: near, and not far off to the side.
function find_towards(nodes, here, dx, dy) {
  let [best, nearest] = [null, Infinity]
  for (const node of nodes) {
    const along = (node.x - here.x) * dx + (node.y - here.y) * dy
    const aside = Math.abs((node.x - here.x) * dy) + Math.abs((node.y - here.y) * dx)
    if (along > 0 && along + 2 * aside < nearest) [best, nearest] = [node, along + 2 * aside]
  }
  return best
}

function round(number) {
  return Math.round(number * 10) / 10
}
