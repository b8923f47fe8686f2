// Ways of arrows around nodes: one that would pass beneath a node that is not its own, as if it ended there, bends aside.
// A bend says how far aside of the straight line the arrow goes, to its left, and where along it most; null is straight.

const CLEARANCE = 4 // from an arrow that bends to a node that it passes
const GRAZED = 5 // of a node's box: an arrow that is no farther in passes its round end, or just touches it
const MOST = 110 // pixels that an arrow goes aside, and
const STEEPEST = 0.3 // of its length
const ASIDE = [20, 32, 46, 64, 86, MOST]
const ALONG = [0.5, 0.25, 0.75]
const HOPELESS = 7 // nodes below a straight arrow, or
const LONGEST = 1200 // pixels of it: a slight bend leads around so much no more
const LOOK = 15 // pixels from one point of a bent arrow at which it is looked whether a node is there to the next
const MOST_LOOKS = 120
const CELL = 180
const FEW = 8 // moved nodes for which arrows are looked at one by one

class Ways {
  constructor() {
    this.nodes = []
    this.cells = null
  }

  // Nodes are elsewhere, or others; where they are is looked up when somebody asks.
  change(nodes) {
    this.nodes = nodes
    this.cells = null
  }

  // How the arrow between two nodes bends: as little as leaves the fewest nodes in its way.
  find_bend(from, to) {
    const length = Math.hypot(to.x - from.x, to.y - from.y)
    if (length > LONGEST) return null
    const others = this.near(from, to)
    if (!others.some((node) => passes(grown(node, -GRAZED), {from, to}))) return null
    const reached = others.filter((node) => is_beside(node, from, to))
    let [best, fewest] = [null, count_hit(reached, from, to, null, HOPELESS)]
    if (fewest === HOPELESS) return null
    for (const bend of list_bends(length)) {
      const hit = count_hit(reached, from, to, bend, fewest)
      if (hit < fewest) [best, fewest] = [bend, hit]
      if (!hit) break
    }
    return best
  }

  // Whether an arrow may have to bend otherwise now that some nodes have moved.
  concerns({from, to, bend}, nodes) {
    const near = (node) => bend ? is_beside(node, from, to) : passes(grown(node, 0), {from, to})
    return nodes.length > FEW || nodes.some(near)
  }

  // The nodes around, but for the ends.
  near(from, to) {
    this.cells ??= sort_into_cells(this.nodes)
    const [first, last] = [Math.min, Math.max].map((end) => [end(from.x, to.x), end(from.y, to.y)])
    const box = [first.map((place) => place - MOST), last.map((place) => place + MOST)]
    const found = new Set()
    for_cells(box, (key) => { for (const node of this.cells.get(key) ?? []) found.add(node) })
    found.delete(from)
    found.delete(to)
    return [...found]
  }
}

function list_bends(length) {
  const reach = ASIDE.filter((aside) => aside <= STEEPEST * length)
  return reach.flatMap((aside) => ALONG.flatMap((along) => [{aside, along}, {aside: -aside, along}]))
}

function sort_into_cells(nodes) {
  const cells = new Map()
  for (const node of nodes) {
    const [left, top, right, bottom] = grown(node, CLEARANCE)
    for_cells([[left, top], [right, bottom]], (key) => cells.has(key) ? cells.get(key).push(node) : cells.set(key, [node]))
  }
  return cells
}

function for_cells([[left, top], [right, bottom]], action) {
  for (let i = Math.floor(left / CELL); i <= Math.floor(right / CELL); i += 1)
    for (let j = Math.floor(top / CELL); j <= Math.floor(bottom / CELL); j += 1) action(`${i} ${j}`)
}

function grown({x, y, width, height}, by) {
  const [w, h] = [width / 2 + by, height / 2 + by]
  return [x - w, y - h, x + w, y + h]
}

// Whether a bend may meet a node: it is not too far from the straight line.
function is_beside({x, y, width, height}, from, to) {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const aside = Math.abs((x - from.x) * dy - (y - from.y) * dx) / (Math.hypot(dx, dy) || 1)
  return aside <= MOST + CLEARANCE + (width + height) / 2
}

// How many nodes an arrow that bends so would pass beneath; so many are enough.
function count_hit(nodes, from, to, bend, enough = Infinity) {
  const way = find_way(from, to, bend)
  const looks = Math.min(MOST_LOOKS, Math.ceil(Math.hypot(way.end[0] - way.start[0], way.end[1] - way.start[1]) / LOOK))
  const hit = new Set()
  for (let k = 1; k < looks && hit.size < enough; k += 1) {
    const {x, y} = follow_way(way, k / looks)
    for (const node of nodes) if (covers(node, x, y, CLEARANCE)) hit.add(node)
  }
  return hit.size
}

// Where an arrow leaves the one node, what it turns towards, and where it meets the other.
function find_way(from, to, bend) {
  const {aside, along} = bend ?? {aside: 0, along: 0.5}
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const part = 2 * aside / (Math.hypot(dx, dy) || 1) // a curve goes half as far as what it turns towards
  const turn = [from.x + along * dx - part * dy, from.y + along * dy + part * dx]
  return {start: rim(from, turn[0] - from.x, turn[1] - from.y), turn, end: rim(to, turn[0] - to.x, turn[1] - to.y)}
}

// So far along a way, from 0 to 1.
function follow_way({start, turn, end}, share) {
  const [before, amid, after] = [(1 - share) * (1 - share), 2 * share * (1 - share), share * share]
  const [x, y] = [0, 1].map((k) => before * start[k] + amid * turn[k] + after * end[k])
  return {x, y}
}

// The middle of an edge as it is drawn, or another point on it.
function point_on({from, to, bend}, share = 0.5) {
  return follow_way(find_way(from, to, bend), share)
}

// From the middle of one node to that of the other, for what goes along below: a hull.
function ribbon_path([from, to, edge]) {
  if (!edge?.bend) return `M${from.x} ${from.y}L${to.x} ${to.y}`
  const {turn: [x, y]} = find_way(from, to, edge.bend)
  return `M${from.x} ${from.y}Q${x} ${y} ${to.x} ${to.y}Q${x} ${y} ${from.x} ${from.y}` // there and back: it is filled
}
