import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { useLocation } from 'wouter'
import type { Me } from '../../../../src/api/approval.ts'
import { usePending } from '../../api/approvals.ts'
import { savedViewsQuery } from '../../api/saved-views.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { msg, say, t } from '../../lib/language/t.ts'
import { changeSettings } from '../../lib/settings.ts'
import { type Command, commandsFor, GROUPS } from './commands.ts'
import { pagesFor } from './rail.tsx'

/** Pages that stand behind the person in the rail. */
const OWN_PAGES = [
  { name: msg('Settings'), href: '/settings' },
  { name: msg('Phone and notifications'), href: '/notifications' },
  { name: msg('Passkeys'), href: '/passkeys' },
  { name: msg('Linked accounts'), href: '/linked-accounts' },
  { name: msg('Connected clients'), href: '/clients' },
] as const

interface CommandPaletteProps {
  readonly me: Me
  readonly onClose: () => void
  readonly onKeys: () => void
}

/** Ctrl K: every page and every waiting call, a few letters away. */
export function CommandPalette({ me, onClose, onKeys }: CommandPaletteProps) {
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const { data: pending } = usePending('risk', '')
  const { data: views = [] } = useQuery(savedViewsQuery)
  const list = useId()
  const commands = commandsFor(typed, {
    pages: [...pagesFor(me), ...OWN_PAGES].map(({ name, href }) => ({ name: say(name), href })),
    pending: pending?.rows ?? [],
    views,
    navigate,
    setTheme: (theme) => changeSettings({ theme }),
    showKeys: onKeys,
  })
  const place = Math.min(at, commands.length - 1)
  const current = commands[place]
  const idOf = (one: number) => `${list}-${one}`
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setAt((place + step + commands.length) % commands.length)
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(current)
    }
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-30 grid max-h-[min(560px,76dvh)] w-[560px] max-w-[calc(100vw-24px)] -translate-x-1/2 grid-rows-[auto_minmax(0,1fr)] overflow-hidden rounded-xl bg-raised shadow-[0_0_0_1px_var(--color-frame),var(--shadow-dialog)]">
          <Dialog.Title className="sr-only">{t('Go to a page or a call')}</Dialog.Title>
          <label className="flex items-center gap-2.5 border-b border-line px-4">
            <Search size={16} className="flex-none text-ink-3" aria-hidden="true" />
            <span className="sr-only">{t('Page, call or what to find')}</span>
            <input
              type="text"
              role="combobox"
              aria-expanded="true"
              aria-controls={list}
              aria-activedescendant={current === undefined ? undefined : idOf(place)}
              aria-autocomplete="list"
              autoComplete="off"
              className="h-12 min-w-0 flex-1 bg-transparent text-md outline-none max-desk:text-[16px]"
              placeholder={t('Go to a page, a waiting call, or search')}
              value={typed}
              onChange={({ target }) => {
                setTyped(target.value)
                setAt(0)
              }}
              onKeyDown={onKeyDown}
            />
          </label>
          <div id={list} role="listbox" aria-label={t('Commands')} className="overflow-auto p-1.5">
            {commands.map((command, one) => (
              <Option
                key={command.id}
                id={idOf(one)}
                command={command}
                isFirst={command.group !== commands[one - 1]?.group}
                isCurrent={command === current}
                onRun={() => run(command)}
              />
            ))}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface OptionProps {
  readonly id: string
  readonly command: Command
  readonly isFirst: boolean
  readonly isCurrent: boolean
  readonly onRun: () => void
}

function Option({ id, command, isFirst, isCurrent, onRun }: OptionProps) {
  const { group, name, detail } = command
  return (
    <>
      {isFirst && (
        <div role="presentation" className="px-2.5 pt-2 pb-1 text-xs font-medium text-ink-3">
          {say(GROUPS[group])}
        </div>
      )}
      <div
        ref={(element) => {
          if (isCurrent) element?.scrollIntoView({ block: 'nearest' })
        }}
        id={id}
        role="option"
        aria-selected={isCurrent}
        tabIndex={-1}
        className={`flex min-h-9 cursor-pointer items-baseline gap-x-2.5 rounded-md px-2.5 py-2 leading-5 ${isCurrent ? 'bg-selected' : 'hover:bg-hover'}`}
        onClick={onRun}
        onKeyDown={({ key }) => key === 'Enter' && onRun()}
      >
        <span className={`wrap-anywhere ${group === 'waiting' ? 'font-mono text-code' : ''}`}>
          <UntrustedText text={name} />
        </span>
        {detail !== undefined && (
          <span className="text-xs wrap-anywhere text-ink-3">
            <UntrustedText text={detail} />
          </span>
        )}
      </div>
    </>
  )
}
