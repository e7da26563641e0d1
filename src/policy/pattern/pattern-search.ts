import { type Bits, bitsOf, has } from './pattern-bits.ts'
import { EDGE_OF_TEXT, NEWLINE, searchClass, WORD } from './pattern-classes.ts'
import {
  BEGIN_LINE,
  BEGIN_TEXT,
  END_LINE,
  END_TEXT,
  NO_WORD_BOUNDARY,
  type Program,
  WORD_BOUNDARY,
} from './pattern-program.ts'

/** Where a search can stand between two characters. Kept, so that each is worked out once. */
interface Spot {
  readonly reached: Bits
  /** The kind of the character before. */
  readonly before: number
}

// A hostile text leads to ever new spots. Beyond this many they are worked out every time.
const MAX_SPOTS = 500

// Entries of the table of moves that are not the row of another spot.
const UNKNOWN = -1
const FOUND = -2
const NEVER = -3

/** Whether the pattern occurs anywhere in a text, in a number of steps linear in the text. */
export function searcher(program: Program, maxSpots = MAX_SPOTS): (text: string) => boolean {
  const { classes, states } = program
  const { latin, kinds, takers, count: end } = classes
  const none = bitsOf(states)
  const spots: Spot[] = [{ reached: bitsOf(states, [0]), before: EDGE_OF_TEXT }]
  const rows = new Map<string, number>()
  // A row for each spot: by class of the next character, then for the end of the text.
  const width = end + 1
  let moves = new Int32Array(4 * width).fill(UNKNOWN)
  // For one search at a time: nothing in here waits.
  let here = bitsOf(states)
  let there = bitsOf(states)

  function search(text: string): boolean {
    let row = 0
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      const cls = code < 256 ? (latin[code] ?? 0) : classAt(text, index)
      let move = moves[row + cls] ?? UNKNOWN
      if (move < 0) {
        if (move === UNKNOWN) move = explore(row, cls)
        if (move === UNKNOWN) return searchOn(text, index, row)
        if (move < 0) return move === FOUND
      }
      if (code >= 0xd800 && isPair(text, index)) index++
      row = move
    }
    const last = moves[row + end] ?? UNKNOWN
    return (last === UNKNOWN ? explore(row, end) : last) === FOUND
  }

  /** The row one character further on; still unknown when there are too many to keep. */
  function explore(row: number, cls: number): number {
    const { reached, before } = spots[row / width] ?? { reached: none, before: EDGE_OF_TEXT }
    const kind = kinds[cls] ?? EDGE_OF_TEXT
    const found = step(program, reached, between(before, kind), takers[cls] ?? none, there)
    const move = found ? FOUND : there.every((word) => word === 0) ? NEVER : keep(there, kind)
    moves[row + cls] = move
    return move
  }

  function keep(reached: Bits, before: number): number {
    const name = `${before}:${reached}`
    const known = rows.get(name)
    if (known !== undefined) return known
    if (spots.length > maxSpots) return UNKNOWN
    const row = spots.push({ reached: reached.slice(), before }) * width - width
    rows.set(name, row)
    if (row === moves.length) {
      const more = new Int32Array(2 * moves.length).fill(UNKNOWN)
      more.set(moves)
      moves = more
    }
    return row
  }

  /** The rest of a text without keeping anything. */
  function searchOn(text: string, from: number, row: number): boolean {
    const spot = spots[row / width]
    here.set(spot?.reached ?? none)
    let before = spot?.before ?? EDGE_OF_TEXT
    for (let index = from; index <= text.length; index++) {
      const cls = index < text.length ? classAt(text, index) : end
      const kind = kinds[cls] ?? EDGE_OF_TEXT
      if (step(program, here, between(before, kind), takers[cls] ?? none, there)) return true
      const swap = here
      here = there
      there = swap
      before = kind
      if (isPair(text, index)) index++
    }
    return false
  }

  function classAt(text: string, index: number): number {
    const rune = text.codePointAt(index) ?? 0
    return rune < 256 ? (latin[rune] ?? 0) : searchClass(classes, rune)
  }

  return search
}

/** Fills `to` with the states after one more character. True when a match ends before it. */
function step(program: Program, from: Bits, flags: number, takers: Bits, to: Bits): boolean {
  const { next, jumps, states, anchored } = program
  let carry = 0
  for (let word = 0; word < to.length; word++) {
    const bits = from[word] ?? 0
    to[word] = ((bits << 1) | carry) & (next[word] ?? 0)
    carry = bits >>> 31
  }
  for (let index = 0; index < jumps.length; ) {
    let leaps = false
    const allowed = ((jumps[index] ?? 0) & ~flags) === 0
    const targets = index + 2 + 2 * (jumps[index + 1] ?? 0)
    for (let at = index + 2; at < targets && !leaps; at += 2) {
      leaps = ((from[jumps[at] ?? 0] ?? 0) & (jumps[at + 1] ?? 0)) !== 0
    }
    index = targets + 1 + 2 * (jumps[targets] ?? 0)
    if (!allowed || !leaps) continue
    for (let at = targets + 1; at < index; at += 2) {
      const word = jumps[at] ?? 0
      to[word] = (to[word] ?? 0) | (jumps[at + 1] ?? 0)
    }
  }
  const found = has(to, states - 1)
  for (let word = 0; word < to.length; word++) to[word] = (to[word] ?? 0) & (takers[word] ?? 0)
  // A match may begin after any character.
  if (!anchored) to[0] = (to[0] ?? 0) | 1
  return found
}

/** What holds between two characters of these kinds. */
function between(before: number, after: number): number {
  let flags = (before === WORD) === (after === WORD) ? NO_WORD_BOUNDARY : WORD_BOUNDARY
  if (before === EDGE_OF_TEXT) flags |= BEGIN_TEXT | BEGIN_LINE
  if (before === NEWLINE) flags |= BEGIN_LINE
  if (after === EDGE_OF_TEXT) flags |= END_TEXT | END_LINE
  if (after === NEWLINE) flags |= END_LINE
  return flags
}

function isPair(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff
}
