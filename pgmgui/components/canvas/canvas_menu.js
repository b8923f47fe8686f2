// Lists of things to do: at a button, or where the pointer is. They lie above all else and never leave the window.
// An item is {text, about, key, action}; `items` leads to a further list, there at once or given to a callback later;
// `checked` is true or false where it can be; null is a line between items. Texts are untrusted: only textContent.

const EDGE = 8 // pixels between a list and the edge of the window

class Menu {
  constructor(root) {
    this.list = make_html("div", {class: "menu", role: "menu", popover: "manual", hidden: ""}, "", root)
    this.list.addEventListener("keydown", (event) => this.press(event))
    this.list.addEventListener("contextmenu", (event) => event.preventDefault())
    this.list.addEventListener("focusout", ({relatedTarget}) => {
      // Its own button closes it by itself: closed here, that would open it again.
      const own = this.list.contains(relatedTarget) || (this.button && relatedTarget === this.button)
      if (!this.filling && !own) this.close(false)
    })
  }

  get is_open() {
    return !this.list.hidden
  }

  // At a point of the window, below or above it; `back` takes the focus when it is over. `heading` stands above them.
  open(label, items, {x, y, above = false}, back, heading = "") {
    if (this.is_open) this.close(false)
    Object.assign(this, {label, items, back, heading, place: {x, y, above}, before: []})
    this.list.hidden = false
    this.list.showPopover?.()
    this.fill(label, items)
  }

  // Above a button, which says whether it is open.
  toggle_at(button, label, items) {
    if (this.is_open) return this.close()
    const {right, top} = button.getBoundingClientRect()
    this.open(label, items, {x: right, y: top, above: true}, () => button.focus())
    this.button = button
    button.setAttribute("aria-expanded", "true")
  }

  fill(label, items) {
    this.filling = true
    this.list.setAttribute("aria-label", label)
    this.list.replaceChildren()
    if (this.before.length) this.add({text: `‹ ${label}`, about: "Back (←)", action: null})
    // Its name is that of the whole list: who cannot see it has heard it.
    else if (this.heading) make_html("div", {class: "menu-heading", "aria-hidden": "true"}, this.heading, this.list)
    for (const item of items) item ? this.add(item) : make_html("div", {role: "separator"}, "", this.list)
    this.put()
    this.buttons()[this.before.length ? 1 : 0]?.focus()
    this.filling = false
  }

  add({text, about = text, key, checked, items, action}) {
    const role = checked === undefined ? "menuitem" : "menuitemradio"
    const item = make_html("button", {type: "button", role, title: about, tabindex: "-1", "aria-label": text}, "", this.list)
    make_html("span", {class: "menu-text"}, text, item)
    if (key || items) make_html("span", {class: "menu-key"}, items ? "›" : key, item)
    if (checked !== undefined) item.setAttribute("aria-checked", String(checked))
    if (items) item.setAttribute("aria-haspopup", "menu")
    item.addEventListener("click", () => {
      if (items) this.go_on(text, items)
      else if (!action) this.go_back()
      else { this.close(); action() }
    })
    item.go_on = items && (() => this.go_on(text, items))
  }

  go_on(label, items) {
    const from = this.items
    const show = (found) => {
      if (!this.is_open || this.items !== from) return // it was answered late
      this.before.push([this.label, this.items])
      Object.assign(this, {label, items: found})
      this.fill(label, found)
    }
    typeof items === "function" ? items(show) : show(items)
  }

  go_back() {
    if (!this.before.length) return this.close()
    const [label, items] = this.before.pop()
    Object.assign(this, {label, items})
    this.fill(label, items)
  }

  put() {
    const {x, y, above} = this.place
    const {offsetWidth: width, offsetHeight: height} = this.list
    const left = Math.max(EDGE, Math.min(above ? x - width : x, innerWidth - width - EDGE))
    const fits = y + height + EDGE <= innerHeight
    const top = Math.max(EDGE, above || (!fits && y > innerHeight / 2) ? y - height : Math.min(y, innerHeight - height - EDGE))
    Object.assign(this.list.style, {left: `${left}px`, top: `${top}px`})
  }

  buttons() {
    return [...this.list.querySelectorAll("button")]
  }

  close(by_key = true) {
    if (!this.is_open) return
    const {back} = this
    this.filling = true // losing the focus now means nothing
    this.list.hidePopover?.()
    this.list.hidden = true
    this.filling = false
    this.button?.setAttribute("aria-expanded", "false")
    this.button = this.back = null
    if (by_key) back?.()
  }

