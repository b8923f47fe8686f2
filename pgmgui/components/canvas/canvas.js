// The graph canvas. Python owns the graph: on mount we send `ready`, and draw each `load` and `style` we are
// sent. What the user does is asked for with a numbered `op`, which Python answers with `ack` once all that
// follows from it has been sent; what it refuses comes back as it was, in another `load`.

const PATIENCE = 500 // milliseconds until all is drawn also where it has no size yet: in a window that nobody sees

class Canvas {
  constructor(root, send) {
    Object.assign(this, {root, send, sent: 0, loads: 0, styles: 0, alone: 0, factor: null, told: null, last_move: 0, last_select: 0})
    this.after = new Map() // what to do when an op is answered
    this.selected = new Set() // names
    this.chosen = new Set() // edges
    this.nudged = new Set() // names that keys have moved and Python does not know of yet
    Object.assign(root.dataset, {sent: 0, acked: 0})
    this.area = make_html("div", {class: "area"}, "", root) // above the buttons, which never lie on the drawing
    this.drawing = new Drawing(this.area)
    this.view = new View(this.area, this.drawing.viewport, () => {
      this.field?.follow()
      this.drawing.svg.classList.toggle("tiny", this.view.zoom * this.drawing.scale < LEGIBLE)
      this.drawing.sight.look(this.view.box(), this.view.zoom)
      this.drawing.look(this.view.zoom)
      this.map.follow()
    })
    this.status = make_html("div", {class: "status", role: "status"}, "", this.area)
    this.hint = make_html("div", {class: "hint"}, "Double-click to add a variable; drag from its rim to connect", this.area)
    this.map = new Minimap(this) // below the menus
    this.menu = new Menu(root)
    this.connecting = new Connecting(this)
    this.legend = make_html("div", {class: "legend", role: "note", "aria-label": "What arrows show", hidden: ""}, "", root)
    add_tools(this)
    this.finder = new Finder(this)
    this.drawing.sight.on_change = this.map.change
    this.remember({undo: "", redo: ""})
    this.show_selection()
    this.help = new Help(root)
    this.stop_pointer = listen_to_pointer(this)
    this.stop_keys = listen_to_keys(this)
    listen_to_clipboard(this)
    listen_to_menu(this)
    this.resize = new ResizeObserver(() => this.keep_fitting())
    this.resize.observe(this.area)
    this.enlarge = () => this.drawing.type !== type_size() && give_room(this)
    window.addEventListener("resize", this.enlarge)
    this.patience = setTimeout(() => this.begin(), PATIENCE)
  }

  // --- what Python says

  receive(message) {
    if (message.type === "load") this.load(message)
    else if (message.type === "style") this.style(message)
    else if (message.type === "bars") this.believe(message)
    else if (message.type === "trail") show_trail(this, message)
    else if (message.type === "arrows") show_arrows(this, message)
    else if (message.type === "choose" && message.ends) take_edge(this, message)
    else if (message.type === "preview") show_preview(this, message)
    else if (message.type === "found") this.finder.show(message)
    else if (message.type === "select") this.take_selection(message)
    else if (message.type === "history") this.remember(message)
    else if (message.type === "copied") keep_copied(this, message)
    else if (message.type === "options") this.asked?.(message)
    else if (message.type === "ack") this.acknowledge(message)
  }

  load(message) {
    const {drawing} = this
    const focused = drawing.node_of(this.root.getRootNode().activeElement)
    const number = drawing.nodes.indexOf(focused)
    const chosen = new Set([...this.chosen].map((edge) => drawing.describe(edge)))
    // Where nodes have since been moved, what Python says is old.
    const late = (name) => message.seq < this.last_move || this.nudged.has(name) || this.gesture?.moves?.(name)
    for (const node of message.nodes) {
      const known = late(node.name) && drawing.node(node.name)
      if (known) [node.x, node.y] = drawing.place_of(known)
    }
    drawing.load(message)
    this.chosen = new Set(drawing.edges.filter((edge) => chosen.has(drawing.describe(edge))))
    this.hint.hidden = drawing.nodes.length > 0
    this.file = message.file
    this.factor_graph = message.factorGraph
    set_factor_switch(this, message)
    if (message.fit) this.before = null
    if (!this.loads || message.fit || !drawing.nodes.some((node) => this.view.shows(node))) this.fit()
    if (focused) this.focus(drawing.node(focused.name) ?? drawing.nodes[Math.min(number, drawing.nodes.length - 1)])
    this.connecting.follow()
    this.show_selection()
    this.loads += 1
    this.root.dataset.loads = this.loads
    delete this.root.dataset.styles // how it looks comes next
  }

  style(message) {
    this.drawing.style(message)
    if (message.alone !== this.alone) {
      if (message.alone) {
        if (!this.alone) this.before = this.view.own ? this.view.where() : null
        this.fit()
      } else this.before ? this.view.go(this.before) : this.fit()
      this.alone = message.alone
      this.say(message.alone ? `Component ${message.alone} alone. Escape shows all again.` : "")
    }
    this.show_selection()
    this.styles += 1
    this.root.dataset.styles = this.styles
  }

