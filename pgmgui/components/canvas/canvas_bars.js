// The bars of the nodes: a card below each, with a row a state. Its fill is the posterior, the thin line below it the
// probability before the evidence, a pointer the likelihood that is supposed, a post across the row its target.
// Names are untrusted text: they only ever pass through textContent.

const CARD = 94 // the least width of a card
const CARD_GAP = 8 // from a node to its card; the rim that connects is wider, and lies above
const CARD_PAD = 3
const TALLEST = 58 // the room for the rows of a card: more rows are lower
const LOW_ROW = 10
const HIGH_ROW = 15
const LEGIBLE = 0.5 // the zoom below which texts are left out
const CARD_HELP = "Click a state to suppose it, again to let it go; drag along its bar for a likelihood, or its target. "
  + "A thin line is what was probable before"

class Bars {
  constructor(layer) {
    this.layer = layer
  }

  // Show these cards, one a node; none hides them all. Those of nodes that are not drawn are not either.
  show(nodes, cards) {
    if (!cards.length) {
      this.layer.replaceChildren()
      for (const node of nodes) node.card = null
      return
    }
    nodes.forEach((node, k) => {
      const same = node.card && node.card.states.length === cards[k].states.length && node.card.more === cards[k].more
        && cards[k].states.every((state, j) => state === node.card.states[j])
      if (!same) {
        this.erase(node)
        node.card = {node, states: cards[k].states, more: cards[k].more, element: null, rows: []}
        measure_card(node)
      }
      const {before, after, kind, numbers, hard, margin} = cards[k]
      Object.assign(node.card, {before, after, kind, numbers, hard, margin})
      if (node.element) this.draw(node)
    })
  }

  draw(node) {
    const {card} = node
    if (!card) return
    if (!card.element) {
      this.build(card)
      this.layer.append(card.element)
      this.place([node])
      this.haunt(node)
    }
    this.fill(card)
  }

  erase({card}) {
    if (!card?.element) return
    card.element.remove()
    Object.assign(card, {element: null, rows: []})
  }

  // The card of a ghost is not seen.
  haunt({card, ghost}) {
    card?.element?.classList.toggle("ghost", Boolean(ghost))
  }

  build(card) {
    const {node, states, more} = card
    const {width, height, high} = card.usual
    const element = card.element = make("g", {class: "card", "data-card": node.name, "font-size": high - 3})
    make("title", {}, element).textContent = CARD_HELP
    make("rect", {class: "paper", x: -width / 2, width, height, rx: 4}, element)
    const room = Math.floor((width - 12 - 3.2 * (high - 3)) / (0.56 * (high - 3)))
    card.rows = states.map((state, k) => {
      const row = make("g", {class: "row", "data-state": state, transform: `translate(${-width / 2} ${CARD_PAD + k * high})`}, element)
      make("rect", {class: "track", width, height: high}, row)
      const fill = make("rect", {class: "fill", y: 1, height: high - 2}, row)
      const ghost = make("rect", {class: "before", y: high - 2, height: 1.6}, row)
      const name = make("text", {class: "state", x: 5, y: high / 2}, row)
      const percent = make("text", {class: "percent", x: width - 5, y: high / 2}, row)
      return {element: row, text: shorten(state, room), fill, ghost, name, percent, high}
    })
    if (more) make("text", {class: "more", y: height - CARD_PAD - high / 2}, element).textContent = `+ ${more} more`
  }

  fill(card) {
    const {before, after, kind, numbers, hard, margin} = card
    const soft = kind === "likelihood" || kind === "target"
    card.element.classList.toggle("supposed", kind !== "")
    card.element.classList.toggle("impossible", !after.length)
    card.rows.forEach((row, k) => {
      this.weigh(card, k, soft ? numbers[k] : margin[k] ?? null)
      // Of a large network most rows stay as they are.
      const now = `${before[k]} ${after[k]} ${k === hard}`
      if (now !== row.now) this.fill_row(card, row, before[k], after[k], k === hard)
      row.now = now
    })
  }

  fill_row({usual: {width}}, row, before = 0, after = undefined, hard = false) {
    const known = after !== undefined
    row.fill.setAttribute("width", (known ? after : before) * width)
    row.ghost.setAttribute("width", before * width)
    row.ghost.classList.toggle("idle", !known || Math.abs(before - after) < 5e-4)
    row.name.textContent = hard ? `▸${row.text}` : row.text
    row.percent.textContent = known ? percent(after) : "–"
    row.element.classList.toggle("hard", hard)
  }

  // Mark the likelihood of a state, or its target.
  weigh(card, k, weight) {
    const row = card.rows[k]
    if (weight === null) {
      row.weight?.remove()
      row.weight = null
      return
    }
    if (!row.weight) {
      row.weight = make("path", {class: "weight"}, row.element)
      row.element.insertBefore(row.weight, row.name) // under the texts
    }
    row.weight.setAttribute("d", card.kind === "target" || card.kind === "together" ? `M-1.75 -1h3.5v${row.high + 2}h-3.5Z` : `M0 ${row.high - 8}l5 8h-10Z`)
    row.weight.setAttribute("transform", `translate(${weight * card.usual.width} 0)`)
  }

  place(nodes) {
    for (const node of nodes)
      node.card?.element?.setAttribute("transform", place_at(node, node.x, node.y + node.height / 2 + CARD_GAP))
  }

  // The card at a point of the drawing, and the number of its row there, −1 for none.
  static at(nodes, x, y) {
    for (const node of nodes.toReversed()) {
      const {card} = node
      if (!card) continue
      const [dx, dy] = [x - node.x + card.width / 2, y - node.y - node.height / 2 - CARD_GAP]
      if (dx < 0 || dx > card.width || dy < 0 || dy > card.height) continue
      const k = Math.floor((dy / node.scale - CARD_PAD) / card.usual.high)
      return {card, k: k in card.states ? k : -1, share: dx / card.width}
    }
    return null
  }
}

// How large the card of a node is, if it has one.
function measure_card({card, usual, scale}) {
  if (!card) return
  const rows = card.states.length + Boolean(card.more)
  const high = Math.min(Math.max(TALLEST / rows, LOW_ROW), HIGH_ROW)
  card.usual = {width: Math.max(usual.width, CARD), height: high * rows + 2 * CARD_PAD, high}
  Object.assign(card, {width: scale * card.usual.width, height: scale * card.usual.height})
}

function percent(value) {
  return `${(100 * value).toFixed(1)}%`
}

// A node with its card: the box that both take.
function with_card(node) {
  if (!node.card) return node
  const more = node.card.height + CARD_GAP
  return {x: node.x, y: node.y + more / 2, width: Math.max(node.width, node.card.width), height: node.height + more}
}
