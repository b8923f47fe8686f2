// A table of any length. Python owns the cells: on mount we send `ready`, and draw each `load` we are sent;
// rows that come into view are asked for with `ask`, and come as `cells`.

const TALLEST = 8e6 // browsers draw no element taller than 17 to 33 million pixels
const BLOCK = 64 // rows asked for at a time
const KEPT = 4000 // rows remembered
const BESIDE = 6 // rows drawn above and below those in view
const FEW_COLUMNS = 30 // more are drawn only while in view

class Grid {
  constructor(root, send) {
    this.root = root
    this.send = (message) => send({...message, load: this.number})
    this.heading = make("div", "heading", "rowgroup", root)
    this.stage = make("div", "stage", "rowgroup", root)
    this.editor = new Editor(this)
    this.columns = []
    this.count = 0
    this.cells = new Map() // row -> cells
    this.drawn = new Map() // row -> element
    this.picked = new Set()
    this.active = [0, 0]
    this.top = 0 // how far down the whole table the view is, in unscaled pixels
    this.anchor = null // the other corner of the chosen cells, if several are
    listen(this)
    this.resize = new ResizeObserver(() => { this.place(); this.draw(); this.hold?.show() })
    this.resize.observe(root)
  }

  // --- what is shown

  // As high as it will be: what stands below must not move away from the pointer when the rows come.
  keep_room([rows, shown]) {
    this.root.style.maxHeight = shown ? `${HEAD + shown * HEIGHT + 18}px` : ""
    if (!this.columns.length) this.stage.style.height = `${rows * HEIGHT}px`
  }

  load({load, columns, count, label, heads, sortable, sort, since, chooses, picks, first, rows, picked}) {
    const titles = JSON.stringify(columns.map(({title, kind, width, editable}) => [title, kind, width, editable]))
    const fresh = titles !== this.titles
    if (since !== this.since) {
      this.editor.finish(false)
      this.anchor = null
    }
    Object.assign(this, {number: load, titles, since, count, heads, sortable, sort, chooses, waiting: false})
    this.picked = new Set(picked)
    this.cells.clear()
    rows.forEach((row, k) => this.cells.set(first + k, row))
    if (fresh) {
      this.columns = columns
      const {fontSize, fontFamily} = getComputedStyle(this.root)
      measure_columns(columns, rows, `${fontSize} ${fontFamily}`, sortable)
    } else columns.forEach((column, c) => Object.assign(this.columns[c], column)) // where they are stays
    const heading = JSON.stringify([heads, sortable, sort, columns.map(({about}) => about)])
    if (heading !== this.heading_said) this.heading_range = null // a click on one that is replaced meanwhile is lost
    this.heading_said = heading
    this.editable = columns.some((column) => column.editable)
    this.say(label, picks)
    this.stage.style.height = `${Math.min(count * HEIGHT, TALLEST)}px`
    if (fresh) this.shape = null
    this.place()
    this.drawn.forEach((_, row) => this.write(row))
    this.active = this.nearest(...this.active)
    if (this.anchor) this.anchor = this.nearest(...this.anchor)
    this.scroll_to(this.top)
    this.draw()
    if (this.awaited != null) bring(this, this.awaited)
    this.root.dataset.loads = load
  }

  say(label, picks) {
    const {root} = this
    root.classList.toggle("picks", picks && !this.editable)
    root.setAttribute("aria-label", label)
    root.setAttribute("aria-rowcount", this.count + 1)
    root.setAttribute("aria-colcount", this.columns.length)
    root.setAttribute("aria-readonly", !this.editable)
    root.setAttribute("aria-multiselectable", "true")
  }

  fill({load, first, rows}) {
    if (load !== this.number) return
    this.waiting = false
    rows.forEach((row, k) => this.put(first + k, row))
    this.draw()
  }

  put(row, cells) {
    this.cells.set(row, cells)
    this.write(row)
  }

  pick(rows) {
    this.picked = new Set(rows)
    this.drawn.forEach((element, row) => this.show_picked(element, row))
    // Not what the user has just picked here: that was in view, and may have been scrolled away since.
    const asked = rows.includes(this.asked)
    this.asked = null
    if (rows.length && !asked && !rows.some((row) => this.in_view(row))) this.reveal(rows[0], null)
  }

  place() {
    const [width, fixed, tight] = place_columns(this.columns, this.root.clientWidth)
    Object.assign(this, {width, fixed})
    this.root.parentElement?.classList.toggle("tight", tight)
    this.stage.style.width = this.heading.style.width = `${width}px`
    const shape = String(this.columns.map((column) => [column.place, column.size, column.fixed]))
    if (shape === this.shape) return
    this.shape = shape
    this.heading_range = null
    this.drawn.forEach((element) => element.remove())
    this.drawn.clear()
  }

