// What is open, in one line. Texts are untrusted: they only ever pass through textContent, value and title.

export function render({model}) {
  const make = (kind, parent) => parent.appendChild(document.createElement(kind))
  const root = document.createElement("div")
  root.className = "strip"
  const name = make("h1", root)
  const button = make("button", name)
  button.type = "button"
  const field = make("input", root)
  field.type = "text"
  field.hidden = true
  field.setAttribute("aria-label", "Name of the network")
  const note = make("p", root)
  const facts = make("ul", root)
  facts.setAttribute("aria-label", "Summary")

  const close = (by_key, kept) => {
    if (field.hidden) return
    const text = field.value.trim()
    field.hidden = true
    name.hidden = false
    if (by_key) button.focus()
    if (kept && text && text !== button.textContent) model.send_msg({type: "rename", text})
  }
  button.addEventListener("click", () => {
    field.value = button.textContent
    field.style.width = `${Math.max(button.offsetWidth + 40, 180)}px`
    name.hidden = true
    field.hidden = false
    field.focus()
    field.select()
  })
  field.addEventListener("keydown", (event) => {
    event.stopPropagation() // what is typed here is for nobody else
    const kept = event.key === "Enter" && !event.isComposing
    if (!kept && event.key !== "Escape") return
    event.preventDefault() // else Enter would press the button, which has the focus then
    close(true, kept)
  })
  field.addEventListener("blur", () => close(false, true))

  model.on("msg:custom", (message) => {
    button.textContent = message.heading
    button.title = `${message.heading}: click to rename the network`
    field.maxLength = message.longest
    note.textContent = message.note
    facts.replaceChildren(...message.facts.map((fact) => {
      const item = document.createElement("li")
      item.textContent = fact
      return item
    }))
    root.title = [message.heading, message.note, message.facts.join(", ")].filter(Boolean).join(". ")
  })
  model.send_msg({type: "ready"})
  return root
}
