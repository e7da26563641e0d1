import { isCountersignError } from '../../base/errors.ts'
import { NotDelivered } from '../../gate/notify/channel.ts'
import { textAt } from '../chat/text-at.ts'
import { createSlackCall, SlackError } from './slack-api.ts'
import { plain } from './slack-blocks.ts'
import { SCOPES } from './slack-manifest.ts'
import { openSocket } from './slack-socket.ts'
import { createWorkspace } from './slack-workspace.ts'

export interface SetupOptions {
  readonly botToken: string
  readonly appToken?: string
  /** Sent a message with a button, which they press. */
  readonly to?: string
  readonly apiUrl: string
  /** Milliseconds for the button to be pressed. */
  readonly patience?: number
}

export interface SetupCheck {
  readonly ok: boolean
  readonly says: string
}

const HELLO_MS = 10_000
const PRESS_MS = 120_000

/** Tries what the channel will do, and tells of each step. False when one of them failed. */
export async function checkSetup(
  options: SetupOptions,
  tell: (check: SetupCheck) => void,
): Promise<boolean> {
  const { appToken, to, apiUrl, patience = PRESS_MS } = options
  const call = createSlackCall(apiUrl, options.botToken)
  try {
    const { body, scopes } = await call('auth.test', {})
    tell({ ok: true, says: `The bot token belongs to workspace ${textAt(body, 'team')}.` })
    const missing = Object.entries(SCOPES).filter(([name]) => !scopes.includes(name))
    for (const [name, use] of missing) tell({ ok: false, says: `It lacks ${name}: ${use}.` })
    if (missing.length === 0) tell({ ok: true, says: 'It has every scope.' })
    if (appToken === undefined) {
      if (to === undefined) return missing.length === 0
      tell({ ok: false, says: 'A button can only be tried with an app token (Socket Mode).' })
      return false
    }
    return (await roundTrip(appToken)) && missing.length === 0
  } catch (error) {
    tell({ ok: false, says: sentenceOf(error) })
    return false
  }

  async function roundTrip(token: string): Promise<boolean> {
    const ready = Promise.withResolvers<boolean>()
    const pressed = Promise.withResolvers<boolean>()
    const word = crypto.randomUUID()
    const stop = openSocket({
      call: createSlackCall(apiUrl, token),
      report: (line) => tell({ ok: false, says: line }),
      onReady: () => ready.resolve(true),
      async onEnvelope(type, payload) {
        const { actions } = (payload ?? {}) as { readonly actions?: readonly unknown[] }
        if (type === 'interactive' && textAt(actions?.[0], 'value') === word) pressed.resolve(true)
        return undefined
      },
    })
    try {
      const isOpen = await within(ready.promise, HELLO_MS)
      tell({ ok: isOpen, says: isOpen ? 'Socket Mode works.' : 'Slack opened no connection.' })
      if (!isOpen || to === undefined) return isOpen
      const user = await createWorkspace(call).byEmail(to)
      if (user === undefined) {
        tell({ ok: false, says: `No full member of the workspace has the address ${to}.` })
        return false
      }
      const { body } = await call('conversations.open', { users: user })
      const channel = textAt(body, 'channel', 'id')
      const sent = await call('chat.postMessage', { channel, ...testMessage(word) })
      tell({ ok: true, says: `Sent a message to ${to}. Press its button.` })
      const isPressed = await within(pressed.promise, patience)
      const text = isPressed ? 'Countersign works here.' : 'The button was not pressed in time.'
      const blocks = [{ type: 'section', text: plain(text) }]
      await call('chat.update', { channel, ts: textAt(sent.body, 'ts'), text, blocks })
      tell({ ok: isPressed, says: isPressed ? 'The button arrived.' : text })
      return isPressed
    } finally {
      await stop()
    }
  }
}

function testMessage(value: string) {
  const text = 'Countersign tries whether it works here.'
  const button = { type: 'button', action_id: 'cs_test', text: plain('It works'), value }
  return {
    text,
    blocks: [
      { type: 'section', text: plain(text) },
      { type: 'actions', elements: [button] },
    ],
  }
}

async function within(promise: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function sentenceOf(error: unknown): string {
  const isOurs =
    error instanceof SlackError || error instanceof NotDelivered || isCountersignError(error)
  return isOurs ? `${error.message}.` : 'Slack cannot be reached.'
}
