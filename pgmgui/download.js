// Saves what Python sends as a file of the user's. Nothing is shown: a button of the page asks for it.

export function render({model}) {
  const root = document.createElement("span")
  model.on("msg:custom", ({name, content}) => {
    const address = URL.createObjectURL(new Blob([content], {type: "application/octet-stream"}))
    const link = document.createElement("a")
    link.href = address
    link.download = name
    root.append(link)
    link.click()
    link.remove()
    setTimeout(() => URL.revokeObjectURL(address), 60_000) // the browser may ask the user where to put it first
  })
  return root
}
