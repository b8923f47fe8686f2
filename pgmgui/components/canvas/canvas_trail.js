// A way through the graph that stands out: a band under its edges, dashed if it is blocked, with thick arrows over it; and
// a sign at each node where it is blocked, or is given. Edges that are not the graph's own (a fill-in) are dashed lines. All
// is drawn whether its nodes are or not.

const STOP = 13 // the radius of the sign

class Trail {
  constructor(drawing, under, over, above) {
    Object.assign(this, {drawing, under, over, above, nodes: [], stops: [], given: [], added: [], names: "", zoom: 1})
  }

  // Show a trail by the numbers of its nodes; none of them is none. The nodes.
  show({nodes, stops, given, added}) {
    this.nodes = nodes.map((k) => this.drawing.nodes[k])
    this.stops = stops.map((k) => this.drawing.nodes[k])
    this.given = given.map((k) => this.drawing.nodes[k])
    this.added = added.map((pair) => pair.map((k) => this.drawing.nodes[k]))
    this.names = JSON.stringify(this.nodes.map(({name}) => name))
    this.place()
    return this.nodes
  }

  place() {
    const pairs = this.nodes.slice(1).map((node, k) => [this.nodes[k], node])
    const kind = this.stops.length ? "blocked" : "active"
    const draw = (name, d) => make("path", {class: `${name} ${kind}`, d})
    const bands = pairs.map(([from, to]) => draw("trail-band", this.band(from, to)))
    const added = this.added.map(([from, to]) => make("path", {class: "trail-added", d: edge_path(from, to, false)}))
    this.under.replaceChildren(...added, ...bands, ...this.nodes.map((node) => draw("trail-ring", round_box(node, 6))))
    this.over.replaceChildren(...pairs.map((pair) => draw("trail-line", this.arrow(...pair))))
    const size = Math.max(1, NEAR / this.zoom)
    this.above.replaceChildren(...this.stops.map((node) => make_stop(node, size)), ...this.given.map((node) => make_given(node, size)))
  }

  // The graph is drawn in another size: from afar, where names are written larger too, the sign stays as large.
  look(zoom) {
    if (zoom === this.zoom) return
    this.zoom = zoom
    if (this.stops.length || this.given.length) this.place()
  }

  // As the arrow goes, whichever way the trail does.
  arrow(from, to) {
    const back = from.edges.find((edge) => edge.from === to && edge.to === from)
    const edge = back ?? from.edges.find((edge) => edge.from === from && edge.to === to)
    return edge_path(back ? to : from, back ? from : to, this.drawing.directed, edge?.bend)
  }

  band(from, to) {
    const edge = from.edges.find((edge) => [edge.from, edge.to].includes(to))
    return edge ? edge_path(edge.from, edge.to, false, edge.bend) : edge_path(from, to, false)
  }
}

function round_box({x, y, width, height}, grow) {
  const [w, h] = [width / 2 + grow, height / 2 + grow]
  return `M${x - w + h} ${y - h}H${x + w - h}A${h} ${h} 0 0 1 ${x + w - h} ${y + h}H${x - w + h}A${h} ${h} 0 0 1 ${x - w + h} ${y - h}Z`
}

// No entry: a ring with a bar across, above its node.
function make_stop({x, y, height}, size) {
  const sign = make("g", {class: "trail-stop", transform: `translate(${x} ${y - height / 2}) scale(${size})`})
  make("circle", {r: STOP}, sign)
  make("path", {d: `M${-0.65 * STOP} ${-0.65 * STOP}L${0.65 * STOP} ${0.65 * STOP}`}, sign)
  return sign
}

// Taken to be known: a frame with corners, and the word below it.
function make_given({x, y, width, height}, size) {
  const [w, h] = [width / 2 + 5, height / 2 + 5]
  const sign = make("g", {class: "trail-given"})
  make("path", {d: `M${x - w} ${y - h}H${x + w}V${y + h}H${x - w}Z`}, sign)
  const word = make("text", {transform: `translate(${x} ${y + h}) scale(${size})`, dy: 13, "text-anchor": "middle"}, sign)
  word.textContent = "also given"
  return sign
}

// Let a way through the graph stand out, and go there if some of another one cannot be seen.
function show_trail({drawing, view}, message) {
  const before = drawing.trail.names
  const nodes = drawing.trail.show(message)
  if (drawing.trail.names !== before && nodes.some((node) => !view.shows(node))) view.approach(nodes, 0)
}
