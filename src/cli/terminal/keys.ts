import type { ApprovalCard, DecisionBody } from '../../api/approval.ts'
import { answered, payloadOf, startFilling } from './filling.ts'
import { chosenPreset, isPresetKey, isRequired } from './frame.ts'
import { chosenPath } from './revealed.ts'
import {
  type Action,
  allSeen,
  cardShown,
  isWide,
  type Note,
  type Prompt,
  type Remark,
  type State,
} from './state.ts'

/** One key press. Pasted text comes as one piece of several characters. */
export interface Press {
  readonly text: string
  readonly name?: 'enter' | 'escape' | 'backspace' | 'up' | 'down' | 'pageUp' | 'pageDown'
}

/** What a key leads to: a change of the screen, or something to be done about the call. */
export type Meaning =
  | Action
  | { readonly type: 'quit' }
  | { readonly type: 'again' }
  | { readonly type: 'decide'; readonly id: string; readonly body: DecisionBody }
  | {
      readonly type: 'reveal'
      readonly id: string
      readonly digest: string
      readonly path: readonly string[]
    }
  | {
      readonly type: 'say'
      readonly id: string
      readonly kind: Remark
      readonly text: string
    }

const LONGEST_REASON = 2_000

export function meaningOf(state: State, press: Press, now: number): Meaning | undefined {
  if (state.help) return { type: 'help', shown: false }
  if (state.prompt) return inPrompt(state, press)
  if (state.revealed) return overValue(press)
  return (press.name && named(state, press.name)) ?? command(state, press.text, now)
}

function named(state: State, name: NonNullable<Press['name']>): Meaning | undefined {
  const reads = !isWide(state) && state.open
  switch (name) {
    case 'enter':
      return { type: 'open' }
    case 'escape':
      return { type: 'back' }
    case 'up':
      return reads ? { type: 'scroll', by: '-line' } : { type: 'move', by: -1 }
    case 'down':
      return reads ? { type: 'scroll', by: 'line' } : { type: 'move', by: 1 }
    case 'pageUp':
      return { type: 'scroll', by: '-page' }
    case 'pageDown':
      return { type: 'scroll', by: 'page' }
    case 'backspace':
      return undefined
  }
}

// A key held down arrives several times at once.
const HELD = /^(?<key>[jk b])\k<key>*$/

/** Single keys only: text that was pasted decides nothing. */
function command(state: State, text: string, now: number): Meaning | undefined {
  switch (HELD.exec(text)?.groups?.key ?? text) {
    case 'j':
      return { type: 'move', by: 1 }
    case 'k':
      return { type: 'move', by: -1 }
    case ' ':
      return { type: 'scroll', by: 'page' }
    case 'b':
      return { type: 'scroll', by: '-page' }
    case 'g':
      return { type: 'scroll', by: 'top' }
    case 'a':
      return askYes(state, now)
    case 'd':
      return askNo(state, now)
    case 'r':
      return askReveal(state)
    case 'w':
      return askRemark(state, ['question', 'reply'])
    case 'c':
      return askRemark(state, ['comment'])
    case '1':
    case '2':
    case '3':
      return askPreset(state, text, now)
    case '?':
      return { type: 'help', shown: true }
    case 'q':
      return { type: 'quit' }
    default:
      return undefined
  }
}

const say = (text: string, tone: Note['tone'] = 'warn'): Meaning => ({
  type: 'said',
  note: { tone, text },
})

function askYes(state: State, now: number): Meaning | undefined {
  const { card, offline, busy } = state
  if (busy || offline || !cardShown(state) || card === undefined) return undefined
  if (!card.can.includes('approve')) {
    return say(card.mine.may ? 'This call cannot be approved.' : card.mine.why)
  }
  if (card.decideBy <= now) return say('Time ran out. Nothing was decided.')
  if (!allSeen(state)) return say('There is more below. Press Space until the end.')
  const prompt = { kind: 'approve', text: '', reason: '' } as const
  const filling = startFilling(card)
  if (filling) return { type: 'ask', prompt: { ...prompt, step: 'field', ...filling } }
  return { type: 'ask', prompt: { ...prompt, step: afterForm(card) } }
}

function afterForm(card: ApprovalCard): 'reason' | 'digest' {
  return isRequired(card, 'approve') ? 'reason' : 'digest'
}

function askNo(state: State, now: number): Meaning | undefined {
  const { card, offline, busy } = state
  if (busy || offline || !cardShown(state) || card === undefined) return undefined
  if (!card.can.includes('deny')) return say('You cannot deny this call.')
  if (card.decideBy <= now) return say('Time ran out. Nothing was decided.')
  return { type: 'ask', prompt: { kind: 'deny', step: 'reason', text: '', reason: '' } }
}

