/** Every page of the inbox, with what shows that it is there, and the server that has it. */
import { DatabaseSync } from 'node:sqlite'
import { SMALL_POLICY } from '../dev/policy.ts'
import { ANA, type SeedServer } from '../dev/seed-server.ts'
import { seedPeople } from '../dev/seeds/admin.ts'
import { seedEverything } from '../dev/seeds/all.ts'
import { FORM_CALL } from '../dev/seeds/form.ts'
import { PREVIEW_CALL } from '../dev/seeds/preview.ts'
import { CHATS, seedTold, TOLD_AGO } from '../dev/seeds/told.ts'
import { policyWithServers, seedTools } from '../dev/seeds/tools.ts'
import { VIEWS as SHAPES, seedViews } from '../dev/seeds/views.ts'
import type { Shared } from './seeded-inbox.ts'

export const FULL: Shared = {
  server: {
    policy: policyWithServers,
    push: [],
    async seed(server) {
      await seedEverything(server)
      await seedTools(server)
    },
  },
}
const NOTHING: Shared = { server: { seed: seedPeople } }
const NO_SERVER: Shared = { server: { seed: seedPeople, policy: SMALL_POLICY } }
export const TOLD: Shared = {
  server: { ago: TOLD_AGO, push: [], channels: CHATS, seed: seedTold },
}
const BROKEN: Shared = {
  server: {
    async seed(server) {
      await seedEverything(server)
      breakChain(server)
      await (await server.person(ANA)).send('POST', '/v1/audit/chain')
    },
  },
}
const SHAPED: Shared = {
  server: {
    ago: 0,
    async seed(server) {
      await seedPeople(server)
      await seedViews(server)
      server.ids.set('form', await server.ask(FORM_CALL))
      server.ids.set('preview', await server.ask(PREVIEW_CALL))
    },
  },
}

/** Changes one entry of the record, as a user with the database can. */
function breakChain({ database }: SeedServer): void {
  const db = new DatabaseSync(database)
  const triggers = db
    .prepare("select name from sqlite_schema where type = 'trigger' and tbl_name = 'events'")
    .all()
  for (const { name } of triggers) db.exec(`drop trigger ${name}`)
  db.exec('update events set body = replace(body, \'"at":1\', \'"at":2\') where seq = 2')
  db.close()
}

type Place = string | ((server: SeedServer) => string)
const cardOf = (name: string) => (server: SeedServer) => `/approvals/${server.id(name)}`

export const PAGES: readonly (readonly [name: string, sign: string, at: Place, shared: Shared])[] =
  [
    ['inbox', '[data-row]', '/', FULL],
    ['nothing that waits', 'text=Nothing is waiting', '/', NOTHING],
    ['card with a long text', 'text=Computed by Countersign', cardOf('mail'), FULL],
    ['card of high risk', 'text=Computed by Countersign', cardOf('transfer'), FULL],
    ['card of critical risk', 'text=Computed by Countersign', cardOf('record'), FULL],
    ['card without an outcome', 'text=Its outcome is unknown', cardOf('unknown'), FULL],
    ['history', 'text=Invalidated', '/history', FULL],
    ['timeline', 'text=What was decided about', (s) => `/history/${s.id('succeeded')}`, FULL],
    ['insights', 'text=How people answer', '/insights', FULL],
    ['policy', 'text=Active rules', '/policy', FULL],
    ['rule builder', 'text=The rule', (s) => `/policy/rule/${s.id('transfer')}`, FULL],
    ['no studio', 'text=This server has no studio.', '/studio', FULL],
    ['unknown address', 'h1:text("There is no such page")', '/nope', FULL],
    ['tools', 'text=run without asking', '/tools', FULL],
    ['tools of no server', 'text=No servers.', '/tools', NO_SERVER],
    ['audit', 'text=Signed in', '/audit', FULL],
    ['broken record', 'text=The chain is broken', '/audit', BROKEN],
    ['people', 'text=release-bot', '/people', FULL],
    ['people for a viewer', 'text=Admins add', '/people', { ...FULL, email: 'dee@example.com' }],
    ['grants', 'text=The exact rule', '/grants', FULL],
    ['locks', 'text=Scraper agent', '/locks', FULL],
    ['settings', 'h1:text("Settings")', '/settings', FULL],
    ['notifications', 'h1:text("Phone and notifications")', '/notifications', FULL],
    ['notifications of three channels', 'text=iPhone, Safari', '/notifications', TOLD],
    ['no linked accounts', 'h1:text("Your linked accounts")', '/linked-accounts', FULL],
    ['linked accounts', 'text=Answers for you until', '/linked-accounts', TOLD],
    ['run of a workflow', 'text=Reported by the workflow', (s) => `/runs/${s.id('run')}`, TOLD],
    ['connected clients', 'h1:text("Connected clients")', '/clients', FULL],
    ['passkeys', 'h1:text("Your passkeys")', '/passkeys', FULL],
    ['connect', 'h1:text("Connect an agent")', '/connect', FULL],
    ['chat', 'textarea', '/chat', FULL],
    ['terminal sign-in', 'h1:text("Sign in a terminal")', '/login', FULL],
    ['sign-in', 'text=Sign in to decide', '/', { ...FULL, signedOut: true }],
    ['card with a form', 'text=Computed by Countersign', cardOf('form'), SHAPED],
    ['card with a preview', 'text=Preview by the program', cardOf('preview'), SHAPED],
    ...Object.keys(SHAPES).map(
      (name) => [`card of ${name}`, '[data-block]', cardOf(name), SHAPED] as const,
    ),
  ]
