import { splitUnseen } from './unseen.js'

/**
 * An element with text and children. Text goes in as text nodes, never as markup: most of it was
 * written by somebody else.
 * @param {string} tag
 * @param {Record<string, string | boolean>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(name, value === true ? '' : value)
  }
  node.append(...children)
  return node
}

/**
 * Foreign text: characters that hide or turn the line around are shown by their number.
 * @param {string} text
 * @returns {DocumentFragment}
 */
export function foreign(text) {
  const fragment = document.createDocumentFragment()
  for (const part of splitUnseen(text)) {
    if (part.unseen) fragment.append(element('span', { class: 'unseen' }, `⟦${part.text}⟧`))
    else fragment.append(part.text)
  }
  return fragment
}

/** The same, keeping line breaks: for text in a box of its own. @param {string} text */
export function foreignLines(text) {
  const fragment = document.createDocumentFragment()
  text.split(/\r?\n/).forEach((line, index) => {
    if (index > 0) fragment.append('\n')
    fragment.append(foreign(line))
  })
  return fragment
}

/** @param {string} text @returns {HTMLElement} */
export function code(text) {
  return element('code', {}, foreign(text))
}

/** Where a rule stands. @param {string} text @returns {HTMLElement} */
export function place(text) {
  return element('code', { class: 'place' }, foreign(text))
}

/** @param {string} word @returns {HTMLElement} */
export function verdict(word) {
  return element('span', { class: `verdict v-${word}` }, word)
}

const SVG = 'http://www.w3.org/2000/svg'

/** Drawn, because not every font has the signs. */
const SIGNS = new Map([
  ['yes', 'M3 8.5 6.5 12 13 4.5'],
  ['no', 'M4 4 12 12M12 4 4 12'],
  ['unknown', 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.8M8 13v.1'],
])

/** @param {string} answer @returns {SVGElement} */
export function sign(answer) {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 16 16')
  svg.setAttribute('class', 'sign')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', SIGNS.get(answer) ?? SIGNS.get('unknown') ?? '')
  svg.append(path)
  return svg
}

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const node = document.getElementById(id)
  if (!node) throw new Error(`the page has no #${id}`)
  return node
}

/** @param {number} n @param {string} one @param {string} [many] */
export function plural(n, one, many = `${one}s`) {
  return `${n} ${n === 1 ? one : many}`
}
