// The bars of some variables. Python owns them: on mount we send `ready`, and draw each `load` we are sent. A state's
// button supposes it or lets it go; its bar is a slider for the likelihood, or for the target if the variable has one;
// three buttons beside its name say what kind of evidence it is. Each `suppose` is answered with `done`.
// Names are untrusted text: they only ever pass through textContent and setAttribute.

const STEPS = {ArrowRight: 0.05, ArrowUp: 0.05, ArrowLeft: -0.05, ArrowDown: -0.05, PageUp: 0.25, PageDown: -0.25}

const KINDS = {
  state: ["this state", "This state: the variable is known to have it"],
  likelihood: ["likelihood", "Likelihood: what was seen is that probable in each state; the model weighs it (Pearl)"],
  target: ["target", "Target: the posterior shall be this, whatever the model says (Jeffrey)"],
}

function make(kind, name, parent, attributes = {}) {
  const element = document.createElement(kind)
  element.className = name
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  parent.append(element)
  return element
}

function percent(value) {
  return `${(100 * value).toFixed(1)}%`
}

function tidy(weight) {
  return Math.round(100 * Math.min(Math.max(weight, 0), 1)) / 100
}

// A number as it is told: 0.1, not 0.09999999999999999.
function plain(weight) {
  return Number(weight.toPrecision(6))
}

// Sends one thing at a time, and of what comes meanwhile the newest.
class Line {
  constructor(send) {
    this.send = send
    this.waiting = false
    this.next = null
  }

  say(message) {
    if (this.waiting) {
      this.next = message
      return
    }
    this.waiting = true
    this.send(message)
  }

  answered() {
    const {next} = this
    this.waiting = false
    this.next = null
    if (next) this.say(next)
  }
}

class Card {
  constructor(parent, {name, states, more}, line) {
    Object.assign(this, {name, states, line})
    this.root = make("section", "card", parent, {role: "group", "aria-label": name, "data-variable": name})
    const top = make("div", "top", this.root)
    const head = make("h3", "", top)
    head.textContent = name
    head.title = name
    this.kinds = this.build_kinds(make("div", "kinds", top, {role: "group", "aria-label": `Evidence on ${name}`}))
    this.rows = states.map((state, k) => this.build(state, k))
    if (more) make("p", "more", this.root).textContent = `and ${more} more`
    this.together = make("p", "more", this.root)
    this.together.textContent = "Has a target together with others"
  }

  build_kinds(group) {
    return Object.entries(KINDS).map(([kind, [text, about]]) => {
      const button = make("button", "kind", group, {type: "button", title: about})
      button.textContent = text
      button.addEventListener("click", () => {
        if (button.getAttribute("aria-pressed") !== "true") this.line.say({type: "suppose", name: this.name, kind})
      })
      return [kind, button]
    })
  }

  build(state, k) {
    const row = make("div", "row", this.root, {"data-state": state})
    const button = make("button", "", row, {type: "button"})
    button.title = `Suppose ${this.name} = ${state}, or let it go`
    button.textContent = state
    button.addEventListener("click", () => this.suppose(k, null))
    const bar = make("div", "bar", row, {
      role: "slider", tabindex: "0", "aria-valuemin": "0", "aria-valuemax": "1",
    })
    const parts = {row, button, bar, weight: 1}
    parts.fill = make("div", "fill", bar)
    parts.tick = make("div", "tick", bar)
    parts.mark = make("div", "mark", bar)
    parts.now = make("span", "now", row)
    parts.was = make("span", "was", row)
    this.listen(parts, k)
    return parts
  }

