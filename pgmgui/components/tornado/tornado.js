// Bars around a line. Python owns them: on mount we send `ready`, and draw each message we are sent.
// Names are untrusted text: they only ever pass through textContent and title.

function make(kind, name, parent, text = "") {
  const element = document.createElement(kind)
  element.className = name
  element.textContent = text
  parent.append(element)
  return element
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
  const list = make("ol", "", root)
  model.on("msg:custom", (message) => draw(list, message))
  model.send_msg({type: "ready"})
  return root
}
