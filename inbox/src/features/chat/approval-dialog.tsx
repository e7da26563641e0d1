import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Me } from '../../../../src/api/approval.ts'
import { useCard, useWithdraw } from '../../api/approvals.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { t } from '../../lib/language/t.ts'
import { Card } from '../card/card.tsx'

interface DialogProps {
  readonly id: string
  readonly me: Me
  /** Questions that are open, this one among them. */
  readonly left: number
}

/**
 * The card of the inbox, in front of the chat. Closing it is not deciding later: the call does not
 * run, and the model is told.
 */
export function ApprovalDialog({ id, me, left }: DialogProps) {
  const { data: card } = useCard(id)
  const withdraw = useWithdraw(id)
  const [isClosed, setClosed] = useState(false)
  const isOver = card !== undefined && card.status !== 'pending'
  useEffect(() => {
    if (isOver) setClosed(true)
  }, [isOver])
  const close = () => {
    if (!withdraw.isPending && !isOver) withdraw.mutate()
  }
  if (isClosed) return null
  return (
    <Dialog.Root
      open
      disablePointerDismissal
      onOpenChange={(open, { event }) => {
        if (open || isInside(event)) return
        close()
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-scrim" />
        <Dialog.Popup
          data-decides=""
          className="fixed top-1/2 left-1/2 z-20 flex max-h-[min(92dvh,820px)] w-[820px] max-w-[calc(100vw-32px)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-clip rounded-xl bg-canvas shadow-[0_0_0_1px_var(--color-frame),var(--shadow-dialog)] max-desk:inset-0 max-desk:h-dvh max-desk:max-h-none max-desk:w-full max-desk:max-w-none max-desk:translate-none max-desk:rounded-none"
          initialFocus={false}
        >
          <header className="flex flex-none items-center gap-3 border-b border-line bg-surface px-6 py-2.5 max-desk:px-3">
            <div className="min-w-0 flex-1">
              <Dialog.Title className="text-md">
                {t('May this call run?')}
                {left > 1 && ` ${t('({left} questions)', { left })}`}
              </Dialog.Title>
              <Dialog.Description className="text-xs text-ink-3">
                {t('Closing this, or no answer in two minutes, means no. The model is told.')}
              </Dialog.Description>
            </div>
            <button type="button" className="btn btn-quiet btn-small" onClick={close}>
              <X size={14} aria-hidden="true" />
              {t('Close, do not run')}
            </button>
          </header>
          <ErrorMessage error={withdraw.error} />
          <Card id={id} me={me.person} identical={[]} onNext={() => setClosed(true)} isLast />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Escape goes back one step of the card, or out of a field. Only from its first step does it close. */
function isInside(event: Event): boolean {
  if (!(event instanceof KeyboardEvent)) return false
  const { target } = event
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
    target.blur()
    return true
  }
  return document.querySelector('[data-decides] section[aria-label="Decide"]') === null
}
