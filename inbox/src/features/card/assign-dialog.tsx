import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { assignableQuery, useAssign } from '../../api/talk/talk.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Avatar, isSame, nameOf } from '../../components/person.tsx'
import { t } from '../../lib/language/t.ts'

interface AssignDialogProps {
  readonly card: ApprovalCard
  readonly open: boolean
  readonly onOpen: (open: boolean) => void
}

/** Who is to decide. Everyone else who may, still may. */
export function AssignDialog({ card, open, onOpen }: AssignDialogProps) {
  const { id, assigned } = card
  const { data: people, error } = useQuery({ ...assignableQuery(id), enabled: open })
  const assign = useAssign(id)
  const choose = (to: string | undefined) => assign.mutate(to, { onSuccess: () => onOpen(false) })
  return (
    <Dialog.Root open={open} onOpenChange={onOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <Dialog.Popup className="fixed top-1/2 left-1/2 z-30 grid max-h-[calc(100dvh-32px)] w-[420px] max-w-[calc(100vw-32px)] -translate-x-1/2 -translate-y-1/2 gap-3 overflow-auto rounded-xl bg-raised p-5 shadow-[0_0_0_1px_var(--color-frame),var(--shadow-dialog)]">
          <Dialog.Title className="text-lg">{t('Assign this call')}</Dialog.Title>
          <Dialog.Description className="text-ink-2">
            {t('They are told. Others who may decide it still may.')}
          </Dialog.Description>
          <ErrorMessage error={assign.error ?? error} inline />
          <ul className="grid gap-1">
            {people?.map((person) => (
              <li key={person.id}>
                <button
                  type="button"
                  className="btn btn-quiet w-full justify-start gap-2"
                  disabled={assign.isPending}
                  onClick={() => choose(person.id)}
                >
                  <Avatar person={person} small />
                  <span className="truncate">{nameOf(person)}</span>
                  {assigned && isSame(assigned.to, person) && (
                    <span className="text-ink-3">{t('assigned now')}</span>
                  )}
                </button>
              </li>
            ))}
            {people?.length === 0 && (
              <li className="text-ink-3">{t('No person with an account can decide this call.')}</li>
            )}
          </ul>
          <div className="flex justify-end gap-2">
            {assigned !== undefined && (
              <button
                type="button"
                className="btn btn-quiet"
                disabled={assign.isPending}
                onClick={() => choose(undefined)}
              >
                {t('Unassign')}
              </button>
            )}
            <Dialog.Close className="btn">{t('Close')}</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
