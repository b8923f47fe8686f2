// The drawing: nodes, edges, factors and hulls as SVG. It shows what it is told and decides nothing.
// A node, edge or hull may have no elements: see canvas_sight.js.

const FONT = "500 17px"

class Drawing {
  constructor(root) {
    this.nodes = []
    this.edges = []
    this.hulls = []
    this.hulls_drawn = []
    this.highlighted = {} // lists of nodes, by what they are in connecting
    this.scale = this.type = 1 // of the nodes, and of the page's type
    this.spread = [1, 1] // how much farther apart nodes are drawn than Python has them, across and down
    this.sight = new Sight(this)
    this.ways = new Ways()
    this.svg = make("svg", {class: "graph", role: "application", "aria-label": "Graph", tabindex: "0"}, root)
    this.viewport = make("g", {class: "viewport"}, this.svg)
    const layer = (name) => make("g", {class: name}, this.viewport)
    this.hull_layer = layer("hulls")
    this.far = new Far(layer("far"))
    this.hit_layer = layer("hits")
    const under = layer("trail")
    const ghosts = layer("arrow-ghosts")
    this.edge_layer = layer("edges")
    const labels = layer("arrow-labels")
    const over = layer("trail")
    this.factors = new Factors(layer("factors"))
    this.bars = new Bars(layer("bars"))
    this.node_layer = layer("nodes")
    this.trail = new Trail(this, under, over, layer("trail-stops"))
    this.arrows = new Arrows(this, ghosts, labels)
    this.preview = new Preview(this, layer("preview-step"))
    this.names = new Names(this, layer("far-names"))
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
    return element?.closest?.(".hit") ? this.edges.find((edge) => edge.hit === element) : undefined
  }

  component_of(element) {
    return this.hulls.find((hull) => hull.element === element)
  }

  // The node whose mark is at a point of the drawing, seen from afar.
  mark_at(x, y) {
    return this.sight.far ? this.nodes.findLast((node) => covers(node, x, y)) : undefined
  }

  // The topmost node at a point of the drawing.
  node_at(x, y) {
    return this.nodes.findLast((node) => covers(node, x, y, RIM))
  }

  // The card of bars at a point of the drawing.
  card_at(x, y) {
    return this.sight.far || this.node_at(x, y) ? null : Bars.at(this.nodes, x, y)
  }

  // What is to be looked at: all, or the component that is looked at alone.
  shown() {
    return this.nodes.filter((node) => !node.ghost)
  }

  // --- drawing

  load({nodes, edges, factors, factorGraph, directed, label, fit, nodeHeight, longestLabel}) {
    this.svg.setAttribute("aria-label", label)
    const wiring = JSON.stringify([directed, factorGraph, edges, factors])
    if (wiring === this.wiring && this.has_names(nodes)) return this.move(nodes)
    this.wiring = wiring
    const pen = document.createElement("canvas").getContext("2d")
    pen.font = `${FONT} ${getComputedStyle(this.svg).fontFamily}`
    pen.textRendering = "geometricPrecision" // else Chromium rounds widths now and then, on a busy machine
    this.directed = directed
    if (fit) this.spread = [1, 1] // there may be no cards
    this.nodes = nodes.map(({name, x, y}) => {
      const text = shorten(name, longestLabel)
      const usual = {width: Math.max(nodeHeight + 8, pen.measureText(text).width + 28), height: nodeHeight}
      return {name, text, x, y, usual, ...usual, edges: [], squares: [], hulls: new Set()}
    })
    this.measure()
    this.part()
    this.ways.change(this.nodes)
    this.by_name = new Map(this.nodes.map((node) => [node.name, node]))
    this.factors.load(factors, this.nodes, factorGraph)
    this.svg.classList.toggle("factor-graph", factorGraph)
    const ends = factorGraph ? this.factors.list_spokes() : edges.map(([from, to]) => [this.nodes[from], this.nodes[to]])
    this.edges = ends.map(([from, to]) => this.add_edge(from, to))
    this.preview.begin()
    this.hulls = []
    this.hulls_drawn = []
    this.highlighted = {}
    for (const layer of [this.hull_layer, this.hit_layer, this.edge_layer, this.node_layer, this.bars.layer])
      layer.replaceChildren()
    this.reached = null
    this.drawn = new Set()
    if (this.sight.whole) {
      this.edges.forEach((edge) => this.draw_edge(edge))
      this.keep(new Set(this.nodes))
      this.factors.keep(this.factors.all)
    }
    this.sight.begin()
    this.svg.setAttribute("tabindex", this.nodes.length ? "-1" : "0")
    if (this.nodes.length) this.reach(this.nodes[0])
  }

  has_names(nodes) {
    return nodes.length === this.nodes.length && nodes.every(({name}, k) => name === this.nodes[k].name)
  }

