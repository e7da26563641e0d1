import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Menu } from '@base-ui/react/menu'
import { useQueryClient } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { ApprovalCard } from '../../../src/api/approval.ts'
import { lift, sentenceOf, withdraw } from '../api.ts'

interface CardMenuProps {
  readonly card: ApprovalCard
  readonly onExtend: (() => void) | undefined
}

/** What is rarely needed: more time, taking it back, links. */
export function CardMenu({ card, onExtend }: CardMenuProps) {
  const [, navigate] = useLocation()
  const [asking, setAsking] = useState(false)
  const [lifting, setLifting] = useState(false)
  const { id, can } = card
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="icon-btn" aria-label="More">
          <Ellipsis size={16} aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={4} className="z-20">
            <Menu.Popup className="menu">
              {onExtend !== undefined && can.includes('extend') && (
                <Menu.Item className="menu-item" onClick={onExtend}>
                  Give more time…
                </Menu.Item>
              )}
              <Menu.Item
                className="menu-item"
                onClick={() => navigate(`/history/${encodeURIComponent(id)}`)}
              >
                Everything that happened
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => copy(linkTo(id))}>
                Copy a link
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => copy(card.arguments)}>
                Copy the arguments
              </Menu.Item>
              {can.includes('lift') && (
                <Menu.Item className="menu-item" onClick={() => setLifting(true)}>
                  Let it ask again…
                </Menu.Item>
              )}
              {can.includes('withdraw') && (
                <Menu.Item className="menu-item" onClick={() => setAsking(true)}>
                  Withdraw…
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Confirmation
        id={id}
        open={asking}
        onOpen={setAsking}
        title="Withdraw this call?"
        says="It can no longer be decided, and it does not run. The agent is told."
        label="Withdraw"
        act={withdraw}
      />
      <Confirmation
        id={id}
        open={lifting}
        onOpen={setLifting}
        title="Let it ask again?"
        says="This call stays denied. If the agent makes the same call again in this run, people are asked about it again."
        label="Let it ask again"
        act={lift}
      />
    </>
  )
}

/** The link gives no rights: what its reader may do depends on who they are. */
function linkTo(id: string): string {
  return `${location.origin}/approvals/${encodeURIComponent(id)}`
}

function copy(text: string): void {
  navigator.clipboard?.writeText(text).catch(() => {})
}

interface ConfirmationProps {
  readonly id: string
  readonly open: boolean
  readonly onOpen: (open: boolean) => void
  readonly title: string
  readonly says: string
  readonly label: string
  readonly act: (id: string) => Promise<unknown>
}

function Confirmation({ id, open, onOpen, title, says, label, act }: ConfirmationProps) {
  const queries = useQueryClient()
  const [problem, setProblem] = useState('')
  const confirm = async () => {
    try {
      await act(id)
      onOpen(false)
    } catch (error) {
      setProblem(sentenceOf(error))
    }
    await queries.invalidateQueries({ queryKey: ['card', id] })
  }
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpen}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <AlertDialog.Popup className="fixed top-1/2 left-1/2 z-30 grid w-[420px] max-w-[calc(100vw-32px)] -translate-x-1/2 -translate-y-1/2 gap-4 rounded-xl bg-raised p-5 shadow-[0_0_0_1px_var(--color-frame),var(--shadow-dialog)]">
          <AlertDialog.Title className="text-lg">{title}</AlertDialog.Title>
          <AlertDialog.Description className="text-ink-2">{says}</AlertDialog.Description>
          {problem !== '' && (
            <p className="text-bad" role="alert">
              {problem}
            </p>
          )}
          <div className="flex justify-end gap-2">
            <AlertDialog.Close className="btn">Keep it</AlertDialog.Close>
            <button type="button" className="btn" onClick={() => void confirm()}>
              {label}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
