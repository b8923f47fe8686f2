// The cells of a grid: what they look like and how wide they are. Read before grid_editor.js and grid.js.
// Texts are untrusted: they only ever pass through textContent and setAttribute.

const HEIGHT = 26 // of a row, as in grid.css
const HEAD = 28
const [NARROWEST, WIDEST] = [44, 180]
const CORNER = 24 // what the button over the last heading takes
const NARROWED = 90 // no column is made narrower than this for it
const MEASURED = 24 // rows whose cells a column's width is made for
const LONG = 8 // characters: longer texts may be cut, and have a tooltip
const BRACKETED = new Set(["soft", "target"]) // kinds of cells

const clamp = (value, least, most) => Math.max(least, Math.min(value, most))
const text_of = (cell) => typeof cell === "string" ? cell : cell?.text ?? ""
const typed_of = (cell) => cell?.typed ?? text_of(cell) // what is edited, and copied

function make(kind, name, role, parent) {
  const element = document.createElement(kind)
  element.className = name
  if (role) element.setAttribute("role", role)
  parent?.appendChild(element)
  return element
}

function write_cell(element, cell) {
  const written = JSON.stringify(cell)
  if (written === element.written) return
  if (element.written) clear_cell(element)
  element.written = written
  const {text = "", kind = "", bars = [], heat = 0, about = ""} = typeof cell === "string" ? {text: cell} : cell ?? {}
  if (kind) element.classList.add(kind)
  element.dataset.kind = kind
  if (heat) {
    const shade = `${Math.round(70 * Math.min(1, Math.abs(heat)))}%`
    element.style.background = `color-mix(in srgb, var(--${heat > 0 ? "more" : "less"}) ${shade}, var(--paper))`
  }
  if (bars.length) {
    // One number is a share, and lies; several are compared, and stand.
    const [name, side] = bars.length === 1 ? ["bars share", "width"] : ["bars", "height"]
    const group = make("span", name, null, element)
    group.setAttribute("aria-hidden", "true")
    for (const bar of bars) make("span", "bar", null, group).style[side] = `${100 * clamp(bar, 0, 1)}%`
  }
  element.append(kind === "missing" ? text || "?" : text)
  const said = about || bars.map((bar) => bar.toPrecision(3)).join(", ")
  const title = said || (text.length > LONG ? text : "")
  if (title) element.title = title
  if (kind === "missing") element.setAttribute("aria-label", about || "missing")
  else if (said && (bars.length || kind)) element.setAttribute("aria-label", text ? `${text}: ${said}` : said)
}

// A heading, which says how the rows are sorted by it: rising (false), falling (true) or not (null).
function write_heading(element, {title, about}, sortable, descending) {
  element.textContent = title
  const said = about ? `${title}: ${about}` : title
  element.title = sortable ? `${said} (click to sort)` : said
  if (!sortable) return
  element.setAttribute("aria-sort", descending === null ? "none" : descending ? "descending" : "ascending")
  if (descending === null) return
  element.classList.add("sorted")
  const sign = make("span", "sign", null, element)
  sign.setAttribute("aria-hidden", "true")
  sign.textContent = descending ? "▼" : "▲"
}

function clear_cell(element) {
  if (element.dataset.kind) element.classList.remove(element.dataset.kind)
  element.style.background = ""
  element.replaceChildren()
  for (const name of ["title", "aria-label", "data-kind"]) element.removeAttribute(name)
}

const width_of_bars = ({bars = [], kind} = {}) => (bars.length === 1 ? 56 : 8 * bars.length) + (BRACKETED.has(kind) ? 16 : 0)

// How wide each column wants to be: as its heading and the cells of some rows need.
function measure_columns(columns, rows, font, sortable) {
  const pen = document.createElement("canvas").getContext("2d")
  columns.forEach((column, c) => {
    pen.font = `600 ${font}`
    let needed = pen.measureText(column.title).width + (sortable ? 6 : 0) // for the sign of its order
    if (column.kind !== "head") pen.font = font
    for (const row of rows.slice(0, MEASURED)) {
      const cell = row[c]
      needed = Math.max(needed, pen.measureText(text_of(cell)).width + width_of_bars(cell))
    }
    column.natural = column.width ?? clamp(Math.ceil(needed) + 20, NARROWEST, WIDEST)
  })
}

// Where each column goes. Those without a width of their own share the room that is left; the first heads
// stay in view, unless they would fill it. Returns the width of all, of those that stay, and whether there is no room for
// the button in the corner beside the last heading.
function place_columns(columns, view) {
  const elastic = columns.filter((column) => column.width === null && column.kind !== "head")
  const natural = sum_widths(columns)
  const reaches = columns.length > 1 && natural + sum_widths(elastic) > view - CORNER // no columns before it is loaded
  const corner = reaches && clear_corner(columns, natural, view)
  const room = Math.max(0, view - natural - (corner ? CORNER : 0))
  let [left, fixed, leading] = [0, 0, true]
  for (const column of columns) {
    column.place = left
    column.size = column.natural + (elastic.includes(column) ? Math.min(room / elastic.length, column.natural) : 0)
    if (corner) column.size += column.more
    column.under = corner && column === columns.at(-1)
    left += column.size
    leading = leading && column.kind === "head"
    column.fixed = leading && left <= 0.6 * view
    if (column.fixed) fixed = left
  }
  return [left, fixed, reaches && !corner]
}

const sum_widths = (columns) => columns.reduce((sum, column) => sum + column.natural, 0)

// Give the last column room for the button in the corner, so that its heading can be read beside it. Where all
// columns are in view, they stay: the widest of the others gives way. Returns whether there is
// such room: else the button is above the table, which is less bad than a column out of view.
function clear_corner(columns, natural, view) {
  const others = columns.slice(0, -1)
  const widest = others.reduce((a, b) => b.natural > a.natural ? b : a, others[0])
  const beyond = natural > view + columns.at(-1).natural // out of view at first in any case
  const lacking = beyond ? 0 : Math.max(0, natural + CORNER - view)
  const taken = Math.min(lacking, Math.max(0, widest.natural - NARROWED))
  if (taken < lacking) return false
  for (const column of columns) column.more = column === widest ? -taken : 0
  columns.at(-1).more = CORNER
  return true
}