  add_edge(from, to) {
    const edge = {from, to}
    from.edges.push(edge)
    to.edges.push(edge)
    return edge
  }

  // Draw other edges between the same nodes.
  rewire(pairs) {
    for (const {line, hit} of this.edges) { line?.remove(); hit?.remove() }
    for (const node of this.nodes) node.edges = []
    this.edges = pairs.map(([from, to]) => this.add_edge(this.nodes[from], this.nodes[to]))
    for (const edge of this.edges) if (this.sight.whole || edge.from.element || edge.to.element) this.draw_edge(edge)
    this.arrows.dress()
  }

  describe(edge) {
    return describe_edge(edge, this.directed)
  }

  // Draw these nodes and their edges, and no others.
  keep(nodes) {
    for (const node of this.drawn) if (!nodes.has(node)) this.erase(node)
    for (const node of nodes) this.draw(node)
  }

  keep_hulls(hulls) {
    const now = this.hulls_drawn
    if (hulls.length === now.length && hulls.every((hull, k) => hull === now[k])) return
    this.hulls_drawn = hulls
    const kept = new Set(hulls)
    for (const hull of this.hulls) if (!kept.has(hull)) hull.element = hull.name = null
    for (const hull of hulls) if (!hull.element) make_hull(hull)
    this.hull_layer.replaceChildren(...hulls.flatMap(({element, name}) => [element, name]))
  }

  // The nodes that are drawn in view or not: Tab leads to one, and they are being connected.
  pinned() {
    return [this.reached, ...Object.values(this.highlighted).flat()].filter(Boolean)
  }

  draw(node) {
    if (node.element) return
    make_node(node)
    const {element} = node
    for (const [name, some] of Object.entries(this.highlighted)) element.classList.toggle(name, some.includes(node))
    element.addEventListener("pointerenter", () => this.light(node, true))
    element.addEventListener("pointerleave", () => this.light(node, false))
    element.addEventListener("blur", () => this.light(node, false))
    element.addEventListener("focus", () => { this.light(node, true); this.reach(node) })
    this.node_layer.append(element)
    this.bars.draw(node)
    this.drawn.add(node)
    for (const edge of node.edges) this.draw_edge(edge)
  }

  erase(node) {
    this.drawn.delete(node)
    node.element.remove()
    this.bars.erase(node)
    node.element = node.part = node.pin = node.badge = node.below = node.title = null
    node.lit = false
    for (const edge of node.edges) {
      if (edge.from.element || edge.to.element || !edge.line) continue
      edge.line.remove()
      edge.hit.remove()
      edge.line = edge.hit = null
    }
  }

  draw_edge(edge) {
    if (edge.line) return
    make_edge(edge, this.directed)
    this.route(edge)
    this.hit_layer.append(edge.hit)
    this.edge_layer.append(edge.line)
  }

  // Make the edges of a node stand out.
  light(node, on) {
    node.lit = on
    for (const {line} of node.edges) line?.classList.toggle("lit", on)
  }

  // Tab leads to this node from now on.
  reach(node) {
    this.reached?.element?.setAttribute("tabindex", "-1")
    this.draw(node)
    node.element.setAttribute("tabindex", "0")
    this.reached = node
  }

  // --- where things are

  move(nodes) {
    const [across, down] = this.spread
    const places = nodes.map(({x, y}) => [across * x, down * y])
    const moved = this.nodes.filter((node, k) => node.x !== places[k][0] || node.y !== places[k][1])
    places.forEach(([x, y], k) => Object.assign(this.nodes[k], {x, y}))
    // More than somebody has moved: it was laid out anew.
    2 * moved.length > nodes.length ? this.give_room() : this.place(moved)
  }

  // Where Python has what is drawn somewhere.
  place_of({x, y}) {
    return [x / this.spread[0], y / this.spread[1]]
  }

  // How large nodes are, as far as they have room.
  measure() {
    this.type = type_size()
    this.scale = this.type > 1 ? find_scale(this.nodes, this.type) : 1
    for (const node of this.nodes) {
      Object.assign(node, {scale: this.scale, width: this.scale * node.usual.width, height: this.scale * node.usual.height})
      measure_card(node)
    }
  }

  // Measure nodes and cards anew, and draw all where it has room.
  give_room() {
    for (const node of this.nodes) [node.x, node.y] = this.place_of(node)
    this.measure()
    this.spread = find_spread(this.nodes)
    this.part()
    this.place(this.nodes)
  }

  // Bring nodes from where Python has them to where they are drawn.
  part() {
    const [across, down] = this.spread
    for (const node of this.nodes) Object.assign(node, {x: across * node.x, y: down * node.y})
  }

