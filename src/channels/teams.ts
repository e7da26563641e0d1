import { createHash } from 'node:crypto'
import { CountersignError } from '../base/errors.ts'
import type { Channel, Notice, Share } from '../gate/notify/channel.ts'
import { noticeBody, roomTitle } from './notice-words.ts'
import { WITHOUT_VOTES } from './outcome-words.ts'
import { post, type Reach } from './post.ts'

export interface TeamsOptions extends Reach {
  /** Of a workflow “Post to a channel when a webhook request is received”. It holds a signature: a secret. */
  readonly url: string
  /** `message`: also what a `message_template` says. The name of the tool alone unless set. */
  readonly share?: Share | undefined
  /** What operators see; made of the host unless set. */
  readonly name?: string
}

/** Notices as Adaptive Cards in a channel of Teams. They tell: their one button opens the inbox. */
export function teams(options: TeamsOptions): Channel {
  const { allowHosts, timeout, resolve } = options
  const url = readUrl(options.url)
  return {
    name: options.name ?? nameOf(url),
    share: options.share ?? 'name',
    // A workflow cannot change what it posted.
    kinds: WITHOUT_VOTES,
    async send(notice, signal) {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(teamsMessage(notice))
      await post(url, { body, headers, signal }, { allowHosts, timeout, resolve })
    },
  }
}

/** Every text is a TextRun: a TextBlock would make links and bold of what an agent wrote. */
export function teamsMessage(notice: Notice) {
  const { link, at } = notice
  const [first = '', ...more] = noticeBody(notice, { now: at }).split('\n')
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          fallbackText: 'A call waits for a decision, or was decided. Open the inbox.',
          body: [
            line(roomTitle(notice), { weight: 'Bolder' }),
            line(first),
            ...more.map((text) => line(text, { isSubtle: true })),
          ],
          ...(link === undefined
            ? {}
            : { actions: [{ type: 'Action.OpenUrl', title: 'Open the inbox', url: link }] }),
        },
      },
    ],
  }
}

function line(text: string, style: Readonly<Record<string, string | boolean>> = {}) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url && isHttp && url.username === '' && url.password === '') return url
  throw new CountersignError(
    'usage',
    'the address of a workflow of Teams is not an https:// address',
    {
      hint: 'Copy it from the workflow “Post to a channel when a webhook request is received”.',
    },
  )
}

/** The address is a secret, so people see the host and a fingerprint. */
function nameOf(url: URL): string {
  const host = url.host.replace(/[^A-Za-z0-9._:-]/g, '').slice(0, 80)
  return `teams:${host}:${createHash('sha256').update(url.href).digest('hex').slice(0, 8)}`
}
