// What keys do. Those of the canvas work while the focus is in it, undo, finding, bars and help on the whole page.

const COMMANDS = {
  "a": (canvas) => canvas.choose_all(canvas.drawing.nodes.map(({name}) => name)),
  "c": (canvas, node) => copy(canvas, node),
  "d": (canvas, node) => duplicate(canvas, node),
  "x": (canvas, node) => cut(canvas, node),
}
const ARROWS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}
const TEXT = "textarea, select, [contenteditable], "
  + "input:not([type=checkbox], [type=radio], [type=button], [type=range], [type=file])"
// In a list, letters look for what begins with them.
const LISTED = "[role=menuitem], [role=menuitemradio], [role=option], [role=combobox]"
const PAN = 60
const NUDGE = 10

const KEYS = {
  "+": ({view}) => view.zoom_by(1.25),
  "=": ({view}) => view.zoom_by(1.25),
  "-": ({view}) => view.zoom_by(0.8),
  "0": (canvas) => canvas.fit(),
  "n": (canvas, node) => canvas.add_beside(node),
  "e": (canvas, node) => canvas.connecting.toggle(canvas.meant(node)),
  "h": (canvas, node) => canvas.hide(node),
  "l": (canvas, node) => canvas.choose_next(node),
  "f": (canvas) => show_factor_graph(canvas, !canvas.factor_graph),
  "c": (canvas, node) => canvas.look(canvas.alone || node?.component),
  "z": (canvas) => go_to_selection(canvas),
  "m": (canvas, node) => select_related(canvas, "blanket", node),
  "a": (canvas, node) => select_related(canvas, "ancestors", node),
  "d": (canvas, node) => select_related(canvas, "descendants", node),
  "F2": (canvas, node) => canvas.name(node ?? canvas.only_selected()),
  "Delete": (canvas, node) => canvas.remove(node),
  "Backspace": (canvas, node) => canvas.remove(node),
  "Escape": (canvas) => canvas.escape(),
  "ContextMenu": (canvas, node) => open_menu_by_key(canvas, node),
}

function listen_to_keys(canvas) {
  canvas.root.addEventListener("keydown", (event) => press(canvas, event) && event.preventDefault())
  canvas.root.addEventListener("keyup", () => canvas.settle())
  canvas.root.addEventListener("focusout", () => canvas.settle())
  const everywhere = (event) => press_anywhere(canvas, event) && event.preventDefault()
  document.addEventListener("keydown", everywhere)
  return () => document.removeEventListener("keydown", everywhere)
}

// Whether a key was for us.
function press(canvas, event) {
  const command = event.ctrlKey || event.metaKey
  const direction = ARROWS[event.key]
  const node = canvas.drawing.node_of(event.target)
  if (direction && (command || event.altKey)) canvas.nudge(node, direction[0] * NUDGE, direction[1] * NUDGE)
  else if (command && !event.shiftKey && !event.altKey && COMMANDS[event.key.toLowerCase()])
    COMMANDS[event.key.toLowerCase()](canvas, node)
  else if (command || event.altKey) return false
  else if (event.shiftKey && event.key === "F10") open_menu_by_key(canvas, node)
  else if (direction && event.shiftKey) canvas.view.pan_by(-PAN * direction[0], -PAN * direction[1])
  else if (direction) canvas.walk(node, direction)
  else if (event.key === "Enter" || event.key === " ") {
    if (!node) return false // a button's own key
    canvas.click(node, true)
  } else {
    const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key]
    if (!action) return false
    action(canvas, node)
  }
  return true
}

function press_anywhere(canvas, event) {
  if (!event.key || event.composedPath()[0]?.matches?.(TEXT)) return false
  const key = event.key.toLowerCase()
  if (event.ctrlKey || event.metaKey) {
    if (key === "z") canvas.travel(event.shiftKey ? "redo" : "undo")
    else if (key === "y") canvas.travel("redo")
    else if (key === "f") canvas.finder.open()
    else return false
  } else if (event.composedPath()[0]?.matches?.(LISTED)) return false
  else if (key === "?") canvas.help.open()
  else if (key === "b") canvas.show_bars(!canvas.bars_shown)
  else return false
  return true
}
