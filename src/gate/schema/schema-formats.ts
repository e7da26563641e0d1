import { fastFormats } from 'ajv-formats/dist/formats.js'
import type { Run } from './schema-run.ts'

/** Backtracks, so its time grows with the square of the text. Real addresses are shorter. */
const SLOW: { readonly [format: string]: number } = { url: 2_048, regex: 2_048 }

type Test = (value: never) => boolean

/** Whether a text or number has this format; undefined for one that nothing is known about. */
export function formatTest(
  name: string,
): ((value: string | number, run: Run) => boolean) | undefined {
  if (!Object.hasOwn(fastFormats, name)) return undefined
  const known = fastFormats[name as keyof typeof fastFormats]
  if (known === undefined || known === true) return undefined
  const isNumeric = typeof known === 'object' && 'type' in known && known.type === 'number'
  const check = (typeof known === 'object' && 'validate' in known ? known.validate : known) as
    | RegExp
    | Test
  const test = (check instanceof RegExp
    ? (text: string) => check.test(text)
    : check) as unknown as (value: string | number) => boolean
  const longest = SLOW[name]
  return (value, run) => {
    if ((typeof value === 'number') !== isNumeric) return true
    if (typeof value === 'number') return test(value)
    run.spend(1 + (longest === undefined ? value.length / 4 : value.length ** 2 / 128))
    return (longest === undefined || value.length <= longest) && test(value)
  }
}
