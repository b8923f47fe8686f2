// What the pointer does: each press of its button begins a gesture, which steps once a frame until the button
// is let go; one that does not move is a click.

const CLICK = 4 // pixels a pointer may move and still click
const DOUBLE = 260 // milliseconds in which a second click makes a double-click

function listen_to_pointer(canvas) {
  const {svg} = canvas.drawing
  let waiting = null
  const step = once_a_frame((event) => canvas.gesture?.step(event))
  const end = () => { step.cancel(); canvas.gesture = null; svg.classList.remove("panning") }
  // The browser would give the focus to the whole drawing, which captures the pointer.
  svg.addEventListener("mousedown", (event) => event.preventDefault())
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || canvas.gesture) return
    canvas.focus(node_under(canvas, event))
    canvas.gesture = begin_gesture(canvas, event)
    svg.setPointerCapture(event.pointerId)
  })
  svg.addEventListener("pointermove", (event) => {
    const {gesture} = canvas
    if (!gesture) return
    gesture.moved ||= Math.hypot(event.clientX - gesture.x, event.clientY - gesture.y) > CLICK
    if (!gesture.moved) return
    svg.classList.toggle("panning", Boolean(gesture.pans))
    step(event)
  })
  svg.addEventListener("pointerup", (event) => {
    const {gesture} = canvas
    if (!gesture) return
    if (gesture.moved) gesture.step(event)
    end()
    clearTimeout(waiting)
    if (gesture.moved) gesture.finish(event)
    // A double-click on a hull adds a variable there: wait whether this is one.
    else if (gesture.waits) waiting = setTimeout(gesture.click, DOUBLE)
    else gesture.click()
  })
  svg.addEventListener("pointercancel", () => { canvas.gesture?.cancel(); end() })
  svg.addEventListener("dblclick", (event) => {
    clearTimeout(waiting)
    if (canvas.connecting.is_on || canvas.chosen.size || canvas.factor !== null) return
    const [x, y] = canvas.view.point(event)
    if (canvas.drawing.card_at(x, y)) return
    const node = canvas.drawing.node_at(x, y)
    node ? canvas.name(node) : canvas.add(x, y)
  })
  svg.addEventListener("wheel", (event) => {
    event.preventDefault()
    const box = svg.getBoundingClientRect()
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1)
    canvas.view.zoom_by(Math.exp(-pixels * 0.0015), event.clientX - box.left, event.clientY - box.top)
  }, {passive: false})
  return () => { step.cancel(); clearTimeout(waiting) }
}

// The node under the pointer, or its mark.
function node_under({drawing, view}, event) {
  return drawing.node_of(event.target) ?? drawing.mark_at(...view.point(event))
}

function begin_gesture(canvas, event) {
  const {drawing} = canvas
  const node = node_under(canvas, event)
  const edge = drawing.edge_of(event.target)
  const square = drawing.factors.square_of(event.target)
  const component = drawing.component_of(event.target)
  const bar = canvas.connecting.is_on ? null : drawing.card_at(...canvas.view.point(event))
  if (bar) return {x: event.clientX, y: event.clientY, ...bar_gesture(canvas, bar)}
  const more = event.shiftKey || event.ctrlKey || event.metaKey
  let click = () => canvas.clear()
  if (node) click = () => canvas.click(node, more)
  else if (square) click = () => choose_factor(canvas, square)
  else if (edge) click = () => canvas.choose(edge, more)
  else if (component) click = () => canvas.look(component.number)
  let gesture
  if (node && (canvas.connecting.is_on || event.target.classList.contains("rim"))) gesture = connect_gesture(canvas, node)
  else if (node) gesture = move_gesture(canvas, node, event)
  else if (event.shiftKey) gesture = box_gesture(canvas, event)
  else gesture = pan_gesture(canvas, event)
  return {x: event.clientX, y: event.clientY, click, waits: Boolean(component), ...gesture}
}

function pan_gesture({view}, first) {
  const {x, y, zoom} = view.where()
  const step = (event) => view.go({x: x + event.clientX - first.clientX, y: y + event.clientY - first.clientY, zoom})
  return {pans: true, step, finish() {}, cancel() { view.go({x, y, zoom}) }}
}

