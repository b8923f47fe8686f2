// The drawing: nodes, edges and hulls as SVG. It shows what it is told and decides nothing.
// Names are untrusted text: they only ever pass through textContent and setAttribute.

const FONT = "500 17px"

class Drawing {
  constructor(root) {
    this.nodes = []
    this.edges = []
    this.hulls = []
    this.svg = make("svg", {class: "graph", role: "application", "aria-label": "Graph", tabindex: "0"}, root)
    this.viewport = make("g", {class: "viewport"}, this.svg)
    const layer = (name) => make("g", {class: name}, this.viewport)
    this.hull_layer = layer("hulls")
    this.hit_layer = layer("hits")
    this.edge_layer = layer("edges")
    this.bars = new Bars(layer("bars"))
    this.node_layer = layer("nodes")
    this.band = make("path", {class: "band"}, this.viewport)
    this.box = make("rect", {class: "box"}, this.svg)
  }

  // --- what there is

  node(name) {
    return this.by_name?.get(name)
  }

  // The node, edge or hull that an element is part of.
  node_of(element) {
    const found = element?.closest?.(".node")
    return found ? this.nodes.find((node) => node.element === found) : undefined
  }

  edge_of(element) {
    return this.edges.find((edge) => edge.hit === element)
  }

  component_of(element) {
    return this.hulls.find((hull) => hull.element === element)
  }

  // The topmost node at a point of the drawing.
  node_at(x, y) {
    return this.nodes.findLast((node) => covers(node, x, y, RIM))
  }

  // The card of bars at a point of the drawing.
  card_at(x, y) {
    return this.node_at(x, y) ? null : Bars.at(this.nodes, x, y)
  }

  // What is to be looked at: all, or the component that is looked at alone.
  shown() {
    return this.nodes.filter((node) => !node.ghost)
  }

  // --- drawing

  load({nodes, edges, directed, label, nodeHeight, longestLabel}) {
    this.svg.setAttribute("aria-label", label)
    if (this.is_same(nodes, edges, directed)) return this.move(nodes)
    const pen = document.createElement("canvas").getContext("2d")
    pen.font = `${FONT} ${getComputedStyle(this.svg).fontFamily}`
    this.directed = directed
    this.nodes = nodes.map(({name, x, y}) => {
      const text = shorten(name, longestLabel)
      const width = Math.max(nodeHeight + 8, pen.measureText(text).width + 32)
      return {name, text, x, y, width, height: nodeHeight, edges: [], hulls: new Set()}
    })
    this.by_name = new Map(this.nodes.map((node) => [node.name, node]))
    this.edges = edges.map(([from, to]) => this.draw_edge(this.nodes[from], this.nodes[to]))
    this.hulls = []
    this.hit_layer.replaceChildren(...this.edges.map((edge) => edge.hit))
    this.edge_layer.replaceChildren(...this.edges.map((edge) => edge.line))
    this.node_layer.replaceChildren(...this.nodes.map((node) => this.draw_node(node)))
    this.hull_layer.replaceChildren()
    this.bars.show(this.nodes, []) // they are on their way
    this.edges.forEach((edge) => this.route(edge))
    this.svg.setAttribute("tabindex", this.nodes.length ? "-1" : "0")
    if (this.nodes.length) this.reach(this.nodes[0])
  }

  is_same(nodes, edges, directed) {
    return directed === this.directed && nodes.length === this.nodes.length && edges.length === this.edges.length
      && nodes.every(({name}, k) => name === this.nodes[k].name)
      && edges.every(([from, to], k) => this.nodes[from] === this.edges[k].from && this.nodes[to] === this.edges[k].to)
  }

  draw_edge(from, to) {
    const edge = {from, to}
    edge.line = make("path", {
      class: "edge", "data-edge": this.directed ? "directed" : "undirected", "data-from": from.name, "data-to": to.name,
    })
    edge.hit = make("path", {class: "hit"})
    make("title", {}, edge.hit).textContent = this.describe(edge)
    from.edges.push(edge)
    to.edges.push(edge)
    return edge
  }

  describe({from, to}) {
    return `${from.name} ${this.directed ? "→" : "—"} ${to.name}`
  }

  draw_node(node) {
    const [w, h] = [node.width / 2, node.height / 2]
    const element = make("g", {
      class: "node", "data-node": node.name, transform: `translate(${node.x} ${node.y})`, tabindex: "-1", role: "img",
    })
    const pill = (name, grow) => make("rect", {
      class: name, x: -w - grow, y: -h - grow, width: 2 * (w + grow), height: 2 * (h + grow), rx: h + grow,
    }, element)
    pill("rim", RIM / 2).setAttribute("stroke-width", RIM)
    pill("shape", 0)
    // The left half, for variables that are observed at times, and a ring inside, for those known softly.
    make("path", {class: "half", d: `M0 ${-h}H${h - w}A${h} ${h} 0 0 0 ${h - w} ${h}H0Z`}, element)
    pill("ring", -5)
    pill("double", 5)
    make("text", {class: "name"}, element).textContent = node.text
    node.pin = make("text", {class: "pin", x: -w - 4}, element)
    node.badge = make("text", {class: "badge", x: w - 2, y: 3 - h}, element)
    node.below = make("text", {class: "below", y: h + 20}, element)
    node.title = make("title", {}, element)
    const light = (on) => node.edges.forEach(({line}) => line.classList.toggle("lit", on))
    element.addEventListener("pointerenter", () => light(true))
    element.addEventListener("pointerleave", () => light(false))
    element.addEventListener("blur", () => light(false))
    element.addEventListener("focus", () => { light(true); this.reach(node) })
    node.element = element
    return element
  }

