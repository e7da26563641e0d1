import type { Saboteur } from '../saboteur.ts'

const caughtBy = { tests: ['test/mcp/tasks.test.ts'] } as const

export const TASK_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a task under way is shown to every token',
    file: 'src/gateway/tasks/tasks.ts',
    before: 'if (known?.owner === owner) return known',
    after: 'if (known) return known',
    caughtBy,
  },
  {
    name: 'a task on record belongs to no token',
    file: 'src/gateway/tasks/task-records.ts',
    before: 'digestOf(KIND, [owner, id])',
    after: 'digestOf(KIND, [owner.slice(0, 0), id])',
    caughtBy,
  },
  {
    name: 'a task goes on at a server with other settings',
    file: 'src/gateway/tasks/tasks.ts',
    before:
      'if (!approval || approval.execution || settings === (await settingsOf(approval))) return',
    after: 'if (!approval || approval.execution || settings !== undefined) return',
    caughtBy,
  },
  {
    name: 'a task is withdrawn when its server stops',
    file: 'src/gateway/tasks/tasks.ts',
    before: "job.stop.abort(isRevoked ? 'closed' : LEFT_OPEN)",
    after: "job.stop.abort(isRevoked ? 'closed' : 'stopped')",
    caughtBy,
  },
  {
    name: 'a task outlives its token',
    file: 'src/gateway/downstream/http/http-endpoint.ts',
    before: 'void end(id, true)',
    after: 'void end(id)',
    caughtBy,
  },
  {
    name: 'clients that know nothing of tasks may ask about them',
    file: 'src/gateway/downstream/http/http-modern.ts',
    before: 'if (TASK_METHODS.has(method)) {\n      assertDeclared(facts.capabilities)',
    after: 'if (TASK_METHODS.has(method)) {',
    caughtBy,
  },
]
