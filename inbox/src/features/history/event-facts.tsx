import type { ApprovalCard, WireEvent } from '../../../../src/api/approval.ts'
import { assuranceWords } from '../../components/event-look.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { ruleName } from '../../lib/approval/rule-name.ts'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

/** Who it was and how sure that is; a name that the title has is not said twice. */
export function bylineOf(
  { type, code, assurance }: WireEvent,
  { actor, title, said, need }: Byline,
): string {
  const how = assuranceWords(assurance)
  const who = !title.startsWith(actor)
    ? [actor, how].filter(Boolean).join(', ')
    : how === undefined
      ? actor
      : how.charAt(0).toUpperCase() + how.slice(1)
  const isYes = (type === 'decided' && code !== 'deny') || type === 'edited'
  return isYes && need > 1 && said <= need
    ? `${who} · ${t('{have} of {need}', { have: said, need })}`
    : who
}

interface Byline {
  readonly actor: string
  readonly title: string
  /** How many had said yes with this event, of how many it needs. */
  readonly said: number
  readonly need: number
}

/** How many had said yes with this event; an edit makes the answers before it void. */
export function votesAt(events: readonly WireEvent[], at: number): number {
  let votes = 0
  for (const { type, code } of events.slice(0, at + 1)) {
    if (type === 'edited') votes = 1
    else if (type === 'decided' && code !== 'deny') votes += 1
  }
  return votes
}

interface EventFactsProps {
  readonly event: WireEvent
  readonly card: ApprovalCard
}

/** What belongs to one event: the rules that asked, the digest that was shown, the reason given. */
export function EventFacts({ event, card }: EventFactsProps) {
  const chips = chipsOf(event, card)
  const reason = reasonIn(event, card)
  return (
    <>
      {chips.length > 0 && (
        <p className="flex flex-wrap gap-1 pt-0.5">
          {chips.map((chip) => (
            <code
              key={chip}
              className="rounded-xs bg-sunken px-1.5 text-xs leading-[18px] wrap-anywhere text-ink-2 shadow-[inset_0_0_0_1px_var(--color-line)]"
            >
              {chip}
            </code>
          ))}
        </p>
      )}
      {reason !== undefined && (
        <p className="wrap-anywhere text-ink-2">
          “<UntrustedText text={reason} />”
        </p>
      )}
    </>
  )
}

function chipsOf({ type }: WireEvent, card: ApprovalCard): readonly string[] {
  const { why, level, askedDigest, digest } = card
  if (type === 'requested') {
    const rules = [...new Set(why.map(({ rule }) => visibleText(ruleName(rule))))].join(', ')
    return [
      ...(rules === '' ? [] : [`${level}: ${rules}`]),
      t('Digest {digest}', { digest: shortDigest(askedDigest) }),
    ]
  }
  return type === 'edited' ? [t('Digest {digest}', { digest: shortDigest(digest) })] : []
}

/** The reason of this answer, while the record still holds it. */
function reasonIn({ type, by, at }: WireEvent, { decisions }: ApprovalCard): string | undefined {
  if (type !== 'decided' && type !== 'edited') return undefined
  const own = decisions.find((one) => one.at === at && `${one.by.issuer}/${one.by.subject}` === by)
  return own?.reason === '' ? undefined : own?.reason
}
