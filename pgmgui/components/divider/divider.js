// A line before a pane that is dragged, or moved with the arrow keys, to give it more or less room. How much it has is a
// property of the page's style, which the pane's own style uses; without it, the pane has its usual size.

const STEP = 24 // pixels that a key moves it

export function render({model}) {
  const {upright} = model
  const line = document.createElement("div")
  // "divider" is what Panel calls the element around it.
  line.className = upright ? "line upright" : "line"
  const attributes = {
    role: "separator", tabindex: "0", "aria-orientation": upright ? "vertical" : "horizontal", "aria-label": model.label,
    "aria-valuemin": 0, title: `${model.label}: drag, or use the arrow keys; a double-click or Enter for the usual one`,
  }
  for (const [key, value] of Object.entries(attributes)) line.setAttribute(key, value)
  const style = document.documentElement.style
  const measure = () => {
    const {width, height} = line.getRootNode().host.nextElementSibling.getBoundingClientRect()
    return Math.round(upright ? width : height)
  }
  const tell = () => {
    line.setAttribute("aria-valuemax", upright ? innerWidth : innerHeight)
    if (line.isConnected) line.setAttribute("aria-valuenow", measure())
  }
  const show = (size) => {
    if (size) style.setProperty(model.variable, `${size}px`)
    else style.removeProperty(model.variable)
    tell()
  }
  const keep = (size) => {
    show(size)
    model.send_msg({size: size && measure()}) // the pane's style may not let it be as large as that
  }

  let start = null
  line.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return
    start = {place: upright ? event.clientX : event.clientY, size: measure(), moved: false}
    line.setPointerCapture(event.pointerId)
    line.classList.add("dragged")
  })
  line.addEventListener("pointermove", (event) => {
    if (!start) return
    const by = start.place - (upright ? event.clientX : event.clientY)
    start.moved ||= Math.abs(by) > 2
    if (start.moved) show(Math.max(start.size + by, 1))
  })
  const end = () => {
    line.classList.remove("dragged")
    if (start?.moved) keep(measure())
    start = null
  }
  line.addEventListener("pointerup", end)
  line.addEventListener("pointercancel", end)
  line.addEventListener("dblclick", () => keep(0))
  line.addEventListener("keydown", (event) => {
    const step = {[upright ? "ArrowLeft" : "ArrowUp"]: STEP, [upright ? "ArrowRight" : "ArrowDown"]: -STEP}[event.key]
    if (step) keep(Math.max(measure() + step, 1))
    else if (event.key === "Enter") keep(0)
    else return
    event.preventDefault()
    event.stopPropagation()
  })
  window.addEventListener("resize", tell)
  model.on("remove", () => window.removeEventListener("resize", tell))
  show(model.size)
  requestAnimationFrame(tell) // once it has its place
  return line
}