  // The columns to draw: all if few, else those in view.
  columns_in_view() {
    const {columns, root} = this
    if (columns.length <= FEW_COLUMNS) return [0, columns.length - 1]
    const [from, to] = [root.scrollLeft - WIDEST, root.scrollLeft + root.clientWidth + WIDEST]
    const first = Math.max(0, columns.findIndex((column) => column.place + column.size >= from))
    let last = first
    while (last + 1 < columns.length && columns[last + 1].place <= to) last += 1
    return [first, last]
  }

  // --- scrolling. A long table is drawn on a shorter stage: `top` says where we are, scrollTop only how far.

  get view() { return Math.max(0, this.root.clientHeight - HEAD) }

  get lowest() { return Math.max(0, this.count * HEIGHT - this.view) }

  get scale() {
    const stage = Math.min(this.count * HEIGHT, TALLEST) - this.view
    return this.lowest > stage && stage > 0 ? this.lowest / stage : 1
  }

  // Where a row is on the stage.
  offset(row) { return row * HEIGHT + this.root.scrollTop - this.top }

  scroll_to(top) {
    this.top = clamp(top, 0, this.lowest)
    this.root.scrollTop = this.top / this.scale
    this.set_to = this.root.scrollTop
    this.ask_frame()
  }

  scrolled() {
    // A scroll that we asked for is where `top` says, to the row; another is where the user dragged it.
    if (this.scale === 1 || Math.abs(this.root.scrollTop - this.set_to) >= 1) {
      this.top = clamp(this.root.scrollTop * this.scale, 0, this.lowest)
      this.set_to = this.root.scrollTop
    }
    this.ask_frame()
  }

  in_view(row) {
    return row * HEIGHT >= this.top && (row + 1) * HEIGHT <= this.top + this.view
  }

  reveal(row, c) {
    if (row >= 0 && !this.in_view(row)) {
      this.scroll_to(row * HEIGHT < this.top ? row * HEIGHT : (row + 1) * HEIGHT - this.view)
    }
    const {root, fixed} = this
    const {place, size, fixed: stays = true} = this.columns[c] ?? {}
    if (stays) return
    if (place < root.scrollLeft + fixed) root.scrollLeft = place - fixed
    else if (place + size > root.scrollLeft + root.clientWidth) {
      root.scrollLeft = Math.min(place + size - root.clientWidth, place - fixed)
    }
  }

  // --- drawing

  ask_frame() {
    this.frame ??= requestAnimationFrame(() => { this.frame = null; this.draw() })
  }

  draw() {
    if (!this.columns.length) return
    const first = clamp(Math.floor(this.top / HEIGHT) - BESIDE, 0, this.count)
    const last = Math.min(Math.ceil((this.top + this.view) / HEIGHT) + BESIDE, this.count) - 1
    const range = this.columns_in_view()
    const shift = this.offset(0) // asked once, before anything changes: each time, the browser lays out the page anew
    const more = this.root.scrollLeft + this.root.clientWidth < this.width - 1
    this.root.parentElement?.classList.toggle("more", more) // columns to the right, which not every browser's bar tells
    if (String(range) !== this.heading_range) this.draw_heading(range)
    for (const [row, element] of this.drawn) {
      if (row >= first && row <= last && element.range === String(range)) continue
      element.remove()
      this.drawn.delete(row)
    }
    for (let row = last; row >= first; row -= 1) {
      let element = this.drawn.get(row)
      if (!element) {
        element = this.draw_row(row, range)
        this.drawn.set(row, element)
        this.write(row)
        this.stage.insertBefore(element, this.drawn.get(row + 1) ?? null)
      }
      element.style.transform = `translateY(${row * HEIGHT + shift}px)`
    }
    this.editor.place()
    this.show_active()
    this.ask(first, last)
  }

  draw_heading(range) {
    this.heading_range = String(range)
    const row = make("div", "row", "row")
    row.setAttribute("aria-rowindex", 1)
    this.each_column(range, (column, c) => {
      const element = make("div", `cell ${column.kind}${this.heads ? " button" : ""}`, "columnheader", row)
      write_heading(element, column, this.sortable, this.sort?.[0] === c ? this.sort[1] : null)
      element.dataset.heading = c
      this.place_cell(element, column, -1, c)
      element.classList.toggle("under", column.under)
    })
    this.heading.replaceChildren(row)
  }

  draw_row(row, range) {
    const element = make("div", "row", "row")
    element.range = String(range)
    element.setAttribute("aria-rowindex", row + 2)
    element.style.width = `${this.width}px`
    this.each_column(range, (column, c) => {
      const cell = make("div", `cell ${column.kind}`, column.kind === "head" ? "rowheader" : "gridcell", element)
      cell.dataset.row = row
      cell.dataset.column = c
      if (column.editable) cell.classList.add("editable")
      else if (this.editable && column.kind !== "head") cell.setAttribute("aria-readonly", "true")
      this.place_cell(cell, column, row, c)
    })
    return element
  }

