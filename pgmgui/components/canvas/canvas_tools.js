// The parts of the canvas that are not the drawing: buttons, the list of shortcuts, the field for a name.

const SHORTCUTS = [
  ["Double-click, N", "Add a variable: where you click, or beside the node in focus"],
  ["Double-click on a node, F2", "Rename it; Enter keeps the name, Escape the old one"],
  ["Drag a node, Ctrl or Alt + arrows", "Move it, or all that are selected"],
  ["Drag from the rim of a node, E", "Connect, all that are selected at once: go to another node and press Enter, or click it"],
  ["Ctrl + C, X, V, D", "Copy, cut, paste or duplicate the selected variables, on this page or another"],
  ["Right click, Menu key, Shift + F10", "What can be done with a node, an arrow, a factor or the canvas"],
  ["Delete, Backspace", "Remove the selected variables and arrows"],
  ["Click, Enter, Space", "Select a node; with Shift or Ctrl several"],
  ["Shift + drag, Ctrl + A", "Select all in a box, or all there are"],
  ["Click on an arrow, L", "Select it; L goes through the arrows of the node in focus"],
  ["Click on a square, an edge", "Select a factor of a Markov network: the Variable tab has its table; Delete removes it"],
  ["F", "Show the factor graph of a Markov network, or its variables' graph again"],
  ["B", "Show or hide bars: how probable each state is"],
  ["Click on a bar, drag along it", "Suppose a state, or let it go; give it a likelihood, or another target where it has one"],
  ["H", "Hide the selected variables, or show them again"],
  ["Click on a hull, C", "Look at a component alone, or at all again"],
  ["Ctrl + F", "Find a variable by name, state, role or component and go there: anywhere on the page"],
  ["M, A, D", "Select the Markov blanket, ancestors or descendants of what is selected"],
  ["Z", "Zoom to what is selected"],
  ["Escape", "Stop what is going on; forget the selection; look at all"],
  ["Arrows", "Go to the next node"],
  ["Drag the background, Shift + arrows", "Move the view"],
  ["Wheel, + and −, 0", "Zoom; fit the graph"],
  ["Ctrl + Z, Ctrl + Shift + Z or Ctrl + Y", "Undo, redo: anywhere on the page"],
  ["R, S, G", "Start, pause or resume the run; one step; go on after a stop: anywhere on the page"],
  [", and .", "Go back and forward through the run: anywhere on the page"],
  ["Arrows, Enter, + and −, 0 in a diagram", "Junction tree, meta-network: go to the next box, press it; zoom; see all"],
  ["Arrows, Home, End on the plot of rounds", "Evidence lab: go through the rounds in which targets are met"],
  ["P, Shift + P", "Play the run again, slowly, or hold it there; go to its end: anywhere on the page"],
  ["Arrows on a line between panes", "Give a pane more or less room; Enter: as much as usual"],
  ["T", "Large type, for lectures: anywhere on the page"],
  ["In a table: typing, F2, Delete", "Change a cell; see its states; make it missing. Shift + arrows choose several"],
  ["In a table: Ctrl + C, Ctrl + V", "Copy the chosen cells; paste those of a spreadsheet, from the cell in focus on"],
  ["In a table: Enter on a heading", "Sort by it; again, the other way round; a third time, as it was"],
  ["?", "This list"],
]

function make_html(kind, attributes, text, parent) {
  const element = document.createElement(kind)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  if (text) element.textContent = text
  parent?.appendChild(element)
  return element
}

class Tools {
  constructor(root) {
    this.bar = make_html("div", {class: "tools", role: "toolbar", "aria-label": "Canvas"}, "", root)
    this.buttons = {}
  }

  add(name, text, about, action) {
    const button = make_html("button", {type: "button", "aria-label": name, title: about}, text, this.bar)
    button.addEventListener("click", () => button.getAttribute("aria-disabled") === "true" || action())
    this.buttons[name] = button
  }

  // Not the attribute `disabled`: a button that turns itself off would lose the focus.
  allow(name, allowed, about) {
    this.buttons[name].setAttribute("aria-disabled", String(!allowed))
    if (about) this.buttons[name].title = about
  }

  press(name, pressed) {
    this.buttons[name].setAttribute("aria-pressed", String(pressed))
  }
}

