import type { ApprovalCard, ApprovalPage, ApprovalRow } from '../../api/approval.ts'
import { wrap } from '../../base/wrap.ts'
import { PLAIN } from '../print/colour.ts'
import { cardLines } from '../print/show-approval.ts'
import type { Filling } from './filling.ts'
import { type Revealed, revealedLines, stillShown } from './revealed.ts'

/** Everything the screen shows. Changed by `reduce` alone. */
export interface State {
  readonly columns: number
  readonly rows: number
  readonly waiting: readonly ApprovalRow[]
  readonly counts: NonNullable<ApprovalPage['counts']>
  readonly more: boolean
  /** The list was loaded at least once. */
  readonly loaded: boolean
  /** The server's time, and the terminal's when it was heard. */
  readonly clock: { readonly server: number; readonly local: number }
  readonly current: string | undefined
  /** Where the current call stands, or stood before it left the list. */
  readonly place: number
  /** On a narrow screen the card takes the place of the list. */
  readonly open: boolean
  readonly card: ApprovalCard | undefined
  readonly reading: Reading
  /** A hidden value, in the place of the card for as long as it is shown. */
  readonly revealed: Revealed | undefined
  readonly prompt: Prompt | undefined
  readonly note: Note | undefined
  readonly busy: boolean
  /** Since when the server has not answered, on the terminal's clock. */
  readonly offline: { readonly since: number; readonly why: string } | undefined
  readonly help: boolean
}

/** How much of one call, as it is, was on the screen. */
interface Reading {
  readonly digest: string
  readonly top: number
  /** Lines from the first that were shown without a gap. */
  readonly seen: number
}

/** What is said about a call without deciding it. */
export type Remark = 'question' | 'reply' | 'comment'

export interface Prompt {
  readonly kind: 'approve' | 'deny' | 'reveal' | Remark
  readonly step: 'field' | 'reason' | 'digest' | 'which' | 'remark'
  readonly text: string
  readonly reason: string
  /** Where the call has a form: what was answered so far, and which field is asked. */
  readonly filling?: Filling | undefined
}

export interface Note {
  readonly tone: 'good' | 'bad' | 'warn' | 'plain'
  readonly text: string
}

export type Action =
  | { readonly type: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly type: 'listed'; readonly page: ApprovalPage; readonly at: number }
  | { readonly type: 'carded'; readonly card: ApprovalCard }
  | { readonly type: 'lost'; readonly at: number; readonly why: string }
  | { readonly type: 'move'; readonly by: 1 | -1 }
  | { readonly type: 'open' }
  | { readonly type: 'back' }
  | { readonly type: 'scroll'; readonly by: 'line' | '-line' | 'page' | '-page' | 'top' }
  | { readonly type: 'ask'; readonly prompt: Prompt }
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'said'; readonly note: Note }
  | { readonly type: 'sending' }
  | { readonly type: 'help'; readonly shown: boolean }
  | { readonly type: 'revealed'; readonly revealed: Revealed }
  | { readonly type: 'hide' }
  | { readonly type: 'ticked'; readonly at: number }

/** The server's clock, as far as the terminal knows it. */
export const serverNow = ({ clock }: Pick<State, 'clock'>) =>
  clock.server + (Date.now() - clock.local)

const UNREAD: Reading = { digest: '', top: 0, seen: 0 }

export function firstState(columns: number, rows: number): State {
  return {
    columns,
    rows,
    waiting: [],
    counts: { mine: 0, others: 0 },
    more: false,
    loaded: false,
    clock: { server: 0, local: 0 },
    current: undefined,
    place: 0,
    open: false,
    card: undefined,
    reading: UNREAD,
    revealed: undefined,
    prompt: undefined,
    note: undefined,
    busy: false,
    offline: undefined,
    help: false,
  }
}

/** The list and the card fit beside each other. */
export const isWide = ({ columns }: Pick<State, 'columns'>) => columns >= 100
export const LIST_COLUMNS = 36
/** Title and line above; line, four lines of deciding and the keys below. */
const AROUND_CARD = 8

/** Smaller, and a card could not be told from what stands around it. */
export const isTooSmall = ({ columns, rows }: Pick<State, 'columns' | 'rows'>) =>
  columns < 40 || rows < AROUND_CARD + 4

export const cardShown = (state: State) => !isTooSmall(state) && (isWide(state) || state.open)
export const bodyRows = ({ rows }: Pick<State, 'rows'>) => Math.max(1, rows - AROUND_CARD)
export const cardColumns = (state: Pick<State, 'columns'>) =>
  Math.max(20, isWide(state) ? state.columns - LIST_COLUMNS - 3 : state.columns)

const wrapped = new WeakMap<ApprovalCard, { columns: number; lines: readonly string[] }>()

/** The whole card, broken to the width of its place. Nothing of it is ever left out. */
export function bodyLines(state: Pick<State, 'card' | 'columns'>): readonly string[] {
  const { card } = state
  if (card === undefined) return []
  const columns = cardColumns(state)
  const known = wrapped.get(card)
  if (known?.columns === columns) return known.lines
  const lines = cardLines(card, PLAIN, 'r shows one').flatMap((line) => wrap(line, columns))
  wrapped.set(card, { columns, lines })
  return lines
}

/** Every line of the call, as it is now, has been on the screen. */
export function allSeen(state: State): boolean {
  const { card, reading } = state
  return (
    card !== undefined && reading.digest === card.digest && reading.seen >= bodyLines(state).length
  )
}

export function reduce(state: State, action: Action): State {
  return look(covered(step(state, action)))
}

