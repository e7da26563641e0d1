/*
 * Sums of amounts, as people add them: 0.1 and 0.2 are 0.3. Kept as text, because a sum of binary
 * fractions drifts, and a large one swallows small amounts whole.
 */

const POWER = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

interface Scaled {
  readonly digits: bigint
  /** How many of the digits stand behind the point. */
  readonly places: number
}

/** Finite and not negative: what a budget can be spent on. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** The sum of both, exactly. */
export function addDecimal(sum: string, amount: number): string {
  const [a, b] = aligned(read(sum), read(String(amount)))
  return write({ digits: a.digits + b.digits, places: a.places })
}

export function isAtMost(sum: string, most: number): boolean {
  const [a, b] = aligned(read(sum), read(String(most)))
  return a.digits <= b.digits
}

/** What is left of `most`; nothing when more than that was spent. */
export function leftOf(most: number, spent: string): string {
  const [a, b] = aligned(read(String(most)), read(spent))
  return write({ digits: a.digits > b.digits ? a.digits - b.digits : 0n, places: a.places })
}

function read(text: string): Scaled {
  const found = POWER.exec(text)
  if (!found) throw new RangeError(`${text} is not an amount`)
  const [, whole = '', fraction = '', power = '0'] = found
  const places = fraction.length - Number(power)
  const digits = BigInt(whole + fraction)
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 }
}

function aligned(a: Scaled, b: Scaled): [Scaled, Scaled] {
  const places = Math.max(a.places, b.places)
  const widen = ({ digits, places: own }: Scaled): Scaled => ({
    digits: digits * 10n ** BigInt(places - own),
    places,
  })
  return [widen(a), widen(b)]
}

function write({ digits, places }: Scaled): string {
  const text = String(digits).padStart(places + 1, '0')
  if (places === 0) return text
  const fraction = text.slice(-places).replace(/0+$/, '')
  const whole = text.slice(0, -places)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