  believe(message) {
    const before = this.drawing.nodes.some((node) => node.card)
    this.drawing.believe(message)
    this.bars_shown = message.shown
    this.tools.press("Bars", message.shown)
    const stretched = !message.shown && this.drawing.spread.some((times) => times !== 1)
    if (before !== message.cards.length > 0 || stretched) give_room(this)
    this.root.dataset.bars = Number(this.root.dataset.bars ?? 0) + 1
  }

  remember({undo, redo}) {
    this.tools.allow("Undo", undo, undo ? `Undo: ${undo} (Ctrl+Z)` : "Nothing to undo")
    this.tools.allow("Redo", redo, redo ? `Redo: ${redo} (Ctrl+Shift+Z)` : "Nothing to redo")
  }

  acknowledge({seq, done}) {
    const then = this.after.get(seq)
    this.after.delete(seq)
    then?.(done)
    this.root.dataset.acked = seq
  }

  // --- what the user asks for

  do(op, values = {}, then = null) {
    this.sent += 1
    this.root.dataset.sent = this.sent
    this.view.own = true
    if (then) this.after.set(this.sent, then)
    this.send({type: "op", seq: this.sent, op, ...values})
  }

  travel(op) {
    this.settle()
    this.do(op)
  }

  add(x, y) {
    let node = null
    let typed = null
    this.name_at({x, y}, (text) => {
      typed = text
      if (node) this.finish_name(node, text)
    })
    const [across, down] = this.drawing.place_of({x, y})
    this.do("add", {x: round(across), y: round(down)}, (done) => {
      node = done && this.drawing.nodes.at(-1)
      if (!node) return this.field?.close("")
      if (typed === null) this.field.name(node)
      else this.finish_name(node, typed)
    })
  }

  // Beside a node, or in the middle of what is seen; where there is room.
  add_beside(node) {
    const [x, first] = node ? [node.x + node.width / 2 + 100, node.y] : this.view.middle()
    let y = first
    while (this.drawing.nodes.some((other) => covers(other, x, y, 50))) y += 70
    this.view.reveal({x, y, width: 100, height: 40})
    this.add(x, y)
  }

  name(node) {
    if (node) this.name_at(node, (text, by_key) => this.finish_name(node, text, by_key))
  }

  name_at(place, then) {
    this.field?.close("")
    this.field = new NameField(this.area, this.view, place, (text, by_key) => {
      this.field = null
      then(text, by_key)
    })
  }

  finish_name(node, text, by_key = true) {
    if (by_key) this.focus(this.drawing.node(node.name))
    if (text && text !== node.name) this.do("rename", {name: node.name, to: text})
  }

  remove(node) {
    const names = [...this.selected]
    const edges = [...this.chosen].map(({from, to}) => [from.name, to.name])
    if (!names.length && !edges.length && this.factor === null && node) names.push(node.name)
    if (names.length || edges.length) this.do("remove", {names, edges})
    else if (this.factor !== null) this.do("remove_factor", {number: this.factor})
  }

  hide(node) {
    const names = this.meant(node)
    if (names.length) this.do("hide", {names})
  }

  show_bars(shown) {
    const {own} = this.view
    this.bars_shown = shown
    this.tools.press("Bars", shown)
    this.do("bars", {shown})
    this.view.own = own
  }

  // Gives a state ever other likelihoods, the newest when the last one has been answered; none stops that.
  weigher(name, state) {
    let [wanted, sent, waiting] = [null, null, false]
    const send = () => {
      if (waiting || wanted === null || wanted === sent) return
      waiting = true
      sent = wanted
      this.do("suppose", {name, state, weight: wanted}, () => { waiting = false; send() })
    }
    return (weight) => { wanted = weight; send() }
  }

  // Look at a component alone, or at all again if we do.
  look(number) {
    if (number) this.do("look", {component: number === this.alone ? null : number - 1})
  }

  send_places(names) {
    const nodes = names.map((name) => this.drawing.node(name)).filter(Boolean)
    this.last_move = this.sent + 1
    this.do("move", {places: nodes.map((node) => [node.name, ...this.drawing.place_of(node).map(round)])})
  }

  // Keys move at once; Python is told when they are let go, as one step to undo.
  nudge(node, dx, dy) {
    const names = this.meant(node)
    const nodes = names.map((name) => this.drawing.node(name))
    for (const moving of nodes) Object.assign(moving, {x: moving.x + dx, y: moving.y + dy})
    this.drawing.place(nodes)
    if (node) this.view.reveal(node)
    names.forEach((name) => this.nudged.add(name))
  }

  settle() {
    if (!this.nudged.size) return
    const names = [...this.nudged]
    this.nudged.clear()
    this.send_places(names)
  }

  // --- the selection

