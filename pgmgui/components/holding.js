// Scroll the page to an element and hold it in view: what is laid out later would push it away, or draw it anew.
// What the user does ends that. `find` says which element it is now, if it is there.
function hold_in_view(find, then = () => {}) {
  let held = null
  const show = () => {
    const element = find()
    if (!element) return
    const {top} = element.getBoundingClientRect()
    element.scrollIntoView({block: "nearest"})
    if (element === held && element.getBoundingClientRect().top === top) return
    // Watched anew: an observer tells changes only, and what was out of view may be so again before it looks.
    observer.disconnect()
    observer.observe(element)
    held = element
  }
  // On a busy machine several changes come at once: the last is how it is now.
  const observer = new IntersectionObserver((entries) => { if (!entries.at(-1).isIntersecting) show() })
  const acts = ["wheel", "pointerdown", "keydown"]
  const end = () => {
    observer.disconnect()
    acts.forEach((act) => window.removeEventListener(act, end, true))
    then()
  }
  acts.forEach((act) => window.addEventListener(act, end, true))
  show()
  return {show, end}
}
