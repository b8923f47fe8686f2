// A card that shows itself on the first visit, one step at a time, and can be put away.
//
// Which step it is, Python knows: it sees what the user does. Whether it was seen, the browser remembers.

function remembers(name) {
  try {
    return localStorage.getItem(name) !== null
  } catch {
    return false // without storage it is shown each time: it can be put away
  }
}

function remember(name) {
  try {
    localStorage.setItem(name, "seen")
  } catch {
    // see above
  }
}

function make(tag, name, text) {
  const element = document.createElement(tag)
  if (name) element.className = name
  if (text) element.textContent = text
  return element
}

export function render({model}) {
  const root = make("section", "guide-card")
  root.setAttribute("aria-label", model.label)
  const name = `pgmgui-${model.label.toLowerCase().replaceAll(" ", "-")}`
  const count = make("b", "count")
  const text = make("span", "text")
  text.setAttribute("role", "status")
  const buttons = make("span", "buttons")
  const [back, next, close] = ["Back", "Next", "Close"].map((name) => {
    const button = make("button", "", name)
    button.type = "button"
    buttons.append(button)
    return button
  })
  back.title = "Back: the step before"
  close.title = "Close: put this guide away; the Guide tab has it again"
  root.append(count, text, buttons)

  const put_away = () => {
    remember(name)
    root.hidden = true
  }
  const show = () => {
    const last = model.steps.length - 1
    count.textContent = model.step < last ? `${model.step + 1} of ${last}` : "Done"
    text.textContent = model.steps[model.step]
    back.disabled = model.step === 0
    next.textContent = model.step < last ? "Next" : "Finish"
    next.title = model.step < last ? "Next: the step after" : "Finish: put this guide away"
    close.hidden = model.step === last
  }
  back.addEventListener("click", () => model.send_msg({type: "go", by: -1}))
  next.addEventListener("click", () => {
    if (model.step < model.steps.length - 1) model.send_msg({type: "go", by: 1})
    else put_away()
  })
  close.addEventListener("click", put_away)
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") put_away()
  })
  model.on("step", show)
  model.on("steps", show)
  model.on("msg:custom", (message) => {
    if (message.type !== "open") return
    root.hidden = false
    next.focus()
  })
  root.hidden = remembers(name)
  show()
  return root
}
