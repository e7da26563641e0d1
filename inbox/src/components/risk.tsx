import type { RiskLevel } from '../../../src/api/common.ts'
import { msg, say, t } from '../lib/language/t.ts'

const WORDS = [
  msg('Harmless'),
  msg('Low'),
  msg('Moderate'),
  msg('Elevated'),
  msg('High'),
  msg('Critical'),
] as const
const BARS = [1, 2, 3, 4, 5] as const

export function levelOf(risk: RiskLevel | undefined): number | undefined {
  return risk === undefined ? undefined : Number(risk.slice(1))
}

/** High enough for a second step, and for the focus to lie on Deny. */
export function isHigh(risk: RiskLevel | undefined): boolean {
  return (levelOf(risk) ?? 0) >= 4
}

export function riskWord(risk: RiskLevel | undefined): string {
  const level = levelOf(risk)
  const word = level === undefined ? undefined : WORDS[level]
  return word === undefined ? t('Risk not set') : say(word)
}

/** Sets the colours that everything inside takes its risk from. */
export const riskClass = (risk: RiskLevel | undefined) => `r${levelOf(risk) ?? 'x'}`

export function Meter({ risk }: { risk: RiskLevel | undefined }) {
  const level = levelOf(risk) ?? 0
  return (
    <svg className="h-3 w-[19px] flex-none" viewBox="0 0 19 12" aria-hidden="true">
      {BARS.map((bar) => (
        <rect
          key={bar}
          x={(bar - 1) * 4 + (bar <= level ? 0 : 0.5)}
          y={10 - bar * 2 + (bar <= level ? 0 : 0.5)}
          width={bar <= level ? 3 : 2}
          height={bar * 2 + (bar <= level ? 2 : 1)}
          rx="1"
          fill={bar <= level ? 'currentColor' : 'none'}
          stroke={bar <= level ? 'none' : 'currentColor'}
          opacity={bar <= level ? 1 : 0.45}
        />
      ))}
    </svg>
  )
}

interface Rated {
  readonly risk: RiskLevel | undefined
  /** The risk is a guess, not a rating. */
  readonly guessed?: boolean | undefined
}

/** `L4 High`, or `looks L4 High`. */
const ratingWords = ({ risk, guessed }: Rated) =>
  guessed
    ? t('looks {risk} {word}', { risk: risk ?? '', word: riskWord(risk) })
    : `${risk ?? ''} ${riskWord(risk)}`

export function RiskBadge({ risk, guessed }: Rated) {
  const solid = risk === 'L5'
  return (
    <span
      className={`${riskClass(risk)} inline-flex h-6 items-center gap-[7px] rounded-sm px-2 text-xs font-semibold whitespace-nowrap ${
        solid
          ? 'bg-risk-5-fill text-on-fill'
          : 'bg-(--risk-soft) text-(--risk) shadow-[inset_0_0_0_1px_color-mix(in_srgb,var(--risk)_32%,transparent)]'
      }`}
    >
      <Meter risk={risk} />
      {ratingWords({ risk, guessed })}
    </span>
  )
}

/** The same without its plate, for tables. */
export function RiskText({ risk, guessed }: Rated) {
  return (
    <span
      className={`${riskClass(risk)} inline-flex items-center gap-1.5 text-xs font-medium whitespace-nowrap text-(--risk)`}
    >
      <Meter risk={risk} />
      {ratingWords({ risk, guessed })}
    </span>
  )
}
