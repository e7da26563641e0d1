import { createHash } from 'node:crypto'
import { CountersignError } from '../base/errors.ts'
import type { Channel, Notice, Share } from '../gate/notify/channel.ts'
import { noticeBody, roomTitle } from './notice-words.ts'
import { WITHOUT_VOTES } from './outcome-words.ts'
import { post, type Reach } from './post.ts'

export interface NtfyOptions extends Reach {
  /** The topic at its server: `https://ntfy.sh/TOPIC`. A topic is read by all who know its name. */
  readonly url: string
  /** Access token of the server, where the topic is protected. */
  readonly token?: string | undefined
  /** `message`: also what a `message_template` says. The name of the tool alone unless set. */
  readonly share?: Share | undefined
  /** What operators see; made of the host unless set. */
  readonly name?: string
}

/** As ntfy counts: 1 makes no sound, 5 rings. */
const PRIORITY = { question: 4, urgent: 5, end: 1 } as const

/** Notices on a topic of ntfy. They tell: no button of theirs sends anything. */
export function ntfy(options: NtfyOptions): Channel {
  const { token, allowHosts, timeout, resolve } = options
  const { server, topic } = readTopic(options.url)
  return {
    name: options.name ?? nameOf(server, topic),
    share: options.share ?? 'name',
    kinds: WITHOUT_VOTES,
    async send(notice, signal) {
      const headers = {
        'content-type': 'application/json',
        ...(token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }),
      }
      const body = JSON.stringify(messageOf(topic, notice))
      await post(server, { body, headers, signal }, { allowHosts, timeout, resolve })
    },
  }
}

function messageOf(topic: string, notice: Notice) {
  const { link, question, approval, at } = notice
  const isUrgent = question && (approval.risk === 'L4' || approval.risk === 'L5')
  return {
    topic,
    title: roomTitle(notice),
    message: noticeBody(notice, { now: at }),
    priority: isUrgent ? PRIORITY.urgent : question ? PRIORITY.question : PRIORITY.end,
    ...(link === undefined ? {} : { click: link }),
  }
}

function readTopic(text: string): { server: URL; topic: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const [, before = '', topic = ''] = /^(.*\/)([\w-]{1,64})$/.exec(url?.pathname ?? '') ?? []
  const isPlain = url && url.username === '' && url.password === '' && url.search === ''
  if (isPlain && topic !== '' && /^https?:$/.test(url.protocol)) {
    return { server: new URL(before, url), topic }
  }
  throw new CountersignError('usage', 'the address of a ntfy topic is not https://HOST/TOPIC', {
    hint: 'Use a long random topic: its name is its password. Give a token apart.',
  })
}

/** The name of a topic is a secret, so people see the host and a fingerprint. */
function nameOf({ host }: URL, topic: string): string {
  const safe = host.replace(/[^A-Za-z0-9._:-]/g, '').slice(0, 80)
  return `ntfy:${safe}:${createHash('sha256').update(topic).digest('hex').slice(0, 8)}`
}
