// The graph canvas. Python owns the graph: on mount we send `ready`, and draw each `load` and `style` we are
// sent. Selecting and hiding are asked for, with `select` and `hide`.
// Names are untrusted text: they only ever pass through textContent and setAttribute.

const SVG = "http://www.w3.org/2000/svg"
const FONT = "500 17px"
const MOST_ZOOM = 4
const LEAST_ZOOM = 0.02
const FITTED_ZOOM = 2
const MARGIN = 48
const TOOLS = 20 // more room below, where the buttons are
const ARROW = 11
const HULL = 16 // how far a component's outline stands off its nodes
const CLICK = 4 // pixels a pointer may move and still click
const COLOURS = 8 // as many as canvas.css has
const ARROWS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}

function make(kind, attributes, parent) {
  const element = document.createElementNS(SVG, kind)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  parent?.appendChild(element)
  return element
}

function shorten(name, longest) {
  const characters = Array.from(name)
  return characters.length <= longest ? name : characters.slice(0, longest - 1).join("") + "…"
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

function edge_path(from, to, directed) {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const [x1, y1] = rim(from, dx, dy)
  const [x2, y2] = rim(to, -dx, -dy)
  if (!directed) return `M${x1} ${y1}L${x2} ${y2}`
  // The arrowhead is part of the path: markers need url(#id), which does not work in a shadow DOM.
  const length = Math.hypot(dx, dy) || 1
  const [ux, uy] = [dx / length, dy / length]
  const [bx, by] = [x2 - ux * ARROW, y2 - uy * ARROW]
  const [nx, ny] = [-uy * ARROW * 0.45, ux * ARROW * 0.45]
  return `M${x1} ${y1}L${bx} ${by}M${x2} ${y2}L${bx + nx} ${by + ny}L${bx - nx} ${by - ny}Z`
}

// The convex hull of points, by Andrew's monotone chain.
function hull(points) {
  points.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
  const half = (ordered) => {
    const chain = []
    for (const point of ordered) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(points), ...half(points.slice().reverse())]
}

class Canvas {
  constructor(root, send) {
    this.root = root
    this.send = send
    this.selected = new Set()
    this.nodes = []
    this.loads = 0
    this.view = {x: 0, y: 0, zoom: 1}
    this.moved = false
    this.svg = make("svg", {class: "graph", role: "application", "aria-label": "Graph"}, root)
    this.viewport = make("g", {class: "viewport"}, this.svg)
    this.hull_layer = make("g", {class: "hulls"}, this.viewport)
    this.edge_layer = make("g", {class: "edges"}, this.viewport)
    this.node_layer = make("g", {class: "nodes"}, this.viewport)
    this.add_tools()
    this.listen()
    this.resize = new ResizeObserver(() => this.moved ? this.show() : this.fit())
    this.resize.observe(root)
  }

  add_tools() {
    const tools = document.createElement("div")
    tools.className = "tools"
    tools.setAttribute("role", "toolbar")
    tools.setAttribute("aria-label", "View")
    const add = (text, name, key, action) => {
      const button = document.createElement("button")
      button.type = "button"
      button.textContent = text
      button.title = `${name} (${key})`
      button.setAttribute("aria-label", name)
      button.addEventListener("click", action)
      tools.appendChild(button)
    }
    add("+", "Zoom in", "+", () => this.zoom_by(1.25))
    add("−", "Zoom out", "-", () => this.zoom_by(0.8))
    add("Fit", "Fit the graph", "0", () => this.fit())
    this.root.appendChild(tools)
  }

  // --- drawing

  load({nodes, edges, directed, label, nodeHeight, longestLabel}) {
    const pen = document.createElement("canvas").getContext("2d")
    pen.font = `${FONT} ${getComputedStyle(this.svg).fontFamily}`
    this.nodes = nodes.map(({name, x, y, about}) => {
      const text = shorten(name, longestLabel)
      const width = Math.max(nodeHeight + 8, pen.measureText(text).width + 32)
      return {name, text, about, x, y, width, height: nodeHeight, edges: []}
    })
    this.edge_layer.replaceChildren(...edges.map(([from, to]) => this.draw_edge(from, to, directed)))
    this.node_layer.replaceChildren(...this.nodes.map((node) => this.draw_node(node)))
    this.hull_layer.replaceChildren()
    this.nodes[0]?.element.setAttribute("tabindex", "0")
    this.svg.setAttribute("aria-label", label)
    this.fit()
    this.loads += 1
    this.root.dataset.loads = this.loads
  }

  draw_edge(from, to, directed) {
    const [a, b] = [this.nodes[from], this.nodes[to]]
    const element = make("path", {
      class: "edge", d: edge_path(a, b, directed), "data-edge": directed ? "directed" : "undirected",
      "data-from": a.name, "data-to": b.name,
    })
    a.edges.push(element)
    b.edges.push(element)
    return element
  }

  draw_node(node) {
    const element = make("g", {
      class: "node", "data-node": node.name, transform: `translate(${node.x} ${node.y})`,
      tabindex: "-1", role: "img", "aria-label": node.about,
    })
    make("rect", {
      class: "shape", x: -node.width / 2, y: -node.height / 2, width: node.width, height: node.height,
      rx: node.height / 2,
    }, element)
    const [w, h] = [node.width / 2, node.height / 2]
    // The left half, for variables that are observed at times, and a ring inside, for those known softly.
    make("path", {class: "half", d: `M0 ${-h}H${h - w}A${h} ${h} 0 0 0 ${h - w} ${h}H0Z`}, element)
    make("rect", {
      class: "ring", x: 5 - w, y: 5 - h, width: 2 * w - 10, height: 2 * h - 10, rx: h - 5,
    }, element)
    make("text", {class: "name"}, element).textContent = node.text
    node.badge = make("text", {class: "badge", x: w - 2, y: 3 - h}, element)
    node.title = make("title", {}, element)
    node.title.textContent = node.about
    const light = (on) => node.edges.forEach((edge) => edge.classList.toggle("lit", on))
    element.addEventListener("pointerenter", () => light(true))
    element.addEventListener("pointerleave", () => light(false))
    element.addEventListener("focus", () => light(true))
    element.addEventListener("blur", () => light(false))
    node.element = element
    return element
  }

  // --- what the data says

  style({nodes, components}) {
    nodes.forEach(({role, component, pruned, about}, k) => {
      const node = this.nodes[k]
      if (!node) return
      const {element} = node
      element.dataset.role = role
      element.dataset.component = component
      element.classList.toggle("pruned", pruned)
      element.setAttribute("aria-label", about)
      node.title.textContent = about
      node.badge.textContent = component ? String(component) : ""
    })
    this.hull_layer.replaceChildren(...components.map((members) => this.draw_hull(members, nodes)))
    this.styles = (this.styles ?? 0) + 1
    this.root.dataset.styles = this.styles
  }

  draw_hull(members, styles) {
    const corners = members.flatMap((k) => {
      const {x, y, width, height} = this.nodes[k]
      const [w, h] = [width / 2, height / 2]
      return [[x - w, y - h], [x + w, y - h], [x - w, y + h], [x + w, y + h]]
    })
    const number = styles[members[0]].component
    return make("path", {
      class: `hull colour-${(number - 1) % COLOURS}`, d: `M${hull(corners).map((p) => p.join(" ")).join("L")}Z`,
      "data-hull": number, "stroke-width": 2 * HULL,
    })
  }

  // --- the selection

  select(names) {
    this.selected = new Set(names)
    for (const {name, element} of this.nodes) {
      element.classList.toggle("selected", this.selected.has(name))
      element.setAttribute("aria-selected", this.selected.has(name))
    }
  }

  click(element, more) {
    const name = this.nodes.find((node) => node.element === element)?.name
    const names = new Set(more ? this.selected : [])
    if (name !== undefined) this.selected.has(name) && (more || this.selected.size === 1) ? names.delete(name) : names.add(name)
    this.select(names)
    this.send({type: "select", names: [...names]})
  }

  hide(element) {
    const name = this.nodes.find((node) => node.element === element)?.name
    const names = name !== undefined && !this.selected.has(name) ? [name] : [...this.selected]
    if (names.length) this.send({type: "hide", names})
  }

  // --- the view

  show() {
    if (this.frame) return
    this.frame = requestAnimationFrame(() => {
      this.frame = null
      const {x, y, zoom} = this.view
      this.viewport.setAttribute("transform", `translate(${x} ${y}) scale(${zoom})`)
    })
  }

  fit() {
    const [width, height] = [this.root.clientWidth, this.root.clientHeight]
    if (!this.nodes.length || !width || !height) return
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
    for (const node of this.nodes) {
      left = Math.min(left, node.x - node.width / 2)
      right = Math.max(right, node.x + node.width / 2)
      top = Math.min(top, node.y - node.height / 2)
      bottom = Math.max(bottom, node.y + node.height / 2)
    }
    const room = [Math.max(width - 2 * MARGIN, 20), Math.max(height - 2 * MARGIN - TOOLS, 20)]
    const zoom = Math.min(room[0] / (right - left), room[1] / (bottom - top), FITTED_ZOOM)
    this.view = {
      x: width / 2 - zoom * (left + right) / 2, y: (height - TOOLS) / 2 - zoom * (top + bottom) / 2,
      zoom: Math.max(zoom, LEAST_ZOOM),
    }
    this.moved = false
    this.show()
  }

  zoom_by(factor, x = this.root.clientWidth / 2, y = this.root.clientHeight / 2) {
    const zoom = Math.min(Math.max(this.view.zoom * factor, LEAST_ZOOM), MOST_ZOOM)
    const ratio = zoom / this.view.zoom
    this.view = {x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio, zoom}
    this.moved = true
    this.show()
  }

  pan_by(dx, dy) {
    this.view = {...this.view, x: this.view.x + dx, y: this.view.y + dy}
    this.moved = true
    this.show()
  }

  // --- pointer and keyboard

  listen() {
    const {svg} = this
    svg.addEventListener("wheel", (event) => {
      event.preventDefault()
      const box = svg.getBoundingClientRect()
      const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1)
      this.zoom_by(Math.exp(-pixels * 0.0015), event.clientX - box.left, event.clientY - box.top)
    }, {passive: false})
    let last = null
    let first = null
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return
      last = event
      first = {x: event.clientX, y: event.clientY, node: event.target.closest?.(".node")}
      svg.setPointerCapture(event.pointerId)
      svg.classList.add("panning")
    })
    svg.addEventListener("pointermove", (event) => {
      if (!last) return
      this.pan_by(event.clientX - last.clientX, event.clientY - last.clientY)
      last = event
    })
    const release = () => { last = null; svg.classList.remove("panning") }
    svg.addEventListener("pointerup", (event) => {
      if (first && Math.hypot(event.clientX - first.x, event.clientY - first.y) <= CLICK) {
        this.click(first.node, event.shiftKey || event.ctrlKey || event.metaKey)
      }
      first = null
      release()
    })
    svg.addEventListener("pointercancel", release)
    this.root.addEventListener("keydown", (event) => this.press(event))
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const direction = ARROWS[event.key]
    const node = event.target.closest?.(".node")
    if (event.key === "+" || event.key === "=") this.zoom_by(1.25)
    else if (event.key === "-") this.zoom_by(0.8)
    else if (event.key === "0") this.fit()
    else if (direction && event.shiftKey) this.pan_by(-60 * direction[0], -60 * direction[1])
    else if (direction) this.walk(node, direction)
    else if (event.key === "Enter" || event.key === " ") this.click(node, true)
    else if (event.key === "h") this.hide(node)
    else if (event.key === "Escape") this.click(null, false)
    else return
    event.preventDefault()
  }

  // Move the focus to the next node in a direction: near, and not far off to the side.
  walk(element, [dx, dy]) {
    const here = this.nodes.find((node) => node.element === element)
    if (!here) return
    let [best, nearest] = [null, Infinity]
    for (const node of this.nodes) {
      const along = (node.x - here.x) * dx + (node.y - here.y) * dy
      const aside = Math.abs((node.x - here.x) * dy) + Math.abs((node.y - here.y) * dx)
      if (along > 0 && along + 2 * aside < nearest) [best, nearest] = [node, along + 2 * aside]
    }
    if (!best) return
    here.element.setAttribute("tabindex", "-1")
    best.element.setAttribute("tabindex", "0")
    best.element.focus({preventScroll: true})
    this.reveal(best)
  }

  reveal(node) {
    const {x, y, zoom} = this.view
    const into = (middle, half, size) => {
      const least = Math.min(half + MARGIN / 2, size / 2)
      return Math.min(Math.max(middle, least), size - least) - middle
    }
    const dx = into(x + node.x * zoom, node.width * zoom / 2, this.root.clientWidth)
    const dy = into(y + node.y * zoom, node.height * zoom / 2, this.root.clientHeight)
    if (dx || dy) this.pan_by(dx, dy)
  }

  close() {
    this.resize.disconnect()
    cancelAnimationFrame(this.frame)
  }
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "graph-canvas"
  const canvas = new Canvas(root, (message) => model.send_msg(message))
  model.on("msg:custom", (message) => {
    if (message.type === "load") canvas.load(message)
    else if (message.type === "style") canvas.style(message)
    else if (message.type === "select") canvas.select(message.names)
  })
  model.on("remove", () => canvas.close())
  model.send_msg({type: "ready"})
  return root
}
