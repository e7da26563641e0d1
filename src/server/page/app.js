import { byId, element } from './dom.js'
import { showAnswer, showRefusal } from './show-answer.js'
import { showExamples, showNotes, showStatus } from './show-status.js'
import { escapeUnseen } from './unseen.js'

/** @typedef {import('../status.ts').Status} Status */
/** @typedef {{ kind?: string, tool?: string, server?: string, agent?: string | { alias?: string }, risk?: string, args?: unknown, parent?: { input?: unknown } }} LooseCall */

const LOOK_EVERY_MS = 10_000

const form = /** @type {HTMLFormElement} */ (byId('form'))

/** @param {string} name */
function field(name) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name))
}

/** @param {unknown} value */
function shownJson(value) {
  return escapeUnseen(JSON.stringify(value, null, 2))
}

/** @param {LooseCall} call */
function fill({ kind = 'tool', tool = '', server = '', agent = '', risk = '', args = {}, parent }) {
  field('kind').value = kind
  field('tool').value = tool
  field('server').value = server
  field('agent').value = typeof agent === 'string' ? agent : (agent.alias ?? '')
  field('risk').value = risk
  field('args').value = shownJson(args)
  field('parent').value = shownJson(parent?.input ?? {})
  followKind()
}

const LABELS = {
  tool: ['Tool', 'Server', 'none: in your process'],
  agent: ['Agent', '', ''],
  skill: ['Skill', 'Remote agent', 'its alias'],
}

/** The words of the form for this kind of call. */
function followKind() {
  const kind = /** @type {keyof typeof LABELS} */ (field('kind').value)
  const [tool = '', server = '', placeholder = ''] = LABELS[kind]
  byId('tool-label').textContent = tool
  byId('server-label').textContent = server
  field('server').placeholder = placeholder
  field('server')
    .closest('label')
    ?.toggleAttribute('hidden', kind === 'agent')
  byId('parent-field').hidden = kind !== 'agent'
}

/** The call as JSON text. Arguments stay as typed, so that the server judges their exact bytes. */
function callText() {
  const kind = field('kind').value
  const parts = [
    `"kind":${JSON.stringify(kind)}`,
    `"tool":${JSON.stringify(field('tool').value.trim())}`,
  ]
  for (const name of kind === 'agent' ? ['agent', 'risk'] : ['server', 'agent', 'risk']) {
    const value = field(name).value.trim()
    if (value !== '') parts.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`)
  }
  if (kind === 'agent') parts.push(`"parent":{"input":${field('parent').value.trim() || '{}'}}`)
  parts.push(`"args":${field('args').value.trim() || '{}'}`)
  return `{${parts.join(',')}}`
}

let asked = 0

async function explain() {
  const mine = ++asked
  try {
    const response = await fetch('/v1/policy/explain', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: callText(),
    })
    const body = await response.json()
    // An earlier question may be answered later; the last one asked is the one on the page.
    if (mine !== asked) return
    if (response.ok) showAnswer(body)
    else showRefusal(body.error)
  } catch {
    if (mine === asked) showRefusal(NO_ANSWER)
  }
}

const NO_ANSWER = {
  code: 'no_answer',
  message: 'the server did not answer.',
  hint: 'Is `countersign start` still running?',
}

/** The answer to a question somebody asked must be on the screen. */
async function explainInView() {
  await explain()
  const answer = byId('answer')
  const { top } = answer.getBoundingClientRect()
  if (top >= 0 && top < innerHeight - 120) return
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches
  answer.scrollIntoView({ behavior: still ? 'auto' : 'smooth' })
}

/** @param {LooseCall} call */
function tryCall(call) {
  fill(call)
  void explainInView()
}

/**
 * A test of the same tool knows its arguments.
 * @param {Status} status
 * @param {LooseCall} call
 * @returns {LooseCall}
 */
function exampleOf({ examples }, { kind, tool, server }) {
  const example = examples.find(
    ({ call }) => call.tool === tool && call.server === server && (call.kind ?? 'tool') === kind,
  )
  return example?.call ?? { kind, tool, server, args: {} }
}

/** @param {Status} status */
function suggestNames({ rules }) {
  const calls = rules.flatMap(({ call }) => (call ? [call] : []))
  const servers = new Set([
    ...rules.filter(({ source }) => source === 'server').map(({ name }) => name),
    ...calls.flatMap(({ server }) => (server === undefined ? [] : [server])),
  ])
  const tools = new Set(calls.map(({ tool }) => tool))
  byId('known-tools').replaceChildren(...[...tools].map((value) => element('option', { value })))
  byId('known-servers').replaceChildren(
    ...[...servers].map((value) => element('option', { value })),
  )
}

async function loadStatus() {
  const response = await fetch('/status.json')
  if (!response.ok) throw new Error(`status ${response.status}`)
  return /** @type {Promise<Status>} */ (response.json())
}

/** @param {boolean} connected */
function showLive(connected) {
  const live = byId('live')
  const text = connected ? 'Running' : 'Not connected'
  if (live.textContent === text) return
  live.textContent = text
  live.classList.toggle('off', !connected)
}

async function look() {
  try {
    showNotes(await loadStatus())
    showLive(true)
  } catch {
    showLive(false)
  }
}

async function open() {
  try {
    const status = await loadStatus()
    showStatus(status, ({ call }) => call && tryCall(exampleOf(status, call)))
    showExamples(status, tryCall)
    suggestNames(status)
    showLive(true)
    fill(status.examples[0]?.call ?? { tool: 'send_email', args: { to: 'ana@example.com' } })
    void explain()
  } catch {
    showLive(false)
    byId('loaded').textContent = 'The server did not answer.'
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void explainInView()
})
form.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault()
    void explainInView()
  }
})
field('kind').addEventListener('change', followKind)
byId('keys').textContent = navigator.platform.startsWith('Mac') ? '⌘ Enter' : 'Ctrl Enter'
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void look()
})
setInterval(() => {
  if (!document.hidden) void look()
}, LOOK_EVERY_MS)
void open()
