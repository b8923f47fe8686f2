// A row brought into view: that of its table, and that of the page.

// Before there is a table, this waits for it.
function bring(grid, row) {
  grid.awaited = grid.columns.length ? null : row
  grid.reveal(row, null)
  grid.draw()
  grid.let_go?.()
  grid.let_go = grid.drawn.has(row) ? hold_in_view(grid.drawn.get(row)) : null
}

// Scroll the page to an element and hold it in view: what the page lays out later above it would push it away. What
// the user does ends that. Returns what ends it at once.
function hold_in_view(element) {
  const show = () => element.scrollIntoView({block: "nearest"})
  const observer = new IntersectionObserver(([entry]) => { if (!entry.isIntersecting && element.isConnected) show() })
  const acts = ["wheel", "pointerdown", "keydown"]
  const end = () => {
    observer.disconnect()
    acts.forEach((act) => window.removeEventListener(act, end, true))
  }
  acts.forEach((act) => window.addEventListener(act, end, true))
  show()
  observer.observe(element)
  return end
}