  only_selected() {
    return this.selected.size === 1 ? this.drawing.node([...this.selected][0]) : undefined
  }

  // The names that a key is about: the selection, unless the focus is elsewhere.
  meant(node) {
    return node && !this.selected.has(node.name) ? [node.name] : [...this.selected]
  }

  click(node, more) {
    if (this.connecting.is_on) return this.connecting.pick(node)
    const names = new Set(more ? this.selected : [])
    more && names.has(node.name) ? names.delete(node.name) : names.add(node.name)
    this.choose_all(names, more ? this.chosen : [])
  }

  choose(edge, more) {
    const edges = new Set(more ? this.chosen : [])
    more && edges.has(edge) ? edges.delete(edge) : edges.add(edge)
    if (more || this.drawing.directed) this.choose_all(more ? this.selected : [], edges)
    else choose_factor_of(this, edge)
  }

  // Go through the edges of a node.
  choose_next(node) {
    if (!node?.edges.length) return
    const last = node.edges.findIndex((edge) => this.chosen.has(edge) || edge.to.chosen)
    const edge = node.edges[(last + 1) % node.edges.length]
    this.factor_graph ? choose_factor(this, edge.to) : this.choose(edge, false)
    if (this.factor_graph || this.drawing.directed)
      this.say(`Selected: ${this.factor_graph ? edge.to.name : edge.arrow?.about ?? this.drawing.describe(edge)}`)
  }

  // Select variables and edges; or a factor, by its number.
  choose_all(names, edges = [], factor = null) {
    const [before, other] = [[...this.selected], factor !== this.factor]
    Object.assign(this, {selected: new Set(names), chosen: new Set(edges), factor})
    this.say("") // what was said was about something else
    this.show_selection()
    if (other || before.length !== this.selected.size || before.some((name) => !this.selected.has(name))) {
      this.last_select = this.sent + 1
      factor === null ? this.do("select", {names: [...this.selected]}) : this.do("factor", {number: factor})
    }
    tell_edge(this)
  }

  clear() {
    this.choose_all([])
  }

  take_selection({names, factor, seq}) {
    if (seq < this.last_select) return
    const same = names.length === this.selected.size && names.every((name) => this.selected.has(name))
    Object.assign(this, {selected: new Set(names), factor})
    if (!same) Object.assign(this, {chosen: new Set(), told: null})
    this.show_selection()
    // It was selected elsewhere on the page: show where it is.
    const node = this.only_selected()
    if (!same && node) this.view.reveal(node)
  }

  show_selection() {
    this.drawing.mark(this.selected, this.chosen, this.factor)
    this.tools.allow("Remove what is selected", this.selected.size || this.chosen.size || this.factor !== null)
  }

  // --- moving about

  say(text) {
    this.status.textContent = text
  }

  // When there is other room. A window of another size has the graph fitted to it, unless the user has moved it; a line
  // more on the page must not, for what the user points at would be elsewhere.
  keep_fitting() {
    const size = `${innerWidth} ${innerHeight}`
    const stays = this.view.moved || (this.view.own && size === this.size)
    this.size = size
    this.tell_shape()
    stays ? this.view.show() : this.fit()
  }

  // Python lays out for it what is opened next: the first time before anything is drawn.
  tell_shape() {
    const shape = round(this.view.shape())
    if (!shape || shape === this.shape) return
    this.shape = shape
    this.begun ? this.send({type: "shape", shape}) : this.begin()
  }

  begin() {
    if (this.begun) return
    this.begun = true
    this.send({type: "ready", shape: this.shape ?? null})
  }

  fit() {
    const {drawing} = this
    this.view.fit([...drawing.shown().map(with_card), ...drawing.factors.shown()])
  }

  async save_picture(kind) {
    await save_drawing(take_picture(this), kind, this.file)
    this.say(`Saved as ${this.file}.${kind}`)
  }

  focus(node) {
    if (node) this.drawing.draw(node);
    (node?.element ?? this.drawing.svg).focus({preventScroll: true})
  }

  escape() {
    if (this.gesture) {
      this.gesture.cancel()
      this.gesture = null
    } else if (this.connecting.is_on) this.connecting.stop()
    else {
      this.clear()
      this.say("")
      if (this.alone) this.look(this.alone)
    }
  }

  // Move the focus to the next node in a direction.
  walk(here, [dx, dy]) {
    const best = here ? find_towards(this.drawing.shown(), here, dx, dy) : this.drawing.reached
    if (!best) return
    this.focus(best)
    this.view.reveal(best)
  }

  close() {
    this.resize.disconnect()
    clearTimeout(this.patience)
    window.removeEventListener("resize", this.enlarge)
    this.view.show.cancel()
    this.drawing.close()
    this.map.change.cancel()
    this.stop_pointer()
    this.stop_keys()
  }
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "graph-canvas"
  const canvas = new Canvas(root, (message) => model.send_msg(message))
  model.on("msg:custom", (message) => canvas.receive(message))
  model.on("remove", () => canvas.close())
  return root
}
