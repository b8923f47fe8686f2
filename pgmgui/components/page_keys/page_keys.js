// Keys of the whole page, and how large its type is. Nothing is shown.

const FIELDS = "textarea, select, [contenteditable], [role=slider], [role=menuitem], [role=combobox], "
  + "input:not([type=checkbox], [type=radio], [type=button], [type=file])"
const LARGE = "130%" // of the type that everything is measured by

export function render({model}) {
  const enlarge = () => {
    document.documentElement.style.fontSize = model.large ? LARGE : ""
    window.dispatchEvent(new Event("resize")) // what has measured its text measures it again
  }
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && event.key === "r") return
    if (!model.keys.includes(event.key) || event.composedPath()[0]?.matches?.(FIELDS)) return
    event.preventDefault()
    model.send_msg({key: event.key})
  }
  model.on("large", enlarge)
  enlarge()
  document.addEventListener("keydown", press)
  model.on("remove", () => document.removeEventListener("keydown", press))
  return document.createElement("span")
}
