import { type Message, msg, say } from '../language/t.ts'
import { visibleText } from '../text/invisible-characters.ts'

const DOORS: Readonly<Record<string, Message>> = {
  http: msg('over HTTP'),
  vouched: msg('over HTTP'),
  authzen: msg('over AuthZEN'),
  mcp: msg('over the MCP gateway'),
  hook: msg('by the Claude Code hook'),
}

/** The way a call came in; one of a newer server is shown as it is. */
export function doorWords(door: string): string {
  const known = Object.hasOwn(DOORS, door) ? DOORS[door] : undefined
  return known === undefined ? visibleText(door) : say(known)
}
