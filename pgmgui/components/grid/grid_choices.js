// What can be chosen for the cell that is being edited: a list below its field. Read before grid_editor.js.

const MOST_SHOWN = 8 // more are scrolled

class ChoiceList {
  // `taken` is called when a choice is clicked.
  constructor(field, taken) {
    Object.assign(this, {field, taken, items: [], chosen: -1})
    this.root = make("div", "choices")
    this.root.popover = "manual" // above all else on the page, so that no pane cuts it off
    this.root.addEventListener("pointerdown", (event) => this.point(event))
    field.addEventListener("input", () => this.filter(field.value))
    field.autocomplete = "off"
  }

  open({choices, hint, title}, typed) {
    this.choices = choices
    this.hint = hint
    if (!choices.length) return
    this.list = make("div", "list", "listbox")
    this.list.id = "choices"
    this.list.setAttribute("aria-label", title)
    this.list.style.maxHeight = `${MOST_SHOWN * HEIGHT}px`
    this.root.replaceChildren(this.list)
    if (hint) make("div", "hint", null, this.root).textContent = hint
    this.field.after(this.root)
    this.root.showPopover?.()
    this.field.setAttribute("role", "combobox")
    this.field.setAttribute("aria-controls", "choices")
    this.field.setAttribute("aria-expanded", "true")
    this.filter(typed ?? "")
  }

  // Those that begin with what was typed, or all if none does; the only one is chosen at once.
  filter(text) {
    if (!this.list) return
    const typed = text.toLowerCase()
    const meant = this.choices.filter(([name]) => name.toLowerCase().startsWith(typed))
    this.items = meant.length ? meant : this.choices
    this.list.replaceChildren(...this.items.map(([name, note], k) => {
      const item = make("div", "choice", "option")
      item.id = `choice-${k}`
      item.dataset.choice = k
      item.textContent = note ? `${name}  ${note}` : name
      return item
    }))
    const exact = this.items.findIndex(([name]) => name === text)
    this.choose(exact >= 0 ? exact : typed && meant.length === 1 ? 0 : -1)
    this.place()
  }

  choose(k) {
    this.chosen = k
    for (const item of this.list.children) item.setAttribute("aria-selected", item.id === `choice-${k}`)
    this.list.children[k]?.scrollIntoView({block: "nearest"})
    if (k < 0) this.field.removeAttribute("aria-activedescendant")
    else this.field.setAttribute("aria-activedescendant", `choice-${k}`)
  }

  // Whether a key was for the list. Enter and Tab take what is chosen, and go on as without a list.
  press(event) {
    if (!this.list) return false
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (step && this.items.length) {
      const next = this.chosen < 0 ? (step > 0 ? 0 : this.items.length - 1) : this.chosen + step
      this.choose((next + this.items.length) % this.items.length)
      event.preventDefault()
      return true
    }
    if (event.key === "Enter" || event.key === "Tab") this.take()
    return false
  }

  take() {
    if (this.chosen >= 0) this.field.value = this.items[this.chosen][0]
  }

  point(event) {
    event.preventDefault() // the field keeps the focus
    const item = event.target.closest("[data-choice]")
    if (!item) return
    this.choose(Number(item.dataset.choice))
    this.take()
    this.taken()
  }

  place() {
    if (!this.list) return
    const {left, top, bottom, width} = this.field.getBoundingClientRect()
    const {height} = this.root.getBoundingClientRect()
    const above = bottom + height > window.innerHeight && top > height
    Object.assign(this.root.style, {
      left: `${left}px`, top: `${above ? top - height : bottom}px`, minWidth: `${Math.max(width, 110)}px`,
    })
  }

  close() {
    this.list = null
    this.chosen = -1
    this.root.remove()
    for (const name of ["role", "aria-controls", "aria-expanded", "aria-activedescendant"]) {
      this.field.removeAttribute(name)
    }
  }
}
