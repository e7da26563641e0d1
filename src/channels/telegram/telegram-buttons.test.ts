import { expect } from 'vitest'
import { asked } from '../../../test/approval/asking.ts'
import { promise } from '../../../test/support/promise.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { pressed } from './telegram-buttons.ts'

const FAY = 42
const BOT = 7

promise(
  ['CS-TG-1'],
  'a call that is edited while it is being shown is shown as it is then',
  async () => {
    const digests = [1, 2, 2, 2].map((n) => `sha256:${String(n).repeat(8)}`)
    const written: string[] = []
    const host = {
      card: async () => ({
        approval: { ...asked(), digest: digests.shift() },
        args: { to: 'Lena' },
        question: { message: 'Pay?', missing: [], authored: true },
      }),
      notes: { put: async () => {}, get: async () => undefined },
      link: () => undefined,
    } as unknown as ChannelHost
    const data = 'o:apr-1'
    await pressed(
      {
        host,
        share: 'arguments',
        bot: async () => ({ id: String(BOT), username: 'bot' }),
        call: async (method, { text }) => {
          if (method === 'editMessageText') written.push(String(text))
          return {}
        },
      },
      {
        ...{ id: 'q1', from: { id: FAY, is_bot: false, first_name: 'Fay' }, data },
        message: {
          ...{ message_id: 5, chat: { id: FAY, type: 'private' }, from: { id: BOT } },
          reply_markup: { inline_keyboard: [[{ text: 'Read and decide', callback_data: data }]] },
        },
      },
    )
    expect(written.map((text) => text.slice(-8))).toEqual(['11111111', '22222222'])
  },
)
