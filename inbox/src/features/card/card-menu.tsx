import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Menu } from '@base-ui/react/menu'
import type { UseMutationResult } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { useLift, useWithdraw } from '../../api/approvals.ts'
import { useMe } from '../../api/session/session.ts'
import { useRemind } from '../../api/talk/talk.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { ruleAddress } from '../../lib/approval/rule-address.ts'
import { BASE_PATH } from '../../lib/base-path.ts'
import { t } from '../../lib/language/t.ts'
import { AssignDialog } from './assign-dialog.tsx'

interface CardMenuProps {
  readonly card: ApprovalCard
  readonly onExtend: (() => void) | undefined
  readonly onAsk: (() => void) | undefined
}

/** What is rarely needed: more time, taking it back, links. */
export function CardMenu({ card, onExtend, onAsk }: CardMenuProps) {
  const [, navigate] = useLocation()
  const [asking, setAsking] = useState(false)
  const [lifting, setLifting] = useState(false)
  const { id, can } = card
  const { data: me } = useMe(true)
  const withdraw = useWithdraw(id)
  const lift = useLift(id)
  const remind = useRemind(id)
  const [assigning, setAssigning] = useState(false)
  const [reminding, setReminding] = useState(false)
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="icon-btn" aria-label={t('More')}>
          <Ellipsis size={16} aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={4} className="z-20">
            <Menu.Popup className="menu">
              {onAsk !== undefined && can.includes('question') && (
                <Menu.Item className="menu-item" onClick={onAsk}>
                  {t('Ask the agent…')}
                </Menu.Item>
              )}
              {can.includes('assign') && (
                <Menu.Item className="menu-item" onClick={() => setAssigning(true)}>
                  {t('Assign…')}
                </Menu.Item>
              )}
              {can.includes('remind') && (
                <Menu.Item className="menu-item" onClick={() => setReminding(true)}>
                  {t('Remind…')}
                </Menu.Item>
              )}
              {onExtend !== undefined && can.includes('extend') && (
                <Menu.Item className="menu-item" onClick={onExtend}>
                  {t('Give more time…')}
                </Menu.Item>
              )}
              <Menu.Item
                className="menu-item"
                onClick={() => navigate(`/history/${encodeURIComponent(id)}`)}
              >
                {t('Everything that happened')}
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => copy(linkTo(id))}>
                {t('Copy a link')}
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => copy(card.arguments)}>
                {t('Copy the arguments')}
              </Menu.Item>
              {me?.roles.includes('admin') && (
                <Menu.Item className="menu-item" onClick={() => navigate(ruleAddress(id))}>
                  {t('Make a rule…')}
                </Menu.Item>
              )}
              {can.includes('lift') && (
                <Menu.Item className="menu-item" onClick={() => setLifting(true)}>
                  {t('Let it ask again…')}
                </Menu.Item>
              )}
              {can.includes('withdraw') && (
                <Menu.Item className="menu-item" onClick={() => setAsking(true)}>
                  {t('Withdraw…')}
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Confirmation
        open={asking}
        onOpen={setAsking}
        title={t('Withdraw this call?')}
        says={t('It can no longer be decided, and it does not run. The agent is told.')}
        label={t('Withdraw')}
        write={withdraw}
      />
      <Confirmation
        open={lifting}
        onOpen={setLifting}
        title={t('Let it ask again?')}
        says={t(
          'This call stays denied. If the agent makes the same call again in this run, people are asked about it again.',
        )}
        label={t('Let it ask again')}
        write={lift}
      />
      <Confirmation
        open={reminding}
        onOpen={setReminding}
        title={t('Remind those who are asked?')}
        says={t(
          'Everyone who may still decide this call is told again, by the channels that are set up.',
        )}
        label={t('Remind')}
        write={remind}
      />
      {assigning && <AssignDialog card={card} open onOpen={setAssigning} />}
    </>
  )
}

/** The link gives no rights: what its reader may do depends on who they are. */
function linkTo(id: string): string {
  return `${location.origin}${BASE_PATH}/approvals/${encodeURIComponent(id)}`
}

function copy(text: string): void {
  navigator.clipboard?.writeText(text).catch(() => {})
}

interface ConfirmationProps {
  readonly open: boolean
  readonly onOpen: (open: boolean) => void
  readonly title: string
  readonly says: string
  readonly label: string
  readonly write: UseMutationResult<unknown, Error, void>
}

function Confirmation({ open, onOpen, title, says, label, write }: ConfirmationProps) {
  const confirm = () => write.mutate(undefined, { onSuccess: () => onOpen(false) })
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpen}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <AlertDialog.Popup className="fixed top-1/2 left-1/2 z-30 grid w-[420px] max-w-[calc(100vw-32px)] -translate-x-1/2 -translate-y-1/2 gap-4 rounded-xl bg-raised p-5 shadow-[0_0_0_1px_var(--color-frame),var(--shadow-dialog)]">
          <AlertDialog.Title className="text-lg">{title}</AlertDialog.Title>
          <AlertDialog.Description className="text-ink-2">{says}</AlertDialog.Description>
          <ErrorMessage error={write.error} inline />
          <div className="flex justify-end gap-2">
            <AlertDialog.Close className="btn">{t('Go back')}</AlertDialog.Close>
            <button type="button" className="btn" disabled={write.isPending} onClick={confirm}>
              {label}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
