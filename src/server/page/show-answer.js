import { byId, code, element, foreign, foreignLines, place, plural, sign, verdict } from './dom.js'

/** @typedef {import('../../policy/explain.ts').Explanation} Explanation */
/** @typedef {import('../../policy/explain.ts').ExplainedRule} ExplainedRule */
/** @typedef {import('../../policy/explain.ts').ExplainedValue} ExplainedValue */
/** @typedef {import('../words.ts').InWords} InWords */
/** @typedef {{ code: string, message: string, hint: string }} Refusal */

/** @param {Explanation & { words: InWords }} explanation */
export function showAnswer({ verdict: answer, risk, rules, unmatched, words }) {
  const { message, missing } = answer
  const says = message === '' ? 'Runs without asking anyone.' : message
  const head = element(
    'div',
    { class: 'answer' },
    verdict(answer.verdict),
    element('p', {}, foreignLines(says)),
  )
  if (risk !== undefined) head.append(element('span', { class: 'risk' }, `risk ${risk}`))
  const parts = [head]
  for (const name of missing) {
    parts.push(
      element(
        'p',
        { class: 'note warn flat' },
        code(`{{${name}}}`),
        ' has no value, so its place in the message is empty.',
      ),
    )
  }
  if (words.who.length > 0) parts.push(people(words))
  parts.push(element('ol', { class: 'trace' }, ...rules.map(ruleItem)))
  if (unmatched > 0) {
    const rest = `${plural(unmatched, 'governance rule')} ${unmatched === 1 ? 'does' : 'do'} not concern this call.`
    parts.push(element('p', { class: 'rest' }, rest))
  }
  byId('answer').replaceChildren(...parts)
  byId('spoken').textContent = `${answer.verdict}. ${says}`
}

/** @param {InWords} words */
function people({ who, terms }) {
  return element(
    'section',
    { class: 'people' },
    element('h3', {}, 'Who must decide'),
    ...who.map((sentence) => element('p', {}, foreign(sentence))),
    element('ul', { class: 'terms' }, ...terms.map((term) => element('li', {}, foreign(term)))),
  )
}

/** @param {ExplainedRule} rule */
function ruleItem({ source, rule, place: where, answer, asks, why, values }) {
  const head = element(
    'div',
    { class: 'trace-head' },
    element('b', { class: 'name' }, foreign(rule)),
    where === undefined ? element('span', { class: 'place' }, source) : place(where),
  )
  head.append(
    asks === 'allow' ? element('span', { class: 'passes' }, 'does not object') : verdict(asks),
  )
  const item = element('li', {}, head)
  if (answer === 'unknown') {
    item.append(
      element('p', { class: 'unknown' }, 'This cannot be tested, so it counts against the call.'),
    )
  }
  if (why !== undefined) item.append(element('p', { class: 'why' }, foreign(why)))
  if (values.length > 0) item.append(valueList(values))
  return item
}

/** @param {readonly ExplainedValue[]} values */
function valueList(values) {
  const several = new Set(values.map(({ group }) => group)).size > 1
  const list = element('ul', { class: 'values' })
  let group = -1
  for (const value of values) {
    if (several && value.group !== group) {
      group = value.group
      list.append(element('li', { class: 'group' }, `Group ${group + 1}`))
    }
    list.append(valueItem(value))
  }
  return list
}

/** @param {ExplainedValue} value */
function valueItem({ path, wanted, saw, answer }) {
  const seen = saw === 'missing' ? [' saw ', element('b', {}, 'nothing')] : [' saw ', code(saw)]
  return element(
    'li',
    { class: `value is-${answer}` },
    sign(answer),
    element('span', { class: 'test' }, code(path), ' wants ', code(wanted), ',', ...seen),
    element('em', {}, answer),
  )
}

/** @param {Refusal} refusal */
export function showRefusal({ code: name, message, hint }) {
  byId('answer').replaceChildren(
    element(
      'div',
      { class: 'note bad flat' },
      element('p', {}, code(name), ' ', foreign(message)),
      element('p', { class: 'hint' }, foreign(hint)),
    ),
  )
  byId('spoken').textContent = `Not understood. ${message}`
}
