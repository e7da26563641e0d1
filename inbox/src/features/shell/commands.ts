/** What the command palette offers: places to go and how the page looks. Nothing that decides. */

import type { ApprovalRow } from '../../../../src/api/approval.ts'
import type { SavedView } from '../../../../src/api/history/saved-views.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { viewPath } from '../../lib/view-address.ts'

export const GROUPS = {
  waiting: msg('Waiting'),
  views: msg('Saved views'),
  go: msg('Go to'),
  find: msg('Find'),
  page: msg('This page'),
} as const

export interface Command {
  readonly id: string
  readonly group: keyof typeof GROUPS
  /** Values of a call are shown as untrusted text. */
  readonly name: string
  readonly detail?: string
  /** Also found by these words. */
  readonly words?: string
  readonly run: () => void
}

export interface CommandsOf {
  readonly pages: readonly { readonly name: string; readonly href: string }[]
  readonly pending: readonly ApprovalRow[]
  readonly views: readonly SavedView[]
  readonly navigate: (href: string) => void
  readonly setTheme: (theme: 'system' | 'light' | 'dark') => void
  readonly showKeys: () => void
}

const THEMES = [
  ['light', msg('Light theme')],
  ['dark', msg('Dark theme')],
  ['system', msg('Theme of the system')],
] as const

const MOST_WAITING = 8

/** Every word that was typed begins a word of the command; pages first while nothing is typed. */
export function commandsFor(typed: string, of: CommandsOf): readonly Command[] {
  const { pages, pending, views, navigate, setTheme, showKeys } = of
  const wanted = wordsOf(typed)
  const fits = ({ name, detail = '', words = '' }: Command) => {
    const own = wordsOf(`${name} ${detail} ${words}`)
    return wanted.every((word) => own.some((one) => one.startsWith(word)))
  }
  const go = pages.map(
    ({ name, href }): Command => ({
      id: `go ${href}`,
      group: 'go',
      name,
      run: () => navigate(href),
    }),
  )
  const waiting = pending.map(
    ({ id, tool, server, agent, principal }): Command => ({
      id: `call ${id}`,
      group: 'waiting',
      name: visibleText(server === undefined ? tool : `${server}/${tool}`),
      detail: visibleText(
        principal === undefined ? agent : t('{agent} for {principal}', { agent, principal }),
      ),
      words: id,
      run: () => navigate(`/approvals/${encodeURIComponent(id)}`),
    }),
  )
  const saved = views.map(
    (view): Command => ({
      id: `view ${view.id}`,
      group: 'views',
      name: visibleText(view.name),
      detail: view.page === 'inbox' ? t('Inbox') : t('History'),
      words: t('view'),
      run: () => navigate(viewPath(view)),
    }),
  )
  const looks = [
    ...THEMES.map(
      ([theme, name]): Command => ({
        id: theme,
        group: 'page',
        name: say(name),
        run: () => setTheme(theme),
      }),
    ),
    {
      id: 'keys',
      group: 'page',
      name: t('All keys'),
      words: t('shortcuts help'),
      run: showKeys,
    },
  ] satisfies Command[]
  const text = typed.trim()
  const find: readonly Command[] =
    text === ''
      ? []
      : [
          {
            id: 'find',
            group: 'find',
            name: t('Search History for “{text}”', { text }),
            run: () => navigate(`/history?q=${encodeURIComponent(text)}`),
          },
        ]
  return [
    ...waiting.filter(fits).slice(0, wanted.length === 0 ? 3 : MOST_WAITING),
    ...saved.filter(fits),
    ...go.filter(fits),
    ...looks.filter(fits),
    ...find,
  ]
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[\s/_.-]+/)
    .filter((word) => word !== '')
}
