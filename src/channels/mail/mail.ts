import { createHash } from 'node:crypto'
import type { Transporter } from 'nodemailer'
import { CountersignError } from '../../base/errors.ts'
import { type Channel, NotDelivered, type Notice, type Share } from '../../gate/notify/channel.ts'
import { WITHOUT_VOTES } from '../outcome-words.ts'
import { createMailBatches } from './mail-batches.ts'
import { asksToDecide, digestText, mailText } from './mail-text.ts'

export interface MailOptions {
  /** `smtps://user:password@smtp.example.com:465`, or `smtp://…:587` with STARTTLS. */
  readonly smtp: string
  /** `Countersign <no-reply@example.com>`. */
  readonly from: string
  /** `message`: also what a `message_template` says. The name of the tool alone unless set. */
  readonly share?: Share
  /** What operators see; `mail` unless set. */
  readonly name?: string
}

/** Tells people by mail. It takes no answers: a mail proves nothing about its sender. */
export function mail(options: MailOptions): Channel {
  const { from, name = 'mail', share = 'name' } = options
  const { url, host } = readServer(options.smtp, from)
  let transport: Promise<Transporter> | undefined
  const batches = createMailBatches<Part>(async (address, parts) => {
    const notices = parts.map(({ notice }) => notice)
    transport ??= open(url)
    transport.catch(() => {
      transport = undefined
    })
    const [first] = parts
    if (!first) return
    const said = notices.length === 1 ? mailText(first.notice, first.wasAsked) : digestText(notices)
    const sending = (await transport).sendMail({
      from,
      // Not as text, in which a comma would begin another address.
      to: { name: '', address },
      ...said,
      ...threadOf(notices, address, host),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    await sending.catch((error: unknown) => {
      throw failureOf(error)
    })
  })
  return {
    name,
    share: share === 'arguments' ? 'message' : share,
    kinds: WITHOUT_VOTES,
    byMail: true,
    addresses: async (_, people) => people.flatMap(({ email }) => email ?? []),
    async sendDigest(notices, _, address) {
      await Promise.all(
        notices.map((notice) => batches.add(address, { notice, wasAsked: asksToDecide(notice) })),
      )
    },
    async send(notice, _, delivery) {
      if (!delivery) throw new NotDelivered('a mail needs an address')
      const { address, previous, settles } = delivery
      // A mail cannot be found again, so one that may not have been sent is not settled. Nor is one
      // settled by another question, which is not for this address any more.
      if (settles && (!previous || notice.question)) return undefined
      const thread = threadId(notice.approval.id, address, host)
      const wasAsked = asksToDecide(notice) || previous?.ref === thread
      await batches.add(address, { notice, wasAsked })
      return { ref: wasAsked ? thread : NEVER_ASKED }
    },
  }
}

interface Part {
  readonly notice: Notice
  /** This address got the question as well. */
  readonly wasAsked: boolean
}

/** What is remembered of an address that was told news alone. */
const NEVER_ASKED = 'news'

/** Mails of one approval are one thread. The same notice has the same id, however often it comes. */
function threadOf(notices: readonly Notice[], address: string, host: string) {
  const [first] = notices
  if (!first || notices.length > 1) return {}
  const thread = threadId(first.approval.id, address, host)
  if (first.kind === 'asked') return { messageId: thread }
  const id = idOf(first.id, address)
  return { messageId: `<${id}@${host}>`, inReplyTo: thread, references: [thread] }
}

function threadId(approval: string, address: string, host: string): string {
  return `<${idOf(approval, address)}@${host}>`
}

/** An id in a header tells no reader of the mail's path which approval it is. */
function idOf(name: string, address: string): string {
  return createHash('sha256')
    .update(JSON.stringify([name, address]))
    .digest('hex')
    .slice(0, 32)
}

function readServer(smtp: string, from: string): { readonly url: URL; readonly host: string } {
  const url = URL.canParse(smtp) ? new URL(smtp) : undefined
  const [, host] = /@([A-Za-z0-9.-]+)>?$/.exec(from) ?? []
  const isPlain = /[\r\n]/.test(from)
  if (url && /^smtps?:$/.test(url.protocol) && host !== undefined && !isPlain) return { url, host }
  throw new CountersignError('usage', 'the address of the mail server or of its sender is wrong', {
    hint: 'Use smtps://USER:PASSWORD@HOST:465, and a sender such as Countersign <no-reply@example.com>.',
  })
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** Without TLS the password and every link could be read on the way; this machine has no way. */
async function open(url: URL): Promise<Transporter> {
  const { createTransport } = await nodemailer()
  const isHere = LOOPBACK.includes(url.hostname)
  return createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (url.protocol === 'smtps:' ? 465 : 587)),
    secure: url.protocol === 'smtps:',
    ...(isHere ? { ignoreTLS: true } : { requireTLS: true }),
    ...(url.username === ''
      ? {}
      : {
          auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
        }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 15_000,
  })
}

async function nodemailer() {
  try {
    return await import('nodemailer')
  } catch (cause) {
    throw new CountersignError('peer_missing', 'mail needs the package nodemailer', {
      hint: 'Install it beside countersign: npm install nodemailer',
      cause,
    })
  }
}

/** Permanent refusals are about the one address: other people are told all the same. */
function failureOf(error: unknown): NotDelivered {
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown }
  if (typeof responseCode === 'number') {
    const isAddress = [550, 551, 553].includes(responseCode) && code === 'EENVELOPE'
    return new NotDelivered(`the mail server answered ${responseCode}`, { gone: isAddress })
  }
  return new NotDelivered(`the mail server: ${typeof code === 'string' ? code : 'no answer'}`)
}
