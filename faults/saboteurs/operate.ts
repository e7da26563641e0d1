import type { Saboteur } from './saboteur.ts'

const severalServers = { tests: ['test/stores/several-servers.test.ts'] } as const
const failover = { tests: ['test/stores/failover.test.ts'] } as const

/** Restarts, several servers, failovers, retention: what an operator relies on. */
export const OPERATE_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'Postgres expects heads of every folder, also of a new one',
    file: 'src/store/postgres/open.ts',
    before: 'hadHead: await isKnownFolder(client, head?.folder()),',
    after: 'hadHead: true,',
    caughtBy: severalServers,
  },
  {
    name: 'Postgres expects heads of no folder',
    file: 'src/store/postgres/open.ts',
    before: 'hadHead: await isKnownFolder(client, head?.folder()),',
    after: 'hadHead: false,',
    caughtBy: severalServers,
  },
  {
    name: 'Postgres is quarantined again by each folder that knew it before',
    file: 'src/store/postgres/open.ts',
    before: "await client.query('delete from countersign.folders')",
    after: "await client.query('select 1')",
    caughtBy: severalServers,
  },
  {
    name: 'Postgres tables restored in place are taken for the old ones',
    file: 'src/store/postgres/open.ts',
    before: "['cluster', 'database', 'table'].map",
    after: "['cluster', 'database'].map",
    caughtBy: severalServers,
  },
  {
    name: 'a server goes on after a standby took over',
    file: 'src/store/postgres/vouch.ts',
    before: "if (textOf(row, 'timeline') !== timeline) return 'promoted'",
    after: "if (textOf(row, 'timeline') === '') return 'promoted'",
    caughtBy: failover,
  },
  {
    name: 'a server that wrote nothing goes on after a snapshot was put back',
    file: 'src/store/postgres/vouch.ts',
    before: "if (row.whole !== 'true' || numberOf(row, 'flushed') < before) return 'restored'",
    after: "if (row.whole !== 'true') return 'restored'",
    caughtBy: failover,
  },
  {
    name: 'a SQLite file restored while it is open is written to',
    file: 'src/store/sqlite/commit.ts',
    before: 'const isWhole = seq === 0 ||',
    after: 'const isWhole = seq >= 0 ||',
    caughtBy: { tests: ['test/stores/sqlite.test.ts'] },
  },
  {
    name: 'a client takes a server without time for a refusal',
    file: 'src/client/away.ts',
    before: "return error.code === 'too_many_requests' ||",
    after: 'return',
    caughtBy: { tests: ['test/client/remote-gate.test.ts'] },
  },
  {
    name: 'a client asks again at once when it is answered early',
    file: 'src/client/wait.ts',
    before: 'if (isEarly) await',
    after: 'if (isEarly && wait < 0) await',
    caughtBy: { tests: ['test/client/remote-gate.test.ts'] },
  },
  {
    name: 'a server that stops keeps its connections alive',
    file: 'src/server/serve.ts',
    before: 'for (const response of open) response.shouldKeepAlive = false',
    after: 'for (const response of open) response.shouldKeepAlive ||= false',
    caughtBy: { tests: ['test/cli/stop.test.ts'] },
  },
  {
    name: 'a restart puts a changed policy into force',
    file: 'src/server/policy-in-force.ts',
    before: 'return { state: await parsed(kept, parse), isFile: false }',
    after: 'return { state: files, isFile: true }',
    caughtBy: { tests: ['test/cli/policy-restart.test.ts'] },
  },
  {
    name: 'a server does not hear of a policy applied at another',
    file: 'src/server/policy-in-force.ts',
    before: 'active.adopt(await parsed(kept, parse))',
    after: 'await parsed(kept, parse)',
    caughtBy: { tests: ['test/cli/policy-restart.test.ts'] },
  },
  {
    name: 'a policy in force is not compared with what was recorded',
    file: 'src/server/kept-policy.ts',
    before: 'if ((await sha256(text)) !== digest) throw damaged()',
    after: '',
    caughtBy: { tests: ['test/server/kept-policy.test.ts'] },
  },
  {
    name: 'Postgres erases what waits for an answer',
    file: 'src/store/postgres/open-store.ts',
    before: "table === 'content' ? OVER : ''",
    after: "table === 'results' ? OVER : ''",
    caughtBy: { tests: ['test/stores.test.ts'] },
  },
  {
    name: 'SQLite counts retention from the question',
    file: 'src/store/sqlite/statements.ts',
    before: 'e.approval = c.approval and e.at >= ?)',
    after: 'e.approval = c.approval and e.at >= ? + 1e15)',
    caughtBy: { tests: ['test/stores.test.ts'] },
  },
  {
    name: 'somebody approves what nobody can see',
    file: 'src/gate/approvals.ts',
    before: "if (answer.verdict === 'approve') await assertShown(core, approval)",
    after: '',
    caughtBy: { tests: ['test/server/retention.test.ts'] },
  },
  {
    name: 'the sweeper goes by the policy it was started with',
    file: 'src/server/server.ts',
    before: 'retain: () => policy().owner.retain',
    after: 'retain: policy().owner.retain',
    caughtBy: { tests: ['test/server/retention.test.ts'] },
  },
  {
    name: 'a server is ready when it can read',
    file: 'src/server/routes/system.ts',
    before: 'Promise.all([looking, isWritable()])',
    after: 'Promise.all([looking])',
    caughtBy: { tests: ['test/server/ready.test.ts'] },
  },
]
