// What pointer and keyboard do with a grid. Read before grid.js.

function listen(grid) {
  const {root} = grid
  root.addEventListener("scroll", () => grid.scrolled(), {passive: true})
  root.addEventListener("wheel", (event) => {
    if (grid.scale === 1 || event.ctrlKey || event.shiftKey || !event.deltaY) return
    event.preventDefault() // scaled, a notch of the wheel would skip rows
    grid.scroll_to(grid.top + event.deltaY * (event.deltaMode === 1 ? HEIGHT : 1))
  }, {passive: false})
  root.addEventListener("click", (event) => click(grid, event))
  root.addEventListener("dblclick", (event) => { if (event.target.closest("[data-row]")) grid.begin(null) })
  root.addEventListener("keydown", (event) => press(grid, event))
  root.addEventListener("pointerdown", (event) => { grid.dragged = place_of(event) })
  root.addEventListener("pointerover", (event) => drag(grid, event))
  root.addEventListener("copy", (event) => copy(grid, event))
  root.addEventListener("paste", (event) => paste(grid, event))
}

// The row and the column of the cell under the pointer; null if there is none.
function place_of(event) {
  const element = event.target.closest("[data-row]")
  return element && [Number(element.dataset.row), Number(element.dataset.column)]
}

// The cells from where the button went down are chosen.
function drag(grid, event) {
  const place = place_of(event)
  if (!(event.buttons & 1) || !grid.dragged || !place || grid.editor.cell) return
  if (String(place) === String(grid.dragged) && !grid.anchor) return
  grid.active = grid.nearest(...grid.dragged)
  grid.anchor = grid.active
  grid.activate(...place, true)
}

function click(grid, event) {
  const element = event.target.closest("[data-row], [data-heading]")
  if (!element) return
  const {row, column, heading} = element.dataset
  if (heading !== undefined && !grid.heads) return
  if (event.shiftKey && heading === undefined) {
    grid.activate(Number(row), Number(column), true)
    return
  }
  grid.activate(heading === undefined ? Number(row) : -1, Number(heading ?? column))
  if (!grid.can_edit()) enter(grid)
  else pick(grid, Number(row))
}

function press(grid, event) {
  if (!grid.columns.length || event.altKey || event.metaKey) return
  const [row, column] = grid.active
  const page = Math.max(1, Math.floor(grid.view / HEIGHT) - 1)
  const [start, end] = event.ctrlKey ? [0, grid.count - 1] : [row, row]
  const moves = {
    ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
    PageUp: [Math.max(0, row - page), column], PageDown: [row + page, column],
    Home: [start, 0], End: [end, grid.columns.length - 1],
  }
  const typed = event.key.length === 1 && event.key !== " " && !event.ctrlKey
  if (moves[event.key]) {
    const [to, ...rest] = moves[event.key]
    grid.activate(event.shiftKey ? Math.max(0, to) : to, ...rest, event.shiftKey && row >= 0)
  } else if (event.ctrlKey && event.key.toLowerCase() === "a") choose_all(grid)
  else if (event.key === "Escape" && grid.anchor) grid.activate(row, column)
  else if (event.key === "Enter" || event.key === " " || event.key === "F2") enter(grid)
  else if (typed && grid.can_edit()) grid.begin(event.key)
  else if (event.key === "Delete" || event.key === "Backspace") {
    if (!clear(grid) && !grid.can_edit()) return
    if (!grid.columns[column].clears) grid.begin("")
  } else return
  event.preventDefault()
  event.stopPropagation()
}

function enter(grid) {
  const [row, column] = grid.active
  if (row < 0) grid.send({type: "head", column})
  else if (grid.can_edit()) grid.begin(null)
  else if (grid.count) pick(grid, row)
}

function pick(grid, row) {
  grid.asked = row
  grid.send({type: "pick", row})
}
