import { Menu } from '@base-ui/react/menu'
import { Check, ChevronDown, CircleUser } from 'lucide-react'
import { useLocation } from 'wouter'
import type { Me } from '../../../../src/api/approval.ts'
import { useSignOut } from '../../api/session/sign-in.ts'
import { Avatar, nameOf } from '../../components/person.tsx'
import { type Message, msg, say, t } from '../../lib/language/t.ts'
import { changeSettings, useSettings } from '../../lib/settings.ts'
import { askToNotify } from '../../lib/show-notification.ts'

const THEMES = [
  ['system', msg('As the system')],
  ['light', msg('Light')],
  ['dark', msg('Dark')],
] as const

interface PersonMenuProps {
  readonly me: Me
  readonly onKeys: () => void
  /** As the last tab of a phone. */
  readonly tab?: boolean
  /** Pages that have no tab of their own. */
  readonly pages?: readonly { readonly name: Message; readonly href: string }[]
}

export function PersonMenu({ me, onKeys, tab = false, pages = [] }: PersonMenuProps) {
  const { theme, letters, notify } = useSettings()
  const signOut = useSignOut()
  const [, navigate] = useLocation()
  return (
    <Menu.Root>
      {tab ? (
        <Menu.Trigger className="grid justify-items-center gap-0.5 rounded-md pt-1.5 pb-1 text-xs leading-[14px] text-ink-3">
          <CircleUser size={20} aria-hidden="true" />
          {t('You')}
        </Menu.Trigger>
      ) : (
        <Menu.Trigger className="flex items-center gap-[9px] rounded-md px-2 py-[7px] text-left hover:bg-hover max-wide:justify-center max-wide:px-1">
          <Avatar person={me.person} />
          <span className="grid min-w-0 flex-1 leading-4 max-wide:sr-only">
            <b className="truncate">{nameOf(me.person)}</b>
            {me.person.email !== undefined && me.person.email !== nameOf(me.person) && (
              <span className="truncate text-xs text-ink-3">{me.person.email}</span>
            )}
          </span>
          <span className="sr-only">{t('Settings')}</span>
          <ChevronDown size={14} className="text-ink-3 max-wide:hidden" aria-hidden="true" />
        </Menu.Trigger>
      )}
      <Menu.Portal>
        <Menu.Positioner side="top" align={tab ? 'end' : 'start'} sideOffset={6} className="z-20">
          <Menu.Popup className="menu">
            <p className="px-2.5 py-1.5 text-xs text-ink-3">
              {me.roles.join(', ')} · {me.tenant} · {me.version}
            </p>
            {pages.map(({ name, href }) => (
              <Menu.Item key={href} className="menu-item pl-9" onClick={() => navigate(href)}>
                {say(name)}
              </Menu.Item>
            ))}
            {pages.length > 0 && <Menu.Separator className="mx-2 my-1 h-px bg-line" />}
            <Menu.RadioGroup
              value={theme}
              onValueChange={(next) => changeSettings({ theme: next })}
            >
              {THEMES.map(([value, word]) => (
                <Menu.RadioItem key={value} value={value} className="menu-item">
                  <span className="grid size-4 place-items-center">
                    <Menu.RadioItemIndicator>
                      <Check size={14} aria-hidden="true" />
                    </Menu.RadioItemIndicator>
                  </span>
                  {say(word)}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="mx-2 my-1 h-px bg-line" />
            <Menu.CheckboxItem
              className="menu-item"
              checked={letters}
              onCheckedChange={(checked) => changeSettings({ letters: checked })}
            >
              <span className="grid size-4 place-items-center">
                <Menu.CheckboxItemIndicator>
                  <Check size={14} aria-hidden="true" />
                </Menu.CheckboxItemIndicator>
              </span>
              {t('Single-letter keys')}
            </Menu.CheckboxItem>
            <Menu.CheckboxItem
              className="menu-item"
              checked={notify}
              onCheckedChange={(checked) =>
                checked ? void askToNotify() : changeSettings({ notify: false })
              }
            >
              <span className="grid size-4 place-items-center">
                <Menu.CheckboxItemIndicator>
                  <Check size={14} aria-hidden="true" />
                </Menu.CheckboxItemIndicator>
              </span>
              {t('Notify me of new calls')}
            </Menu.CheckboxItem>
            <Menu.Item className="menu-item pl-9" onClick={onKeys}>
              {t('All keys')}
            </Menu.Item>
            <Menu.Separator className="mx-2 my-1 h-px bg-line" />
            <Menu.Item className="menu-item pl-9" onClick={() => navigate('/settings')}>
              {t('All settings')}
            </Menu.Item>
            <Menu.Item className="menu-item pl-9" onClick={() => navigate('/notifications')}>
              {t('Phone and notifications')}
            </Menu.Item>
            <Menu.Item className="menu-item pl-9" onClick={() => navigate('/passkeys')}>
              {t('Passkeys')}
            </Menu.Item>
            <Menu.Item className="menu-item pl-9" onClick={() => navigate('/linked-accounts')}>
              {t('Linked accounts')}
            </Menu.Item>
            <Menu.Item className="menu-item pl-9" onClick={() => signOut.mutate()}>
              {t('Sign out')}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
