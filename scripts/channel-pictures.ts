/**
 * `npm run picture:channels`: draws the messages of each channel for its guide, from the payloads that
 * the channels really make. The frames around them are ours: no client of another company is shown.
 */
import path from 'node:path'
import type { KnownBlock } from '@slack/types'
import type { Approval } from '../src/approval/approval.ts'
import { wholeCard } from '../src/channels/chat/whole-card.ts'
import { bindingMessage } from '../src/channels/ciba/ciba-offer.ts'
import { cardAnswer } from '../src/channels/discord/discord-card.ts'
import * as discord from '../src/channels/discord/discord-messages.ts'
import { mailText } from '../src/channels/mail/mail-text.ts'
import { messageFor } from '../src/channels/push/message.ts'
import { questionMessage, settledMessage } from '../src/channels/slack/slack-blocks.ts'
import { decideModal } from '../src/channels/slack/slack-modal.ts'
import * as teams from '../src/channels/teams/teams-cards.ts'
import * as telegram from '../src/channels/telegram/telegram-messages.ts'
import type { Notice } from '../src/gate/notify/channel.ts'
import type { ChatCard } from '../src/gate/notify/channel-host.ts'
import { shared } from '../src/gate/notify/share.ts'
import { launchBrowser } from '../test/support/browser.ts'
import { root } from './tool.ts'

const AT = Date.UTC(2026, 10, 17, 13, 2)
const LINK = 'https://sign.example.com/approvals/0mwi'

const asked: Notice = {
  ...{ id: '0mwi-1-asked', kind: 'asked', question: true, at: AT, to: [{ group: 'finance' }] },
  approval: {
    ...{ id: '0mwi', revision: 1, status: 'pending', level: 'review', kind: 'tool' },
    ...{ tool: 'pay', risk: 'L3', agent: 'biller', principal: 'lena@example.com' },
    ...{ message: 'Pay «500» to «Northwind»?', authored: true },
    ...{ askedAt: AT, decideBy: AT + 3_600_000 },
  },
  link: LINK,
}
const voted: Notice = {
  ...{ ...asked, kind: 'voted' },
  approval: { ...asked.approval, met: { have: 1, need: 2 } },
}
const denied: Notice = {
  ...{ ...asked, kind: 'denied', question: false },
  approval: {
    ...{ ...asked.approval, status: 'denied' },
    decidedBy: [{ name: 'Ana Ruiz', at: AT + 240_000 }],
  },
}

const card = {
  approval: {
    ...{
      id: '0mwi',
      digest: 'sha256:9f2c64d1b7e05a3881c4f6a2d09be7715c3e84fa60d2b19e7f48c5a3061db27e',
    },
    terms: { reason: 'optional' },
    call: { tool: 'pay', agent: 'biller', risk: 'L3', principal: { email: 'lena@example.com' } },
  } as unknown as Approval,
  args: { amount: 500, to: 'Northwind', account: 'DE02 1203 0000 0000 2020 51', card: '[masked]' },
  question: {
    ...{ message: 'Pay «500» to «Northwind»?', authored: true, missing: [], values: [] },
  },
} as unknown as ChatCard

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
}

const bubble = (inner: string) => `<div class="bubble">${inner}</div>`
const button = (text: string, more = '') => `<span class="button ${more}">${escaped(text)}</span>`

function slackBlock(block: KnownBlock): string {
  const words = (one: unknown) => escaped((one as { text?: string }).text ?? '')
  switch (block.type) {
    case 'header':
      return `<h3>${words(block.text)}</h3>`
    case 'section':
      return `<p>${words(block.text)}</p>`
    case 'context':
      return `<p class="quiet">${block.elements
        .map((one) =>
          words(one)
            .replace(/^.*\|(.*)(?:&#62;)$/, '$1')
            .replace(/:00\.000Z/, ' UTC')
            .replace('T', ' '),
        )
        .join(' · ')}</p>`
    case 'actions':
      return `<p>${block.elements.map((one) => button((one as { text?: { text: string } }).text?.text ?? '', (one as { style?: string }).style)).join('')}</p>`
    case 'rich_text':
      return `<pre>${escaped(JSON.parse(JSON.stringify(block)).elements[0].elements[0].text)}</pre>`
    case 'input': {
      const { label, element } = JSON.parse(JSON.stringify(block))
      const options = (element.options ?? []) as { text: { text: string } }[]
      const fields = options.map(({ text }) => `<p>○ ${escaped(text.text)}</p>`).join('')
      return `<p><b>${escaped(label.text)}</b></p>${fields || '<p class="field"></p>'}`
    }
    default:
      return ''
  }
}

