import { maskText } from '../base/mask.ts'
import { escapeUnseen } from '../base/unseen.ts'

const LONGEST_NAME = 200

/** For one line of the log: addresses may be long, hold secrets or steer a terminal. */
export function shortened(name: string): string {
  const shown = escapeUnseen(JSON.stringify(maskText(name)))
  return shown.length > LONGEST_NAME ? `${shown.slice(0, LONGEST_NAME)}…` : shown
}
