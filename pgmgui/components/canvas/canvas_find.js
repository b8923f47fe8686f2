// A field in which to look for nodes, and buttons that select what is something to the selected ones. Python says what a
// text may mean. A node that is chosen from the list, by click or Enter, is selected and brought into view.

const RELATED = [
  ["blanket", "Markov blanket", "Parents, children and their other parents; in a Markov network, neighbours (M)"],
  ["ancestors", "Ancestors", "All from which arrows lead here (A)"],
  ["descendants", "Descendants", "All to which arrows lead from here (D)"],
  ["component", "Component", "All that are learned together"],
  ["tied", "Tied", "All that share its table"],
  ["role", "Same role", "All that the data knows as much of: observed, hidden, …"],
]

class Finder {
  constructor(canvas) {
    this.canvas = canvas
    const shown = {class: "finder", role: "search", "aria-label": "Find variables", hidden: ""}
    this.panel = make_html("div", shown, "", canvas.area)
    const top = make_html("div", {class: "finder-top"}, "", this.panel)
    this.input = make_html("input", {
      type: "text", role: "combobox", "aria-label": "Find", "aria-expanded": "true", "aria-controls": "found",
      placeholder: "Name, state, hidden, component 2 …", autocomplete: "off", spellcheck: "false",
    }, "", top)
    this.add_button(top, "✕", "Close (Escape)", () => this.close()).setAttribute("aria-label", "Close")
    this.said = make_html("div", {class: "finder-said", "aria-live": "polite"}, "", this.panel)
    const listed = {class: "finder-list", id: "found", role: "listbox", "aria-label": "Found variables"}
    this.list = make_html("div", listed, "", this.panel)
    this.all = this.add_button(this.panel, "", "Select all of them and go there (Ctrl+Enter)", () => this.select_all())
    this.add_related()
    this.input.addEventListener("input", () => this.ask())
    this.panel.addEventListener("keydown", (event) => this.press(event))
    this.show({text: "", count: 0, first: []})
  }

  add_button(parent, text, about, action) {
    const button = make_html("button", {type: "button", title: about}, text, parent)
    button.addEventListener("click", action)
    return button
  }

  add_related() {
    const grouped = {class: "finder-related", role: "group", "aria-label": "Select of the selected ones"}
    const row = make_html("div", grouped, "", this.panel)
    make_html("span", {}, "Of the selected:", row)
    for (const [relation, text, about] of RELATED)
      this.add_button(row, text, `Select: ${about}`, () => select_related(this.canvas, relation))
    this.add_button(row, "Zoom", "Zoom to what is selected (Z)", () => go_to_selection(this.canvas))
  }

  // How much of the canvas it takes, from the left.
  get width() {
    return this.panel.hidden ? 0 : this.panel.offsetLeft + this.panel.offsetWidth
  }

  toggle() {
    this.panel.hidden ? this.open() : this.close()
  }

  open() {
    this.panel.hidden = false
    this.canvas.tools.press("Find", true)
    this.input.focus()
    this.input.select()
    this.ask() // what it meant may have changed
  }

  close() {
    this.panel.hidden = true
    this.canvas.tools.press("Find", false)
    this.canvas.focus(this.canvas.only_selected())
  }

  ask() {
    this.canvas.send({type: "find", text: this.input.value})
  }

  show({text, count, first}) {
    if (text !== this.input.value) return // another answer is on its way
    this.said.textContent = text.trim() && `${count ? count.toLocaleString("en") : "None"} found`
    this.all.textContent = `Select all ${count.toLocaleString("en")}`
    this.all.hidden = count < 2
    this.list.replaceChildren(...first.map(([name, why], k) => {
      const row = make_html("div", {role: "option", id: `found-${k}`, "aria-selected": "false"})
      make_html("span", {class: "finder-name"}, name, row)
      if (why) make_html("span", {class: "finder-why"}, why, row)
      row.addEventListener("click", () => { this.point_at(k); this.go() })
      return row
    }))
    this.names = first.map(([name]) => name)
    this.point_at(0)
    this.panel.dataset.found = text
  }

  // The row that Enter goes to.
  point_at(k) {
    this.at = Math.min(Math.max(k, 0), this.names.length - 1)
    ;[...this.list.children].forEach((row, j) => row.setAttribute("aria-selected", String(j === this.at)))
    this.input.setAttribute("aria-activedescendant", this.at < 0 ? "" : `found-${this.at}`)
    this.list.children[this.at]?.scrollIntoView({block: "nearest"})
  }

  go() {
    if (this.at < 0) return
    this.canvas.choose_all([this.names[this.at]])
    go_to_selection(this.canvas)
  }

  select_all() {
    select_by(this.canvas, "select_found", {text: this.input.value})
  }

  press(event) {
    event.stopPropagation() // what is typed here is not for the canvas
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (event.key === "Escape") this.close()
    else if (event.target !== this.input || event.isComposing) return
    else if (step) this.point_at(this.at + step)
    else if (event.key === "Enter") event.ctrlKey || event.metaKey ? this.select_all() : this.go()
    else return
    event.preventDefault()
  }
}

// Select what is something to the selected nodes, or to the one in focus, and go there.
function select_related(canvas, relation, node = null) {
  const names = canvas.meant(node)
  if (names.length) select_by(canvas, "select_related", {names, relation})
  else canvas.say("Select a variable first.")
}

// As near as may be to what is selected, beside what is being looked for.
function go_to_selection({drawing, view, finder, selected}) {
  const nodes = drawing.nodes.filter(({name}) => selected.has(name))
  if (nodes.length) view.approach(nodes.map(with_card), finder.width)
}

// Have Python select, and go there.
function select_by(canvas, op, values) {
  const before = [...canvas.selected].join("\n")
  canvas.last_select = canvas.sent + 1
  canvas.do(op, values, () => {
    const count = canvas.selected.size
    canvas.say([...canvas.selected].join("\n") === before ? "No others." : `${count.toLocaleString("en")} selected`)
    go_to_selection(canvas)
  })
}
