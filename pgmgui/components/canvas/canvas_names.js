// Names from afar. Where those in the nodes would be too small to read, some are written over the drawing, as large on the
// screen at every zoom: the selected ones first, then those with the most edges, as many as have room.

const NEAR = 0.6 // the zoom from which on the names in the nodes can be read
const NAME_SIZE = 0.75 // of the page's type
const NAME_GAP = 4 // pixels of the screen between two names

class Names {
  constructor(drawing, layer) {
    Object.assign(this, {drawing, layer, view: null, chosen: [], zoom: 0})
    layer.setAttribute("aria-hidden", "true")
    this.written = new Map() // the text of each node that has one
    this.change = once_a_frame(() => {
      this.ranked = null
      if (this.view) this.look(...this.view)
    })
  }

  // There is another graph.
  begin() {
    this.layer.replaceChildren()
    this.written.clear()
    this.change()
  }

  // Look at a part of the drawing: its left, top, right and bottom, and how large it is drawn.
  look(box, zoom) {
    this.view = [box, zoom]
    const {scale, type, svg} = this.drawing
    const far = zoom * scale * (6.2 + 10.8 * type) / 17 < NEAR * type // see canvas.css
    svg.classList.toggle("distant", far)
    if (!far) return
    const size = NAME_SIZE * 16 * type
    if (!this.ranked || zoom !== this.zoom || size !== this.size) {
      Object.assign(this, {zoom, size})
      this.ranked ??= rank(this.drawing.nodes)
      this.chosen = choose_names(this.ranked, zoom, size)
      this.layer.setAttribute("font-size", size / zoom)
    }
    this.keep(this.chosen.filter((node) => overlaps(box, node)))
  }

  keep(nodes) {
    const kept = new Set(nodes)
    for (const [node, text] of this.written) {
      if (kept.has(node)) continue
      text.remove()
      this.written.delete(node)
    }
    for (const node of nodes) {
      if (!this.written.has(node)) this.write(node)
      const text = this.written.get(node)
      // What is set is drawn anew, changed or not.
      for (const side of ["x", "y"]) if (text.getAttribute(side) !== `${node[side]}`) text.setAttribute(side, node[side])
      text.classList.toggle("selected", Boolean(node.selected))
    }
  }

  write(node) {
    const text = make("text", {x: node.x, y: node.y}, this.layer)
    text.textContent = node.text
    this.written.set(node, text)
  }
}

// The nodes that may have a name, the most important first.
function rank(nodes) {
  const weight = (node) => (node.selected ? 2e6 : node.supposed ? 1e6 : 0) + node.edges.length
  return nodes.filter(({ghost, selected}) => !ghost || selected).sort((a, b) => weight(b) - weight(a))
}

// Those whose names have room, each in its turn.
function choose_names(nodes, zoom, size) {
  const room = new Room(200)
  return nodes.filter((node) => {
    const width = (node.usual.width - 24) * size / 17 + NAME_GAP
    return room.take({x: node.x * zoom, y: node.y * zoom, width, height: 1.2 * size + NAME_GAP})
  })
}
