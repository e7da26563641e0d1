import { columnsOf } from '../../base/wrap.ts'
import { cardShown, type State } from './state.ts'

/** One key and what it does. What has no rank always stands; of the others, the highest goes first. */
interface Key {
  readonly text: string
  readonly rank?: number
}

const QUIT: Key = { text: 'q quit' }

/** The keys that can be pressed now, as many as fit: a key that is cut off would be no help. */
export function keyLine(state: State, columns: number): string {
  let keys = keysOf(state)
  while (columnsOf(lineOf(keys)) > columns) {
    const last = keys.reduce<Key>(
      (most, key) => ((key.rank ?? 0) > (most.rank ?? 0) ? key : most),
      {
        text: '',
      },
    )
    if (last.rank === undefined) break
    keys = keys.filter((key) => key !== last)
  }
  return lineOf(keys)
}

const lineOf = (keys: readonly Key[]) => keys.map(({ text }) => text).join(' · ')

function keysOf(state: State): readonly Key[] {
  const { card, revealed, prompt } = state
  if (!cardShown(state)) {
    return [
      { text: 'j k move', rank: 2 },
      { text: 'Enter open', rank: 1 },
      { text: 'r look again', rank: 3 },
      { text: '? keys' },
      QUIT,
    ]
  }
  if (prompt?.step === 'field') {
    return [{ text: 'Enter: next field' }, { text: 'Esc: back, nothing is decided', rank: 1 }]
  }
  if (revealed) {
    return [
      { text: 'Space more', rank: 1 },
      { text: 'r hide' },
      { text: 'j k next call', rank: 3 },
      { text: 'Esc back', rank: 2 },
      QUIT,
    ]
  }
  const can = (act: 'question' | 'reply' | 'comment') => card?.can.includes(act) ?? false
  const isHidden = card?.can.includes('reveal') && card.masked.length > 0
  const write = can('question') ? 'w ask' : can('reply') ? 'w reply' : undefined
  return [
    { text: 'Space more', rank: 3 },
    { text: 'j k call', rank: 4 },
    { text: 'a approve', rank: 2 },
    { text: 'd deny', rank: 1 },
    ...(isHidden ? [{ text: 'r reveal', rank: 6 }] : []),
    ...(write === undefined ? [] : [{ text: write, rank: 7 }]),
    ...(can('comment') ? [{ text: 'c comment', rank: 8 }] : []),
    { text: 'Esc list', rank: 5 },
    { text: '? keys' },
    QUIT,
  ]
}

export const HELP = [
  ' j, k, arrows   next and previous call (arrows scroll an open card)',
  ' Enter          open the call',
  ' Space, b       one page on, one page back',
  ' g              to the beginning',
  ' a              approve: asks for the last four characters of the digest',
  ' d              deny: asks for a reason',
  ' 1, 2, 3        deny with the reason of this number; Enter sends it',
  ' w              ask the agent something, or reply to what was asked; decides nothing',
  ' c              comment for the other people concerned',
  ' r              show a hidden value, if you may; it is recorded',
  ' Esc            one step back; never decides',
  ' r, offline     try again',
  ' q, Ctrl-C      quit',
  '',
  ' Approve stays off until every line of the call was on the screen.',
  ' A change of the window’s width breaks lines anew: read again.',
  '',
  ' Any key closes this.',
]
