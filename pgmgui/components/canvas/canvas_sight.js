// What of a graph is drawn. A small one whole. Of a large one what is in view has elements of its own, unless that is
// too much: then it is seen from afar (see canvas_far.js). A few nodes are always drawn, such as the one in focus.

const SMALL = 600 // nodes of a graph that is drawn whole
const MOST_IN_VIEW = 300 // nodes of a larger one that are drawn on their own; the names of more cannot be read
const AROUND = 150 // pixels of the screen around it that are drawn too, for what comes next
const SMALLEST_HULL = 12 // pixels of the screen: what is smaller cannot be made out

class Sight {
  constructor(drawing) {
    this.drawing = drawing
    this.view = null
    this.far = false // whether the graph is seen from afar
    this.update = once_a_frame(() => this.draw())
  }

  get whole() {
    return this.drawing.nodes.length <= SMALL
  }

  // There is another graph.
  begin() {
    this.far = false
    this.drawing.svg.classList.remove("afar")
    this.drawing.far.draw([], [], [])
    this.drawing.names.begin()
    this.change()
  }

  // Look at a part of the drawing: its left, top, right and bottom, and how large it is drawn.
  look(box, zoom) {
    const around = AROUND / zoom
    this.view = {zoom, box: [box[0] - around, box[1] - around, box[2] + around, box[3] + around]}
    if (!this.whole) this.draw()
    this.drawing.names.look(this.view.box, zoom)
  }

  // Something is elsewhere or looks otherwise.
  change() {
    this.changed = true
    if (!this.whole) this.update()
    this.drawing.names.change()
    this.on_change?.()
  }

  draw() {
    if (!this.view || this.whole) return
    const {nodes, edges, hulls, factors} = this.drawing
    const {box, zoom} = this.view
    const seen = nodes.filter((node) => overlaps(box, with_card(node)))
    const was_far = this.far
    this.far = seen.length > MOST_IN_VIEW
    this.drawing.svg.classList.toggle("afar", this.far)
    this.drawing.keep(new Set(this.far ? this.drawing.pinned() : [...seen, ...this.drawing.pinned()]))
    factors.keep(this.far ? [] : factors.all.filter((square) => overlaps(box, square)))
    this.drawing.keep_hulls(hulls.filter((hull) => {
      return overlaps(box, hull.box) && zoom * Math.max(hull.box.width, hull.box.height) >= SMALLEST_HULL
    }))
    if (!this.far) this.drawing.far.draw([], edges.filter((edge) => !edge.line && passes(box, edge)), [])
    // From afar all is drawn, in view or not: it stays as it is while the view moves.
    else if (!was_far || this.changed) this.drawing.far.draw(nodes, edges, factors.all)
    this.changed = false
  }

  // Draw everything, to take a picture, while `action` lasts.
  wholly(action) {
    if (this.whole) return action()
    this.drawing.far.draw([], [], [])
    this.drawing.keep(new Set(this.drawing.nodes))
    this.drawing.factors.keep(this.drawing.factors.all)
    this.drawing.keep_hulls(this.drawing.hulls)
    const result = action()
    this.changed = true
    this.draw()
    return result
  }
}
