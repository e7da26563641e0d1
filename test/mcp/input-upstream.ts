import { createInterface } from 'node:readline'

/*
 * A server of 2026-07-28 over stdio whose results ask for input, as the conformance suite wants
 * them. Its alias at `/mcp` is `test_input`. It keeps nothing between two requests.
 */
type Answers = Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>

interface Asked {
  readonly answers: Answers
  readonly state: string | undefined
  readonly capabilities: Readonly<Record<string, unknown>>
}

const form = (message: string, field: string, type = 'string') => ({
  method: 'elicitation/create',
  params: {
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] },
  },
})
const sample = (text: string) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 },
})
const ROOTS = { method: 'roots/list', params: {} }

const said = (text: string) => ({
  resultType: 'complete',
  content: [{ type: 'text', text }],
})
const needs = (inputRequests: object, requestState?: string) => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
})

/** Asks one question, and says what was answered. */
const once =
  (key: string, question: object, state?: string) =>
  ({ answers, state: given }: Asked) =>
    answers[key] && given === state
      ? said(`${key}: ${JSON.stringify(answers[key])}`)
      : needs({ [key]: question }, state)

const NAME = form('What is your name?', 'name')
const MANY = { user_name: NAME, greeting: sample('Generate a greeting'), client_roots: ROOTS }
const TOOLS: Readonly<Record<string, (asked: Asked) => object>> = {
  required_result_elicitation: once('user_name', NAME),
  required_result_sampling: once('capital_question', sample('What is the capital of France?')),
  required_result_list_roots: once('client_roots', ROOTS),
  required_result_request_state: once('confirm', form('Please confirm', 'ok', 'boolean'), 'state'),
  required_result_tampered_state: once('confirm', form('Please confirm', 'ok', 'boolean'), 'state'),
  required_result_multiple_inputs: ({ answers, state }) =>
    state === 'many' && Object.keys(MANY).every((key) => answers[key])
      ? said(`all: ${JSON.stringify(answers)}`)
      : needs(MANY, 'many'),
  required_result_multi_round({ answers, state }) {
    if (state === 'two' && answers.step2) return said(JSON.stringify(answers))
    if (state === 'one' && answers.step1) {
      return needs({ step2: form('Step 2: What is your favorite color?', 'color') }, 'two')
    }
    return needs({ step1: form('Step 1: What is your name?', 'name') }, 'one')
  },
  required_result_capabilities({ answers, capabilities }) {
    if (Object.keys(answers).length > 0) return said(JSON.stringify(answers))
    return needs({
      ...(capabilities.elicitation ? { elicit_input: form('Elicitation input', 'value') } : {}),
      ...(capabilities.sampling ? { sample_input: sample('Sample request') } : {}),
    })
  },
}

// No resource is here, so which server one is read from is not ours to say.
const CAPABILITIES = { tools: {}, prompts: {}, resources: {} }

const prompt = once('user_context', form('What context should the prompt use?', 'context'))

function resultOf(method: string, params: Record<string, unknown>): object | undefined {
  const meta = params._meta as Record<string, object> | undefined
  const asked: Asked = {
    answers: (params.inputResponses ?? {}) as Answers,
    state: params.requestState as string | undefined,
    capabilities: { ...meta?.['io.modelcontextprotocol/clientCapabilities'] },
  }
  switch (method) {
    case 'server/discover':
      return { supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES }
    case 'tools/list': {
      const inputSchema = { type: 'object' }
      const description = 'Asks first.'
      return { tools: Object.keys(TOOLS).map((name) => ({ name, description, inputSchema })) }
    }
    case 'resources/list':
      return { resources: [] }
    case 'resources/templates/list':
      return { resourceTemplates: [] }
    case 'prompts/list':
      return { prompts: [{ name: 'required_result_prompt', description: 'Asks first.' }] }
    case 'prompts/get': {
      const { content, ...rest } = prompt(asked) as { content?: [object] }
      return content ? { ...rest, messages: [{ role: 'user', content: content[0] }] } : rest
    }
    case 'tools/call':
      return TOOLS[String(params.name)]?.(asked)
    default:
      return undefined
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  const result = resultOf(method, params)
  const error = { code: -32_601, message: 'Method not found' }
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) })}\n`,
  )
}
