// Which part of the drawing is on the screen, and how large.

const MOST_ZOOM = 4
const LEAST_ZOOM = 0.02
const FITTED_ZOOM = 2
const MARGIN = 24
const NAMES = 24 // and more around a drawing that is large: the names of hulls grow with it

class View {
  constructor(root, viewport, on_show) {
    this.root = root
    this.x = this.y = 0
    this.zoom = 1
    this.least = LEAST_ZOOM // less where a graph is so large that it needs that
    this.own = false // whether the user has done something with what is seen
    this.moved = false // and has moved or zoomed it: then it stays, also in a window of another size
    this.show = once_a_frame(() => {
      viewport.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.zoom})`)
      on_show()
    })
  }

  fit(nodes) {
    if (!this.frame(nodes, nodes.length ? FITTED_ZOOM : 1)) return
    this.least = Math.min(LEAST_ZOOM, this.zoom)
    this.own = this.moved = false
  }

  // See nodes as large as they fit, right of what takes `aside` pixels, but no larger than a graph that is drawn.
  approach(nodes, aside) {
    if (this.frame(nodes, 1, aside)) this.own = this.moved = true
  }

  frame(nodes, widest, aside = 0) {
    const [width, height] = [this.root.clientWidth - aside, this.root.clientHeight]
    if (width <= 0 || !height) return false
    const [left, top, right, bottom] = nodes.length ? box_around(nodes) : [0, 0, 0, 0]
    const margin = Math.min(MARGIN, 0.1 * height)
    const room = [Math.max(width - 2 * margin, 20), Math.max(height - 2 * margin, 20)]
    this.zoom = Math.min(room[0] / (right - left + 2 * NAMES), room[1] / (bottom - top + 2 * NAMES), widest)
    this.x = aside + width / 2 - this.zoom * (left + right) / 2
    this.y = height / 2 - this.zoom * (top + bottom) / 2
    this.show()
    return true
  }

  zoom_by(factor, x = this.root.clientWidth / 2, y = this.root.clientHeight / 2) {
    const zoom = Math.min(Math.max(this.zoom * factor, this.least), MOST_ZOOM)
    const ratio = zoom / this.zoom
    this.go({x: x - (x - this.x) * ratio, y: y - (y - this.y) * ratio, zoom})
  }

  pan_by(dx, dy) {
    this.go({x: this.x + dx, y: this.y + dy, zoom: this.zoom})
  }

  go({x, y, zoom}) {
    Object.assign(this, {x, y, zoom, own: true, moved: true})
    this.show()
  }

  // See another part because of what is there, not because the user has moved it.
  shift_by(dx, dy) {
    Object.assign(this, {x: this.x + dx, y: this.y + dy, own: true})
    this.show()
  }

  where() {
    return {x: this.x, y: this.y, zoom: this.zoom}
  }

  // The point of the drawing under a pointer.
  point({clientX, clientY}) {
    const box = this.root.getBoundingClientRect()
    return [(clientX - box.left - this.x) / this.zoom, (clientY - box.top - this.y) / this.zoom]
  }

  middle() {
    const [width, height] = [this.root.clientWidth, this.root.clientHeight]
    return [(width / 2 - this.x) / this.zoom, (height / 2 - this.y) / this.zoom]
  }

  // What of the drawing is on the screen: its left, top, right and bottom.
  box() {
    const [width, height] = [this.root.clientWidth, this.root.clientHeight]
    const [left, top] = [-this.x / this.zoom, -this.y / this.zoom]
    return [left, top, left + width / this.zoom, top + height / this.zoom]
  }

  // Its width over its height.
  shape() {
    return this.root.clientWidth / Math.max(this.root.clientHeight, 1)
  }

  shows({x, y}) {
    const [left, top] = [this.x + x * this.zoom, this.y + y * this.zoom]
    return left >= 0 && top >= 0 && left <= this.root.clientWidth && top <= this.root.clientHeight
  }

  reveal(node) {
    const into = (middle, half, size) => {
      const least = Math.min(half + MARGIN / 2, size / 2)
      return Math.min(Math.max(middle, least), size - least) - middle
    }
    const dx = into(this.x + node.x * this.zoom, node.width * this.zoom / 2, this.root.clientWidth)
    const dy = into(this.y + node.y * this.zoom, node.height * this.zoom / 2, this.root.clientHeight)
    if (dx || dy) this.shift_by(dx, dy)
  }
}
