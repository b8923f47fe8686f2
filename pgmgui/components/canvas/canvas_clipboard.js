// Copying and pasting nodes. Python writes and reads the text: a session file of what is selected, which goes through
// the system's clipboard where the browser lets it, and is kept here in any case.

const OURS = '"pgmgui-session"'

function listen_to_clipboard(canvas) {
  canvas.root.addEventListener("paste", (event) => {
    if (event.composedPath()[0]?.matches?.(TEXT)) return
    event.preventDefault()
    paste(canvas, event.clipboardData.getData("text/plain"))
  })
}

function copy(canvas, node, then = null) {
  const names = canvas.meant(node)
  if (!names.length) return canvas.say("Select some variables first.")
  canvas.settle()
  canvas.on_copied = then
  canvas.send({type: "copy", names})
}

// Python has written the text; none where it refused.
async function keep_copied(canvas, {text, count}) {
  if (!text) return
  canvas.copied = text
  const then = canvas.on_copied
  canvas.on_copied = null
  then?.()
  try {
    await navigator.clipboard.writeText(text)
    canvas.say(`${count_nodes(count)} copied`)
  } catch {
    canvas.say(`${count_nodes(count)} copied, for this page only: the browser does not lend its clipboard`)
  }
  canvas.root.dataset.copied = Number(canvas.root.dataset.copied ?? 0) + 1
}

function cut(canvas, node) {
  const names = canvas.meant(node)
  copy(canvas, node, () => canvas.do("remove", {names, edges: []}))
}

// What is on the clipboard, or what was copied here if that is something else.
function paste(canvas, text, at = null) {
  canvas.settle()
  const meant = text.includes(OURS) ? text : canvas.copied ?? text
  canvas.do("paste", {text: meant, at}, (done) => done && show_new(canvas, "pasted"))
}

async function paste_here(canvas, at) {
  let text = ""
  try {
    text = await navigator.clipboard.readText()
  } catch { /* the browser does not lend it */ }
  paste(canvas, text, at)
}

function duplicate(canvas, node) {
  const names = canvas.meant(node)
  if (!names.length) return canvas.say("Select some variables first.")
  canvas.settle()
  canvas.do("duplicate", {names}, (done) => done && show_new(canvas, "added"))
}

function show_new(canvas, what) {
  const nodes = [...canvas.selected].map((name) => canvas.drawing.node(name)).filter(Boolean)
  if (!nodes.length) return
  if (!nodes.every((node) => canvas.view.shows(node))) go_to_selection(canvas)
  canvas.focus(nodes[0])
  canvas.say(`${count_nodes(nodes.length)} ${what}`)
}

function count_nodes(count) {
  return `${count.toLocaleString("en")} variable${count === 1 ? "" : "s"}`
}
