// A button that lets something fill the window, above all else of the page; the button again, or Escape, returns.

const FILLED = {
  position: "fixed", inset: "0", width: "100vw", height: "100vh", maxWidth: "none", maxHeight: "none", margin: "0", border: "0",
  padding: "16px", boxSizing: "border-box", background: "var(--panel-surface-color, #fff)",
  color: "var(--panel-on-surface-color, #222)",
}

function make_fill_button(what, find_target, then = () => {}) {
  const button = document.createElement("button")
  Object.assign(button, {type: "button", className: "fill-button", textContent: "⤢"})
  let filled = null // what fills the window, and how it looked before
  const name = () => {
    const about = filled ? `${what} as before (Escape)` : `Enlarge: ${what} fills the window`
    button.title = about
    button.setAttribute("aria-label", about)
  }
  const fill = () => {
    const target = find_target()
    filled = {target, style: target.style.cssText}
    Object.assign(target.style, FILLED)
    target.setAttribute("popover", "manual") // without it, it could not be above the page's own bars
    target.showPopover()
    document.addEventListener("keydown", press)
  }
  const leave = () => {
    document.removeEventListener("keydown", press)
    filled.target.removeAttribute("popover")
    filled.target.style.cssText = filled.style
    filled = null
  }
  const toggle = () => {
    filled ? leave() : fill()
    name()
    button.focus()
    requestAnimationFrame(then)
  }
  // In a field, Escape is for the field.
  const press = (event) => {
    if (event.key === "Escape" && !event.composedPath()[0]?.matches?.("input, textarea, select")) toggle()
  }
  button.addEventListener("click", toggle)
  name()
  return button
}

// Something with such a button in its corner.
function frame_with_fill_button(content, what) {
  const frame = document.createElement("div")
  frame.className = "fill-frame"
  frame.append(content, make_fill_button(what, () => frame))
  return frame
}
