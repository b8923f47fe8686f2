// Sections of entries. Python owns them: what it has `drawn` is there from the first moment; a click on an entry's button
// is sent as `press`. Which sections are open is the browser's own business. Texts are untrusted: they only ever pass
// through textContent and setAttribute.

function element(name, className, text = "") {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

// An entry whose parts can be written anew: its button must stay the same element, or it would lose the focus.
function makeEntry(key, press) {
  const row = element("li", "entry")
  const head = element("div", "head")
  const title = element("span", "title")
  const button = element("button", "")
  button.type = "button"
  button.addEventListener("click", () => press(key))
  const text = element("p", "text")
  const note = element("p", "note")
  const details = element("div", "details")
  head.append(title, button)
  row.append(head, text, note, details)
  const update = (entry) => {
    title.textContent = entry.title
    text.textContent = entry.text
    note.textContent = entry.note
    note.hidden = !entry.note
    button.textContent = entry.button
    button.title = entry.about
    button.setAttribute("aria-label", `${entry.button} ${entry.title}`)
    details.replaceChildren(...entry.details.map((line) => element("p", "", line)))
    details.hidden = !entry.is_chosen
    if (entry.is_chosen) row.setAttribute("aria-current", "true")
    else row.removeAttribute("aria-current")
  }
  return {row, update}
}

export function render({model}) {
  const root = element("div", "entries")
  root.setAttribute("role", "group")
  const press = (key) => model.send_msg({type: "press", key})
  let shape = ""
  let made = []
  let shown = null
  let hold = null // what keeps the one that was chosen in view

  function build(sections) {
    made = []
    root.replaceChildren(...sections.map(({title, entries}) => {
      const section = element("details", "section")
      const list = element("ul", "")
      for (const {key} of entries) {
        const entry = makeEntry(key, press)
        made.push(entry)
        list.append(entry.row)
      }
      section.append(element("summary", "", title), list)
      return section
    }))
  }

  function draw() {
    const {sections, label} = model.drawn
    root.setAttribute("aria-label", label)
    const now = JSON.stringify(sections.map(({title, entries}) => [title, entries.map((entry) => entry.key)]))
    if (now !== shape) build(sections)
    shape = now
    sections.flatMap(({entries}) => entries).forEach((entry, k) => made[k].update(entry))
    // What was chosen elsewhere (by a link, or before a reload) is not looked for in a section that is closed; and what
    // is said of it then is not looked for below the pane's edge.
    sections.forEach(({entries}, k) => {
      if (entries.some((entry) => entry.is_chosen)) root.children[k].open = true
    })
    const chosen = root.querySelector("[aria-current]")
    if (chosen === shown) return
    shown = chosen
    hold?.end()
    if (chosen) hold = hold_in_view(() => chosen, () => { hold = null })
  }

  model.on("drawn", draw)
  model.on("after_layout", () => hold?.show())
  model.on("remove", () => hold?.end())
  draw()
  return root
}
