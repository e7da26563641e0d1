import { useQuery } from '@tanstack/react-query'
import {
  ChartColumn,
  CloudOff,
  FileText,
  History,
  Inbox,
  KeyRound,
  Link2,
  Lock,
  type LucideIcon,
  MessageSquare,
  Plug,
  TriangleAlert,
  Unplug,
  Users,
  Wrench,
} from 'lucide-react'
import { Suspense } from 'react'
import { Link, useLocation } from 'wouter'
import type { Me } from '../../../../src/api/approval.ts'
import { useConnection } from '../../api/connection.ts'
import { quarantinedQuery } from '../../api/quarantined.ts'
import { Logo } from '../../components/logo.tsx'
import { Avatar } from '../../components/person.tsx'
import { type Message, msg, say, t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'

const SetUpLink = lazy(() => import('../set-up/set-up.tsx'), 'SetUpLink')
const PersonMenu = lazy(() => import('./person-menu.tsx'), 'PersonMenu')

/** Only what exists: a page that is not there has no link. */
interface PageLink {
  readonly name: Message
  readonly href: string
  /** What its pages begin with, where that is not its own address. */
  readonly also?: string
  readonly icon: LucideIcon
  /** Who has it where there is a studio; everyone unless set. */
  readonly for?: readonly Me['roles'][number][]
}

const PAGES: readonly PageLink[] = [
  { name: msg('Inbox'), href: '/', also: '/approvals/', icon: Inbox },
  { name: msg('Chat'), href: '/chat', icon: MessageSquare },
  { name: msg('History'), href: '/history', icon: History },
  { name: msg('Grants'), href: '/grants', icon: KeyRound },
  { name: msg('Locks'), href: '/locks', icon: Lock },
  { name: msg('Policy'), href: '/policy', icon: FileText },
  { name: msg('Insights'), href: '/insights', icon: ChartColumn },
  { name: msg('Tools'), href: '/tools', icon: Plug },
  { name: msg('Audit'), href: '/audit', icon: Link2 },
  { name: msg('Connect'), href: '/connect', icon: Unplug },
  { name: msg('People'), href: '/people', icon: Users },
  {
    name: msg('Studio'),
    href: '/studio',
    icon: Wrench,
    for: ['author', 'admin'],
  },
]

/** At the foot of a phone there is room for these; the others are behind the person. */
const TABS = PAGES.slice(0, 6)
const BEHIND = PAGES.slice(6)

export const PAGE_LINKS = PAGES.map(({ href }) => href)

const isFor =
  ({ roles, studio }: Me) =>
  (page: PageLink) =>
    page.for === undefined || (studio === true && page.for.some((role) => roles.includes(role)))

/** The pages this person has, in the order of the rail. */
export function pagesFor(me: Me): readonly Pick<PageLink, 'name' | 'href'>[] {
  return PAGES.filter(isFor(me))
}

function useIsCurrent() {
  const [location] = useLocation()
  return ({ href, also = `${href}/` }: Pick<PageLink, 'href' | 'also'>) =>
    location === href || location.startsWith(also)
}

export function Rail({ me, count, onKeys }: { me: Me; count: number; onKeys: () => void }) {
  const isCurrent = useIsCurrent()
  return (
    <nav
      aria-label={t('Main')}
      className="row-span-full flex flex-col border-r border-line px-2.5 pt-3.5 pb-2.5 max-wide:px-2 max-desk:hidden"
    >
      <Link
        href="/"
        className="mb-3.5 flex items-center gap-[9px] rounded-md px-2 py-1 text-[15px] font-semibold tracking-tight max-wide:px-[9px]"
      >
        <Logo />
        <span className="max-wide:sr-only">{t('Countersign')}</span>
      </Link>
      <ul className="grid gap-px">
        {PAGES.filter(isFor(me)).map((page) => {
          const { name, href, icon: Icon } = page
          const current = isCurrent(page)
          return (
            <li key={href}>
              <Link
                href={href}
                aria-current={current ? 'page' : undefined}
                className={`relative flex h-8 items-center gap-2.5 rounded-md px-2 font-medium max-wide:justify-center ${
                  current
                    ? 'bg-surface text-ink shadow-[0_0_0_1px_var(--color-line),var(--shadow-control)]'
                    : 'text-ink-2 hover:bg-hover'
                }`}
              >
                <Icon size={16} className={current ? 'text-accent' : ''} aria-hidden="true" />
                <span className="max-wide:sr-only">{say(name)}</span>
                {href === '/tools' && <Held />}
                {href === '/' && count > 0 && (
                  <Count className="ml-auto max-wide:absolute max-wide:-top-1 max-wide:-right-1">
                    {count}
                  </Count>
                )}
              </Link>
            </li>
          )
        })}
      </ul>
      <div className="mt-auto grid gap-1.5">
        {me.roles.includes('admin') && (
          <Suspense fallback={null}>
            <SetUpLink />
          </Suspense>
        )}
        <Live tenant={me.tenant} />
        <Suspense
          fallback={
            <span className="px-2 py-[7px]">
              <Avatar person={me.person} />
            </span>
          }
        >
          <PersonMenu me={me} onKeys={onKeys} />
        </Suspense>
      </div>
    </nav>
  )
}

/** The same at the foot of a phone. */
export function TabBar({ me, count, onKeys }: { me: Me; count: number; onKeys: () => void }) {
  const isCurrent = useIsCurrent()
  return (
    <nav
      aria-label={t('Main')}
      className="hidden grid-cols-7 border-t border-line bg-surface px-1 pt-1 pb-[max(6px,env(safe-area-inset-bottom))] max-desk:grid"
    >
      {TABS.map((page) => {
        const { name, href, icon: Icon } = page
        const current = isCurrent(page)
        return (
          <Link
            key={href}
            href={href}
            aria-current={current ? 'page' : undefined}
            className={`relative grid justify-items-center gap-0.5 rounded-md pt-1.5 pb-1 text-xs leading-[14px] ${
              current ? 'font-medium text-accent' : 'text-ink-3'
            }`}
          >
            <Icon size={20} aria-hidden="true" />
            <span className="max-w-full truncate">{say(name)}</span>
            {href === '/' && count > 0 && (
              <Count className="absolute top-0.5 left-1/2 ml-1.5">{count}</Count>
            )}
          </Link>
        )
      })}
      <Suspense fallback={<span />}>
        <PersonMenu me={me} onKeys={onKeys} tab pages={BEHIND.filter(isFor(me))} />
      </Suspense>
    </nav>
  )
}

/** How many tools are held back because they changed. */
function Held() {
  const { data: held = [] } = useQuery(quarantinedQuery)
  if (held.length === 0) return null
  return (
    <span className="ml-auto inline-flex items-center gap-1 rounded-full border border-warn-line bg-warn-soft px-1.5 text-xs leading-[18px] font-semibold text-warn tabular-nums max-wide:absolute max-wide:-top-1 max-wide:-right-1">
      <TriangleAlert size={12} aria-hidden="true" className="max-wide:hidden" />
      {held.length}
      <span className="sr-only"> {t('in quarantine')}</span>
    </span>
  )
}

function Count({ className, children }: { className: string; children: number }) {
  return (
    <span
      className={`min-w-5 rounded-full bg-accent-fill px-1.5 text-center text-xs leading-[18px] font-semibold text-on-fill tabular-nums ${className}`}
    >
      {children > 999 ? '999+' : children}
      <span className="sr-only"> {t('waiting')}</span>
    </span>
  )
}

const LIVE_WORDS = {
  live: msg('Live'),
  polling: msg('Checking every few seconds'),
  off: msg('Not connected'),
} as const

function Live({ tenant }: { tenant: string }) {
  const { state } = useConnection()
  return (
    <div
      className={`flex items-center gap-2 px-2 text-xs max-wide:justify-center max-wide:px-0 ${state === 'off' ? 'text-bad' : 'text-ink-3'}`}
    >
      {state === 'off' ? (
        <CloudOff size={14} aria-hidden="true" className="flex-none" />
      ) : (
        <span
          className={`mx-1 size-[7px] flex-none rounded-full ring-3 ${state === 'live' ? 'bg-good ring-good-soft' : 'bg-warn ring-warn-soft'}`}
        />
      )}
      <span className="max-wide:sr-only">{say(LIVE_WORDS[state])}</span>
      {state !== 'polling' && <span className="ml-auto truncate max-wide:hidden">{tenant}</span>}
    </div>
  )
}