  press(event) {
    event.stopPropagation() // what is typed here is not for the canvas
    const all = this.buttons()
    const here = all.indexOf(this.list.getRootNode().activeElement)
    const step = {ArrowDown: here + 1, ArrowUp: here - 1 + all.length, Home: 0, End: all.length - 1}[event.key]
    if (step !== undefined) all[step % all.length].focus()
    else if (event.key === "Escape" || event.key === "ArrowLeft") event.key === "Escape" || this.before.length ? this.go_back() : null
    else if (event.key === "ArrowRight") all[here]?.go_on?.()
    else if (event.key === "Tab") this.close()
    else if (event.key.length === 1 && event.key !== " ") this.jump(all, here, event.key.toLowerCase())
    else return
    event.preventDefault()
  }

  // To the next item that begins with a letter.
  jump(all, here, letter) {
    const found = [...all.slice(here + 1), ...all.slice(0, here + 1)]
      .find((item) => item.textContent.toLowerCase().startsWith(letter))
    found?.focus()
  }
}

// --- what the lists of the canvas are about

const MARKS = [
  ["", "As in the data", "Forget the mark"],
  ["hidden", "Hide", "Never seen"],
  ["partial", "Partial", "Partly missing; the Variable tab has the numbers"],
  ["soft", "Soft", "Seen through a sensor; the Variable tab has the numbers"],
  ["given", "Given", "Learn the others given it"],
  ["target", "As targets", "Read the likelihoods in the data as targets for the posterior"],
  ["likelihood", "As likelihoods", "Read the targets in the data as likelihoods"],
]

function listen_to_menu(canvas) {
  canvas.drawing.svg.addEventListener("contextmenu", (event) => {
    event.preventDefault()
    if (canvas.gesture) { canvas.gesture.cancel(); canvas.gesture = null }
    const {drawing, view} = canvas
    const card = drawing.card_at(...view.point(event))
    open_menu(canvas, {
      node: node_under(canvas, event) ?? card?.card.node,
      square: drawing.factors.square_of(event.target),
      edge: drawing.edge_of(event.target),
      component: drawing.component_of(event.target),
    }, {x: event.clientX, y: event.clientY})
  })
}

// Of what is selected or in focus, by a key.
function open_menu_by_key(canvas, node) {
  const {drawing, view, root} = canvas
  const [edge] = canvas.chosen
  const square = drawing.factors.chosen
  const there = edge ? point_on(edge) : square ?? node
  const box = root.getBoundingClientRect()
  const [x, y] = there ? [view.x + view.zoom * there.x, view.y + view.zoom * there.y] : [box.width / 2, box.height / 2]
  open_menu(canvas, edge || square ? {edge, square: edge ? null : square} : {node}, {x: box.left + x, y: box.top + y})
}

function open_menu(canvas, {node, square, edge, component}, place) {
  const back = () => canvas.focus(node ? canvas.drawing.node(node.name) : canvas.drawing.node_of(canvas.root.getRootNode().activeElement))
  const show = (label, items, heading = "") => canvas.menu.open(label, items.filter((item) => item !== undefined), place, back, heading)
  if (node) {
    if (!canvas.selected.has(node.name)) canvas.choose_all([node.name])
    const several = canvas.selected.size > 1 ? `${canvas.selected.size.toLocaleString("en")} variables` : ""
    show(several || node.name, list_for_nodes(canvas, node), several)
  } else if (square) {
    if (canvas.factor !== square.number) choose_factor(canvas, square)
    show(square.name, list_for_factor(canvas, square))
  } else if (edge) {
    if (!canvas.chosen.has(edge)) canvas.choose(edge, false)
    show(canvas.drawing.describe(edge), list_for_edge(canvas, edge))
  } else show("Canvas", list_for_canvas(canvas, canvas.view.point({clientX: place.x, clientY: place.y}), component?.number))
}

