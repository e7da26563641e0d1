/** Sentences about tools of servers: where their risk and their answer come from. */
import type { SwitchOffer, WireAnswer, WireServerTool } from '../../../../src/api/servers.ts'
import { ruleName } from '../../lib/approval/rule-name.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

export function riskWhy(
  { riskFrom, riskSign = '' }: Pick<WireServerTool, 'riskFrom' | 'riskSign'>,
  isStudio = false,
): string {
  switch (riskFrom) {
    case 'operator':
      return isStudio ? 'from what it may do, or raised' : 'the policy file says so'
    case 'name':
      return `its name says “${riskSign}”`
    case 'schema':
      return `it takes “${riskSign}”`
    case 'annotations':
      return `its server says ${riskSign}`
    default:
      return 'nothing about it stands out'
  }
}

/** The flag that the author of a tool of the studio gave it. Rules of files begin otherwise. */
export function isAuthors(rule: string): boolean {
  return rule.startsWith('studio.') && rule.endsWith('.humanInTheLoop')
}

/** Which rule has the say. */
export function answerFrom({ source, rule }: WireAnswer): string {
  if (isAuthors(rule)) return 'its author, in the studio'
  switch (source) {
    case 'operator':
      return 'switched here'
    case 'governance':
      return `rule ${rule.replace(/^governance\./, '')}`
    case 'server':
      return rule.endsWith('.allowed_tools') ? 'not in allowed_tools' : 'the whole server'
    case 'tool':
      return `rule for ${ruleName(rule).replace(/^.*\//, '')}`
    default:
      return rule
  }
}

/** What a switch that asks less than now is about to do. */
export function loweringWords(what: string, { after }: SwitchOffer): string {
  return after === 'allow'
    ? `Calls to ${what} will run without asking.`
    : `Calls to ${what} will need less than now: ${after}.`
}

export const STATE_WORDS = {
  pinned: 'as first seen',
  changed: 'changed since it was first seen',
  new: 'new, and its calls would run without asking',
  gone: 'its server does not list it any more',
  unseen: 'named in the file, not seen yet',
  guarded: 'as the gate in front of it wrote it down',
  called: 'not known; people were asked about calls of this name',
} as const satisfies Record<WireServerTool['state'], string>

const DOORS = new Map([
  ['mcp', 'Gateway'],
  ['http', 'HTTP'],
  ['vouched', 'HTTP'],
  ['authzen', 'AuthZEN'],
  ['hook', 'Hook'],
  ['in-process', 'In process'],
  ['sample', 'Demo agent'],
])

/** The entry point in the words of the page; applications may name their own. */
export function doorName(door: string): string {
  return DOORS.get(door) ?? visibleText(door)
}

/** Where a tool, or the head of its server, stands on the page of tools. */
export function toolAnchor(server: string, tool?: string): string {
  return encodeURIComponent(tool === undefined ? server : `${server}/${tool}`)
}

/** Where nothing can be switched. */
export function askedWords({ verdict }: WireAnswer): string {
  return { allow: 'No', confirm: 'Yes', review: 'Yes', deny: 'Refused' }[verdict]
}

export interface Tally {
  readonly all: number
  readonly asks: number
  readonly runs: number
  readonly refused: number
  readonly held: number
}

export function tally(tools: readonly WireServerTool[]): Tally {
  const held = tools.filter(({ change }) => change !== undefined)
  const rest = tools.filter(({ change }) => change === undefined)
  const count = (...words: readonly string[]) =>
    rest.filter(({ answer }) => words.includes(answer.verdict)).length
  return {
    all: tools.length,
    asks: count('confirm', 'review'),
    runs: count('allow'),
    refused: count('deny'),
    held: held.length,
  }
}
