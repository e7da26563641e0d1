import { isPlainObject } from '../../base/json/json.ts'
import type { WireReport } from './run.ts'

/**
 * What a report says, as one text: an error itself, progress by the words of Cloudflare's default
 * form, and everything else as JSON. All of it is the workflow's own.
 */
export function reportWords({ type, progress, result, error = '', isCut }: WireReport): string {
  const said = type === 'error' ? error : type === 'complete' ? jsonWords(result) : of(progress)
  return isCut ? `${said}${said === '' ? '' : ' '}(too long to keep)` : said
}

const KNOWN: readonly string[] = ['step', 'status', 'message', 'percent']

function of(progress: unknown): string {
  if (!isPlainObject(progress)) return jsonWords(progress)
  const { step, status, message, percent, ...others } = progress
  const texts = [step, status, message].filter((one) => typeof one === 'string')
  const isKnown =
    texts.length + (typeof percent === 'number' ? 1 : 0) ===
    KNOWN.filter((key) => Object.hasOwn(progress, key)).length
  if (!isKnown || Object.keys(others).length > 0) return jsonWords(progress)
  return [...texts, ...(typeof percent === 'number' ? [percentWords(percent)] : [])].join(' · ')
}

/** A share of one, as the SDK has it. */
function percentWords(percent: number): string {
  return `${Math.round(percent * 100)} %`
}

function jsonWords(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
