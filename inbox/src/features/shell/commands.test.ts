import { expect, test } from 'vitest'
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import { type Command, commandsFor } from './commands.ts'

const went: string[] = []
const row = (id: string, tool: string, agent = 'billing') =>
  ({ id, tool, agent }) as unknown as ApprovalRow

function commands(typed: string, pending: readonly ApprovalRow[] = []): readonly Command[] {
  return commandsFor(typed, {
    pages: [
      { name: 'History', href: '/history' },
      { name: 'People', href: '/people' },
    ],
    pending,
    views: [{ id: '1', name: 'Night shift', page: 'history', query: 'risk=L5' }],
    navigate: (href) => went.push(href),
    setTheme: () => {},
    showKeys: () => {},
  })
}
const names = (typed: string, pending?: readonly ApprovalRow[]) =>
  commands(typed, pending).map(({ name }) => name)

test('each word typed begins a word of what is offered', () => {
  expect(names('peo')).toEqual(['People', 'Search History for “peo”'])
  expect(names('dark th')[0]).toBe('Dark theme')
  expect(names('eople')).toEqual(['Search History for “eople”'])
})

test('a waiting call is found by tool, agent and id, and is only opened', () => {
  const pending = [row('ap_1', 'send_mail'), row('ap_2', 'pay', 'treasury')]
  expect(names('mail', pending)[0]).toBe('send_mail')
  expect(names('treas', pending)[0]).toBe('pay')
  commands('ap 2', pending)[0]?.run()
  expect(went.at(-1)).toBe('/approvals/ap_2')
})

test('what is searched for is one value of the address', () => {
  commands('a&b=c #d').at(-1)?.run()
  expect(went.at(-1)).toBe('/history?q=a%26b%3Dc%20%23d')
})

test('a name that turns the text around is drawn, not obeyed', () => {
  expect(names('', [row('ap_3', 'pay\u202eknab')])[0]).not.toContain('\u202e')
})

test('a saved view is found by its name and opens its page with its filter', () => {
  const [view] = commands('night')
  expect(view).toMatchObject({ group: 'views', name: 'Night shift', detail: 'History' })
  view?.run()
  expect(went.at(-1)).toBe('/history?risk=L5')
})
