import { expect, test } from 'vitest'
import { approve, ana as approver, bo, nextPending, person, setUp } from '../../test/gate/gates.ts'
import { policyOf } from '../../test/support/policy.ts'
import type { Person } from '../approval/people/person.ts'
import { groupsOf, peopleOf } from './people.ts'

const policy = policyOf(`
  people:
    groups: { finance: [Ana@Example.com, bo@example.com], staff: { claim: employees } }
`)

test.each([
  [
    'by verified address, whatever the case',
    { email: 'ANA@example.com', emailVerified: true },
    ['finance'],
  ],
  ['never by an unverified address', { email: 'ana@example.com' }, []],
  ['by claim', { claims: ['employees', 'drivers'] }, ['staff']],
  ['never by the name of a group instead of its claim', { claims: ['staff', 'finance'] }, []],
  [
    'by both',
    { email: 'bo@example.com', emailVerified: true, claims: ['employees'] },
    ['finance', 'staff'],
  ],
])('a person is in a group %s', (_, facts, groups) => {
  expect(groupsOf(policy, facts)).toEqual(groups)
})

const ana: Person = {
  issuer: 'https://id.example.com',
  subject: 'ana',
  email: 'ana@example.com',
  emailVerified: true,
  groups: ['finance', 'staff', 'gone'],
  roles: ['approver'],
  assurance: 'signed-in',
}

test('someone who answered is looked at with the groups of today', () => {
  let current = policy
  const people = peopleOf(() => current)
  // What only the issuer knows stays as it was; an undefined group has no members.
  expect(people.lookup(ana)).toEqual({ ...ana, groups: ['finance', 'staff'] })
  current = policyOf('people: { groups: { finance: [bo@example.com] } }')
  expect(people.lookup(ana)).toEqual({ ...ana, groups: [] })
})

test('without accounts any person may turn out to be an approver', () => {
  expect(peopleOf(() => policy).directory()).toEqual({
    groups: {
      finance: { emails: ['Ana@Example.com', 'bo@example.com'] },
      staff: { claim: 'employees' },
    },
    approvers: 'open',
  })
})

test('a yes given before its person left the group does not complete a quorum', async () => {
  const withFinance = (members: string) =>
    policyOf(`
      people: { groups: { finance: [${members}] } }
      tools: { wire: { approval: { quorum: [{ group: finance, n: 2 }] } } }
    `)
  let current = withFinance('ana@example.com, bo@example.com, dee@example.com')
  const { gate, tool } = await setUp('memory', { policy: () => current })
  const running = gate.run({ tool: 'wire', args: {} }, tool)
  const asked = await nextPending(gate)
  expect((await approve(gate, asked, approver)).status).toBe('pending')
  current = withFinance('bo@example.com, dee@example.com')
  expect((await approve(gate, asked, bo)).status).toBe('pending')
  const dee = person('dee', { groups: ['finance'] })
  expect((await approve(gate, asked, dee)).status).toBe('approved')
  expect(await running).toMatchObject({ status: 'succeeded' })
})
