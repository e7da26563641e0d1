const SHELVES = 256
const EMPTY_SLOTS = 16
/** 128 bits of the name, 256 of the state. */
const NAME = 4
const STATE = 8
const WORDS = NAME + STATE

const FREE = 0
const WAITING = 1
const TAKEN = 2

/** What the newest entry about a row says of it. */
export interface RowState {
  readonly revision: number
  /** SHA-256 in hexadecimal. */
  readonly state: string
}

/**
 * The newest state of millions of rows, in about forty bytes each and whatever their names are.
 * Names come as SHA-256: who writes a database may choose the ids in it. In many small tables,
 * because a full one is copied as a whole.
 */
export class RowTable {
  readonly #shelves = Array.from({ length: SHELVES }, () => new Shelf())
  #waiting = 0

  /** Rows that an entry told of and that were not taken. */
  get waiting(): number {
    return this.#waiting
  }

  /** An older revision than the one that is known says nothing. */
  note(name: string, { revision, state }: RowState): void {
    const words = wordsOf(name, NAME)
    if (this.#shelf(words).note(words, revision, wordsOf(state, STATE))) this.#waiting += 1
  }

  /** Undefined for a row that no entry tells of, and for one that was taken before. */
  take(name: string): RowState | undefined {
    const words = wordsOf(name, NAME)
    const found = this.#shelf(words).take(words)
    if (found) this.#waiting -= 1
    return found
  }

  isWaiting(name: string): boolean {
    const words = wordsOf(name, NAME)
    return this.#shelf(words).isWaiting(words)
  }

  #shelf([first = 0]: readonly number[]): Shelf {
    return this.#shelves[first >>> 24] as Shelf
  }
}

class Shelf {
  #flags = new Uint8Array(EMPTY_SLOTS)
  #words = new Uint32Array(EMPTY_SLOTS * WORDS)
  #revisions = new Float64Array(EMPTY_SLOTS)
  #size = 0

  /** True when it is a row that was not known. */
  note(name: readonly number[], revision: number, state: readonly number[]): boolean {
    if (this.#size * 4 >= this.#flags.length * 3) this.#grow()
    const slot = this.#slotOf(name)
    const isNew = this.#flags[slot] === FREE
    if (!isNew && (this.#revisions[slot] as number) > revision) return false
    if (isNew) {
      this.#size += 1
      this.#flags[slot] = WAITING
      this.#words.set(name, slot * WORDS)
    }
    this.#revisions[slot] = revision
    this.#words.set(state, slot * WORDS + NAME)
    return isNew
  }

  take(name: readonly number[]): RowState | undefined {
    const slot = this.#slotOf(name)
    if (this.#flags[slot] !== WAITING) return undefined
    this.#flags[slot] = TAKEN
    const at = slot * WORDS + NAME
    const state = [...this.#words.subarray(at, at + STATE)].map(hexOf).join('')
    return { revision: this.#revisions[slot] as number, state }
  }

  isWaiting(name: readonly number[]): boolean {
    return this.#flags[this.#slotOf(name)] === WAITING
  }

  /** Where it stands, or would. */
  #slotOf(name: readonly number[]): number {
    const mask = this.#flags.length - 1
    let slot = (name[1] ?? 0) & mask
    while (this.#flags[slot] !== FREE && !this.#isAt(slot, name)) slot = (slot + 1) & mask
    return slot
  }

  #isAt(slot: number, name: readonly number[]): boolean {
    const at = slot * WORDS
    return name.every((word, index) => this.#words[at + index] === word)
  }

  #grow(): void {
    const [flags, words, revisions] = [this.#flags, this.#words, this.#revisions]
    this.#flags = new Uint8Array(flags.length * 2)
    this.#words = new Uint32Array(words.length * 2)
    this.#revisions = new Float64Array(revisions.length * 2)
    for (const [old, flag] of flags.entries()) {
      if (flag === FREE) continue
      const own = words.subarray(old * WORDS, (old + 1) * WORDS)
      const slot = this.#slotOf([...own.subarray(0, NAME)])
      this.#flags[slot] = flag
      this.#words.set(own, slot * WORDS)
      this.#revisions[slot] = revisions[old] as number
    }
  }
}

/** The first words of a hash. What is no hash is all zeros, which no row has. */
function wordsOf(hash: string, count: number): readonly number[] {
  const isHash = /^[0-9a-f]{64}$/.test(hash)
  return Array.from({ length: count }, (_, index) =>
    isHash ? Number.parseInt(hash.slice(8 * index, 8 * index + 8), 16) : 0,
  )
}

function hexOf(word: number): string {
  return word.toString(16).padStart(8, '0')
}
