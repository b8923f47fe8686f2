// The page's address, as the server wants it: the entry of the history is replaced, so that Back leaves the page.

export function render({model}) {
  const show = () => history.replaceState(history.state, "", location.pathname + (model.query && `?${model.query}`))
  model.on("query", show)
  if (model.query) show()
}
