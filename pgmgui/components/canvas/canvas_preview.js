// Other edges than the graph's own, shown instead while they are looked for. The last step stands out: a band along its
// edge, which is drawn dashed if it went, and a sign in its middle: + for one that came, − for one that went, ⇄ for one
// that was turned. The graph itself stays as it is loaded.

const SIGNS = {add: "+", delete: "−", reverse: "⇄"}
const SIGN = 13 // the radius of the sign

class Preview {
  constructor(drawing, layer) {
    Object.assign(this, {drawing, layer, edges: null, own: null, kind: "", step: null, zoom: 1})
  }

  // There is another graph: its own edges are drawn.
  begin() {
    this.edges = null
    this.own = this.step = null
    this.drawing.svg.classList.remove("previewing")
    this.place()
  }

  // Show other edges, by the numbers of nodes; null shows the graph's own again.
  show({edges, change, step}) {
    const {drawing} = this
    const number = new Map(drawing.nodes.map((node, k) => [node, k]))
    if (edges) this.own ??= drawing.edges.map(({from, to}) => [number.get(from), number.get(to)])
    if (this.own) drawing.rewire(edges ?? this.own)
    if (!edges) this.own = null
    Object.assign(this, {edges, kind: change, step: edges && change ? step.map((k) => drawing.nodes[k]) : null})
    drawing.svg.classList.toggle("previewing", Boolean(edges))
    this.place()
  }

  place() {
    if (!this.step) return this.layer.replaceChildren()
    const {drawing, kind} = this
    const [from, to] = kind === "reverse" ? [this.step[1], this.step[0]] : this.step
    const bend = drawing.find_bend(from, to)
    const band = make("path", {class: `preview-band ${kind}`, d: edge_path(from, to, false, bend)})
    const line = make("path", {class: `preview-line ${kind}`, d: edge_path(from, to, drawing.directed, bend)})
    this.layer.replaceChildren(band, line, this.make_sign(point_on({from, to, bend})))
  }

  make_sign({x, y}) {
    const size = Math.max(1, NEAR / this.zoom)
    const sign = make("g", {class: `preview-sign ${this.kind}`, transform: `translate(${x} ${y}) scale(${size})`})
    make("circle", {r: SIGN}, sign)
    make("text", {"text-anchor": "middle", dy: 6}, sign).textContent = SIGNS[this.kind]
    return sign
  }

  // The graph is drawn in another size: from afar the sign stays as large.
  look(zoom) {
    if (zoom === this.zoom) return
    this.zoom = zoom
    if (this.step) this.place()
  }
}

// Show other edges on a canvas; those that were chosen are no more.
function show_preview(canvas, message) {
  canvas.tag ??= make_html("div", {class: "preview-tag"}, "Not kept yet, lost on reload: see Structure", canvas.area)
  canvas.tag.hidden = !message.edges
  Object.assign(canvas, {chosen: new Set(), told: null})
  canvas.drawing.preview.show(message)
  canvas.show_selection()
  canvas.root.dataset.preview = message.edges ? message.edges.length : ""
}
