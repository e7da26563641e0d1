import type { Saboteur } from './saboteur.ts'

const invites = { tests: ['test/server/invites.test.ts'] } as const
const views = { tests: ['test/server/saved-views.test.ts'] } as const

/** Accounts by invitation, and what people keep for themselves. */
export const INBOX_SABOTEURS: readonly Saboteur[] = [
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
  {
    name: 'a text of the page is said in English alone',
    file: 'inbox/src/features/settings/settings-page.tsx',
    before: "<legend className=\"sr-only\">{t('Theme')}</legend>",
    after: '<legend className="sr-only">Theme</legend>',
    caughtBy: { tests: ['inbox/test/messages.test.ts'] },
  },
  {
    name: 'another language keeps the page in the one it had',
    file: 'inbox/src/lib/language/language.ts',
    before: 'for (const listener of listeners) listener()',
    after: '',
    caughtBy: { tests: ['inbox/test/languages.test.ts'] },
  },
]
