// How edges look by what is known of them: each has a class, and a label where there is room; edges that the graph lacks
// are drawn as ghosts; and a legend says in words what it all means.

const LABEL = 0.75 // of the page's type: a label is as large on the screen at every zoom up to 1
const SHARES = [0.5, 0.35, 0.65, 0.2, 0.8] // where on its edge a label may stand
const CLEAR = 3 // pixels of the screen from its edge
const LINE = 22 // of a legend in a picture
const SAMPLE = "M1 6H22M33 6L22 1V11Z"

class Arrows {
  constructor(drawing, under, over) {
    Object.assign(this, {drawing, under, over, looks: new Map(), edges: [], added: [], zoom: 1})
    over.setAttribute("aria-hidden", "true")
    this.change = once_a_frame(() => this.write())
  }

  show({edges, added}) {
    const {nodes} = this.drawing
    this.looks = new Map(edges.map((look, k) => [`${look.ends}`, {...look, place: k}]))
    this.added = added.map((arrow) => ({arrow, from: nodes[arrow.ends[0]], to: nodes[arrow.ends[1]]}))
    this.dress()
    this.draw()
  }

  // Give edges their looks; there may be others than before between the same nodes.
  dress() {
    const {nodes, edges, directed, sight} = this.drawing
    const number = new Map(nodes.map((node, k) => [node, k]))
    for (const edge of edges) {
      edge.arrow = this.looks.get(`${number.get(edge.from)},${number.get(edge.to)}`)
      if (edge.line) wear_edge(edge, directed)
    }
    this.edges = edges.filter(({arrow}) => arrow).sort((a, b) => a.arrow.place - b.arrow.place)
    sight.change()
    this.change()
  }

  // Nodes are elsewhere.
  place() {
    if (this.edges.length || this.added.length) this.draw()
  }

  draw() {
    this.under.replaceChildren(...this.added.map(({arrow, from, to}) => {
      const path = edge_path(from, to, this.drawing.directed, this.drawing.find_bend(from, to))
      const ghost = make("path", {class: `edge arrow-${arrow.kind} arrow-ghost`, d: path})
      ghost.dataset.ghost = `${from.name} → ${to.name}`
      make("title", {}, ghost).textContent = arrow.about
      return ghost
    }))
    this.change()
  }

  look(zoom) {
    const stays = zoom === this.zoom && this.drawing.sight.whole
    this.zoom = zoom
    if (!stays && (this.edges.length || this.added.length)) this.change()
  }

  // Write the labels that have room, each in its turn.
  write() {
    const {drawing, zoom} = this
    const size = LABEL * 16 * drawing.type / Math.min(zoom, 1)
    const room = new Room(200 / zoom)
    for (const node of drawing.nodes) {
      room.put(with_card(node))
      if (node.look?.badge) room.put(box_of_badge(node))
    }
    const seen = drawing.sight.far ? [] : [...this.added, ...this.edges.filter(({line}) => line)]
    const labels = seen.filter(({arrow}) => arrow.label).map((edge) => write_label(edge, size, room))
    this.over.setAttribute("font-size", size)
    this.over.replaceChildren(...labels.filter(Boolean))
  }
}

// About where a node's badge is written: right of its upper corner.
function box_of_badge({x, y, width, height, scale, look}) {
  const wide = 7 * scale * look.badge.length
  return {x: x + width / 2 + wide / 2, y: y - height / 2, width: wide, height: 12 * scale}
}

function write_label(edge, size, room) {
  const {arrow, from, to} = edge
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const [width, height, length] = [0.6 * arrow.label.length * size, 1.05 * size, Math.hypot(dx, dy) || 1]
  const [nx, ny] = [-dy / length, dx / length]
  const aside = Math.abs(nx) * width / 2 + Math.abs(ny) * height / 2 + CLEAR / LABEL * size / 16
  for (const share of SHARES) {
    const point = point_on(edge, share)
    for (const side of [Math.sign(nx) || 1, -Math.sign(nx) || -1]) { // first to the right
      const [x, y] = [point.x + side * nx * aside, point.y + side * ny * aside]
      if (!room.take({x, y, width, height})) continue
      const text = make("text", {class: `arrow-label arrow-${arrow.kind}`, x, y})
      text.textContent = arrow.label
      return text
    }
  }
  return null
}

function show_arrows(canvas, {title, legend, ...message}) {
  canvas.drawing.arrows.show(message)
  const {legend: element} = canvas
  element.hidden = !title && !legend.length
  element.replaceChildren(make_html("strong", {}, title && `${title}:`))
  for (const [kind, words] of legend) {
    const item = make_html("span", {}, "", element)
    if (kind) {
      const sample = make("svg", {width: 34, height: 12, viewBox: "0 0 34 12", "aria-hidden": "true"}, item)
      make("path", {class: `edge arrow-${kind}${kind === "missing" ? " arrow-ghost" : ""}`, d: SAMPLE}, sample)
    }
    item.append(words)
  }
  canvas.root.dataset.arrows = Number(canvas.root.dataset.arrows ?? 0) + 1
}

// Write the legend below a picture; the box of both.
function add_legend(legend, picture, {x, y, width, height}) {
  if (legend.hidden || !legend.querySelector("path")) return {x, y, width, height}
  const {color, fontFamily} = getComputedStyle(legend)
  const ink = {fill: color, stroke: "none", "font-family": fontFamily, "font-size": 14, "text-anchor": "start"}
  const items = [...legend.children].filter(({textContent}) => textContent)
  items.forEach((item, k) => {
    const line = make("g", {transform: `translate(${x} ${y + height + 20 + LINE * k})`}, picture)
    const sample = item.querySelector("path")
    if (sample) make("path", {d: SAMPLE, ...find_look(sample)}, line)
    make("text", {x: sample ? 42 : 0, y: 11, ...ink}, line).textContent = item.textContent
  })
  return {x, y, width: Math.max(width, 360), height: height + 20 + LINE * items.length}
}

// Tell Python which edge is selected, if it is one alone; and say what is known of it.
function tell_edge(canvas) {
  if (!canvas.drawing.directed) return
  const [edge] = canvas.chosen.size === 1 && !canvas.selected.size ? canvas.chosen : []
  const ends = edge ? [edge.from.name, edge.to.name] : null
  if (edge?.arrow) canvas.say(edge.arrow.about)
  if (`${ends}` === `${canvas.told}`) return
  canvas.told = ends
  canvas.last_select = canvas.sent + 1
  canvas.do("edge", {ends})
}

// Python has selected an edge: show where it is.
function take_edge(canvas, {ends, seq}) {
  if (seq < canvas.last_select) return
  const edge = canvas.drawing.edges.find(({from, to}) => from.name === ends[0] && to.name === ends[1])
  if (!edge || (canvas.chosen.size === 1 && canvas.chosen.has(edge))) return
  canvas.told = ends
  Object.assign(canvas, {selected: new Set(), chosen: new Set([edge]), factor: null})
  canvas.say(edge.arrow?.about ?? "")
  canvas.show_selection()
  for (const node of [edge.from, edge.to]) canvas.view.reveal(node)
}
