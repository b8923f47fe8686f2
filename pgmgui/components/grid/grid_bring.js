// A row brought into view: that of its table, and that of the page. Before there is a table, this waits for it.
function bring(grid, row) {
  grid.awaited = grid.columns.length ? null : row
  grid.hold?.end()
  const find = () => {
    grid.reveal(row, null)
    grid.draw()
    return grid.drawn.get(row)
  }
  grid.hold = hold_in_view(find, () => { grid.hold = null })
}
