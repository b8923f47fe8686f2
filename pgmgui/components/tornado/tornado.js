// Bars around a line. Python owns them: on mount we send `ready`, and draw each message we are sent.
// Names are untrusted text: they only ever pass through textContent and title.

function make(kind, name, parent, text = "") {
  const element = document.createElement(kind)
  element.className = name
  element.textContent = text
  parent.append(element)
  return element
}

// What a click on each heading sorts by.
const KEYS = [
  ({text, detail}) => `${text} ${detail}`,
  ({start, end}) => Math.abs(end - start),
  ({start, end}) => Math.max(start, end),
]
const ABOUT = "Sort by this: rising, falling, then the one that moves most first"

function compare(a, b) {
  return typeof a === "string" ? a.localeCompare(b, undefined, {numeric: true}) : a - b
}

class Tornado {
  constructor(root) {
    this.head = make("div", "head", root)
    this.list = make("ol", "", root)
    this.sort = null // a column, and whether it falls
    this.head.addEventListener("click", (event) => {
      const column = [...this.head.children].indexOf(event.target.closest("button"))
      if (column >= 0) this.press(column)
    })
  }

  load(message) {
    this.message = message
    this.head.replaceChildren()
    for (const text of message.ranges.length > 1 ? message.heads : []) {
      const button = make("button", "", this.head, text)
      make("span", "sign", button).ariaHidden = "true"
      button.title = ABOUT
    }
    this.show()
  }

  press(column) {
    const [sorted, falls] = this.sort ?? []
    this.sort = sorted !== column ? [column, false] : falls ? null : [column, true]
    this.show()
  }

  show() {
    const [sorted, falls] = this.sort ?? []
    const key = KEYS[sorted]
    const ranges = [...this.message.ranges]
    if (key) ranges.sort((a, b) => (falls ? -1 : 1) * compare(key(a), key(b)))
    const signs = [...this.head.children]
    signs.forEach((button, column) => {
      button.lastChild.textContent = column !== sorted ? "" : falls ? "▼" : "▲"
      button.setAttribute("aria-pressed", column === sorted)
      button.ariaLabel = `${this.message.heads[column]}${column !== sorted ? "" : falls ? ", falling" : ", rising"}`
    })
    draw(this.list, {...this.message, ranges})
  }
}

function draw(list, {ranges, middle, label}) {
  const ends = ranges.flatMap(({start, end}) => [start, end])
  const low = Math.min(middle, ...ends)
  const width = Math.max(middle, ...ends) - low || 1
  const place = (value) => `${100 * (value - low) / width}%`
  list.setAttribute("aria-label", label)
  list.tabIndex = ranges.length ? 0 : -1 // so that the keyboard can scroll it
  list.replaceChildren()
  for (const {text, detail, about, start, end, told} of ranges) {
    const item = make("li", "", list)
    item.title = about
    const what = make("div", "what", item)
    make("span", "text", what, text)
    if (detail) make("span", "detail", what, detail)
    const track = make("div", "track", item)
    const bar = make("div", end >= start ? "bar" : "bar falls", track)
    bar.style.left = place(Math.min(start, end))
    bar.style.width = `${100 * Math.abs(end - start) / width}%`
    make("div", "line", track).style.left = place(middle)
    make("span", "told", item, told)
  }
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "tornado"
  const tornado = new Tornado(root)
  model.on("msg:custom", (message) => tornado.load(message))
  model.send_msg({type: "ready"})
  return root
}
