// Room for what is drawn: how much larger nodes may be with large type, and how far apart they are while cards are shown,
// so that nothing lies on another. What lies on another without that was put there, and stays.

const LEAST_APART = 10

// The type of the page, 1 for the usual one.
function type_size() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
}

// Call `action(upper, lower, dx, dy)` for all pairs of nodes that are nearer to each other than that.
function for_near(nodes, across, down, action) {
  const sorted = nodes.toSorted((a, b) => a.y - b.y)
  sorted.forEach((upper, k) => {
    for (let j = k + 1; j < sorted.length && sorted[j].y - upper.y < down; j += 1) {
      const dx = Math.abs(sorted[j].x - upper.x)
      if (dx < across) action(upper, sorted[j], dx, sorted[j].y - upper.y)
    }
  })
}

function largest(nodes, size) {
  return nodes.reduce((most, node) => Math.max(most, size(node)), 0)
}

// How much larger than usual nodes can be drawn, up to a limit.
function find_scale(nodes, most) {
  let scale = most
  const reach = (side) => most * largest(nodes, (node) => node.usual[side]) + LEAST_APART
  for_near(nodes, reach("width"), reach("height"), (a, b, dx, dy) => {
    const across = 2 * (dx - LEAST_APART) / (a.usual.width + b.usual.width)
    const down = 2 * (dy - LEAST_APART) / (a.usual.height + b.usual.height)
    const room = Math.max(across, down)
    if (room >= 1) scale = Math.min(scale, room)
  })
  return scale
}

// How far apart nodes must be drawn for their cards, across and down: beside each other by the one, else by the other.
function find_spread(nodes) {
  if (!nodes.some((node) => node.card)) return [1, 1]
  const boxes = nodes.map((node) => {
    const {width, height} = with_card(node)
    return {x: node.x, y: node.y, width, height, node}
  })
  const [widest, highest] = ["width", "height"].map((side) => largest(boxes, (box) => box[side]) + LEAST_APART)
  const apart = (a, b, side) => (a[side] + b[side]) / 2
  const is_lower = (a, b, dy) => dy >= apart(a.node, b.node, "height")
  let across = 1
  for_near(boxes, widest, highest, (a, b, dx, dy) => {
    const is_beside = !is_lower(a, b, dy) && dx >= apart(a.node, b.node, "width")
    if (is_beside) across = Math.max(across, (apart(a, b, "width") + LEAST_APART) / dx)
  })
  let down = 1
  for_near(boxes, widest, highest, (a, b, dx, dy) => {
    const is_below = is_lower(a, b, dy) && dx * across < apart(a, b, "width")
    if (is_below) down = Math.max(down, (a.height + LEAST_APART) / dy)
  })
  return [across, down]
}

// Draw nodes as large and as far apart as type and cards want them, and see what was seen before.
function give_room(canvas) {
  const {drawing, view} = canvas
  const [middle, before] = [view.middle(), drawing.spread]
  drawing.give_room()
  if (!view.own) return canvas.fit()
  view.shift_by(...middle.map((place, k) => view.zoom * place * (1 - drawing.spread[k] / before[k])))
}
