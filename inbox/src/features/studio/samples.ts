import type { WireToolSpec } from '../../../../src/api/studio/studio.ts'
import { type Message, msg } from '../../lib/language/t.ts'

export interface Sample {
  readonly name: string
  readonly says: Message
  readonly spec: WireToolSpec
}

const NONE = { net: [], write: false, secrets: [], kv: false, irreversible: false }
const text = (description: string) => ({ type: 'string', description })

function schema(properties: Readonly<Record<string, object>>): WireToolSpec['inputSchema'] {
  const made = { type: 'object', properties, required: Object.keys(properties) }
  return JSON.parse(JSON.stringify(made)) as WireToolSpec['inputSchema']
}

/** Tools to begin with. Each runs as it is, except where it needs a host of yours. */
export const SAMPLES: readonly Sample[] = [
  {
    name: 'current_time',
    says: msg('Computes only: L0, runs without asking'),
    spec: {
      description: 'Tells the time of this server in UTC.',
      language: 'typescript',
      source: `export default () => ({ now: new Date().toISOString() })
`,
      inputSchema: { type: 'object', properties: {} },
      capabilities: NONE,
      hitl: { mode: 'DISABLED' },
      test: { args: {} },
    },
  },
  {
    name: 'checksum',
    says: msg('Computes only: L0, runs without asking'),
    spec: {
      description: 'Gives the CRC-32 checksum of a text, in hexadecimal.',
      language: 'typescript',
      source: `interface Args {
  text: string
}

export default ({ text }: Args) => {
  let crc = ~0
  for (const byte of unescape(encodeURIComponent(text))) {
    crc ^= byte.charCodeAt(0)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return { crc32: (~crc >>> 0).toString(16).padStart(8, '0') }
}
`,
      inputSchema: schema({ text: text('What to sum up.') }),
      capabilities: NONE,
      hitl: { mode: 'DISABLED' },
      test: { args: { text: 'hello' }, expect: { crc32: '3610a686' } },
    },
  },
  {
    name: 'visit_counter',
    says: msg('Keeps a value between calls: L1'),
    spec: {
      description: 'Counts how often it was called, by name.',
      language: 'typescript',
      source: `export default async ({ name }: { name: string }, { kv }) => {
  const count = ((await kv.get(name)) ?? 0) + 1
  await kv.set(name, count)
  return { name, count }
}
`,
      inputSchema: schema({ name: text('What is counted.') }),
      capabilities: { ...NONE, kv: true },
      hitl: { mode: 'REQUIRED' },
      test: { args: { name: 'test' }, expect: { name: 'test', count: 1 } },
    },
  },
  {
    name: 'fetch_json',
    says: msg('Reads from one host: L2'),
    spec: {
      description: 'Reads a page of the API at api.example.com.',
      language: 'typescript',
      source: `export default async ({ path }: { path: string }, { fetch, isTest }) => {
  if (isTest) return { skipped: 'the test does not reach the network' }
  const response = await fetch('https://api.example.com/' + encodeURI(path))
  if (!response.ok) throw new Error('it answered ' + response.status)
  return response.json()
}
`,
      inputSchema: schema({ path: text('The page, such as v1/items.') }),
      capabilities: { ...NONE, net: ['api.example.com'] },
      hitl: { mode: 'REQUIRED' },
      test: { args: { path: 'v1/items' } },
    },
  },
  {
    name: 'send_mail',
    says: msg('Sends to one host with a secret: L4'),
    spec: {
      description: 'Sends a mail.',
      language: 'typescript',
      source: `interface Args {
  to: string
  subject: string
  body: string
}

export default async (mail: Args, { fetch, secrets, isTest }) => {
  if (isTest) return { sent: false }
  const response = await fetch('https://mail.example.com/v1/send', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + secrets.MAIL_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(mail),
  })
  if (!response.ok) throw new Error('it answered ' + response.status)
  return { sent: true }
}
`,
      inputSchema: schema({
        to: text('An address.'),
        subject: text('One line.'),
        body: text('The text.'),
      }),
      capabilities: { ...NONE, net: ['mail.example.com'], write: true, secrets: ['MAIL_KEY'] },
      hitl: { mode: 'REQUIRED', prompt: "Send '{{tool_args.subject}}' to {{tool_args.to}}?" },
      test: { args: { to: 'ana@example.com', subject: 'Hello', body: 'Hi' } },
    },
  },
  {
    name: 'pay',
    says: msg('A rehearsal that moves no money, marked irreversible: L5'),
    spec: {
      description: 'Pays an invoice. This sample moves no money.',
      language: 'typescript',
      source: `interface Args {
  to: string
  amount: number
}

// A real one would call your bank here: name its host, and tick "May change things there".
export default ({ to, amount }: Args) => {
  console.log('would pay', amount, 'to', to)
  return { paid: amount, to }
}
`,
      inputSchema: schema({
        to: text('Who gets it.'),
        amount: { type: 'number', description: 'In euros.' },
      }),
      capabilities: { ...NONE, irreversible: true },
      hitl: { mode: 'REQUIRED', prompt: 'Pay {{tool_args.amount}} to {{tool_args.to}}?' },
      test: { args: { to: 'Northwind', amount: 1 }, expect: { paid: 1, to: 'Northwind' } },
    },
  },
]
