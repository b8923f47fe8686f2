// Several cells at once: a rectangle that is chosen, copied, pasted over or emptied. Read before grid.js.

const MOST_PASTED = 10_000_000 // characters

// The rows and columns of the chosen cells: one, or a rectangle.
function chosen_cells({active, anchor}) {
  const [[row, column], [other_row, other_column]] = [active, anchor ?? active]
  return {
    row: Math.min(row, other_row), last_row: Math.max(row, other_row),
    column: Math.min(column, other_column), last_column: Math.max(column, other_column),
  }
}

function show_chosen(grid) {
  for (const old of grid.stage.querySelectorAll(".chosen")) {
    old.classList.remove("chosen")
    old.removeAttribute("aria-selected")
  }
  if (!grid.anchor) return
  const {row, last_row, column, last_column} = chosen_cells(grid)
  grid.drawn.forEach((element, r) => {
    if (r < row || r > last_row) return
    for (const cell of element.children) {
      if (cell.dataset.column < column || cell.dataset.column > last_column) continue
      cell.classList.add("chosen")
      cell.setAttribute("aria-selected", "true")
    }
  })
}

function tell_chosen(grid) {
  if (!grid.chooses) return
  const cells = chosen_cells(grid)
  const told = JSON.stringify([cells.row, cells.last_row, grid.number])
  if (told !== grid.told) grid.send(grid.active[0] < 0 ? {type: "unchosen"} : {type: "chosen", ...cells})
  grid.told = told
}

function choose_all(grid) {
  grid.active = grid.nearest(0, 0)
  grid.anchor = grid.nearest(grid.count - 1, grid.columns.length - 1)
  grid.draw()
  tell_chosen(grid)
}

// As a spreadsheet writes it: tabs between cells, quotes around what would be taken for more than one.
const quoted = (text) => /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

function copy(grid, event) {
  if (grid.editor.cell || grid.active[0] < 0 || !grid.count) return
  event.preventDefault()
  const cells = chosen_cells(grid)
  const lines = []
  for (let row = cells.row; row <= cells.last_row; row += 1) {
    const known = grid.cells.get(row)
    if (!known) { // Python has them all
      grid.send({type: "copy", ...cells})
      return
    }
    lines.push(known.slice(cells.column, cells.last_column + 1).map((cell) => quoted(typed_of(cell))).join("\t"))
  }
  event.clipboardData.setData("text/plain", `${lines.join("\n")}\n`)
}

// What Python has copied. Long after the key was pressed, or without HTTPS, a browser may refuse it.
function write_copied(grid, text) {
  Promise.resolve().then(() => navigator.clipboard.writeText(text)).catch(() => grid.send({type: "uncopied"}))
}

function paste(grid, event) {
  if (grid.editor.cell || grid.active[0] < 0 || !grid.editable) return
  event.preventDefault()
  const text = event.clipboardData.getData("text/plain").slice(0, MOST_PASTED + 1) // one too many is refused
  if (text) grid.send({type: "paste", ...chosen_cells(grid), text})
}

// Whether Delete empties the chosen cells at once.
function clear(grid) {
  if (!grid.columns[grid.active[1]]?.clears || grid.active[0] < 0) return false
  grid.send({type: "clear", ...chosen_cells(grid)})
  return true
}
