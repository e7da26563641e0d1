/** Sentences about tools of servers: where their risk and their answer come from. */

import type { SwitchOffer, WireAnswer, WireServerTool } from '../../../../src/api/servers.ts'
import { ruleName } from '../../lib/approval/rule-name.ts'
import { type Message, msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

export function riskWhy(
  { riskFrom, riskSign = '' }: Pick<WireServerTool, 'riskFrom' | 'riskSign'>,
  isStudio = false,
): string {
  switch (riskFrom) {
    case 'operator':
      return isStudio ? t('from what it may do, or raised') : t('the policy file says so')
    case 'name':
      return t('its name says “{riskSign}”', { riskSign })
    case 'schema':
      return t('it takes “{riskSign}”', { riskSign })
    case 'annotations':
      return t('its server says {riskSign}', { riskSign })
    default:
      return t('nothing about it stands out')
  }
}

/** The flag that the author of a tool of the studio gave it. Rules of files begin otherwise. */
export function isAuthors(rule: string): boolean {
  return rule.startsWith('studio.') && rule.endsWith('.humanInTheLoop')
}

/** Which rule has the say. */
export function answerFrom({ source, rule }: WireAnswer): string {
  if (isAuthors(rule)) return t('its author, in the studio')
  switch (source) {
    case 'operator':
      return t('switched here')
    case 'governance':
      return t('rule {value}', { value: rule.replace(/^governance\./, '') })
    case 'server':
      return rule.endsWith('.allowed_tools') ? t('not in allowed_tools') : t('the whole server')
    case 'tool':
      return t('rule for {value}', { value: ruleName(rule).replace(/^.*\//, '') })
    default:
      return rule
  }
}

/** What a switch that asks less than now is about to do. */
export function loweringWords(what: string, { after }: SwitchOffer): string {
  return after === 'allow'
    ? t('Calls to {what} will run without asking.', { what })
    : t('Calls to {what} will need less than now: {after}.', { what, after })
}

export const STATE_WORDS = {
  pinned: msg('as first seen'),
  changed: msg('changed since it was first seen'),
  new: msg('new, and its calls would run without asking'),
  gone: msg('its server does not list it any more'),
  unseen: msg('named in the file, not seen yet'),
  guarded: msg('as the gate in front of it wrote it down'),
  called: msg('not known; people were asked about calls of this name'),
} as const satisfies Record<WireServerTool['state'], Message>

const DOORS: ReadonlyMap<string, Message> = new Map([
  ['mcp', msg('Gateway')],
  ['http', msg('HTTP')],
  ['vouched', msg('HTTP')],
  ['authzen', msg('AuthZEN')],
  ['hook', msg('Hook')],
  ['in-process', msg('In process')],
  ['sample', msg('Demo agent')],
])

/** The entry point in the words of the page; applications may name their own. */
export function doorName(door: string): string {
  const known = DOORS.get(door)
  return known === undefined ? visibleText(door) : say(known)
}

/** Where a tool, or the head of its server, stands on the page of tools. */
export function toolAnchor(server: string, tool?: string): string {
  return encodeURIComponent(tool === undefined ? server : `${server}/${tool}`)
}

/** Where nothing can be switched. */
export function askedWords({ verdict }: WireAnswer): string {
  return { allow: t('No'), confirm: t('Yes'), review: t('Yes'), deny: t('Refused') }[verdict]
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
