import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import type { Client } from '../downstream/client.ts'
import type { SessionOptions } from '../downstream/session-options.ts'
import { APP_TYPE, APPS_EXTENSION } from '../protocol/envelope.ts'
import { objectIn, type Request, textIn } from '../protocol/message.ts'
import { approvalPage } from './approval-page.ts'
import { shownCard } from './shown-card.ts'

/** The page is the same for every approval: what it shows comes with the result of a tool. */
export const APP_URI = 'ui://countersign/approval.html'

/** Tools of ours whose results the page shows. Neither decides anything. */
const SHOWING: ReadonlySet<string> = new Set(['countersign_status', 'countersign_wait'])

type Handle = (request: Request, client: Client, signal: AbortSignal) => Promise<JsonObject>

/** What a session answers to a client that shows pages: the same, and beside it our page. */
export function withApprovalApp(
  options: Pick<SessionOptions, 'gate' | 'inbox'>,
  handle: Handle,
): Handle {
  return async (request, client, signal) => {
    const { method, params = {} } = request
    // Before any server is asked: none of them can put another page in its place.
    if (method === 'resources/read' && params.uri === APP_URI) return { contents: [content()] }
    const result = await handle(request, client, signal)
    switch (method) {
      case 'initialize':
      case 'server/discover':
        return { ...result, capabilities: withPages(objectIn(result, 'capabilities') ?? {}) }
      case 'tools/list':
        return { ...result, tools: (result.tools as readonly JsonObject[]).map(withPage) }
      case 'tools/call':
        return SHOWING.has(textIn(params, 'name') ?? '') ? withCard(options, result) : result
      default:
        return result
    }
  }
}

/** Clients read pages as resources, which a server behind us need not have. */
function withPages(capabilities: JsonObject): JsonObject {
  const extensions = { ...objectIn(capabilities, 'extensions'), [APPS_EXTENSION]: {} }
  return { resources: {}, ...capabilities, extensions }
}

function withPage(tool: JsonObject): JsonObject {
  if (!SHOWING.has(textIn(tool, 'name') ?? '')) return tool
  return { ...tool, _meta: { ui: { resourceUri: APP_URI } } }
}

/** The tool has looked already whose approval it is: one that is not of this client has no id here. */
async function withCard(
  options: Pick<SessionOptions, 'gate' | 'inbox'>,
  result: JsonObject,
): Promise<JsonObject> {
  const id = textIn(objectIn(result, '_meta'), 'countersign/approval')
  if (id === undefined) return result
  const card = await shownCard(options, id).catch(() => undefined)
  return isPlainObject(card) ? { ...result, structuredContent: card } : result
}

function content(): Json {
  return {
    uri: APP_URI,
    mimeType: APP_TYPE,
    text: approvalPage(),
    // Nothing is loaded from anywhere.
    _meta: { ui: { csp: {}, prefersBorder: true } },
  }
}
