import type { ApprovalCard } from '../../api/approval.ts'
import { columnsOf, cut, GOES_ON } from '../../base/wrap.ts'
import { printable } from '../print/printable.ts'
import { riskWords, timeLeft } from '../print/show-approval.ts'
import { WARNING } from '../print/show-warnings.ts'
import { answersText, fieldWords } from './filling.ts'
import { HELP, keyLine } from './key-lines.ts'
import { hiddenNames, revealedLines } from './revealed.ts'
import { meter, ROW_LINES, riskLook, rowLines } from './row-lines.ts'
import { type Line, type Look, type Span, span } from './spans.ts'
import {
  allSeen,
  bodyLines,
  bodyRows,
  cardColumns,
  cardShown,
  isTooSmall,
  isWide,
  LIST_COLUMNS,
  type Prompt,
  type State,
} from './state.ts'

/** The whole screen: as many lines as it has, none wider than it is. */
export function frame(state: State, now: number): Line[] {
  if (isTooSmall(state))
    return [[span('Make this window larger: 40 columns and 12 lines at least.')]]
  if (state.help)
    return fill(
      HELP.map((text) => [span(text)]),
      state.rows,
    )
  const body = isWide(state)
    ? bothPanes(state, now)
    : state.open
      ? cardPane(state)
      : listPane(state, now, state.columns, state.rows - 4)
  return [
    title(state, now),
    cardShown(state)
      ? rule(state, cardTitle(state, now), riskLook(state.card?.risk))
      : rule(state, 'Waiting, by risk, then time left'),
    ...body,
    ...foot(state, now),
  ]
}

function title(state: State, now: number): Line {
  const { counts, offline, columns, more } = state
  const left = ` Countersign   ${counts.mine} ${counts.mine === 1 ? 'needs' : 'need'} you · ${counts.others} ${counts.others === 1 ? 'waits' : 'wait'} for others${more ? ' · more than shown' : ''}`
  const right = offline ? `not connected since ${time(offline.since)} ` : `live ${time(now)} `
  const gap = Math.max(1, columns - columnsOf(left) - columnsOf(right))
  return [
    span(cut(left, columns - columnsOf(right) - gap), 'bold'),
    span(' '.repeat(gap)),
    span(right, offline ? 'bad' : 'dim'),
  ]
}

function rule({ columns }: State, words: string, look: Look = 'dim'): Line {
  if (words === '') return [span('─'.repeat(columns), 'dim')]
  const text = cut(words, Math.min(columnsOf(words), columns - 4))
  const rest = '─'.repeat(Math.max(0, columns - 4 - columnsOf(text)))
  return [span('── ', 'dim'), span(text, look), span(` ${rest}`, 'dim')]
}

function cardTitle({ card }: State, now: number): string {
  if (card === undefined) return ''
  const { risk, level, met, status, decideBy } = card
  const need = met.need > 1 ? ` · ${met.have} of ${met.need} agreed` : ''
  const left = status === 'pending' ? timeLeft(decideBy - now) : status
  return `${riskWords(card)} ${meter(risk)} · ${level}${need} · ${left}`
}

function bothPanes(state: State, now: number): Line[] {
  const card = cardPane(state)
  const list = listPane(state, now, LIST_COLUMNS, card.length)
  return card.map((line, at) => [...(list[at] ?? []), span(' │ ', 'dim'), ...line])
}

/** Three lines for each call; the current one is always among them. */
function listPane(state: State, now: number, width: number, height: number): Line[] {
  const { waiting, current, place, loaded } = state
  if (waiting.length === 0) {
    const words = loaded ? 'Nothing is waiting.' : 'Loading…'
    return fill([[span(cut(` ${words}`, width))]], height, width)
  }
  const fits = Math.max(1, Math.floor(height / ROW_LINES))
  const first = Math.min(
    Math.max(0, place - Math.floor(fits / 2)),
    Math.max(0, waiting.length - fits),
  )
  const lines = waiting
    .slice(first, first + fits)
    .flatMap((row) => rowLines(row, now, width, row.id === current))
  return fill(lines, height, width)
}

function cardPane(state: State): Line[] {
  const width = cardColumns(state)
  const height = bodyRows(state)
  const { card, reading, current, revealed } = state
  if (card === undefined) {
    const words = current === undefined ? 'Nothing is waiting.' : 'Loading the call.'
    return fill([[span(cut(words, width), 'dim')]], height, width)
  }
  const [text, top] = revealed
    ? [revealedLines(revealed, width), revealed.top]
    : [bodyLines(state), reading.top]
  const looks = looksOf(text)
  const lines = text
    .slice(top, top + height)
    .map((one, at): Line => [span(revealed ? one : ruled(one, width), looks[top + at])])
  return fill(lines, height)
}

