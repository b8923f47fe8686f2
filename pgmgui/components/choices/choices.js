// Buttons in groups. Python owns them: what it has `drawn` is there from the first moment; a click is sent as `press`.
// Texts are untrusted: they only ever pass through textContent and setAttribute.

function update(button, {text, about, pressed, disabled, look}) {
  button.textContent = text
  button.title = about
  button.disabled = disabled
  button.className = pressed === null ? look : ""
  if (pressed === null) button.removeAttribute("aria-pressed")
  else button.setAttribute("aria-pressed", pressed)
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "choices"
  root.setAttribute("role", "group")
  let shape = ""
  let buttons = []

  function build(groups) {
    buttons = []
    root.replaceChildren(...groups.map(({title, items}) => {
      const group = document.createElement("div")
      group.className = "group"
      group.setAttribute("role", "group")
      group.setAttribute("aria-label", title)
      const label = document.createElement("span")
      label.className = "title"
      label.textContent = title
      if (title) group.append(label)
      for (const item of items) {
        const button = document.createElement("button")
        button.type = "button"
        buttons.push(button)
        button.addEventListener("click", () => model.send_msg({type: "press", key: item.key}))
        group.append(button)
      }
      return group
    }))
  }

  function draw() {
    const {groups, label} = model.drawn
    root.setAttribute("aria-label", label)
    // A button that stays must stay the same element, or it would lose the focus when it is pressed.
    const now = JSON.stringify(groups.map(({title, items}) => [title, items.map((item) => item.key)]))
    if (now !== shape) build(groups)
    shape = now
    groups.flatMap(({items}) => items).forEach((item, k) => update(buttons[k], item))
  }

  model.on("drawn", draw)
  draw()
  return root
}
