// A large graph from afar: a mark a node or factor and a line an edge, all that look the same in one path. What is drawn on its
// own, nearer, is left out.

class Far {
  constructor(layer) {
    this.lines = make("g", {class: "far-lines"}, layer)
    this.squares = make("g", {class: "far-squares"}, layer)
    this.marks = make("g", {class: "far-marks"}, layer)
  }

  draw(nodes, edges, squares) {
    this.fill(this.lines, edges, line_class, ({from, to}) => `M${from.x} ${from.y}L${to.x} ${to.y}`)
    this.fill(this.squares, squares, square_class, outline_box)
    this.fill(this.marks, nodes, mark_class, outline_box)
  }

  fill(layer, things, name, trace) {
    const paths = new Map()
    for (const thing of things) {
      const key = name(thing)
      paths.has(key) ? paths.get(key).push(trace(thing)) : paths.set(key, [trace(thing)])
    }
    // What stands out is drawn last, above the rest.
    const keys = [...paths.keys()].sort((a, b) => a.length - b.length)
    layer.replaceChildren(...keys.map((key) => make("path", {class: key, d: paths.get(key).join("")})))
  }
}

function outline_box({x, y, width, height}) {
  return `M${x - width / 2} ${y - height / 2}h${width}v${height}h${-width}Z`
}

function square_class({ghost, chosen}) {
  if (chosen) return "far-square selected"
  return ghost ? "far-square ghost" : "far-square"
}

function line_class(edge) {
  if (edge.chosen) return "far-line selected"
  const kind = edge.arrow ? `far-line arrow-${edge.arrow.kind}` : "far-line"
  return is_ghostly(edge.from, edge.to) ? `${kind} ghost` : kind
}

// Filled or hollow, as the nodes are.
function mark_class({look, selected, supposed}) {
  const kind = `far-mark${look?.role && !["observed", "given"].includes(look.role) ? " hollow" : ""}`
  if (selected) return `${kind} selected`
  if (look?.ghost) return `${kind} ghost`
  return supposed ? `${kind} supposed` : kind
}
