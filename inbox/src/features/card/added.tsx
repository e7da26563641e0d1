import { UserPlus } from 'lucide-react'
import type { WireAdded } from '../../../../src/api/approval.ts'
import { nameOf } from '../../components/person.tsx'
import { approverWords } from '../../lib/approval/asked-words.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock, span } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

/** Marked apart: they may answer because the others did not. */
export function Added({ added: { who, at, after, for: group, by, why } }: { added: WireAdded }) {
  return (
    <div className="mt-0.5 border-l-2 border-accent-line pl-2 text-xs leading-[18px]">
      <p className="flex flex-wrap justify-between gap-x-2 text-ink-2">
        <span className="wrap-anywhere">{visibleText(approverWords(who))}</span>
        <span className="flex flex-none items-center gap-1 font-medium text-accent">
          <UserPlus size={13} aria-hidden="true" />
          {rich('added by escalation, {time}', { time: clock(at, serverNow(), false) })}
        </span>
      </p>
      <p className="wrap-anywhere text-ink-3" title={visibleText(why)}>
        {by
          ? t('by {name}, before {after} were over', { name: nameOf(by), after: span(after) })
          : t('after {after} without an answer', { after: span(after) })}
        {group !== undefined && t(', for places of {group}', { group: visibleText(group) })}
      </p>
    </div>
  )
}
