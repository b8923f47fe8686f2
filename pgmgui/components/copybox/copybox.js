// A text to take along: it is shown, and a button copies it; at once if Python says so.

export function render({model, el}) {
  const root = document.createElement("div")
  root.className = "copy-box"
  const text = document.createElement("pre")
  text.tabIndex = 0
  const button = document.createElement("button")
  button.type = "button"
  const show = () => {
    text.textContent = model.text
    text.setAttribute("aria-label", model.label)
    button.textContent = "Copy"
    root.hidden = !model.text
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(model.text)
      button.textContent = "Copied"
    } catch {
      // Without permission, the text is selected: Ctrl+C does the rest.
      const range = document.createRange()
      range.selectNodeContents(text)
      const selection = getSelection()
      selection.removeAllRanges()
      selection.addRange(range)
      button.textContent = "Selected: press Ctrl+C"
    }
  }
  button.addEventListener("click", copy)
  model.on("text", show)
  model.on("label", show)
  model.on("msg:custom", copy)
  root.append(button, text)
  show()
  return root
}
