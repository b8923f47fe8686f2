// The field over the cell that is being edited. Read before grid.js.

class Editor {
  constructor(grid) {
    this.grid = grid
    this.cell = null // the row, the column and the text before, while editing
    this.field = make("input", "editor")
    this.field.type = "text"
    this.field.addEventListener("keydown", (event) => this.press(event))
    this.field.addEventListener("blur", () => this.finish(true))
    this.list = new ChoiceList(this.field, () => this.press_enter())
  }

  press_enter() {
    const {row, column} = this.cell
    this.leave(true, [row + 1, column])
  }

  // Begin with what was typed, or with the cell's text for null.
  begin(row, column, old, typed) {
    const {grid, field} = this
    this.cell = {row, column, old}
    field.value = typed ?? old
    field.className = `editor ${grid.columns[column].kind}`
    field.setAttribute("aria-label", `${grid.columns[column].title}, row ${row + 1}`)
    grid.stage.appendChild(field)
    this.place()
    field.focus({preventScroll: true})
    if (typed === null) field.select()
    this.list.open(grid.columns[column], typed)
  }

  place() {
    if (!this.cell) return
    const {place, size} = this.grid.columns[this.cell.column]
    this.field.style.left = `${place}px`
    this.field.style.width = `${size}px`
    this.field.style.top = `${this.grid.offset(this.cell.row)}px`
    this.list.place()
  }

  press(event) {
    event.stopPropagation()
    const back = event.shiftKey ? -1 : 1
    const {row, column} = this.cell ?? {}
    if (this.list.press(event)) return
    if (event.key === "Escape") this.leave(false, [row, column])
    else if (event.key === "Enter") this.leave(true, [row + back, column])
    else if (event.key === "Tab") {
      const next = this.grid.next_editable(row, column, back)
      this.leave(true, next ?? [row, column])
      if (!next) return // past the last cell, Tab leaves the table
    } else return
    event.preventDefault()
  }

  leave(commit, [row, column]) {
    this.finish(commit)
    this.grid.root.focus({preventScroll: true})
    this.grid.activate(row, column)
  }

  finish(commit) {
    if (!this.cell) return
    const {row, column, old} = this.cell
    this.cell = null
    this.list.close()
    this.field.remove()
    this.field.removeAttribute("aria-invalid")
    if (commit && this.field.value !== old) this.grid.edit(row, column, this.field.value)
  }
}
