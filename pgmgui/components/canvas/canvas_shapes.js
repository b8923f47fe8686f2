// The elements of nodes, edges and hulls. What stands in a node's look, belief and selection is worn by its element.
// Names are untrusted text: they only ever pass through textContent and setAttribute.

function make_node(node) {
  const [w, h] = [node.usual.width / 2, node.usual.height / 2]
  const element = make("g", {
    class: "node", "data-node": node.name, transform: place_at(node, node.x, node.y), tabindex: "-1", role: "img",
  })
  const pill = (name, grow) => make("rect", {
    class: name, x: -w - grow, y: -h - grow, width: 2 * (w + grow), height: 2 * (h + grow), rx: h + grow,
  }, element)
  pill("rim", RIM / 2).setAttribute("stroke-width", RIM)
  pill("shape", 0)
  // The left part, for variables that are observed at times, and a ring inside, for those known softly.
  node.part = make("path", {class: "part"}, element)
  pill("ring", -5)
  pill("double", 5)
  make("text", {class: "name"}, element).textContent = node.text
  node.pin = make("text", {class: "pin", x: -w - 4}, element)
  node.badge = make("text", {class: "badge", x: w - 2, y: 3 - h}, element)
  node.below = make("text", {class: "below", y: h + 20}, element)
  // A sheet with a folded corner, for those with a note.
  make("path", {class: "sheet", d: `M${-w - 1} ${-h - 5}h7l4 4v9h-11zm7 0v4h4`}, element)
  node.title = make("title", {}, element)
  node.element = element
  if (node.look) wear_look(node)
  if (node.supposed) wear_belief(node)
  if (node.selected) wear_selection(node)
}

function wear_look(node) {
  const {element} = node
  const {role, share, component, badge, shade, note, tied, pruned, ghost, borrowed} = node.look
  element.dataset.role = role
  element.dataset.shade = shade
  element.dataset.component = component
  element.classList.toggle("pruned", pruned)
  element.classList.toggle("ghost", ghost)
  element.classList.toggle("borrowed", borrowed)
  element.classList.toggle("noted", Boolean(note))
  if (role === "partial") node.part.setAttribute("d", fill_path(node.usual.width / 2, node.usual.height / 2, share))
  node.badge.textContent = badge
  node.below.textContent = [borrowed && "borrowed", !borrowed && role === "given" && "given", tied].filter(Boolean).join(", ")
  wear_label(node)
}

function wear_belief(node) {
  node.pin.textContent = node.supposed ? "▸" : ""
  node.element.classList.toggle("supposed", Boolean(node.supposed))
  wear_label(node)
}

function wear_selection(node) {
  node.element.classList.toggle("selected", node.selected)
  wear_label(node)
}

function wear_label(node) {
  const supposed = node.supposed ? `. Supposed: ${node.supposed}` : ""
  const about = node.about ?? node.name // how it looks may still be on its way
  const note = node.look?.note
  node.title.textContent = about + supposed + (note ? `\n\n${note}` : "")
  const said = `${about}${supposed}${note ? `. Note: ${note}` : ""}`
  node.element.setAttribute("aria-label", said + (node.selected ? ". Selected" : ""))
}

function make_edge(edge, directed) {
  const {from, to} = edge
  edge.line = make("path", {
    class: "edge", "data-edge": directed ? "directed" : "undirected", "data-from": from.name, "data-to": to.name,
  })
  edge.hit = make("path", {class: "hit"})
  edge.title = make("title", {}, edge.hit)
  edge.kind = null
  wear_edge(edge, directed)
}

function wear_edge(edge, directed) {
  const {from, to, line, chosen, arrow} = edge
  edge.title.textContent = arrow?.about ?? describe_edge(edge, directed)
  if (edge.kind !== arrow?.kind) {
    if (edge.kind) line.classList.remove(`arrow-${edge.kind}`)
    if (arrow) line.classList.add(`arrow-${arrow.kind}`)
    edge.kind = arrow?.kind
  }
  line.classList.toggle("ghost", is_ghostly(from, to))
  line.classList.toggle("selected", Boolean(chosen))
  line.classList.toggle("lit", Boolean(from.lit || to.lit))
}

function is_ghostly(from, to) {
  return Boolean(from.ghost || to.ghost || to.borrowed)
}

function describe_edge({from, to}, directed) {
  return `${from.name} ${directed ? "→" : "—"} ${to.name}`
}

function make_hull(hull) {
  const {number, colour, ghost, label} = hull
  const shade = `${colour}${ghost ? " ghost" : ""}`
  hull.element = make("path", {class: `hull ${shade}`, "data-hull": number, "stroke-width": 2 * HULL})
  make("title", {}, hull.element).textContent = `Component ${label}`
  hull.name = make("text", {class: `hull-name ${shade}`})
  hull.name.textContent = label
  outline_hull(hull)
}

// Around what is in it and along its edges, so that nothing else is inside; the width of the line does the rest.
function outline_hull({members, links, element, name}) {
  element.setAttribute("d", [...members.map(outline_box), ...links.map(ribbon_path)].join(""))
  // At the left corner of the highest: arrows come from above.
  const corners = members.map(({x, y, width, height}) => [x - width / 2, y - height / 2])
  const [[x, y]] = corners.sort((a, b) => a[1] - b[1] || a[0] - b[0])
  name.setAttribute("x", x)
  name.setAttribute("y", y - HULL - 6)
}

// Pairs of these nodes that have an edge, with it.
function edges_among(nodes) {
  const inside = new Set(nodes)
  const edges = new Set(nodes.flatMap(({edges}) => edges))
  return [...edges].filter(({from, to}) => inside.has(from) && inside.has(to)).map((edge) => [edge.from, edge.to, edge])
}