function slackPicture(): string {
  const message = (blocks: readonly KnownBlock[]) => bubble(blocks.map(slackBlock).join(''))
  const modal = decideModal({ card, user: 'U1' })
  if ('why' in modal) throw new Error(modal.why)
  return [
    message(questionMessage(voted, { mayAnswer: true }).blocks),
    `<div class="bubble modal">${modal.blocks.map((one) => slackBlock(one as KnownBlock)).join('')}<p>${button('Not now')}${button('Send', 'primary')}</p></div>`,
    message(settledMessage(denied).blocks),
  ].join('')
}

function telegramMessage({ text, entities, reply_markup }: telegram.TelegramMessage): string {
  let [html, at] = ['', 0]
  for (const { type, offset, length } of entities) {
    const tag = type === 'bold' ? 'b' : type
    html += `${escaped(text.slice(at, offset))}<${tag}>${escaped(text.slice(offset, offset + length))}</${tag}>`
    at = offset + length
  }
  html += escaped(text.slice(at))
  const rows = reply_markup.inline_keyboard.map(
    (row) => `<div class="row">${row.map(({ text: words }) => button(words)).join('')}</div>`,
  )
  return bubble(
    `<div class="text">${html.replaceAll(/\n(<pre>)|(<\/pre>)\n/g, '$1$2')}</div>${rows.join('')}`,
  )
}

function telegramPicture(): string {
  const whole = wholeCard(card)
  if ('why' in whole) throw new Error(whole.why)
  const shown = telegram.cardMessage(whole, { note: 'n', link: LINK })
  if (!shown) throw new Error('too long')
  return [
    telegram.questionMessage(asked, { mayAnswer: true }),
    shown,
    telegram.settledMessage(denied),
  ]
    .map(telegramMessage)
    .join('')
}

