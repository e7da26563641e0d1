import { TriangleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import { TONE_CLASSES } from '../../components/tone.ts'
import { sentenceStart, who } from '../../lib/approval/outcome.ts'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { focusGently } from '../../lib/shortcuts.ts'
import { Bar, BarRow } from './bar.tsx'

interface ChangedBarProps {
  readonly card: ApprovalCard
  readonly me: WirePerson | undefined
  readonly wasDigest: string
  readonly onSeen: () => void
}

/** The call is another one now. Nothing can be decided before that was taken notice of. */
export function ChangedBar({ card, me, wasDigest, onSeen }: ChangedBarProps) {
  const seen = useRef<HTMLButtonElement>(null)
  useEffect(() => focusGently(seen.current), [])
  const editor = card.decisions.findLast(
    ({ digest, void: isVoid }) => digest === card.digest && isVoid !== true,
  )
  return (
    <Bar label={t('Changed')} tone="warn">
      <div className="flex items-start gap-3">
        <span
          className={`grid size-[34px] flex-none place-items-center rounded-full ${TONE_CLASSES.warn}`}
        >
          <TriangleAlert size={17} aria-hidden="true" />
        </span>
        <div role="alert">
          <h3 className="text-md">{t('This call changed while you were reading.')}</h3>
          <p className="max-w-[72ch] text-ink-2">
            {rich(
              '{part} It has a new digest, and the votes start over. Nothing was recorded for you.',
              {
                part: editor
                  ? t('{by} edited it.', { by: sentenceStart(who(editor.by, me)) })
                  : t('It was edited.'),
              },
            )}
          </p>
        </div>
      </div>
      <BarRow>
        <p className="text-ink-3">
          {rich('was {wasDigest}, now {digest}', {
            wasDigest: <code>{shortDigest(wasDigest)}</code>,
            digest: <code>{shortDigest(card.digest)}</code>,
          })}
        </p>
        <span className="flex-1 max-desk:hidden" />
        <button ref={seen} type="button" className="btn" onClick={onSeen}>
          {t('I’ve seen the change')}
        </button>
      </BarRow>
    </Bar>
  )
}
