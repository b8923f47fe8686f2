// A place to choose a file, or to drop one. It travels in pieces, each sent when the one before has arrived
// (the first at once), so that no message is too long for the websocket and the page stays alive.
// The file's name is untrusted text: it only ever passes through textContent.

const PIECE = 4 * 2 ** 20

class Upload {
  constructor(model) {
    this.model = model
    this.turn = 0
    this.root = document.createElement("label")
    this.root.className = "drop-place"
    this.root.title = model.about
    this.input = document.createElement("input")
    this.input.type = "file"
    this.input.accept = model.accept
    this.input.setAttribute("aria-label", model.label)
    this.text = document.createElement("span")
    this.text.setAttribute("aria-live", "polite")
    this.root.append(this.input, this.text)
    this.rest()
    this.listen()
  }

  rest() {
    this.text.textContent = this.model.label
    this.root.style.removeProperty("--done")
  }

  listen() {
    this.input.addEventListener("change", () => {
      if (this.input.files.length) this.send(this.input.files[0])
      this.input.value = "" // the same file may be chosen again
    })
    this.root.addEventListener("dragover", () => this.root.classList.add("over"))
    this.root.addEventListener("dragleave", () => this.root.classList.remove("over"))
    this.root.addEventListener("drop", (event) => this.drop(event))
    // A file that misses the place would replace the page.
    this.stay = (event) => event.preventDefault()
    for (const kind of ["dragover", "drop"]) window.addEventListener(kind, this.stay)
  }

  drop(event) {
    this.root.classList.remove("over")
    const {files, items} = event.dataTransfer
    if (files.length > 1) this.model.send_msg({type: "several"})
    else if (items[0]?.webkitGetAsEntry?.()?.isDirectory) this.model.send_msg({type: "unreadable", name: files[0].name})
    else if (files.length) this.send(files[0])
  }

  async send(file) {
    const turn = ++this.turn
    this.answer?.(false)
    this.model.send_msg({type: "begin", turn, name: file.name, size: file.size})
    if (file.size > this.model.most) return
    for (let at = 0; at < file.size; at += PIECE) {
      if (at && !await this.arrived) return
      this.text.textContent = `Uploading ${file.name}: ${Math.floor(100 * at / file.size)}%`
      this.root.style.setProperty("--done", `${100 * at / file.size}%`)
      let content
      try {
        content = await file.slice(at, at + PIECE).arrayBuffer()
      } catch {
        this.model.send_msg({type: "unreadable", turn, name: file.name})
        return this.rest()
      }
      if (turn !== this.turn) return
      this.arrived = new Promise((resolve) => { this.answer = resolve })
      this.model.send_msg({type: "piece", turn, content})
    }
    this.rest()
    this.model.send_msg({type: "end", turn})
  }

  hear(message) {
    if (message.type === "next" && message.turn === this.turn) this.answer?.(true)
    else if (message.type === "abandon") {
      this.turn += 1
      this.answer?.(false)
      this.rest()
    }
  }

  close() {
    this.turn += 1
    this.answer?.(false)
    for (const kind of ["dragover", "drop"]) window.removeEventListener(kind, this.stay)
  }
}

export function render({model}) {
  const upload = new Upload(model)
  model.on("msg:custom", (message) => upload.hear(message))
  model.on("remove", () => upload.close())
  model.send_msg({type: "ready"})
  return upload.root
}
