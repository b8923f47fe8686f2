// Saves what Python sends as a file of the user's. Nothing is shown: a button of the page asks for it.
// Read after saving.js.

export function render({model}) {
  model.on("msg:custom", ({name, content}) => save_file(name, new Blob([content], {type: "application/octet-stream"})))
  return document.createElement("span")
}
