/**
 * What the page in a client does: says hello to its host, shows what a tool gave as plain text, and
 * asks the host to open the inbox. It has no way to decide, and writes no markup.
 */
export const APP_SCRIPT = `'use strict'
const element = (id) => document.getElementById(id)
const waiting = new Map()
let next = 1
let shown = {}

function send(message) {
  parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
}

function request(method, params) {
  const id = next++
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    send({ id, method, params })
  })
}

const text = (value) => (typeof value === 'string' ? value : '')

const TITLES = {
  pending: 'Waits for people to decide',
  approved: 'Approved, and not run yet',
  denied: 'Denied: it did not run',
  expired: 'Not answered in time: it did not run',
  withdrawn: 'Withdrawn: it did not run',
  invalidated: 'No longer valid: it did not run',
  running: 'Approved, and running',
  succeeded: 'Approved, and done',
  failed: 'Approved, and failed',
  unknown: 'Approved; how it ended is not known',
}

function line(name, value) {
  if (value === '') return []
  const term = document.createElement('dt')
  const words = document.createElement('dd')
  term.textContent = name
  words.textContent = value
  return [term, words]
}

function row(value) {
  const item = document.createElement('li')
  item.textContent = text(value)
  return item
}

function show(result) {
  const card = result && result.structuredContent
  if (!card || typeof card !== 'object' || typeof card.id !== 'string') {
    const parts = result && Array.isArray(result.content) ? result.content : []
    const said = parts.find((part) => part && part.type === 'text')
    element('title').textContent = said ? text(said.text) : 'Nothing waits here'
    return
  }
  shown = card
  const status = text(card.status)
  element('title').textContent = Object.hasOwn(TITLES, status) ? TITLES[status] : status
  element('facts').replaceChildren(
    ...line('Tool', text(card.tool)),
    ...line('Server', text(card.server)),
    ...line('Agent', text(card.agent)),
    ...line('Risk', text(card.risk)),
    ...line('Asked', text(card.askedAt)),
    ...line('Decide by', status === 'pending' ? text(card.decideBy) : ''),
    ...line('Approval', card.id),
  )
  const rows = Array.isArray(card.rows) ? card.rows : []
  element('rows').replaceChildren(...rows.map(row))
  element('rows').hidden = rows.length === 0
  element('more').textContent = card.more > 0 ? 'And ' + Number(card.more) + ' more: see the inbox.' : ''
  element('more').hidden = !(card.more > 0)
  element('open').hidden = !isAddress(card.card)
  element('address').textContent = isAddress(card.card) ? card.card : ''
  element('address').hidden = !isAddress(card.card)
}

function isAddress(value) {
  return /^https?:[/][/]/.test(text(value))
}

function dress(context) {
  const theme = context && context.theme
  if (theme === 'light' || theme === 'dark') document.documentElement.style.colorScheme = theme
  const variables = (context && context.styles && context.styles.variables) || {}
  for (const [name, value] of Object.entries(variables)) {
    if (name.startsWith('--')) document.documentElement.style.setProperty(name, text(value))
  }
}

addEventListener('message', ({ source, data }) => {
  if (source !== parent || !data || typeof data !== 'object') return
  if (data.method === undefined) {
    const asked = waiting.get(data.id)
    waiting.delete(data.id)
    if (asked) data.error ? asked.reject(new Error(text(data.error.message))) : asked.resolve(data.result)
  } else if (data.method === 'ui/notifications/tool-result') show(data.params)
  else if (data.method === 'ui/notifications/tool-cancelled') {
    element('title').textContent = 'The client stopped looking. The question stays open.'
  } else if (data.method === 'ui/notifications/host-context-changed') dress(data.params)
  else if (data.method === 'ui/resource-teardown' || data.method === 'ping') send({ id: data.id, result: {} })
})

element('open').addEventListener('click', () => {
  if (isAddress(shown.card)) request('ui/open-link', { url: shown.card }).catch(() => {})
})
element('again').addEventListener('click', () => {
  request('tools/call', { name: 'countersign_status', arguments: { id: shown.id } }).then(show, () => {})
})

function tellSize() {
  const { scrollWidth: width, scrollHeight: height } = document.documentElement
  send({ method: 'ui/notifications/size-changed', params: { width, height } })
}

request('ui/initialize', {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'Countersign', version: '1' },
  appCapabilities: { availableDisplayModes: ['inline'] },
}).then((host) => {
  dress(host && host.hostContext)
  element('again').hidden = !(host && host.hostCapabilities && host.hostCapabilities.serverTools)
  send({ method: 'ui/notifications/initialized' })
  new ResizeObserver(tellSize).observe(document.body)
}, () => {})
`