  // Tab leads to this node from now on.
  reach(node) {
    this.reached?.element.setAttribute("tabindex", "-1")
    node.element.setAttribute("tabindex", "0")
    this.reached = node
  }

  // --- where things are

  move(nodes) {
    const moved = this.nodes.filter((node, k) => node.x !== nodes[k].x || node.y !== nodes[k].y)
    nodes.forEach(({x, y}, k) => Object.assign(this.nodes[k], {x, y}))
    this.place(moved)
  }

  // Draw nodes where they now are, and what hangs on them.
  place(nodes) {
    for (const {element, x, y} of nodes) element.setAttribute("transform", `translate(${x} ${y})`)
    this.bars.place(nodes)
    new Set(nodes.flatMap((node) => node.edges)).forEach((edge) => this.route(edge))
    new Set(nodes.flatMap((node) => [...node.hulls])).forEach((hull) => this.outline(hull))
  }

  route({from, to, line, hit}) {
    const path = edge_path(from, to, this.directed)
    line.setAttribute("d", path)
    hit.setAttribute("d", path)
  }

  outline({members, element, name}) {
    const corners = hull_of(members)
    element.setAttribute("d", `M${corners.map((corner) => corner.join(" ")).join("L")}Z`)
    const top = corners.reduce((best, corner) => corner[1] < best[1] ? corner : best)
    name.setAttribute("x", top[0])
    name.setAttribute("y", top[1] - HULL - 6)
  }

  // --- what the data says

  // Nodes and hulls that look otherwise now; the rest stays, unless it is the whole look.
  style({whole, nodes, hulls, gone}) {
    nodes.forEach(([k, look]) => this.dress(this.nodes[k], look))
    for (const {from, to, line} of this.edges) line.classList.toggle("ghost", from.ghost || to.ghost || to.borrowed)
    const replaced = new Set([...gone, ...hulls.map(({number}) => number)])
    const stays = this.hulls.filter(({number}) => !whole && !replaced.has(number))
    for (const hull of this.hulls) if (!stays.includes(hull)) hull.members.forEach((node) => node.hulls.delete(hull))
    this.hulls = [...stays, ...hulls.map((hull) => this.draw_hull(hull))].sort((a, b) => a.number - b.number)
    this.hull_layer.replaceChildren(...this.hulls.flatMap(({element, name}) => [element, name]))
  }

  dress(node, changes) {
    const {element} = node
    node.look = {...node.look, ...changes}
    const {role, component, badge, pruned, ghost, borrowed, about, place} = node.look
    Object.assign(node, {component, ghost, borrowed, about: about + place})
    element.dataset.role = role
    element.dataset.component = component
    element.classList.toggle("pruned", pruned)
    element.classList.toggle("ghost", ghost)
    element.classList.toggle("borrowed", borrowed)
    node.badge.textContent = badge
    node.below.textContent = borrowed ? "borrowed" : ""
    node.card?.element.classList.toggle("ghost", ghost)
    this.label(node)
  }

  label(node) {
    const supposed = node.supposed ? `. Supposed: ${node.supposed}` : ""
    node.title.textContent = node.about + supposed
    const selected = node.element.classList.contains("selected") ? ". Selected" : ""
    node.element.setAttribute("aria-label", node.about + supposed + selected)
  }

  // How probable states are, and what is supposed: pairs of a node's number and words.
  believe({cards, supposed}) {
    const words = new Map(supposed)
    this.bars.show(this.nodes, cards)
    this.nodes.forEach((node, k) => {
      node.card?.element.classList.toggle("ghost", Boolean(node.ghost))
      if (node.supposed === words.get(k)) return
      node.supposed = words.get(k)
      node.pin.textContent = node.supposed ? "▸" : ""
      node.element.classList.toggle("supposed", Boolean(node.supposed))
      this.label(node)
    })
  }

  draw_hull({number, members, colour, ghost, label}) {
    const shade = `${colour}${ghost ? " ghost" : ""}`
    const element = make("path", {class: `hull ${shade}`, "data-hull": number, "stroke-width": 2 * HULL})
    make("title", {}, element).textContent = `Component ${label}`
    const name = make("text", {class: `hull-name ${shade}`})
    name.textContent = label
    const hull = {number, element, name, members: members.map((k) => this.nodes[k])}
    hull.members.forEach((node) => node.hulls.add(hull))
    this.outline(hull)
    return hull
  }

  // --- what is going on

  mark(selected, edges) {
    for (const node of this.nodes) {
      const was = node.element.classList.contains("selected")
      if (node.element.classList.toggle("selected", selected.has(node.name)) !== was) this.label(node)
    }
    for (const edge of this.edges) edge.line.classList.toggle("selected", edges.has(edge))
  }

  // The node that the next step of connecting starts from, or would end at.
  highlight(name, node) {
    for (const {element} of this.nodes) element.classList.toggle(name, element === node?.element)
  }

  stretch_band(from, to) {
    this.band.setAttribute("d", from && to ? edge_path(from, to, this.directed) : "")
  }

  stretch_box(x, y, width, height) {
    for (const [key, value] of Object.entries({x, y, width, height})) this.box.setAttribute(key, value)
  }
}