function add_tools(canvas) {
  const tools = canvas.tools = new Tools(canvas.root)
  tools.add("Undo", "Undo", "Nothing to undo", () => canvas.travel("undo"))
  tools.add("Redo", "Redo", "Nothing to redo", () => canvas.travel("redo"))
  tools.add("Add a variable", "Add", "Add a variable (N)", () => canvas.add_beside(canvas.only_selected()))
  tools.add("Connect variables", "Connect", "Connect: click one variable, then another (E)", () => {
    canvas.connecting.toggle()
  })
  tools.add("Remove what is selected", "Delete", "Remove what is selected (Delete)", () => canvas.remove())
  tools.add("Lay out the graph", "Layout", "Lay out the whole graph anew", () => {
    lay_out(canvas)
  })
  tools.add("Bars", "Bars", "Bars: how probable each state is (B)", () => canvas.show_bars(!canvas.bars_shown))
  tools.add("Factor graph", "Factors", "Factor graph: each factor a square, with lines to its variables (F)", () => {
    show_factor_graph(canvas, !canvas.factor_graph)
  })
  tools.add("Find", "Find", "Find variables by name, state, role or component (Ctrl+F)", () => canvas.finder.toggle())
  tools.add("Zoom in", "+", "Zoom in (+)", () => canvas.view.zoom_by(1.25))
  tools.add("Zoom out", "−", "Zoom out (−)", () => canvas.view.zoom_by(0.8))
  tools.add("Fit the graph", "Fit", "Fit the graph (0)", () => canvas.fit())
  const {menu} = canvas
  const pictures = [
    {text: "SVG", about: "Lines, for print and for drawing programs", action: () => canvas.save_picture("svg")},
    {text: "PNG", about: "Pixels, for slides and pages", action: () => canvas.save_picture("png")},
  ]
  tools.add("Picture", "Picture", "Save a picture of the whole graph", () => {
    menu.toggle_at(tools.buttons.Picture, "Picture of the graph", pictures)
  })
  tools.buttons.Picture.setAttribute("aria-haspopup", "menu")
  tools.buttons.Picture.setAttribute("aria-expanded", "false")
  tools.add("Shortcuts", "?", "All shortcuts (?)", () => canvas.help.open())
}

function lay_out(canvas) {
  canvas.do("arrange", {shape: canvas.view.shape()}, (done) => done && canvas.fit())
}

class Help {
  constructor(root) {
    this.dialog = make_html("dialog", {class: "help", "aria-label": "Shortcuts"}, "", root)
    make_html("h2", {}, "What the canvas understands", this.dialog)
    const table = make_html("table", {}, "", this.dialog)
    for (const [keys, about] of SHORTCUTS) {
      const row = make_html("tr", {}, "", table)
      make_html("th", {scope: "row"}, keys, row)
      make_html("td", {}, about, row)
    }
    const close = make_html("button", {type: "button", title: "Close (Escape)"}, "Close", this.dialog)
    close.addEventListener("click", () => this.dialog.close())
    // What is typed here is not for the canvas.
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation())
  }

  open() {
    if (!this.dialog.open) this.dialog.showModal()
  }
}

// A text field over a node, to write its name. The node may still be on its way: it has no name then.
class NameField {
  constructor(root, view, place, on_close) {
    this.view = view
    this.node = place
    this.on_close = on_close
    this.input = make_html("input", {class: "naming", type: "text", "aria-label": "Name of the variable"}, "", root)
    this.input.value = place.name ?? ""
    this.input.addEventListener("keydown", (event) => this.press(event))
    this.input.addEventListener("blur", () => this.close(this.input.value))
    this.follow()
    this.input.focus({preventScroll: true})
    this.input.select()
  }

  press(event) {
    event.stopPropagation()
    if (event.key === "Enter" && !event.isComposing) this.close(this.input.value, true)
    else if (event.key === "Escape") this.close("", true)
  }

  // The node has come.
  name(node) {
    this.node = node
    if (this.input.value) return
    this.input.value = node.name
    this.input.select()
  }

  // Stay over the node, and on the canvas.
  follow() {
    const {x, y, zoom, root} = this.view
    const into = (middle, half, size) => `${Math.max(Math.min(middle, size - half), half)}px`
    this.input.style.left = into(x + zoom * this.node.x, this.input.offsetWidth / 2, root.clientWidth)
    this.input.style.top = into(y + zoom * this.node.y, this.input.offsetHeight / 2, root.clientHeight)
  }

  close(text, by_key = false) {
    if (this.closed) return
    this.closed = true
    this.input.remove()
    this.on_close(text.trim(), by_key)
  }
}
