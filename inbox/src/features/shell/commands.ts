/** What the command palette offers: places to go and how the page looks. Nothing that decides. */
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import type { SavedView } from '../../../../src/api/history/saved-views.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { viewPath } from '../../lib/view-address.ts'

export interface Command {
  readonly id: string
  readonly group: 'Waiting' | 'Saved views' | 'Go to' | 'Find' | 'This page'
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
  ['light', 'Light theme'],
  ['dark', 'Dark theme'],
  ['system', 'Theme of the system'],
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
      group: 'Go to',
      name,
      run: () => navigate(href),
    }),
  )
  const waiting = pending.map(
    ({ id, tool, server, agent, principal }): Command => ({
      id: `call ${id}`,
      group: 'Waiting',
      name: visibleText(server === undefined ? tool : `${server}/${tool}`),
      detail: visibleText(principal === undefined ? agent : `${agent} for ${principal}`),
      words: id,
      run: () => navigate(`/approvals/${encodeURIComponent(id)}`),
    }),
  )
  const saved = views.map(
    (view): Command => ({
      id: `view ${view.id}`,
      group: 'Saved views',
      name: visibleText(view.name),
      detail: view.page === 'inbox' ? 'Inbox' : 'History',
      words: 'view',
      run: () => navigate(viewPath(view)),
    }),
  )
  const looks = [
    ...THEMES.map(
      ([theme, name]): Command => ({
        id: theme,
        group: 'This page',
        name,
        run: () => setTheme(theme),
      }),
    ),
    { id: 'keys', group: 'This page', name: 'All keys', words: 'shortcuts help', run: showKeys },
  ] satisfies Command[]
  const text = typed.trim()
  const find: readonly Command[] =
    text === ''
      ? []
      : [
          {
            id: 'find',
            group: 'Find',
            name: `Search History for “${text}”`,
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
