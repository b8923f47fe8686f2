// The page's address, as the server wants it: the entry of the history is replaced, so that Back leaves the page.
// And whether what was done is not kept under it, for when the server is gone.

export function render({model}) {
  const of_look = (part) => model.looks.includes(part.split("=")[0])
  let named = location.search.slice(1).split("&").filter((part) => part && !of_look(part)).join("&")
  const show = () => {
    const query = [named, model.look].filter(Boolean).join("&")
    history.replaceState(history.state, "", location.pathname + (query && `?${query}`))
  }
  const name = () => {
    named = model.query
    show()
  }
  model.on("query", name)
  model.on("look", show)
  if (model.query) name()
  const mark = () => document.body.toggleAttribute("data-unkept", model.unkept)
  model.on("unkept", mark)
  mark()
}
