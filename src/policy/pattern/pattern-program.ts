import type { RE2JS } from 're2js'
import { add, type Bits, bitsOf } from './pattern-bits.ts'
import { type CharClasses, classesOf } from './pattern-classes.ts'

/**
 * A pattern as states: what re2js compiled, read once into sets that can be searched with a known
 * number of steps for each character.
 *
 * A state stands for one instruction that takes a character: "the last character was taken here".
 * State 0 is the place before the first, the last state is the end of a match. Mostly a pattern
 * goes on to the next state, which is a shift of the whole set; all other ways are jumps.
 */
export interface Program {
  readonly states: number
  /** States that the state before them reaches, whatever the text around is. */
  readonly next: Bits
  /** All jumps, one after the other, in one list that is quick to go through: see `encoded`. */
  readonly jumps: Int32Array
  /** Matches begin at the beginning of the text only. */
  readonly anchored: boolean
  readonly classes: CharClasses
}

/** From any of these states to all of those, where the text around allows it. */
interface Jump {
  readonly from: Bits
  readonly to: Bits
  /** What `^`, `$`, `\b` and `\B` ask for, as flags. */
  readonly needs: number
}

export const BEGIN_LINE = 1
export const END_LINE = 2
export const BEGIN_TEXT = 4
export const END_TEXT = 8
export const WORD_BOUNDARY = 16
export const NO_WORD_BOUNDARY = 32

/** The part of re2js that its types do not show. Its version is pinned, and tests compare. */
interface Compiled {
  readonly re2Input: {
    readonly prog: { readonly start: number; readonly inst: readonly Instruction[] }
    readonly dfa: { readonly classBounds: Int32Array }
  }
}

export interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly runes: Int32Array
  matchRune(rune: number): boolean
}

const ALT = 1
const ALT_MATCH = 2
const CAPTURE = 3
const EMPTY_WIDTH = 4
const FAIL = 5
const MATCH = 6
const NOP = 7
const FIRST_RUNE = 8
const LAST_RUNE = 11
const NOTHING: Instruction = {
  op: FAIL,
  out: 0,
  arg: 0,
  runes: new Int32Array(),
  matchRune: () => false,
}

// Numbers that a search may have to look at for each character: 8,192 take less than 10 ms.
const MAX_COST = 500
// Ways through the pattern without taking a character. `(a?){900}` has 400,000.
const MAX_WAYS = 20_000

/** Undefined when a search would take too long on some text. */
export function readProgram(regex: RE2JS): Program | undefined {
  const { prog, dfa } = (regex as unknown as Compiled).re2Input
  const at = (pc: number): Instruction => prog.inst[pc] ?? NOTHING
  const takers = reachable(at, prog.start).filter((pc) => takesCharacter(at(pc).op))
  const stateOf = new Map(takers.map((pc, index) => [pc, index + 1]))
  const end = takers.length + 1
  const states = end + 1

  const next = bitsOf(states)
  const gathered = new Map<string, Jump>()
  let anchored = true
  let ways = 0
  for (const [state, pc] of [prog.start, ...takers.map((taker) => at(taker).out)].entries()) {
    for (const [needs, pcs] of waysFrom(at, pc)) {
      if (state === 0 && (needs & BEGIN_TEXT) === 0) anchored = false
      ways += pcs.length
      if (ways > MAX_WAYS) return undefined
      const targets = pcs.map((target) => stateOf.get(target) ?? end)
      const far = targets.filter((target) => needs !== 0 || target !== state + 1)
      if (far.length < targets.length) add(next, state + 1)
      if (far.length === 0) continue
      const name = `${needs}:${far.sort((a, b) => a - b)}`
      const jump = gathered.get(name) ?? { from: bitsOf(states), to: bitsOf(states, far), needs }
      add(jump.from, state)
      gathered.set(name, jump)
    }
    if (gathered.size > MAX_COST) return undefined
  }
  const jumps = Int32Array.from([...gathered.values()].flatMap(encoded))
  // The whole set is looked at twice.
  if (2 * next.length + jumps.length > MAX_COST) return undefined
  return { states, next, jumps, anchored, classes: classesOf(takers.map(at), dfa.classBounds) }
}

/**
 * What it needs, how many words `from` has, each word's place and bits, then the same for `to`.
 * Only words that are not empty: in large patterns a jump concerns a few states of hundreds.
 */
function encoded({ from, to, needs }: Jump): number[] {
  return [needs, ...sparse(from), ...sparse(to)]
}

function sparse(bits: Bits): number[] {
  const words = [...bits.entries()].filter(([, word]) => word !== 0)
  return [words.length, ...words.flat()]
}

function takesCharacter(op: number): boolean {
  return op >= FIRST_RUNE && op <= LAST_RUNE
}

/** In the order of the program, so that most states are followed by the next one. */
function reachable(at: (pc: number) => Instruction, start: number): number[] {
  const seen = new Set<number>()
  const open = [start]
  for (let pc = open.pop(); pc !== undefined; pc = open.pop()) {
    const { op, out, arg } = at(pc)
    if (seen.has(pc) || op === FAIL) continue
    seen.add(pc)
    if (op === ALT || op === ALT_MATCH) open.push(arg)
    if (op !== MATCH) open.push(out)
  }
  return [...seen].sort((a, b) => a - b)
}

/** Where the pattern can go without taking a character, by what that needs of the text around. */
function waysFrom(at: (pc: number) => Instruction, start: number): Map<number, number[]> {
  const ways = new Map<number, number[]>()
  const seen = new Set<number>()
  const open: [pc: number, needs: number][] = [[start, 0]]
  for (let way = open.pop(); way !== undefined; way = open.pop()) {
    const [pc, needs] = way
    const mark = pc * 64 + needs
    if (seen.has(mark)) continue
    seen.add(mark)
    const { op, out, arg } = at(pc)
    if (op === ALT || op === ALT_MATCH) open.push([arg, needs], [out, needs])
    else if (op === NOP || op === CAPTURE) open.push([out, needs])
    else if (op === EMPTY_WIDTH) open.push([out, needs | arg])
    else if (op === MATCH || takesCharacter(op)) {
      const pcs = ways.get(needs) ?? []
      pcs.push(pc)
      ways.set(needs, pcs)
    }
  }
  return ways
}