/** The reason is read in the prompt before Enter sends it: one key decides nothing. */
function askPreset(state: State, key: string, now: number): Meaning | undefined {
  const { card } = state
  if (card?.status !== 'pending' || !isPresetKey(card, key)) return undefined
  const meaning = askNo(state, now)
  if (meaning?.type !== 'ask') return meaning
  return { type: 'ask', prompt: { ...meaning.prompt, text: key } }
}

/** A question for the agent from those who may decide; a reply from the person it works for. */
function askRemark(state: State, kinds: readonly Remark[]): Meaning | undefined {
  const { card, offline, busy } = state
  if (busy || offline || !cardShown(state) || card === undefined) return undefined
  const kind = kinds.find((one) => card.can.includes(one))
  if (kind === undefined) {
    return say(
      card.status === 'pending'
        ? 'Only people who may decide this call, or asked for it, write here.'
        : 'This call is over.',
    )
  }
  return { type: 'ask', prompt: { kind, step: 'remark', text: '', reason: '' } }
}

/** Without anything to show, or without the server, the same key looks again. */
function askReveal(state: State): Meaning | undefined {
  const { card, offline, busy } = state
  const isNone = card === undefined || card.masked.length === 0
  if (offline || isNone || !cardShown(state)) return { type: 'again' }
  if (busy) return undefined
  if (!card.can.includes('reveal')) {
    return say('Only an approver who may decide this call sees its hidden values.')
  }
  return { type: 'ask', prompt: { kind: 'reveal', step: 'which', text: '', reason: '' } }
}

/** Over a hidden value nothing is decided: keys scroll it, leave it, or hide it. */
function overValue({ text, name }: Press): Meaning {
  switch (HELD.exec(text)?.groups?.key ?? name ?? text) {
    case ' ':
    case 'pageDown':
      return { type: 'scroll', by: 'page' }
    case 'b':
    case 'pageUp':
      return { type: 'scroll', by: '-page' }
    case 'down':
      return { type: 'scroll', by: 'line' }
    case 'up':
      return { type: 'scroll', by: '-line' }
    case 'j':
      return { type: 'move', by: 1 }
    case 'k':
      return { type: 'move', by: -1 }
    case 'q':
      return { type: 'quit' }
    default:
      return { type: 'hide' }
  }
}

// Whatever a terminal sends besides text stays out of what people write.
const NOT_TEXT = /[\p{Cc}\p{Cs}]/gu

/** What did not happen when a prompt is left. */
const LEFT: Partial<Readonly<Record<Prompt['step'], string>>> = {
  which: 'Nothing was shown.',
  remark: 'Nothing was sent.',
}

function inPrompt({ prompt, card }: State, { text, name }: Press): Meaning | undefined {
  if (prompt === undefined || card === undefined) return undefined
  if (name === 'escape') {
    return say(LEFT[prompt.step] ?? 'Nothing was decided.', 'plain')
  }
  if (name === 'backspace') return { type: 'typed', text: [...prompt.text].slice(0, -1).join('') }
  if (name !== 'enter') {
    const whole = prompt.text + text.replace(NOT_TEXT, '')
    return { type: 'typed', text: whole.slice(0, LONGEST_REASON) }
  }
  if (prompt.step === 'field' && prompt.filling) {
    const next = answered(prompt.filling, prompt.text)
    return {
      type: 'ask',
      prompt: { ...prompt, ...next, step: next.isOver ? afterForm(card) : 'field' },
    }
  }
  const typed = prompt.text.trim()
  if (prompt.step === 'which') {
    const path = chosenPath(card, typed)
    if (path === undefined)
      return say('There is no hidden value of this number. Nothing was shown.')
    return { type: 'reveal', id: card.id, digest: card.digest, path }
  }
  if (prompt.step === 'remark') {
    if (typed === '') return say('Nothing was written, and nothing was sent.')
    return { type: 'say', id: card.id, kind: prompt.kind as Remark, text: typed }
  }
  if (prompt.step === 'digest') {
    if (typed.toLowerCase() !== card.digest.slice(-4)) {
      return say('These are not the last four characters. Nothing was decided.')
    }
    return decide('approve', prompt.reason)
  }
  if (typed === '' && isRequired(card, prompt.kind)) {
    return say('A reason is required here. Nothing was decided.')
  }
  const reason = chosenPreset(card, prompt) ?? typed
  if (prompt.kind !== 'approve') return decide('deny', reason)
  return { type: 'ask', prompt: { ...prompt, step: 'digest', text: '', reason } }

  function decide(verdict: DecisionBody['verdict'], reason: string): Meaning | undefined {
    if (card === undefined) return undefined
    const body = {
      verdict,
      digest: card.digest,
      ...(reason === '' ? {} : { reason }),
      ...(verdict === 'approve' && prompt?.filling ? { payload: payloadOf(prompt.filling) } : {}),
    }
    return { type: 'decide', id: card.id, body }
  }
}