  // Into the elements that are there: a click on one that is replaced while the button is down is lost.
  write(row) {
    const [element, cells] = [this.drawn.get(row), this.cells.get(row)]
    if (!element) return
    element.setAttribute("aria-busy", !cells)
    for (const cell of element.children) write_cell(cell, cells?.[cell.dataset.column])
    this.show_picked(element, row)
  }

  each_column([first, last], act) {
    this.columns.forEach((column, c) => { if (column.fixed || (c >= first && c <= last)) act(column, c) })
  }

  place_cell(element, column, row, c) {
    element.id = `cell-${row}-${c}`
    element.setAttribute("aria-colindex", c + 1)
    element.style.left = `${column.place}px`
    element.style.width = `${column.size}px`
    if (column.fixed) element.classList.add("fixed")
  }

  show_picked(element, row) {
    element.classList.toggle("picked", this.picked.has(row))
    element.setAttribute("aria-selected", this.picked.has(row))
  }

  show_active() {
    const [row, c] = this.active
    for (const old of this.root.querySelectorAll(".active")) old.classList.remove("active")
    const cell = row < 0 ? `[data-heading="${c}"]` : `[data-row="${row}"][data-column="${c}"]`
    const element = this.root.querySelector(cell)
    element?.classList.add("active")
    if (element) this.root.setAttribute("aria-activedescendant", element.id)
    else this.root.removeAttribute("aria-activedescendant")
    show_chosen(this)
  }

  // --- rows that are not here yet: one question at a time, for what is then in view

  ask(first, last) {
    if (this.waiting) return
    let row = first
    while (row <= last && this.cells.has(row)) row += 1
    if (row > last) return
    if (this.cells.size > KEPT) {
      for (const old of this.cells.keys()) if (Math.abs(old - row) > KEPT / 4) this.cells.delete(old)
    }
    this.waiting = true
    this.send({type: "ask", first: row, last: Math.min(Math.max(last, row + BLOCK - 1), this.count - 1)})
  }

  // --- the active cell

  nearest(row, column) {
    const least = this.heads ? -1 : 0
    return [clamp(row, least, Math.max(0, this.count - 1)), clamp(column, 0, Math.max(0, this.columns.length - 1))]
  }

  // With `extend`, the cells from where it was before on are chosen too.
  activate(row, column, extend = false) {
    this.anchor = extend && row >= 0 ? this.anchor ?? this.active : null
    this.active = this.nearest(row, column)
    this.reveal(...this.active)
    this.draw()
    tell_chosen(this)
  }

  // --- editing

  can_edit() {
    const [row, column] = this.active
    return row >= 0 && this.columns[column]?.editable && this.cells.has(row)
  }

  begin(typed) {
    if (!this.can_edit()) return
    const [row, column] = this.active
    this.reveal(row, column)
    const {refused} = this
    const again = typed === null && refused?.row === row && refused.column === column ? refused.text : typed
    this.editor.begin(row, column, typed_of(this.cells.get(row)[column]), again)
  }

  // What was typed is offered again, unless the user has gone on: then when the cell is edited the next time.
  refuse({load, row, column, text}) {
    if (load !== this.number) return
    this.refused = {row, column, text}
    if (this.editor.cell || this.root.getRootNode().activeElement !== this.root) return
    this.activate(row, column)
    this.begin(null)
    this.editor.field.setAttribute("aria-invalid", "true")
  }

  edit(row, column, text) {
    // Shown as typed until Python says what has become of it.
    this.refused = null
    this.put(row, this.cells.get(row)?.map((cell, c) => c === column ? text : cell))
    this.draw()
    this.send({type: "edit", row, column, text})
  }

  next_editable(row, column, step) {
    do {
      column += step
      if (column < 0 || column >= this.columns.length) {
        row += step
        column = step > 0 ? 0 : this.columns.length - 1
      }
      if (row < 0 || row >= this.count) return null
    } while (!this.columns[column].editable)
    return [row, column]
  }

  close() {
    this.resize.disconnect()
    this.hold?.end()
    cancelAnimationFrame(this.frame)
  }
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "table" // "grid" is what Panel calls the element around it
  root.tabIndex = 0
  root.setAttribute("role", "grid")
  const grid = new Grid(root, (message) => model.send_msg(message))
  model.on("msg:custom", (message) => {
    if (message.type === "load") grid.load(message)
    else if (message.type === "cells") grid.fill(message)
    else if (message.type === "picked") grid.pick(message.rows)
    else if (message.type === "bring") bring(grid, message.row)
    else if (message.type === "refused") grid.refuse(message)
    else if (message.type === "copied") write_copied(grid, message.text)
  })
  model.on("room", () => grid.keep_room(model.room))
  model.on("remove", () => grid.close())
  grid.keep_room(model.room)
  model.send_msg({type: "ready"})
  return frame_with_fill_button(root, "the table")
}