/** The Markdown that our messages use, and no other. */
function discordText(content: string): string {
  const small = content.replace(/\n-# (.*)$/, '\n<small>$1')
  return escaped(small)
    .replace(/&#60;small&#62;(.*)$/, '<span class="quiet">$1</span>')
    .replaceAll(/```(?:text|json)\n([\s\S]*?)\n```\n?/g, '<pre>$1</pre>')
    .replaceAll(/\n<pre>/g, '<pre>')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*(.+?)\*\*/g, '<b>$1</b>')
    .replaceAll(/&#60;t:(\d+):f&#62;/g, (_, at: string) =>
      new Date(Number(at) * 1_000).toISOString().slice(0, 16).replace('T', ' '),
    )
}

interface DiscordPart {
  readonly type: number
  readonly content?: string
  readonly components?: readonly { readonly label?: string; readonly style: number }[]
}

function discordBubble(texts: readonly string[], parts: readonly DiscordPart[], more = ''): string {
  const rows = parts.flatMap(({ components = [] }) =>
    components.map(({ label = '', style }) => button(label, ['', 'primary'][style])),
  )
  const shown = texts.map((text) => `<div class="text">${discordText(text)}</div>`).join('')
  return `<div class="bubble ${more}">${shown}<p>${rows.join('')}</p></div>`
}

function discordPicture(): string {
  const message = ({ content, components }: discord.DiscordMessage) =>
    discordBubble([content], components as readonly DiscordPart[])
  const whole = wholeCard(card)
  if ('why' in whole) throw new Error(whole.why)
  const shown = cardAnswer(whole, { note: 'n', link: LINK })
  if ('why' in shown) throw new Error(shown.why)
  const parts = shown.data.components as readonly DiscordPart[]
  const texts = parts.flatMap(({ content }) => content ?? [])
  return [
    message(discord.questionMessage(voted, { mayAnswer: true })),
    discordBubble([...texts, 'Only you can see this'], parts, 'modal'),
    message(discord.settledMessage(denied)),
  ].join('')
}

interface CardElement {
  readonly type: string
  readonly label?: string
  readonly inlines?: readonly { readonly text: string; readonly [style: string]: unknown }[]
}

function teamsCard({ body, actions }: teams.AdaptiveCard, more = ''): string {
  const elements = (body as readonly CardElement[]).map(({ type, label = '', inlines = [] }) => {
    if (type === 'Input.Text') return `<p><b>${escaped(label)}</b></p><p class="field"></p>`
    const [run] = inlines
    const [first, last] =
      run?.fontType === 'Monospace' ? ['<tt>', '</tt>'] : run?.weight ? ['<b>', '</b>'] : ['', '']
    const style = run?.isSubtle ? 'quiet' : 'line'
    return `<p class="${style}">${first}${escaped(run?.text ?? '')}${last}</p>`
  })
  const buttons = (actions as readonly { title: string }[]).map(({ title }) => button(title))
  return `<div class="bubble ${more}">${elements.join('')}<p>${buttons.join('')}</p></div>`
}

function teamsPicture(): string {
  const whole = wholeCard(card)
  if ('why' in whole) throw new Error(whole.why)
  const { terms } = card.approval
  const shown = teams.wholeCallCard(whole, { note: 'n', link: LINK, terms })
  if ('why' in shown) throw new Error('too long')
  return [
    teamsCard(teams.questionCard(voted, { mayAnswer: true })),
    teamsCard(shown as teams.AdaptiveCard, 'modal'),
    teamsCard(teams.settledCard(denied)),
  ].join('')
}

function mailPicture(): string {
  return [asked, denied]
    .map((notice) => {
      const { subject, html } = mailText(notice)
      return bubble(
        `<p class="quiet">Countersign &#60;no-reply@example.com&#62;</p><h3>${escaped(subject)}</h3>${html}`,
      )
    })
    .join('')
}

function phonePicture(): string {
  const named = shared(asked, 'name')
  const { payload } = messageFor(named, { settles: false }, { now: AT, zone: 'UTC', home: '/' })
  const { title = '', body = '' } = payload?.notification ?? {}
  return bubble(
    `<p class="quiet">Countersign · now</p><h3>${escaped(title)}</h3><p>${escaped(body).replaceAll('\n', '<br>')}</p>`,
  )
}

/** As a provider shows it: the frame is its own, the text in it is ours. */
function cibaPicture(): string {
  const message = bindingMessage({ tool: 'close_ticket', server: 'crm' }, '27f576ca'.repeat(8))
  if (message === undefined) throw new Error('too long')
  return bubble(
    `<p class="quiet">Your identity provider · now</p><h3>Countersign asks you to approve</h3><p><code>${escaped(message)}</code></p><div class="row">${button('Deny')}${button('Approve')}</div>`,
  )
}

const STYLE = `
  body { margin: 0; padding: 20px; width: 480px; background: #eef0f3; color: #1c2127;
    font: 14px/1.5 system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif; }
  .bubble { background: #fff; border: 1px solid #d8dce2; border-radius: 12px; padding: 12px 16px; margin: 0 0 12px; }
  .modal { box-shadow: 0 6px 20px #0002; }
  h3 { font-size: 15px; margin: 0 0 4px; } p { margin: 4px 0; } .text { white-space: pre-wrap; }
  pre, code { font: 12px/1.5 'DejaVu Sans Mono', monospace; background: #f1f3f6; border-radius: 6px; overflow-wrap: anywhere; }
  pre { padding: 8px 10px; margin: 4px 0; white-space: pre-wrap; } code { padding: 1px 4px; }
  tt { font: 12px/1.5 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; } .line { margin: 0; }
  .quiet { color: #5b6470; font-size: 12px; overflow-wrap: anywhere; } .row { display: flex; gap: 6px; margin-top: 6px; }
  .row .button { flex: 1; text-align: center; margin: 0; } a { color: #1d5fbf; }
  .button { display: inline-block; border: 1px solid #c4cad3; border-radius: 8px; padding: 4px 12px; margin: 4px 8px 0 0; }
  .primary { background: #1d5fbf; border-color: #1d5fbf; color: #fff; }
  .field { border: 1px solid #c4cad3; border-radius: 8px; height: 44px; } hr { border: 0; border-top: 1px solid #d8dce2; }`

const PICTURES = {
  'slack-message': slackPicture(),
  'telegram-message': telegramPicture(),
  'discord-message': discordPicture(),
  'teams-message': teamsPicture(),
  'mail-message': mailPicture(),
  'phone-message': phonePicture(),
  'ciba-message': cibaPicture(),
}

const browser = await launchBrowser()
try {
  for (const [name, html] of Object.entries(PICTURES)) {
    const page = await browser.newPage({
      viewport: { width: 520, height: 200 },
      deviceScaleFactor: 2,
    })
    await page.setContent(`<meta charset="utf-8"><style>${STYLE}</style>${html}`)
    const file = path.join(root, 'docs', 'images', `${name}.png`)
    await page.screenshot({ path: file, fullPage: true })
    await page.close()
    console.log(`docs/images/${name}.png written`)
  }
} finally {
  await browser.close()
}
