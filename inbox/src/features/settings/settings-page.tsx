import { BellRing, Bot, ChevronRight, KeyRound, Link2, type LucideIcon } from 'lucide-react'
import { Link } from 'wouter'
import type { Me } from '../../../../src/api/approval.ts'
import { Page } from '../../components/page.tsx'
import { Avatar, nameOf } from '../../components/person.tsx'
import { Part, Setting, Toggle } from '../../components/settings/setting.tsx'
import { type Message, msg, say, t } from '../../lib/language/t.ts'
import { changeSettings, useSettings } from '../../lib/settings.ts'
import { askToNotify } from '../../lib/show-notification.ts'
import { Language } from './language.tsx'
import { TimeZone } from './time-zone.tsx'

const THEMES = [
  ['system', msg('As the system')],
  ['light', msg('Light')],
  ['dark', msg('Dark')],
] as const

const ELSEWHERE: readonly (readonly [LucideIcon, string, Message, Message])[] = [
  [
    BellRing,
    '/notifications',
    msg('Phone and notifications'),
    msg('Devices that tell you of calls, the order of channels, and quiet hours.'),
  ],
  [KeyRound, '/passkeys', msg('Passkeys'), msg('For calls that can be approved only with one.')],
  [
    Link2,
    '/linked-accounts',
    msg('Linked accounts'),
    msg('Accounts of Slack, Teams, Discord or Telegram that answer as you.'),
  ],
  [
    Bot,
    '/clients',
    msg('Connected clients'),
    msg('MCP clients that call tools for you, and never decide.'),
  ],
]

/** Everything that one person can set for themselves, or the way to it. */
export function SettingsPage({ me, onKeys }: { me: Me; onKeys: () => void }) {
  const { theme, letters, notify } = useSettings()
  return (
    <Page
      title={t('Settings')}
      says={t('Yours alone. Nothing here changes what asks, or who decides.')}
    >
      <Part
        title={t('This browser')}
        says={t('Kept in this browser: another one that you sign in with has its own.')}
      >
        <Setting name={t('Theme')}>
          {() => (
            <fieldset className="seg">
              <legend className="sr-only">{t('Theme')}</legend>
              {THEMES.map(([value, word]) => (
                <button
                  key={value}
                  type="button"
                  aria-pressed={theme === value}
                  onClick={() => changeSettings({ theme: value })}
                >
                  {say(word)}
                </button>
              ))}
            </fieldset>
          )}
        </Setting>
        <Setting
          name={t('Language')}
          says={t('Of these pages. What agents, tools and your policy say stays as they say it.')}
        >
          {({ labelledBy }) => <Language labelledBy={labelledBy} />}
        </Setting>
        <Setting
          name={t('Time zone')}
          says={t('Of every time on these pages, and of where days begin in History.')}
        >
          {({ labelledBy }) => <TimeZone labelledBy={labelledBy} />}
        </Setting>
        <Setting
          name={t('Notify me of new calls')}
          says={t(
            'While this page is open and hidden. It says how many wait, never what they are about.',
          )}
        >
          {(about) => (
            <Toggle
              {...about}
              isOn={notify}
              onChange={(isOn) => (isOn ? void askToNotify() : changeSettings({ notify: false }))}
            />
          )}
        </Setting>
        <Setting
          name={t('Single-letter keys')}
          says={t('J and K move, A approves, D denies. Off, only keys with Ctrl or Alt work.')}
          more={
            <button type="button" className="link" onClick={onKeys}>
              {t('All keys')}
            </button>
          }
        >
          {(about) => (
            <Toggle
              {...about}
              isOn={letters}
              onChange={(isOn) => changeSettings({ letters: isOn })}
            />
          )}
        </Setting>
      </Part>
      <Part
        title={t('Your account')}
        says={t('Kept on the server: the same wherever you sign in.')}
      >
        <div className="flex items-center gap-3 px-4 py-3 max-desk:px-3">
          <Avatar person={me.person} />
          <span className="grid min-w-0">
            <b className="wrap-anywhere">{nameOf(me.person)}</b>
            <span className="text-xs wrap-anywhere text-ink-3">
              {[me.person.email, me.roles.join(', ')].filter(Boolean).join(' · ')}
            </span>
          </span>
        </div>
        {ELSEWHERE.map(([Icon, href, name, says]) => (
          <Link
            key={href}
            href={href}
            className="flex items-center gap-3 px-4 py-3 hover:bg-hover max-desk:px-3"
          >
            <Icon size={16} className="flex-none text-ink-3" aria-hidden="true" />
            <span className="grid min-w-0 flex-1">
              <b>{say(name)}</b>
              <span className="text-ink-2">{say(says)}</span>
            </span>
            <ChevronRight size={16} className="flex-none text-ink-3" aria-hidden="true" />
          </Link>
        ))}
      </Part>
    </Page>
  )
}
