import { duration } from '../../base/duration-words.ts'
import type { NotifyRule } from '../document.ts'
import { nameWords } from './quoted-words.ts'
import { riskWords } from './rule-words.ts'

/**
 * `Calls of pay_* at risk L4 and up, for group finance: by push first, then by slack after 5 min; at
 * once, also in quiet hours.`
 */
export function notifyWords(rule: NotifyRule): string {
  const { group, tool, server, risk, channels = [], nextAfter, atOnce, peopleChoose } = rule
  const calls = [
    tool && tool.text !== '*' ? `Calls of ${tool.text}` : 'Every call',
    ...(server ? [`on ${nameWords(server.text)}`] : []),
    ...(risk ? [`at risk ${risk.map(riskWords).join(' and ')}, or not rated`] : []),
  ].join(' ')
  const whose = group === undefined ? '' : `, for group ${nameWords(group)}`
  const [first, ...rest] = channels
  const then = rest.map((name) => `then by ${name}`).join(', ')
  const says = [
    ...(first === undefined
      ? []
      : [[`by ${first} first`, ...(then === '' ? [] : [then])].join(', ')]),
    ...(nextAfter === undefined ? [] : [`the next channel after ${duration(nextAfter)}`]),
    ...(atOnce ? ['at once, also in quiet hours and without a digest'] : []),
    ...(peopleChoose === false ? ['whatever order a person chose'] : []),
  ]
  return `${calls}${whose}: ${says.join('; ')}.`
}
