import { type Bits, bitsOf } from './pattern-bits.ts'
import type { Instruction } from './pattern-program.ts'

/** Characters that no part of a pattern tells apart are one class; most patterns have a handful. */
export interface CharClasses {
  readonly count: number
  /** The class of each of the first 256 characters. */
  readonly latin: Uint16Array
  /** For the others: where the class changes, ascending, and which class begins there. */
  readonly bounds: readonly number[]
  readonly fromBound: readonly number[]
  /** By class: the states that take such a character. */
  readonly takers: readonly Bits[]
  /** By class: what such a character is to `^`, `$` and `\b` beside it. */
  readonly kinds: readonly number[]
}

export const EDGE_OF_TEXT = 0
export const NEWLINE = 1
export const WORD = 2
export const OTHER = 3

/** `bounds`: where some instruction begins or ends to match. State n is instruction n - 1. */
export function classesOf(instructions: readonly Instruction[], bounds: Int32Array): CharClasses {
  const tests = distinctTests(instructions)
  const names = new Map<string, number>()
  const takers: Bits[] = []
  const kinds: number[] = []
  // Newline and the ASCII word characters are told apart even where the pattern does not care.
  const begins = [...new Set([0, 10, 11, 48, 58, 65, 91, 95, 96, 97, 123, ...bounds])]
  begins.sort((a, b) => a - b)
  const fromBound = begins.map((rune) => {
    const kind = kindOf(rune)
    const matching = tests.filter(({ instruction }) => instruction.matchRune(rune))
    const name = `${kind}:${matching.map(({ name }) => name)}`
    const known = names.get(name)
    if (known !== undefined) return known
    const members = matching.flatMap(({ states }) => states)
    kinds.push(kind)
    names.set(name, takers.push(bitsOf(instructions.length + 2, members)) - 1)
    return takers.length - 1
  })
  const latin = new Uint16Array(256)
  const classes = { count: takers.length, latin, bounds: begins, fromBound, takers, kinds }
  for (let rune = 0; rune < 256; rune++) latin[rune] = searchClass(classes, rune)
  return classes
}

/** The class of any character, by halving. */
export function searchClass({ bounds, fromBound }: CharClasses, rune: number): number {
  let low = 0
  let high = bounds.length
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if ((bounds[middle] ?? 0) <= rune) low = middle
    else high = middle
  }
  return fromBound[low] ?? 0
}

interface CharTest {
  readonly name: number
  readonly instruction: Instruction
  readonly states: number[]
}

/** `\pL{500}` is the same test 500 times; asking once is enough. */
function distinctTests(instructions: readonly Instruction[]): CharTest[] {
  const tests = new Map<Int32Array, CharTest[]>()
  let name = 0
  for (const [index, instruction] of instructions.entries()) {
    const alike = tests.get(instruction.runes) ?? []
    tests.set(instruction.runes, alike)
    const same = alike.find((test) => test.instruction.arg === instruction.arg)
    if (same) same.states.push(index + 1)
    else alike.push({ name: name++, instruction, states: [index + 1] })
  }
  return [...tests.values()].flat()
}

function kindOf(rune: number): number {
  if (rune === 10) return NEWLINE
  const word =
    (rune >= 48 && rune < 58) ||
    (rune >= 65 && rune < 91) ||
    rune === 95 ||
    (rune >= 97 && rune < 123)
  return word ? WORD : OTHER
}
