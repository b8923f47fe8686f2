// Connecting without a drag: from some nodes, to the one that is chosen next.

class Connecting {
  constructor(canvas) {
    Object.assign(this, {canvas, is_on: false, from: [], once: false}) // from: names
  }

  // From nodes: once. From none: until it is stopped.
  begin(names = []) {
    Object.assign(this, {is_on: true, from: names, once: names.length > 0})
    this.show()
  }

  stop() {
    Object.assign(this, {is_on: false, from: []})
    this.show()
  }

  toggle(names) {
    this.is_on ? this.stop() : this.begin(names)
  }

  pick({name}) {
    const {from, once, canvas} = this
    if (from.length) Object.assign(this, {is_on: !once, from: []})
    else this.from = [name]
    this.show()
    if (from.length) connect(canvas, from, name)
  }

  // There may be other nodes now.
  follow() {
    if (!this.is_on) return
    this.from = this.from.filter((name) => this.canvas.drawing.node(name))
    this.show()
  }

  show() {
    const {canvas, from, is_on} = this
    canvas.tools.press("Connect variables", is_on)
    canvas.drawing.svg.classList.toggle("connecting", is_on)
    canvas.drawing.highlight("source", from.map((name) => canvas.drawing.node(name)))
    if (!is_on) canvas.say("")
    else canvas.say(from.length ? `From ${from.length > 1 ? count_nodes(from.length) : from[0]} to …: choose a variable. Escape stops.`
      : "Connect: choose a variable, then another. Escape stops.")
  }
}

// From one node, or from several at once, to another.
function connect(canvas, names, to) {
  const [from] = names
  names.length > 1 ? canvas.do("connect_all", {names, to}) : canvas.do("connect", {from, to})
}
