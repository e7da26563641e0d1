/**
 * An agent without an SDK: a loop around a model, two functions, and a gate before them. Offline
 * with a scripted model; with OPENAI_API_KEY against the model in MODEL, at OPENAI_BASE_URL.
 */
import assert from 'node:assert/strict'
import { createGate, definePolicy, isCallBlocked } from 'countersign'
import { memoryStore } from 'countersign/memory'

const gate = createGate({
  policy: definePolicy({}),
  store: memoryStore(),
  agent: 'clerk',
})

const sent: object[] = []
const text = { type: 'string' } as const
const TOOLS = {
  find_address: {
    description: 'The mail address of somebody.',
    schema: { type: 'object', properties: { name: text }, required: ['name'] },
    call: gate.guard(({ name }: { name: string }) => `${name.toLowerCase()}@example.com`, {
      name: 'find_address',
    }),
  },
  send_mail: {
    description: 'Sends a mail.',
    schema: { type: 'object', properties: { to: text, text }, required: ['to', 'text'] },
    call: gate.guard(
      (mail: { to: string; text: string }) => {
        sent.push(mail)
        return 'sent'
      },
      {
        name: 'send_mail',
        // The words of policy files, in code. A function of the arguments would do as well.
        approval: {
          message_template: 'Send a mail to {{tool_args.to}}?',
          condition: { args_match: { to: { pattern: '@' } } },
        },
        preview: (mail) => ({ text: String(mail.text) }),
      },
    ),
  },
}

// What the inbox does when somebody presses the button.
gate.on('requested', ({ approval }) => {
  assert.equal(sent.length, 0)
  console.log('The model wants to send a mail, and waits for a person.')
  const roles = ['approver'] as const
  const by = {
    issuer: 'example',
    subject: 'ana',
    groups: [],
    roles,
    assurance: 'signed-in',
  } as const
  void gate.approvals.decide(approval.id, { by, verdict: 'approve', seen: approval.digest })
})

interface Message {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
}
interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

const isReal = process.env.OPENAI_API_KEY !== undefined
const model = isReal ? real : scripted()
const messages: Message[] = [
  { role: 'user', content: 'Find the address of Lena and mail her that the invoice is paid.' },
]
for (let turn = 0; turn < 8; turn += 1) {
  const answer = await model(messages)
  messages.push(answer)
  if (!answer.tool_calls?.length) break
  for (const { id, function: wanted } of answer.tool_calls) {
    const content = await run(wanted.name, wanted.arguments, id)
    messages.push({ role: 'tool', tool_call_id: id, content })
  }
}
assert.equal(sent.length, 1)
console.log(`Ana said yes; sent once. The model says: ${messages.at(-1)?.content}`)

/** The same id in the same run is the same call: a retry does not send twice. */
async function run(name: string, args: string, key: string): Promise<string> {
  if (!Object.hasOwn(TOOLS, name)) return `There is no tool ${name}.`
  const { call } = TOOLS[name as keyof typeof TOOLS]
  try {
    return await call(JSON.parse(args), { run: 'chat-1', key })
  } catch (error) {
    // It did not run, and this is the sentence that tells the model so.
    if (isCallBlocked(error)) return error.modelMessage
    throw error
  }
}

async function real(history: readonly Message[]): Promise<Message> {
  const base = process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1'
  const response = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${process.env.OPENAI_API_KEY}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      model: process.env.MODEL ?? 'gpt-5-mini',
      messages: history,
      tools: Object.entries(TOOLS).map(([name, { description, schema: parameters }]) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
  })
  if (!response.ok) throw new Error(`the model answered ${response.status}`)
  const { choices } = (await response.json()) as { choices: { message: Message }[] }
  if (!choices[0]) throw new Error('the model said nothing')
  return choices[0].message
}

function scripted(): (history: readonly Message[]) => Promise<Message> {
  const calls = (id: string, name: string, args: object): Message => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  })
  const turns = [
    calls('call-1', 'find_address', { name: 'Lena' }),
    calls('call-2', 'send_mail', { to: 'lena@example.com', text: 'The invoice is paid.' }),
    { role: 'assistant', content: 'Lena knows.' },
  ] as const
  let next = 0
  return async () => turns[next++] ?? { role: 'assistant', content: '' }
}
