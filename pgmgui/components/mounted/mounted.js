// Says that the browser has built what comes before it on the page. It shows nothing itself.

export function render({model}) {
  model.send_msg({type: "ready"})
  const root = document.createElement("div")
  root.hidden = true
  return root
}