  listen(parts, k) {
    const {bar} = parts
    let start = null
    const weight = (event) => {
      const box = bar.getBoundingClientRect()
      return tidy((event.clientX - box.left) / box.width)
    }
    bar.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return
      start = {x: event.clientX, moved: false}
      bar.setPointerCapture(event.pointerId)
    })
    bar.addEventListener("pointermove", (event) => {
      if (!start) return
      start.moved ||= Math.abs(event.clientX - start.x) > 4
      if (start.moved) this.weigh(parts, k, weight(event))
    })
    bar.addEventListener("pointerup", () => {
      if (start && !start.moved) this.suppose(k, null)
      start = null
    })
    bar.addEventListener("pointercancel", () => { start = null })
    bar.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key in STEPS) this.weigh(parts, k, tidy(parts.weight + STEPS[event.key]))
      else if (event.key === "Home") this.weigh(parts, k, 0)
      else if (event.key === "End") this.weigh(parts, k, 1)
      else if (event.key === "Enter" || event.key === " ") this.suppose(k, null)
      else return
      event.preventDefault()
      event.stopPropagation()
    })
  }

  weigh(parts, k, weight) {
    if (weight === parts.weight && !parts.mark.hidden) return
    this.mark(parts, weight, true)
    this.suppose(k, weight)
  }

  suppose(state, weight) {
    this.line.say({type: "suppose", name: this.name, state, weight})
  }

  mark(parts, weight, shown) {
    parts.weight = weight
    parts.mark.hidden = !shown
    parts.mark.style.left = `${100 * weight}%`
    parts.bar.setAttribute("aria-valuenow", plain(weight))
  }

  is_same({name, states}) {
    return name === this.name && states.length === this.states.length && states.every((s, k) => s === this.states[k])
  }

  // While the user moves a likelihood, what is sent may be of an earlier one: the marks stay where the user has them.
  fill({before, after, kind, numbers, hard, margin}, moving) {
    const soft = kind === "likelihood" || kind === "target"
    const meant = kind === "target" ? "target" : "likelihood"
    const marked = kind === "together" ? "in a target with others" : meant
    this.root.classList.toggle("supposed", kind !== "")
    this.root.classList.toggle("impossible", !after.length)
    this.root.classList.toggle("target", kind === "target" || kind === "together")
    this.together.hidden = kind !== "together"
    for (const [own, button] of this.kinds) button.setAttribute("aria-pressed", own === kind)
    this.rows.forEach((parts, k) => {
      const value = after[k] ?? before[k] ?? 0
      const told = after.length ? percent(value) : "–"
      const was = before.length ? percent(before[k]) : "–"
      const changed = after.length > 0 && Math.abs(value - before[k]) >= 5e-4
      parts.fill.style.width = `${100 * value}%`
      parts.tick.style.left = `${100 * (before[k] ?? 0)}%`
      parts.tick.hidden = !changed
      parts.now.textContent = told
      parts.was.textContent = changed ? `was ${was}` : ""
      parts.row.classList.toggle("hard", k === hard)
      parts.button.setAttribute("aria-pressed", k === hard)
      if (!moving) this.mark(parts, soft || hard >= 0 ? numbers[k] : margin[k] ?? 1, soft || margin.length > 0)
      parts.bar.setAttribute("aria-label", `${meant === "target" ? "Target" : "Likelihood"} of ${this.name} = ${this.states[k]}`)
      parts.bar.title = `Drag for a ${meant}, or use the arrow keys; a click supposes the state`
      parts.bar.setAttribute("aria-valuetext", `${marked} ${plain(parts.weight)}; probability ${told}, before evidence ${was}`)
    })
  }
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "bars"
  const line = new Line((message) => model.send_msg(message))
  let cards = []
  let newest = []
  const fill = () => cards.forEach((card, k) => card.fill(newest[k], line.waiting))

  model.on("msg:custom", (message) => {
    if (message.type === "done") {
      line.answered()
      return fill()
    }
    // A card that stays must stay the same element, or its bars would lose the focus and the pointer.
    const same = cards.length === message.cards.length && cards.every((card, k) => card.is_same(message.cards[k]))
    if (!same) {
      root.replaceChildren()
      cards = message.cards.map((card) => new Card(root, card, line))
    }
    newest = message.cards
    fill()
  })
  model.send_msg({type: "ready"})
  return root
}
