import { type Message, msg, say } from '../language/t.ts'
import { visibleText } from '../text/invisible-characters.ts'

const DOORS: Readonly<Record<string, Message>> = {
  http: msg('over HTTP'),
  vouched: msg('over HTTP'),
  authzen: msg('over AuthZEN'),
  mcp: msg('over the MCP gateway'),
  hook: msg('by the hook of a coding agent'),
}

/** How a call came in; a door that is not known by its own name. */
export function doorWords(door: string): string {
  const known = Object.hasOwn(DOORS, door) ? DOORS[door] : undefined
  return known === undefined ? visibleText(door) : say(known)
}