/** The two voices differ in shape: a double line under what was computed, dashes over what is claimed. */
function ruled(line: string, width: number): string {
  const fill = RULES.find(([title]) => line.startsWith(title))?.[1]
  const rest = width - columnsOf(line) - 1
  return fill === undefined || rest < 2 ? line : `${line} ${fill.repeat(rest).slice(0, rest)}`
}

/** With what lines of ours begin: they are not indented, and every value of a call is. */
const RULES = [
  ['Computed by Countersign', '═'],
  ['Claimed by the agent', '- '],
] as const

/** What is not indented is always a title of ours. A line that goes on looks like its first. */
function looksOf(lines: readonly string[]): Look[] {
  let last: Look = 'plain'
  return lines.map((line) => {
    if (line.startsWith(GOES_ON)) return last
    last = line.startsWith(WARNING)
      ? 'bad'
      : line.startsWith('  > ')
        ? 'dim'
        : /^\S/.test(line)
          ? 'bold'
          : 'plain'
    return last
  })
}

function foot(state: State, now: number): Line[] {
  const { columns } = state
  const keys = keyLine(state, columns - 1)
  if (!cardShown(state)) return [noteLine(state), [span(cut(` ${keys}`, columns), 'dim')]]
  return [
    rule(state, progress(state)),
    noteLine(state),
    ...deciding(state, now).map(({ text, look }): Line => [span(cut(` ${text}`, columns), look)]),
    [span(cut(` ${keys}`, columns), 'dim')],
  ]
}

function progress(state: State): string {
  const total = bodyLines(state).length
  if (state.card?.status !== 'pending' || state.revealed) return ''
  return allSeen(state)
    ? `all ${total} lines seen`
    : `${state.reading.seen} of ${total} lines seen · Space shows the rest${
        state.card.can.includes('approve') ? ' · Approve unlocks at the end' : ''
      }`
}

function noteLine({ note, columns, offline }: State): Line {
  if (offline) {
    const text = `You can read, but not decide. Nothing is approved meanwhile. ${printable(offline.why)}`
    return [span(cut(` ${text}`, columns), 'bad')]
  }
  if (note === undefined) return [span('')]
  return [
    span(cut(` ${printable(note.text)}`, columns), note.tone === 'plain' ? 'plain' : note.tone),
  ]
}

/** Three lines: what can be done, or what is being typed. */
function deciding(state: State, now: number): [Span, Span, Span] {
  const { card, prompt, busy, offline, revealed } = state
  if (card === undefined || offline) return [span(''), span(''), span('')]
  if (busy) return [span('Sending…'), span(''), span('')]
  if (revealed) {
    const left = Math.ceil((revealed.until - now) / 1_000)
    return [
      span('It is on record that you looked.', 'bold'),
      span(`Esc or r hides it; it hides by itself in ${Math.max(0, left)} s.`),
      span(''),
    ]
  }
  if (prompt?.step === 'which') {
    const which =
      card.masked.length === 1 ? 'Enter: show it' : `Its number, then Enter: ${prompt.text}▏`
    return [
      span(`Show ${hiddenNames(card)}? It will be on record that you looked.`, 'bold'),
      span(`${which}   Esc: back, nothing is shown`),
      span(''),
    ]
  }
  if (prompt?.step === 'remark') {
    return [
      span(`${REMARK_WORDS[prompt.kind] ?? ''}: ${printable(prompt.text)}▏`, 'bold'),
      span('Enter: send   Esc: back, nothing is sent'),
      span('This decides nothing. Secrets in it are masked.', 'dim'),
    ]
  }
  if (prompt?.step === 'field' && prompt.filling) {
    const { question, help, problem } = fieldWords(prompt.filling, prompt.text)
    return [span(question, 'bold'), span(help, 'dim'), span(problem, 'bad')]
  }
  if (prompt !== undefined) {
    const text = printable(prompt.text)
    const question =
      prompt.step === 'digest'
        ? `Type the last four characters of the digest to approve: ${text}▏`
        : `Reason${isRequired(card, prompt.kind) ? '' : ' (may be empty)'}; the agent reads it: ${text}▏`
    const enter =
      prompt.step === 'reason' && prompt.kind === 'approve'
        ? 'go on'
        : mayTakeBack(card)
          ? 'take back the yes'
          : prompt.kind
    return [
      span(question, 'bold'),
      span(`Enter: ${enter}   Esc: back, nothing is decided`),
      span(thirdLine(state)),
    ]
  }
  if (card.status !== 'pending') {
    const back = mayTakeBack(card) ? '[D] Take back this yes' : ''
    return [span(outcome(card), outcomeLook(card)), span(back), span('')]
  }
  if (card.decideBy <= now)
    return [span('Time ran out. It did not run.', 'warn'), span(''), span('')]
  const yes = !card.can.includes('approve')
    ? `[–] ${card.mine.may ? 'You may deny this call, not approve it.' : printable(card.mine.why)}`
    : allSeen(state)
      ? `[A] Approve, then ${card.form === undefined ? '' : 'fill in the form and '}type the end of the digest`
      : '[–] Approve'
  const no = card.can.includes('deny') ? `[D] Deny${presetWords(card, state.columns)}` : '[–] Deny'
  return [span(no), span(yes), span(effect(card), 'dim')]
}

