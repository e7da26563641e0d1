import { readFileSync } from 'node:fs'
import path from 'node:path'
import { servedName } from '../served-name.ts'

/** The card on the server that serves this tenant of this file, or the command that starts one. */
export function inboxBeside(file: string, tenant: string, id: string): string {
  const url = serverBeside(file, tenant)
  if (url !== undefined) return new URL(`approvals/${id}`, url).href
  const shown = path.relative('', file)
  const db = shown.includes(' ') ? JSON.stringify(shown) : shown
  return `npx countersign start --db sqlite:${db}${tenant === 'default' ? '' : ` --tenant ${tenant}`}`
}

function serverBeside(file: string, tenant: string): string | undefined {
  try {
    const text = readFileSync(path.join(path.dirname(file), 'server.json'), 'utf8')
    const { url, pid, serves } = JSON.parse(text) as { readonly [name: string]: unknown }
    // One that serves another database or tenant has no card for this approval.
    if (serves !== servedName({ kind: 'sqlite', path: file }, tenant)) return undefined
    // Throws when that process is gone.
    process.kill(Number(pid), 0)
    return typeof url === 'string' && URL.canParse(url) ? url : undefined
  } catch {
    return undefined
  }
}