function move_gesture(canvas, node, first) {
  let starts = null
  const shift = (dx, dy) => {
    // By name: a graph that comes meanwhile has other nodes.
    const nodes = starts.map(([name]) => canvas.drawing.node(name)).filter(Boolean)
    for (const [name, x, y] of starts) {
      const moving = canvas.drawing.node(name)
      if (moving) Object.assign(moving, {x: x + dx, y: y + dy})
    }
    canvas.drawing.place(nodes)
  }
  return {
    moves: (name) => Boolean(starts?.some(([moving]) => moving === name)),
    step(event) {
      if (!starts && !canvas.selected.has(node.name)) canvas.click(node, false)
      starts ??= canvas.drawing.nodes.filter(({name}) => canvas.selected.has(name)).map(({name, x, y}) => [name, x, y])
      shift((event.clientX - first.clientX) / canvas.view.zoom, (event.clientY - first.clientY) / canvas.view.zoom)
    },
    finish: () => canvas.send_places(starts.map(([name]) => name)),
    cancel: () => starts && shift(0, 0),
  }
}

// A click supposes the state of a bar or lets it go; a drag gives it a likelihood, or another target if it has one.
function bar_gesture(canvas, {card, k}) {
  const {name} = card.node
  if (k < 0) return {click: () => canvas.click(card.node, false), step() {}, finish() {}, cancel() {}}
  const before = card.numbers.length ? card.numbers : null
  const meant = card.kind === "target" ? "target" : "likelihood"
  const weigh = canvas.weigher(name, k)
  const find = (event) => {
    // By name: a graph that comes meanwhile has other cards.
    const now = canvas.drawing.node(name)?.card
    if (!now?.rows[k]) return
    const share = (canvas.view.point(event)[0] - now.node.x) / now.width + 0.5
    const weight = Math.round(100 * Math.min(Math.max(share, 0), 1)) / 100
    canvas.drawing.bars.weigh(now, k, weight)
    canvas.say(`${name} = ${now.states[k]}: ${meant} ${weight}`)
    weigh(weight)
  }
  return {
    click: () => canvas.do("suppose", {name, state: k, weight: null}),
    step: find,
    finish: () => canvas.say(""),
    cancel() {
      canvas.say("")
      weigh(null)
      canvas.do("suppose", {name, [meant]: before})
    },
  }
}

// From a node; from all that are selected, if it is one of them.
function connect_gesture(canvas, node) {
  const {drawing, view} = canvas
  const names = canvas.meant(node).filter((name) => name !== node.name)
  const find = (event) => drawing.node_at(...view.point(event))
  const cancel = () => { drawing.stretch_band([]); drawing.highlight("target", []); canvas.say("") }
  // By name: a graph that comes meanwhile has other nodes.
  const sources = (target) => [node.name, ...names].map((name) => drawing.node(name)).filter((one) => one && one !== target)
  return {
    step(event) {
      const target = find(event)
      const meant = target && target.name !== node.name ? target : null
      drawing.highlight("target", meant ? [meant] : [])
      drawing.stretch_band(sources(meant), meant ?? point_node(...view.point(event)))
      if (names.length) canvas.say(`From ${count_nodes(sources(meant).length)}${meant ? ` to ${meant.name}` : ""}`)
    },
    finish(event) {
      cancel()
      const target = find(event)
      if (target && target.name !== node.name) connect(canvas, sources(target).map(({name}) => name), target.name)
    },
    cancel,
  }
}

function box_gesture(canvas, first) {
  const {drawing, view} = canvas
  const cancel = () => drawing.stretch_box(0, 0, 0, 0)
  const frame = canvas.area.getBoundingClientRect()
  return {
    step(event) {
      const [x, y] = [Math.min(first.clientX, event.clientX), Math.min(first.clientY, event.clientY)]
      const [width, height] = [Math.abs(first.clientX - event.clientX), Math.abs(first.clientY - event.clientY)]
      drawing.stretch_box(x - frame.left, y - frame.top, width, height)
    },
    finish(event) {
      cancel()
      const [[x1, y1], [x2, y2]] = [view.point(first), view.point(event)]
      const within = (value, one, other) => Math.min(one, other) <= value && value <= Math.max(one, other)
      const inside = drawing.nodes.filter(({x, y}) => within(x, x1, x2) && within(y, y1, y2))
      canvas.choose_all(inside.map(({name}) => name))
    },
    cancel,
  }
}
