import { Dialog } from '@base-ui/react/dialog'
import { type Message, msg, say, t } from '../../lib/language/t.ts'

const KEYS: readonly (readonly [string, Message])[] = [
  ['J  K', msg('Next, previous call')],
  ['X', msg('Select; with Shift, everything up to here. Several are decided together')],
  ['A', msg('Approve; at L4 and L5 opens the second step, A again confirms')],
  ['D', msg('Deny; asks for a reason where one is required')],
  ['E', msg('Approve with edits')],
  ['G', msg('Grant: this call and, within limits, later ones like it')],
  ['Q', msg('Ask the agent a question; the call keeps waiting')],
  ['1 – 9', msg('Choose a reason, as many as there are')],
  ['V', msg('Whole digest')],
  ['T', msg('Next view of the arguments: as what they are, tree, raw')],
  ['/', msg('Find')],
  ['R', msg('Try again, when not connected')],
  ['Ctrl K', msg('Go to any page or waiting call by a few letters')],
  ['Alt 1 – 9', msg('The pages, in their order')],
  ['Esc', msg('Back one step; never decides')],
  ['?', msg('This list')],
]

export function ShortcutsDialog({
  open,
  onOpen,
}: {
  open: boolean
  onOpen: (open: boolean) => void
}) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <Dialog.Popup className="fixed top-1/2 left-1/2 z-30 grid max-h-[calc(100dvh-32px)] w-[480px] max-w-[calc(100vw-32px)] -translate-x-1/2 -translate-y-1/2 gap-4 overflow-auto rounded-xl bg-raised p-5 shadow-[0_0_0_1px_var(--color-frame),var(--shadow-dialog)]">
          <Dialog.Title className="text-lg">{t('Keys')}</Dialog.Title>
          <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-3 gap-y-2">
            {KEYS.map(([key, does]) => (
              <div key={key} className="contents">
                <dt className="font-mono text-code text-ink">{key}</dt>
                <dd className="text-ink-2">{say(does)}</dd>
              </div>
            ))}
          </dl>
          <Dialog.Description className="text-ink-3">
            {t(
              'Enter never approves. Letters work outside of text fields, and can be turned off under your name.',
            )}
          </Dialog.Description>
          <Dialog.Close className="btn justify-self-end">{t('Close')}</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
