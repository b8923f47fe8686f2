// Files of the user's: anything, or a drawing as its SVG or a PNG of that.

const SHARPNESS = 2 // pixels of a PNG for one of the drawing
const MOST_PIXELS = 40e6 // above this a PNG is less sharp: browsers refuse larger ones

function save_file(name, blob) {
  const address = URL.createObjectURL(blob)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000) // the browser may ask the user where to put it first
}

// Save an SVG element that has a width and a height, as "svg" or "png".
async function save_drawing(svg, kind, name) {
  const text = new XMLSerializer().serializeToString(svg)
  const blob = new Blob([`<?xml version="1.0" encoding="UTF-8"?>\n${text}`], {type: "image/svg+xml"})
  save_file(`${name}.${kind}`, kind === "svg" ? blob : await paint(blob, svg))
}

async function paint(blob, svg) {
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)))
  const scale = Math.min(SHARPNESS, Math.sqrt(MOST_PIXELS / (width * height)))
  const address = URL.createObjectURL(blob)
  const image = new Image()
  image.src = address
  await image.decode()
  const sheet = document.createElement("canvas")
  Object.assign(sheet, {width: Math.round(width * scale), height: Math.round(height * scale)})
  sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height)
  URL.revokeObjectURL(address)
  return new Promise((done) => sheet.toBlob(done, "image/png"))
}

// A rectangle in a colour of the page behind everything else of a drawing.
function add_background(svg, colour, x, y, width, height) {
  const sheet = document.createElementNS("http://www.w3.org/2000/svg", "rect")
  for (const [key, value] of Object.entries({x, y, width, height, fill: plain_colour(colour)[0]}))
    sheet.setAttribute(key, value)
  svg.prepend(sheet)
}

// A colour as every program knows it, and its opacity: browsers compute color(srgb …) and the like.
const plain_colours = new Map()
function plain_colour(colour) {
  if (!plain_colours.has(colour)) {
    const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true})
    pen.fillStyle = colour
    pen.fillRect(0, 0, 1, 1)
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data
    plain_colours.set(colour, [`rgb(${red},${green},${blue})`, Math.round(1000 * alpha / 255) / 1000])
  }
  return plain_colours.get(colour)
}
