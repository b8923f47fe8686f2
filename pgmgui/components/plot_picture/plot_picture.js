// Two buttons that save the figure of a name, as it is on the screen, in a file; and one that lets it fill the window.

function find_view(name) {
  const named = Bokeh.documents.flatMap((document) => [...document._all_models.values()].filter((one) => one.name === name))
  return named.map((one) => Bokeh.index.find_one(one)).find(Boolean)
}

async function draw_figure(name, root) {
  const view = find_view(name)
  if (!view) return null
  const text = await (await view.export("svg", false).to_blob()).text()
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)))
  const paper = getComputedStyle(root).getPropertyValue("--panel-surface-color").trim() || "#ffffff"
  add_background(svg, paper, 0, 0, width, height)
  return svg
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "choices group"
  root.setAttribute("role", "group")
  root.setAttribute("aria-label", "Picture of the plot")
  const title = document.createElement("span")
  title.className = "title"
  title.textContent = "Picture:"
  root.append(title)
  for (const kind of ["svg", "png"]) {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = kind.toUpperCase()
    button.title = `Save the plot as it is on the screen: ${kind === "svg" ? "lines, for print" : "pixels, for slides"}`
    button.addEventListener("click", async () => {
      const svg = await draw_figure(model.figure, root)
      if (svg) await save_drawing(svg, kind, model.file)
    })
    root.append(button)
  }
  // The plot with its switches: what these buttons are in.
  const around = () => root.getRootNode().host.getRootNode().host
  // Bokeh has seen that the figure has another size, but waits for the whole page to have one.
  root.append(make_fill_button("the plot", around, () => find_view(model.figure)?.invalidate_layout()))
  return root
}
