const EMPTY_SLOTS = 64
const SHELVES = 256

/** In 16 to 32 bytes each. */
const MOST = 1_048_576

/**
 * Remembers texts by 64 bits each: exact enough to find a repetition among billions. In many sets,
 * because a full one is copied as a whole: with eight million in one set that blocked the event loop
 * for half a second. Of more texts than `most` it leaves out some of the sets, which are compared
 * when all texts are added again: see `goOn`.
 */
export class SeenSet {
  readonly #most: number
  #shelves = newShelves()
  /** The shelves that are held now. */
  #from = 0
  #to = SHELVES
  #size = 0

  constructor(most = MOST) {
    this.#most = most
  }

  /** False when it was there already. */
  add(text: string): boolean {
    const [high, low] = fingerprint(text)
    const nth = high >>> 24
    if (nth < this.#from || nth >= this.#to) return true
    if (!(this.#shelves[nth] as Shelf).add(high, low)) return false
    this.#size += 1
    // One shelf stays, however many there are in it: what was written must not keep it from ending.
    while (this.#size > this.#most && this.#to - this.#from > 1) this.#leaveOut()
    return true
  }

  /** Begins with what was left out so far; false when that is nothing. All texts have to be added again. */
  goOn(): boolean {
    if (this.#to === SHELVES) return false
    this.#from = this.#to
    this.#to = SHELVES
    this.#size = 0
    this.#shelves = newShelves()
    return true
  }

  #leaveOut(): void {
    this.#to -= 1
    this.#size -= (this.#shelves[this.#to] as Shelf).size
    this.#shelves[this.#to] = new Shelf()
  }
}

function newShelves(): Shelf[] {
  return Array.from({ length: SHELVES }, () => new Shelf())
}

class Shelf {
  #slots = new Uint32Array(2 * EMPTY_SLOTS)
  #size = 0

  get size(): number {
    return this.#size
  }

  add(high: number, low: number): boolean {
    if (this.#size * 4 >= this.#slots.length) this.#grow()
    const isNew = insert(this.#slots, high, low)
    if (isNew) this.#size += 1
    return isNew
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = [old[at], old[at + 1]]
      if (high !== 0 || low !== 0) insert(this.#slots, high, low)
    }
  }
}

function insert(slots: Uint32Array, high: number, low: number): boolean {
  const mask = slots.length / 2 - 1
  for (let slot = low & mask; ; slot = (slot + 1) & mask) {
    const at = 2 * slot
    if (slots[at] === 0 && slots[at + 1] === 0) {
      slots[at] = high
      slots[at + 1] = low
      return true
    }
    if (slots[at] === high && slots[at + 1] === low) return false
  }
}

/** Two mixes of the same characters. Never both zero, which stands for an empty slot. */
function fingerprint(text: string): readonly [number, number] {
  let one = 0x9e3779b9
  let two = 0x85ebca6b
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    one = Math.imul(one ^ unit, 0x01000193)
    two = Math.imul(two ^ unit, 0x5bd1e995)
    two ^= two >>> 15
    one ^= one >>> 13
  }
  one = Math.imul(one ^ (one >>> 16), 0xc2b2ae35)
  two = Math.imul(two ^ (two >>> 16), 0x27d4eb2f)
  return [((one ^ (one >>> 16)) | 1) >>> 0, (two ^ (two >>> 15)) >>> 0]
}
