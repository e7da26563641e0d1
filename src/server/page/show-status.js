import { byId, code, element, foreign, place, verdict } from './dom.js'

/** @typedef {import('../status.ts').Status} Status */
/** @typedef {import('../status.ts').ShownRule} ShownRule */

/** @param {Status} status @param {(rule: ShownRule) => void} pick */
export function showStatus(status, pick) {
  byId('version').textContent = status.version
  byId('loaded').replaceChildren(...loadedLine(status))
  showNotes(status)
  showCounts(status)
  byId('rule-count').textContent = String(status.rules.length)
  byId('rules').replaceChildren(...status.rules.map((rule) => ruleRow(rule, pick)))
}

/** @param {Status} status @returns {(Node | string)[]} */
function loadedLine({ files, loadedAt }) {
  const time = new Date(loadedAt).toLocaleTimeString()
  const running = files.filter(({ state }) => state !== 'new')
  if (running.length === 0) return [`Built-in defaults, loaded ${time}.`]
  const names = running.flatMap(({ file }, index) =>
    index === 0 ? [code(file)] : [', ', code(file)],
  )
  return [...names, ` · loaded ${time}. Governance can only tighten.`]
}

const STATES = {
  changed: 'has changed on disk.',
  removed: 'is no longer there.',
  new: 'was not there at the start.',
}

let shown = ''

/** What differs from the files on disk, and what deserves a look. @param {Status} status */
export function showNotes({ files, warnings }) {
  // Asked every few seconds; what has not changed must not be read out again.
  const now = JSON.stringify([files, warnings])
  if (now === shown) return
  shown = now
  const notes = []
  for (const { file, state } of files) {
    if (state === 'active') continue
    notes.push(
      note(
        'warn',
        code(file),
        ` ${STATES[state]} `,
        element('b', {}, 'Not active: restart to apply.'),
      ),
    )
  }
  if (files.length === 0) {
    notes.push(
      note(
        'plain',
        'There is no ',
        code('countersign.yaml'),
        ' here or above, so built-in defaults run. Make one with ',
        code('countersign init'),
        ', then start again.',
      ),
    )
  }
  for (const { place: where, path, message } of warnings) {
    notes.push(note('warn', code(path), ' ', foreign(message), ' ', place(where)))
  }
  byId('notes').replaceChildren(...notes)
}

/** @param {string} kind @param {...(Node | string)} children */
function note(kind, ...children) {
  return element('p', { class: `note ${kind}` }, ...children)
}

/** @param {Status} status */
function showCounts({ counts }) {
  /** @type {[string, number][]} */
  const figures = [
    ['Tools', counts.tools],
    ['Servers', counts.servers],
    ['Agents', counts.agents],
    ['Governance', counts.governance],
    ['Tests', counts.tests],
  ]
  byId('counts').replaceChildren(
    ...figures.map(([name, n]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, String(n))),
    ),
  )
}

/** @param {ShownRule} rule @param {(rule: ShownRule) => void} pick */
function ruleRow(rule, pick) {
  const { source, name, words, asks, risk, call } = rule
  const cells = [
    element('span', { class: `src src-${source}` }, source),
    element('b', { class: 'name' }, foreign(name)),
    element('span', { class: 'words' }, foreign(words)),
    place(rule.place ?? ''),
    element('span', { class: 'risk' }, risk === undefined ? '' : `risk ${risk}`),
    element('span', { class: 'end' }, verdict(asks)),
  ]
  if (!call) return element('li', {}, element('div', { class: 'rule' }, ...cells))
  const button = element('button', { type: 'button', class: 'rule pick' }, ...cells)
  button.addEventListener('click', () => pick(rule))
  return element('li', {}, button)
}

/** @param {Status} status @param {(call: object) => void} pick */
export function showExamples({ examples }, pick) {
  const box = byId('examples')
  box.hidden = examples.length === 0
  const chips = examples.map(({ name, call }) => {
    const button = element('button', { type: 'button', class: 'chip' }, foreign(name))
    button.addEventListener('click', () => pick(call))
    return button
  })
  box.replaceChildren(
    element('legend', {}, 'The policy’s own tests'),
    element('div', { class: 'chips' }, ...chips),
  )
}
