import { escapeUnseen } from '../../base/invisible-characters.ts'
import { maskText } from '../../base/secrets/mask.ts'

const LONGEST_NAME = 200

/** For one line of the log: addresses may be long, hold secrets or steer a terminal. */
export function shortened(name: string): string {
  const shown = escapeUnseen(JSON.stringify(maskText(name)))
  return shown.length > LONGEST_NAME ? `${shown.slice(0, LONGEST_NAME)}…` : shown
}
