import type { Saboteur } from './saboteur.ts'

const mounted = {
  tests: ['test/app/mount.test.ts', 'test/app/create-countersign.test.ts'],
} as const

/** The server as a function inside another program. */
export const MOUNTED_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'mounted: a request without a socket counts as one of this machine',
    file: 'src/app/create-countersign.ts',
    before: "(hasSocket(env) ? undefined : 'unknown')",
    after: "(hasSocket(env) ? undefined : '127.0.0.1')",
    caughtBy: mounted,
  },
  {
    name: 'mounted: two servers of one host share their session cookie',
    file: 'src/server/identity/caller.ts',
    before: "const mounted = base.replaceAll('/', '.')",
    after: 'const mounted = base.slice(0, 0)',
    caughtBy: mounted,
  },
  {
    name: 'mounted: paths outside of the base path are answered',
    file: 'src/server/app.ts',
    before: '` : OUTSIDE',
    after: '` : path',
    caughtBy: mounted,
  },
  {
    name: 'mounted: a policy with rules in code is served without them',
    file: 'src/app/served-policy.ts',
    before: 'textsOf(policy) ?? refuseWithoutTexts()',
    after: 'textsOf(policy) ?? [refuseWithoutTexts].slice(1).map((f) => f())',
    caughtBy: mounted,
  },
  {
    name: 'mounted: the demo agent is offered without being asked for',
    file: 'src/app/create-countersign.ts',
    before: '...(options.demo ? demoRoutes(services) : [])',
    after: '...(options ? demoRoutes(services) : [])',
    caughtBy: mounted,
  },
]