/** Whatever became of the card: a hidden value stays no longer than what it belongs to. */
function covered(state: State): State {
  if (state.revealed === undefined) return state
  const isOver = state.offline !== undefined || state.help || !cardShown(state)
  const revealed = isOver ? undefined : stillShown(state.revealed, state.card)
  return revealed === state.revealed ? state : { ...state, revealed }
}

function step(state: State, action: Action): State {
  switch (action.type) {
    case 'resized': {
      const { columns, rows } = action
      // Other breaks, other lines: what was read has to be read again.
      const reading = columns === state.columns ? state.reading : UNREAD
      return { ...state, columns, rows, reading }
    }
    case 'listed':
      return listed(state, action.page, action.at)
    case 'carded':
      return carded(state, action.card)
    case 'lost': {
      const since = state.offline?.since ?? action.at
      return {
        ...state,
        offline: { since, why: action.why },
        prompt: undefined,
        busy: false,
      }
    }
    case 'move': {
      const at = state.waiting.findIndex(({ id }) => id === state.current)
      const from = at >= 0 ? at : action.by === 1 ? state.place - 1 : state.place
      const next = state.waiting[Math.min(Math.max(0, from + action.by), state.waiting.length - 1)]
      return next === undefined || next.id === state.current ? state : chosen(state, next.id)
    }
    case 'open':
      return state.current === undefined ? state : { ...state, open: true }
    case 'back':
      return { ...state, open: false, revealed: undefined, prompt: undefined, note: undefined }
    case 'scroll':
      if (state.revealed)
        return { ...state, revealed: scrolledValue(state.revealed, state, action.by) }
      return { ...state, reading: scrolled(state, action.by) }
    case 'ask':
      return { ...state, prompt: action.prompt, note: undefined }
    case 'typed':
      return state.prompt ? { ...state, prompt: { ...state.prompt, text: action.text } } : state
    case 'said':
      return { ...state, note: action.note, prompt: undefined, busy: false }
    case 'sending':
      return { ...state, busy: true, prompt: undefined, note: undefined }
    case 'help':
      return { ...state, help: action.shown }
    case 'revealed':
      return { ...state, revealed: action.revealed, busy: false, note: undefined }
    case 'hide':
      return { ...state, revealed: undefined }
    case 'ticked':
      return state.revealed && action.at >= state.revealed.until
        ? { ...state, revealed: undefined }
        : state
  }
}

function listed(state: State, page: ApprovalPage, at: number): State {
  const { approvals, counts = state.counts, now, next } = page
  const place = approvals.findIndex(({ id }) => id === state.current)
  const found = {
    ...state,
    waiting: approvals,
    counts,
    more: next !== undefined,
    loaded: true,
    clock: { server: now, local: at },
    offline: undefined,
    place: place >= 0 ? place : Math.min(state.place, Math.max(0, approvals.length - 1)),
  }
  const first = approvals[0]
  return state.current === undefined && first ? chosen(found, first.id) : found
}

function chosen(state: State, id: string): State {
  const place = state.waiting.findIndex((row) => row.id === id)
  return {
    ...state,
    current: id,
    place,
    card: undefined,
    reading: UNREAD,
    revealed: undefined,
    prompt: undefined,
    note: undefined,
  }
}

const CHANGED: Note = {
  tone: 'warn',
  text: 'This call changed while you were reading. Read it again; nothing was decided.',
}

function carded(state: State, card: ApprovalCard): State {
  if (card.id !== state.current) return state
  const before = state.card
  if (before === undefined || before.digest === card.digest) {
    const over = card.status !== 'pending' && before?.status === 'pending'
    const next = { ...state, card, ...(over ? { prompt: undefined } : {}) }
    const { reading } = state
    return {
      ...next,
      reading: { ...reading, seen: Math.min(reading.seen, sameLines(state, next)) },
    }
  }
  return { ...state, card, reading: UNREAD, prompt: undefined, note: CHANGED }
}

/** How many lines from the first are the same on both. */
function sameLines(before: State, after: State): number {
  const old = bodyLines(before)
  const lines = bodyLines(after)
  const differs = lines.findIndex((line, at) => line !== old[at])
  return differs < 0 ? lines.length : differs
}

type Scroll = Extract<Action, { type: 'scroll' }>['by']

function scrolled(state: State, by: Scroll): Reading {
  const { reading } = state
  return { ...reading, top: scrolledTop(reading.top, bodyLines(state).length, state, by) }
}

function scrolledValue(revealed: Revealed, state: State, by: Scroll): Revealed {
  const total = revealedLines(revealed, cardColumns(state)).length
  return { ...revealed, top: scrolledTop(revealed.top, total, state, by) }
}

function scrolledTop(from: number, total: number, state: State, by: Scroll): number {
  const height = bodyRows(state)
  const last = Math.max(0, total - height)
  // A page keeps one line of the one before, so that nothing falls between.
  const steps = { line: 1, '-line': -1, page: height - 1 || 1, '-page': -(height - 1 || 1) }
  const top = by === 'top' ? 0 : from + steps[by]
  return Math.min(Math.max(0, top), last)
}

/** Notes what is on the screen now. Only lines that join those read before count. */
function look(state: State): State {
  const { card } = state
  if (card === undefined || state.help || state.revealed || !cardShown(state)) return state
  const fresh =
    state.reading.digest === card.digest ? state.reading : { ...UNREAD, digest: card.digest }
  const height = bodyRows(state)
  const total = bodyLines(state).length
  const top = Math.min(fresh.top, Math.max(0, total - height))
  const seen = top <= fresh.seen ? Math.max(fresh.seen, Math.min(total, top + height)) : fresh.seen
  const same = fresh === state.reading && top === fresh.top && seen === fresh.seen
  return same ? state : { ...state, reading: { digest: card.digest, top, seen } }
}
