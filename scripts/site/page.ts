import path from 'node:path/posix'

/** A page of `docs/` as the site wants it: its heading as front matter, links as addresses. */
export interface Page {
  /** Below `docs/`, such as `guides/mcp.md`. */
  readonly file: string
  readonly text: string
}

const FENCE = /^\s*(?:```|~~~)/
/** `[label](target)`, and `![alt](target)`. Labels may hold code with brackets in it. */
const LINK = /(?<bang>!?)\[(?<label>(?:[^[\]]|\[[^\]]*\])*)\]\((?<target>[^)\s]+)\)/g

/** The address of a page below the base of the site: `guides/mcp.md` is `/docs/guides/mcp/`. */
export function addressOf(file: string): string {
  const name = file.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '/')
  return `/docs/${name.toLowerCase()}`
}

/**
 * `known`: every page there is. What links to a file outside of `docs/` names a place in the
 * repository, which the site does not have: the label stays, without its link.
 */
export function sitePage({ file, text }: Page, known: ReadonlySet<string>): string {
  const [, title = file] = /^# (.+)$/m.exec(text) ?? []
  let isCode = false
  const lines = text.replace(/^# .+\n/m, '').split('\n')
  const body = lines.map((line) => {
    if (FENCE.test(line)) isCode = !isCode
    return isCode ? line : linked(line, file, known)
  })
  return `---\ntitle: ${JSON.stringify(title.replaceAll('`', ''))}\n---\n${body.join('\n')}`
}

function linked(line: string, file: string, known: ReadonlySet<string>): string {
  return line.replace(LINK, (all, bang: string, label: string, target: string) => {
    if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(target)) return all
    const [to = '', hash] = target.split('#')
    const at = path.normalize(path.join(path.dirname(file), to))
    if (bang !== '') return `![${label}](${relative(file, at)})`
    if (!known.has(at)) return label
    return `[${label}](${addressOf(at)}${hash === undefined ? '' : `#${hash}`})`
  })
}

/** Pictures are copied beside the pages, so a relative path finds them; Astro hashes their names. */
function relative(file: string, picture: string): string {
  const to = path.relative(path.dirname(file), picture)
  return to.startsWith('.') ? to : `./${to}`
}