function list_for_nodes(canvas, node) {
  const names = [...canvas.selected]
  const one = names.length === 1
  const look = canvas.alone ? "Look at all again" : `Look at component ${node.component} alone`
  return [
    one ? {text: "Rename", key: "F2", action: () => canvas.name(node)} : undefined,
    {text: "Connect to …", key: "E", about: "Then choose the variable to which arrows shall lead", action: () => canvas.connecting.begin(names)},
    {text: "Duplicate", key: "Ctrl+D", action: () => duplicate(canvas, node)},
    {text: "Copy", key: "Ctrl+C", action: () => copy(canvas, node)},
    {text: "Cut", key: "Ctrl+X", action: () => cut(canvas, node)},
    null,
    one ? {text: "Suppose", about: "Suppose a state", items: (show) => ask(canvas, node.name, (found) => show(list_states(canvas, found)))} : undefined,
    {text: "Mark", about: "Say what is known of it", items: (show) => ask(canvas, node.name, (found) => show(list_marks(canvas, names, found)))},
    one ? undefined : {text: "Tie tables", about: "Let them share one table, the one some share already or that of the first; their counts are added", action: () => canvas.do("tie", {names})},
    names.some((name) => canvas.drawing.node(name)?.look?.tied)
      ? {text: "Untie", about: "Give it a table of its own again", action: () => canvas.do("untie", {names})} : undefined,
    {text: "Select", about: "Select what is something to it", items: list_relations(canvas, node)},
    {text: "Zoom to it", key: "Z", action: () => go_to_selection(canvas)},
    canvas.alone || node.component ? {text: look, key: "C", action: () => canvas.look(canvas.alone || node.component)} : undefined,
    null,
    {text: "Delete", key: "Del", action: () => canvas.remove(node)},
  ]
}

function list_states(canvas, {name, states, left, supposed}) {
  const items = states.map((state, k) => ({
    text: state, checked: k === supposed, action: () => canvas.do("suppose", {name, state: k, weight: null}),
  }))
  const more = left ? [{
    text: `… ${left.toLocaleString("en")} more in the Query tab`, about: "Open the Query tab, which has all states",
    action: () => canvas.do("open_query"),
  }] : []
  return [...items, ...more, null, {text: "Suppose nothing", action: () => canvas.do("suppose", {name, likelihood: null})}]
}

function list_marks(canvas, names, {mark, readings}) {
  const offered = {given: !canvas.drawing.directed, target: readings.includes("target"), likelihood: readings.includes("likelihood")}
  return MARKS.filter(([kind]) => offered[kind] ?? true).map(([kind, text, about]) => ({
    text, about, checked: names.length === 1 ? kind === mark : undefined,
    action: () => canvas.do("mark", {names, kind}),
  }))
}

function list_relations(canvas, node) {
  const keys = {blanket: "M", ancestors: "A", descendants: "D"}
  const related = RELATED.filter(([relation]) => canvas.drawing.directed || !["ancestors", "descendants", "tied"].includes(relation))
  return related.map(([relation, text, about]) => ({
    text, about, key: keys[relation], action: () => select_related(canvas, relation, node),
  }))
}

function list_for_edge(canvas, {from, to}) {
  const turn = () => { canvas.choose_all([]); canvas.do("reverse", {from: from.name, to: to.name}) }
  return [
    canvas.drawing.directed ? {text: "Reverse arrow", about: "Let it lead the other way; refused where that closes a cycle", action: turn} : undefined,
    {text: "Select its ends", action: () => canvas.choose_all([from.name, to.name])},
    {text: "Delete", key: "Del", action: () => canvas.remove()},
  ]
}

function list_for_factor(canvas, {members}) {
  return [
    {text: "Select its variables", action: () => canvas.choose_all(members.map(({name}) => name))},
    {text: "Delete", key: "Del", action: () => canvas.remove()},
  ]
}

function list_for_canvas(canvas, [x, y], component) {
  const {drawing} = canvas
  const look = canvas.alone ? "Look at all again" : `Look at component ${component} alone`
  return [
    {text: "Add a variable here", key: "Double-click", action: () => canvas.add(x, y)},
    {text: "Paste here", key: "Ctrl+V", action: () => paste_here(canvas, drawing.place_of({x, y}).map(round))},
    canvas.alone || component ? {text: look, action: () => canvas.look(canvas.alone || component)} : undefined,
    null,
    {text: "Select all", key: "Ctrl+A", action: () => canvas.choose_all(drawing.nodes.map(({name}) => name))},
    {text: "Find …", key: "Ctrl+F", action: () => canvas.finder.open()},
    {text: "Lay out", about: "Lay out the whole graph anew", action: () => lay_out(canvas)},
    {text: "Fit", key: "0", about: "Fit the graph into the canvas", action: () => canvas.fit()},
    {text: canvas.bars_shown ? "Hide bars" : "Show bars", key: "B", action: () => canvas.show_bars(!canvas.bars_shown)},
    drawing.directed ? undefined : {
      text: canvas.factor_graph ? "Show the variables' graph" : "Show the factor graph", key: "F",
      action: () => show_factor_graph(canvas, !canvas.factor_graph),
    },
  ]
}

// Have Python say what states a node has, and what is supposed and known of it.
function ask(canvas, name, then) {
  canvas.asked = (found) => found.name === name && then(found)
  canvas.send({type: "ask", node: name})
}
