import type { ApprovalCard } from '../../api/approval.ts'
import { deedsOf } from '../../base/deception/deeds.ts'
import { pathText, type Remark, remarksOn } from '../../base/deception/remarks.ts'
import { inEnglish } from '../../base/tell.ts'
import type { Paint } from './colour.ts'
import { printable, spelled } from './printable.ts'

/** Lines that begin like this are always ours: nothing from a call starts a line with it. */
export const WARNING = '  ! '

/** What eyes would miss in the arguments, the worst first: the warnings of the card in a browser. */
export function warningLines(card: ApprovalCard, paint: Paint): string[] {
  if (card.arguments === '') return []
  const args: unknown = JSON.parse(card.arguments)
  const hidden = new Set(card.masked.map((keys) => JSON.stringify(keys)))
  const remarks = [...remarksBelow(args, [], hidden)]
  const does = deedsOf(args as object, (name) => hidden.has(JSON.stringify([name])))
  return [
    ...remarks
      .toSorted((one, two) => Number(two.tone === 'bad') - Number(one.tone === 'bad'))
      .map((remark) => paint('red', WARNING + wordsOf(remark))),
    ...does.map((words) => paint('red', WARNING + printable(words))),
  ]
}

function* remarksBelow(
  value: unknown,
  keys: readonly string[],
  hidden: ReadonlySet<string>,
): Generator<Remark> {
  if (hidden.has(JSON.stringify(keys))) return
  if (keys.length > 0) yield* remarksOn(keys, value, printable, inEnglish, spelled)
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    yield* remarksBelow(inner, [...keys, key], hidden)
  }
}

/** What comes from the call in `text` is printable already. */
function wordsOf({ keys, text, code, alert }: Remark): string {
  const real = code === undefined ? '' : ` ${printable(code)}`
  const what = alert === undefined ? '' : `${alert.title}. `
  return `${what}${pathText(keys, printable)}: ${text}${real}`
}
