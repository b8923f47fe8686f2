// The factors of a Markov network as small squares: on the edge between two variables, or amid more. In the factor
// graph, lines lead from each to its variables instead, and those of a single variable are shown too, beside it.
// Like a node, a square may have no element: see canvas_sight.js.

const SQUARE = 15
const APART = 22 // between squares of the same variables
const BESIDE = 16 // from a node to the square of its own factor

class Factors {
  constructor(layer) {
    this.layer = layer
    this.squares = new Map() // by the factor's number
    this.drawn = new Set()
    this.chosen = null // a square
  }

  get all() {
    return [...this.squares.values()]
  }

  // Those that are to be looked at.
  shown() {
    return this.all.filter(({ghost}) => !ghost)
  }

  // The square that an element is part of.
  square_of(element) {
    const found = element?.closest?.(".factor")
    return found ? this.squares.get(Number(found.dataset.factor)) : undefined
  }

  load(scopes, nodes, factor_graph) {
    this.layer.replaceChildren()
    this.squares.clear()
    this.drawn.clear()
    this.chosen = null
    const alike = new Map() // how many squares there are of the same variables
    scopes.forEach((scope, number) => {
      if (scope.length < (factor_graph ? 1 : 2)) return
      const key = scope.slice().sort().join()
      const before = alike.get(key) ?? 0
      alike.set(key, before + 1)
      const members = scope.map((k) => nodes[k])
      // The first in the middle, then one on this side, one on the other.
      const aside = APART * Math.ceil(before / 2) * (before % 2 ? 1 : -1)
      const name = `Factor ${number + 1} over ${members.map(({text}) => text).join(", ")}`
      const square = {number, name, members, aside, width: SQUARE, height: SQUARE, edges: [], hulls: new Set()}
      members.forEach((node) => node.squares.push(square))
      locate_square(square)
      this.squares.set(number, square)
    })
  }

  // The lines of the factor graph, from variables to squares.
  list_spokes() {
    return this.all.flatMap((square) => square.members.map((node) => [node, square]))
  }

  // Draw these squares, and no others.
  keep(squares) {
    const kept = new Set(squares)
    for (const square of this.drawn) if (!kept.has(square)) this.erase(square)
    for (const square of kept) if (!square.shape) this.draw(square)
  }

  draw(square) {
    make_square(square)
    square.shape.addEventListener("pointerenter", () => this.light(square, true))
    square.shape.addEventListener("pointerleave", () => this.light(square, false))
    this.layer.append(square.shape)
    this.drawn.add(square)
  }

  erase(square) {
    this.light(square, false)
    square.shape.remove()
    square.shape = null
    this.drawn.delete(square)
  }

  // Make the variables of a factor stand out, and its lines.
  light({members, edges}, on) {
    for (const {element} of members) element?.classList.toggle("near", on)
    for (const {line} of edges) line?.classList.toggle("lit", on)
  }

  // Put the squares of nodes where they now belong; those squares.
  place(nodes) {
    const moved = new Set(nodes.flatMap(({squares}) => squares))
    for (const square of moved) {
      locate_square(square)
      square.shape?.setAttribute("transform", `translate(${square.x} ${square.y})`)
    }
    return moved
  }

  // Only these numbers are looked at; all are, without any.
  haunt(numbers) {
    for (const square of this.squares.values()) {
      square.ghost = Boolean(numbers && !numbers.has(square.number))
      if (square.shape) wear_square(square)
    }
  }

  choose(number) {
    const square = this.squares.get(number) ?? null
    if (square === this.chosen) return
    const before = this.chosen
    this.chosen = square
    for (const one of [before, square]) {
      if (!one) continue
      one.chosen = one === square
      if (one.shape) wear_square(one)
    }
  }
}

function make_square(square) {
  square.shape = make("g", {
    class: "factor", "data-factor": square.number, transform: `translate(${square.x} ${square.y})`, role: "img",
  })
  make("rect", {x: -SQUARE / 2, y: -SQUARE / 2, width: SQUARE, height: SQUARE, rx: 2}, square.shape)
  make("title", {}, square.shape).textContent = square.name
  wear_square(square)
}

function wear_square({shape, name, ghost, chosen}) {
  shape.classList.toggle("ghost", Boolean(ghost))
  shape.classList.toggle("selected", Boolean(chosen))
  shape.setAttribute("aria-label", chosen ? `${name}. Selected` : name)
}

function locate_square(square) {
  const {members, aside} = square
  if (members.length === 1) {
    const [{x, y, width, height}] = members
    Object.assign(square, {x: x - width / 2 - BESIDE - Math.abs(aside), y: y - height / 2 - (aside < 0 ? -1 : 1) * BESIDE})
  } else if (members.length === 2) {
    const [from, to] = members
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const [[x1, y1], [x2, y2]] = [rim(from, dx, dy), rim(to, -dx, -dy)]
    const length = Math.hypot(dx, dy) || 1
    Object.assign(square, {x: (x1 + x2) / 2 + aside * dx / length, y: (y1 + y2) / 2 + aside * dy / length})
  } else locate_amid(square)
}

// In the middle of its variables; off their line, where one of them lies there.
function locate_amid(square) {
  const {members, aside} = square
  const middle = (side) => members.reduce((sum, node) => sum + node[side], 0) / members.length
  const [left, top, right, bottom] = box_around(members)
  const wide = right - left > bottom - top
  const place = {x: middle("x") + (wide ? aside : 0), y: middle("y") + (wide ? 0 : aside)}
  const taken = () => members.some((node) => covers(node, place.x, place.y, SQUARE))
  for (let k = 0; k < 40 && taken(); k += 1) place[wide ? "y" : "x"] -= SQUARE
  Object.assign(square, place)
}

// --- what the user does with them

function choose_factor(canvas, {number}) {
  canvas.choose_all([], [], number)
}

// An edge with its factor: the next one, if there are several and one of them is chosen. Those over just its ends come
// first. Their table can be edited then, and Delete removes the edge.
function choose_factor_of(canvas, edge) {
  const found = edge.from.squares.filter((square) => edge.to.squares.includes(square))
    .sort((a, b) => a.members.length - b.members.length || a.number - b.number)
  const k = canvas.chosen.has(edge) ? (found.findIndex(({number}) => number === canvas.factor) + 1) % found.length : 0
  canvas.choose_all([], [edge], found[k]?.number ?? null)
  const more = found.length > 1 ? ` (${k + 1} of ${found.length}: click again for the next)` : ""
  canvas.say(`Selected: ${canvas.drawing.describe(edge)}. ${found[k]?.name ?? ""}${more}`)
}

function show_factor_graph(canvas, shown) {
  if (canvas.tools.buttons["Factor graph"].hidden) return
  const {own} = canvas.view
  canvas.tools.press("Factor graph", shown)
  canvas.do("factor_graph", {shown}, () => own || canvas.fit()) // there may be squares outside of what is seen
  canvas.view.own = own
}

// What the switch shows when a graph has been loaded: only Markov networks have one.
function set_factor_switch({tools}, {directed, factorGraph}) {
  tools.buttons["Factor graph"].hidden = directed
  tools.press("Factor graph", factorGraph)
}
