// A row brought into view: that of its table, and that of the page.

// Before there is a table, this waits for it.
function bring(grid, row) {
  grid.awaited = grid.columns.length ? null : row
  grid.hold?.end()
  grid.hold = hold_in_view(grid, row)
}

// Scroll table and page to a row and hold it in view: what is laid out later would push it away, or draw its table anew.
// What the user does ends that.
function hold_in_view(grid, row) {
  let held = null
  const show = () => {
    grid.reveal(row, null)
    grid.draw()
    const element = grid.drawn.get(row)
    if (!element) return
    const {top} = element.getBoundingClientRect()
    element.scrollIntoView({block: "nearest"})
    if (element === held && element.getBoundingClientRect().top === top) return
    // Watched anew: an observer tells changes only, and what was out of view may be so again before it looks.
    observer.disconnect()
    observer.observe(element)
    held = element
  }
  // On a busy machine several changes come at once: the last is how it is now.
  const observer = new IntersectionObserver((entries) => { if (!entries.at(-1).isIntersecting) show() })
  const acts = ["wheel", "pointerdown", "keydown"]
  const end = () => {
    observer.disconnect()
    acts.forEach((act) => window.removeEventListener(act, end, true))
    grid.hold = null
  }
  acts.forEach((act) => window.addEventListener(act, end, true))
  show()
  return {show, end}
}