/** What was answered so far, or may be. A number is shown as the reason that it stands for. */
function thirdLine({ card, prompt }: State): string {
  const chosen = chosenPreset(card, prompt)
  if (chosen !== undefined) return `Reason: ${printable(chosen)}`
  if (prompt?.filling) return `Your answers: ${answersText(prompt.filling)}`
  const offered = prompt?.step === 'reason' ? presetsFor(card, prompt.kind) : []
  if (offered.length === 0) return ''
  return `Or its number: ${offered.map((text, at) => `${at + 1} ${printable(text)}`).join(' · ')}`
}

/** The reason that a number alone stands for. */
export function chosenPreset(
  card: ApprovalCard | undefined,
  prompt: Prompt | undefined,
): string | undefined {
  const [, number] = /^\s*([1-9])\s*$/.exec(prompt?.text ?? '') ?? []
  if (prompt?.step !== 'reason' || number === undefined) return undefined
  return presetsFor(card, prompt.kind)[Number(number) - 1]
}

/** `   1 Wrong recipient · 2 Not today`: the reasons that a number opens, as far as they fit whole. */
function presetWords(card: ApprovalCard, columns: number): string {
  let words = ''
  for (const [at, text] of presetsFor(card, 'deny').slice(0, SHORTCUTS).entries()) {
    const more = `${words}${at === 0 ? '   ' : ' · '}${at + 1} ${printable(text)}`
    if (columnsOf(` [D] Deny${more}`) > columns) break
    words = more
  }
  return words
}

/** A number opens the prompt of *Deny* with that reason; Enter sends it. */
const SHORTCUTS = 3

export function isPresetKey(card: ApprovalCard, key: string): boolean {
  return /^[1-3]$/.test(key) && Number(key) <= Math.min(SHORTCUTS, presetsFor(card, 'deny').length)
}

function presetsFor(card: ApprovalCard | undefined, kind: Prompt['kind']): readonly string[] {
  return kind === 'approve' || kind === 'deny' ? (card?.reasons?.[kind] ?? []) : []
}

export function isRequired({ terms }: ApprovalCard, kind: Prompt['kind']): boolean {
  return terms.reason === 'required_always' || (terms.reason === 'required' && kind === 'deny')
}

const REMARK_WORDS: Partial<Readonly<Record<Prompt['kind'], string>>> = {
  question: 'Ask the agent',
  reply: 'Your reply to the approvers',
  comment: 'Comment for the people concerned',
}

function effect({ met, can }: ApprovalCard): string {
  if (!can.includes('approve')) return ''
  if (met.need - met.have > 1) return `${met.have} of ${met.need} places are filled.`
  return 'Approve, and it runs once.'
}

const STATES = {
  running: 'Running now.',
  succeeded: 'It ran once and succeeded.',
  failed: 'It ran once and failed.',
  unknown: 'It was started. Whether it finished is unknown. It is not started again.',
} as const

const ENDS = {
  pending: '',
  approved: 'Approved. The agent has not picked it up yet.',
  denied: 'Denied. It did not run.',
  expired: 'Expired. It did not run.',
  withdrawn: 'Withdrawn. The agent no longer needs it.',
  invalidated: 'The yes no longer counts. It did not run.',
} as const

/** A yes that no call used yet: a no from here makes it void. */
const mayTakeBack = ({ status, execution, can }: ApprovalCard) =>
  status === 'approved' && execution === undefined && can.includes('deny')

function outcomeLook({ status, execution }: ApprovalCard): Look {
  if (execution === 'succeeded' || (status === 'approved' && execution === undefined)) return 'good'
  return execution === 'failed' || status === 'denied' ? 'bad' : 'warn'
}

function outcome({ status, execution }: ApprovalCard): string {
  return execution === undefined ? ENDS[status] : STATES[execution]
}

function fill(lines: readonly Line[], height: number, width = 0): Line[] {
  const shown = lines.slice(0, height)
  const empty = Array.from({ length: height - shown.length }, (): Line => [span(' '.repeat(width))])
  return [...shown, ...empty]
}

function time(at: number): string {
  return new Date(at).toTimeString().slice(0, 8)
}
