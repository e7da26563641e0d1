import { addressOf } from './page.ts'

interface Entry {
  readonly label: string
  readonly link: string
}

export interface Group {
  readonly label: string
  readonly collapsed: boolean
  readonly items: readonly Entry[]
}

const HEADING = /^\*\*(?<label>[^*]+)\*\*$/
const LINK = /\[(?<label>[^\]]+)\]\((?<target>[^)#\s]+\.md)\)/g

/** `docs/README.md` is the index: its headings are the groups, its links their entries. */
export function sidebarOf(index: string): readonly Group[] {
  const groups: { label: string; items: Entry[] }[] = []
  for (const line of index.split('\n')) {
    const heading = HEADING.exec(line)?.groups?.label
    if (heading !== undefined) groups.push({ label: heading, items: [] })
    for (const { groups: found } of line.matchAll(LINK)) {
      const { label = '', target = '' } = found ?? {}
      if (target.startsWith('..')) continue
      groups.at(-1)?.items.push({ label: capital(label), link: linkOf(target) })
    }
  }
  return groups.map((group, at) => ({ ...group, collapsed: at > 1 }))
}

/** Starlight adds the base by itself. */
function linkOf(target: string): string {
  return addressOf(target).replace(/^\/docs/, '')
}

function capital(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1)
}
