// The page's address, as the server wants it: the entry of the history is replaced, so that Back leaves the page.
// And whether what was done is not kept under it, for when the server is gone.

export function render({model}) {
  const show = () => history.replaceState(history.state, "", location.pathname + (model.query && `?${model.query}`))
  model.on("query", show)
  if (model.query) show()
  const mark = () => document.body.toggleAttribute("data-unkept", model.unkept)
  model.on("unkept", mark)
  mark()
}
