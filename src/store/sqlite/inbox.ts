import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The card on the server that runs beside this file, or the command that starts one. */
export function inboxBeside(file: string, id: string): string {
  const url = serverBeside(file)
  if (url !== undefined) return new URL(`approvals/${id}`, url).href
  const shown = path.relative('', file)
  return `npx countersign start --db sqlite:${shown.includes(' ') ? JSON.stringify(shown) : shown}`
}

function serverBeside(file: string): string | undefined {
  try {
    const text = readFileSync(path.join(path.dirname(file), 'server.json'), 'utf8')
    const { url, pid } = JSON.parse(text) as { readonly url?: unknown; readonly pid?: unknown }
    // Throws when that process is gone.
    process.kill(Number(pid), 0)
    return typeof url === 'string' && URL.canParse(url) ? url : undefined
  } catch {
    return undefined
  }
}