  // Draw nodes where they now are, and what hangs on them.
  place(nodes) {
    for (const node of nodes) node.element?.setAttribute("transform", place_at(node, node.x, node.y))
    this.bars.place(nodes)
    this.ways.change(this.nodes)
    const things = [...nodes, ...this.factors.place(nodes)]
    const own = new Set(things.flatMap(({edges}) => edges))
    const concerned = this.edges.filter((edge) => own.has(edge) || (this.directed && this.ways.concerns(edge, nodes)))
    const turned = concerned.filter((edge) => this.route(edge)).map(({from}) => from)
    this.trail.place()
    this.arrows.place()
    this.preview.place()
    new Set([...nodes, ...turned].flatMap((node) => [...node.hulls])).forEach((hull) => this.outline(hull))
    this.sight.change()
  }

  // Draw an edge where its ends are; whether it bends otherwise now.
  route(edge) {
    const {from, to, line, hit, bend} = edge
    if (!line) return false
    edge.bend = this.find_bend(from, to)
    const path = edge_path(from, to, this.directed, edge.bend)
    line.setAttribute("d", path)
    hit.setAttribute("d", path)
    return edge.bend?.aside !== bend?.aside || edge.bend?.along !== bend?.along
  }

  find_bend(from, to) {
    return this.directed ? this.ways.find_bend(from, to) : null
  }

  // How large what lies over the edges is, from that far.
  look(zoom) {
    for (const layer of [this.trail, this.arrows, this.preview]) layer.look(zoom)
  }

  close() {
    for (const late of [this.sight.update, this.names.change, this.arrows.change]) late.cancel()
  }

  outline(hull) {
    hull.box = box_of(hull.members)
    if (hull.element) outline_hull(hull)
  }

  // --- what the data says

  // Nodes and hulls that look otherwise now; the rest stays, unless it is the whole look.
  style({whole, nodes, hulls, gone, alone}) {
    nodes.forEach(([k, look]) => this.dress(this.nodes[k], look))
    const replaced = new Set([...gone, ...hulls.map(({number}) => number)])
    const stays = new Set(this.hulls.filter(({number}) => !whole && !replaced.has(number)))
    for (const hull of this.hulls) if (!stays.has(hull)) hull.members.forEach((node) => node.hulls.delete(hull))
    this.hulls = [...stays, ...hulls.map((hull) => this.add_hull(hull))].sort((a, b) => a.number - b.number)
    if (this.sight.whole) this.keep_hulls(this.hulls)
    const looked_at = this.hulls.find(({number}) => number === alone)
    this.factors.haunt(looked_at && new Set(looked_at.factors))
    for (const {from, to, line} of this.edges) line?.classList.toggle("ghost", is_ghostly(from, to))
    this.sight.change()
  }

  dress(node, changes) {
    node.look = {...node.look, ...changes}
    const {component, ghost, borrowed, about, place} = node.look
    Object.assign(node, {component, ghost, borrowed, about: about + place})
    if (node.element) wear_look(node)
    this.bars.haunt(node)
  }

  // How probable states are, and what is supposed: pairs of a node's number and words.
  believe({cards, supposed}) {
    const words = new Map(supposed)
    this.bars.show(this.nodes, cards)
    this.nodes.forEach((node, k) => {
      if (node.supposed === words.get(k)) return
      node.supposed = words.get(k)
      if (node.element) wear_belief(node)
    })
    this.sight.change()
  }

  add_hull({number, members, factors, colour, ghost, label}) {
    const squares = factors.map((k) => this.factors.squares.get(k)).filter(Boolean)
    const nodes = members.map((k) => this.nodes[k])
    const spokes = squares.flatMap((square) => square.members.map((node) => [node, square]))
    const links = this.directed ? edges_among(nodes) : spokes
    const hull = {number, factors, colour, ghost, label, links, members: [...nodes, ...squares]}
    hull.members.forEach((node) => node.hulls.add(hull))
    this.outline(hull)
    return hull
  }

  // --- what is going on

  mark(selected, edges, factor) {
    this.factors.choose(factor)
    for (const node of this.nodes) {
      if (Boolean(node.selected) === selected.has(node.name)) continue
      node.selected = selected.has(node.name)
      if (node.element) wear_selection(node)
    }
    for (const edge of this.edges) {
      if (Boolean(edge.chosen) === edges.has(edge)) continue
      edge.chosen = edges.has(edge)
      edge.line?.classList.toggle("selected", edge.chosen)
    }
    this.sight.change()
  }

  // The nodes that the next step of connecting starts from, or would end at.
  highlight(name, nodes) {
    for (const {element} of this.highlighted[name] ?? []) element?.classList.remove(name)
    this.highlighted[name] = nodes
    for (const node of nodes) {
      this.draw(node)
      node.element.classList.add(name)
    }
  }

  stretch_band(nodes, to) {
    this.band.setAttribute("d", nodes.map((from) => edge_path(from, to, this.directed)).join(""))
  }

  stretch_box(x, y, width, height) {
    for (const [key, value] of Object.entries({x, y, width, height})) this.box.setAttribute(key, value)
  }
}
