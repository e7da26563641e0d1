import type { Saboteur } from './saboteur.ts'

const invites = { tests: ['test/server/invites.test.ts'] } as const
const views = { tests: ['test/server/saved-views.test.ts'] } as const

/** Accounts by invitation, and what people keep for themselves. */
export const INBOX_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'an address that is not vouched for puts a name on a card',
    file: 'src/server/identity/names.ts',
    before: 'one.email && one.emailVerified',
    after: 'one.email',
    caughtBy: { tests: ['test/server/cards.test.ts'] },
  },
  {
    name: 'History has a median of its own',
    file: 'src/server/history/summary.ts',
    before: 'quantile(histogramOf(times), 0.5)',
    after: 'quantile(histogramOf(times), 0.51)',
    caughtBy: { tests: ['test/server/history.test.ts'] },
  },
  {
    name: 'a terminal draws a letter that imitates another one',
    file: 'src/cli/print/printable.ts',
    before: 'text.slice(from, at)) + spelled(char)',
    after: 'text.slice(from, at)) + char',
    caughtBy: { tests: ['src/cli/print/show-arguments.test.ts'] },
  },
  {
    name: 'a pipe into a shell is no remark',
    file: 'src/base/deception/command-remarks.ts',
    before: 'if (DOWNLOADS.has(name)) source = name',
    after: 'if (false) source = name',
    caughtBy: { tests: ['src/base/deception/command-remarks.test.ts'] },
  },
  {
    name: 'the short form of a patch hides a rename',
    file: 'src/api/arguments/patch-summary.ts',
    before: '/.test(line))) return undefined',
    after: '/.test(line))) continue',
    caughtBy: { tests: ['src/api/question.test.ts'] },
  },
  {
    name: 'an admin invites a second self and makes it an approver',
    file: 'src/server/identity/membership.ts',
    before: 'if (!isSameHuman(accountOf(by.person), accountOf(invitedBy))) return\n',
    after: 'if (true) return\n',
    caughtBy: invites,
  },
  {
    name: 'an admin vouches for the address of the account they invited',
    file: 'src/server/identity/membership.ts',
    before: 'if (known) await assertNotInviter(',
    after: 'if (!known) await assertNotInviter(',
    caughtBy: invites,
  },
  {
    name: 'an admin makes the account they invited a stand-in for others',
    file: 'src/server/routes/stand-ins.ts',
    before: 'if (!samePerson(absent, account)) {',
    after: 'if (false) {',
    caughtBy: invites,
  },
  {
    name: 'an account forgets whose invitation it came by when another admin vouches for it',
    file: 'src/server/identity/membership.ts',
    before: '...account, ...given({ invitedBy }) }',
    after: '...account, ...given({}) }',
    caughtBy: invites,
  },
  {
    name: 'a terminal that a removed person had confirmed is signed in once they are back',
    file: 'src/server/identity/membership.ts',
    before: '...logins.map((id) => ({ kind: TERMINAL_LOGIN_RECORD, id })),\n',
    after: '',
    caughtBy: invites,
  },
  {
    name: 'who came in by a link is taken for the address that is vouched for later',
    file: 'src/server/identity/membership.ts',
    before: 'known && isSure && !wasSure ?',
    after: 'false ?',
    caughtBy: invites,
  },
  {
    name: 'an invitation gives the roles it names at once',
    file: 'src/server/invites/invites.ts',
    before: "roles: ['viewer'],\n    invitedBy",
    after: 'roles,\n    invitedBy',
    caughtBy: invites,
  },
  {
    name: 'rules go by the address of an invitation',
    file: 'src/server/invites/invites.ts',
    before: 'emailVerified: false',
    after: 'emailVerified: true',
    caughtBy: invites,
  },
  {
    name: 'an invitation works after its end',
    file: 'src/server/invites/invites.ts',
    before: "return now < until ? 'open' : 'ended'",
    after: "return 'open'",
    caughtBy: invites,
  },
  {
    name: 'an invitation outlives the admin who made it',
    file: 'src/server/invites/invites.ts',
    before: 'if (!isInviterThere) throw',
    after: 'if (false) throw',
    caughtBy: invites,
  },
  {
    name: 'an invitation brings back a person who was removed',
    file: 'src/server/invites/invites.ts',
    before: 'isRemoved({ ...account, emailVerified: true })',
    after: "isRemoved({ ...account, subject: 'x', email: 'x' })",
    caughtBy: invites,
  },
  {
    name: 'of two views saved at once, one is lost',
    file: 'src/server/saved-views/saved-views.ts',
    before: 'value, { expect: revision })) return answer',
    after: 'value)) return answer',
    caughtBy: views,
  },
  {
    name: 'a removed person leaves their views to the next one with the address',
    file: 'src/server/identity/membership.ts',
    before: 'await records.remove(SAVED_VIEWS_RECORD, key)',
    after: '',
    caughtBy: views,
  },
]
