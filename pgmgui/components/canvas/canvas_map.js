// The whole graph in a corner, with what of it is in view; it is there while some of the graph is not. A click or drag on
// it moves the view.

const MAPPED = 40 // nodes of a graph that has a map; in a smaller one the way is short
const MAP = {width: 168, height: 112}
const MAP_PAD = 6
const MAP_MARK = 2 // the least size of a node on it

class Minimap {
  constructor(canvas) {
    this.canvas = canvas
    const about = "The whole graph: click or drag to move the view"
    const attributes = {class: "minimap", role: "img", "aria-label": "Map of the graph", title: about, hidden: ""}
    this.panel = make_html("div", attributes, "", canvas.area)
    this.sheet = make_html("canvas", {}, "", this.panel)
    this.frame = make_html("div", {class: "minimap-frame"}, "", this.panel)
    this.change = once_a_frame(() => { this.drawn = false; this.follow() })
    this.panel.addEventListener("pointerdown", (event) => {
      this.panel.setPointerCapture(event.pointerId)
      this.go(event)
      event.preventDefault() // the focus stays where it is
    })
    this.panel.addEventListener("pointermove", (event) => event.buttons && this.go(event))
  }

  // The view has moved.
  follow() {
    const {drawing, view} = this.canvas
    const [left, top, right, bottom] = view.box()
    if (!this.drawn) this.around = box_around(drawing.nodes)
    const [first, highest, last, lowest] = this.around
    this.panel.hidden = drawing.nodes.length < MAPPED || (left <= first && top <= highest && right >= last && bottom >= lowest)
    if (this.panel.hidden) return
    if (!this.drawn) this.draw()
    const into = (value, most) => Math.min(Math.max(value, 0), most)
    const [x, y] = [into(this.x + left * this.zoom, MAP.width), into(this.y + top * this.zoom, MAP.height)]
    const width = into(this.x + right * this.zoom, MAP.width) - x
    const height = into(this.y + bottom * this.zoom, MAP.height) - y
    for (const [side, value] of Object.entries({left: x, top: y, width, height})) this.frame.style[side] = `${value}px`
  }

  draw() {
    const [left, top, right, bottom] = this.around
    const room = [MAP.width - 2 * MAP_PAD, MAP.height - 2 * MAP_PAD]
    this.zoom = Math.min(room[0] / (right - left), room[1] / (bottom - top))
    this.x = MAP.width / 2 - this.zoom * (left + right) / 2
    this.y = MAP.height / 2 - this.zoom * (top + bottom) / 2
    const sharp = window.devicePixelRatio || 1
    Object.assign(this.sheet, {width: MAP.width * sharp, height: MAP.height * sharp})
    const pen = this.sheet.getContext("2d")
    pen.scale(sharp, sharp)
    const style = getComputedStyle(this.panel)
    const {nodes} = this.canvas.drawing
    pen.fillStyle = style.color
    for (const node of nodes) if (!node.ghost && !node.selected) this.stamp(pen, node, 0)
    pen.fillStyle = style.outlineColor
    for (const node of nodes) if (node.selected) this.stamp(pen, node, 1)
    this.drawn = true
  }

  stamp(pen, node, grow) {
    const [width, height] = [node.width, node.height].map((size) => Math.max(size * this.zoom, MAP_MARK) + 2 * grow)
    pen.fillRect(this.x + node.x * this.zoom - width / 2, this.y + node.y * this.zoom - height / 2, width, height)
  }

  // Have the middle of the view where the pointer is.
  go({clientX, clientY}) {
    const {view} = this.canvas
    const box = this.sheet.getBoundingClientRect()
    const [x, y] = [(clientX - box.left - this.x) / this.zoom, (clientY - box.top - this.y) / this.zoom]
    const [left, top] = view.middle()
    view.pan_by((left - x) * view.zoom, (top - y) * view.zoom)
  }
}
