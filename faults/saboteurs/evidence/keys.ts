import type { Saboteur } from '../saboteur.ts'

const keys = { tests: ['test/audit-keys.test.ts'] } as const

/** Keys that rotate, are revoked, or live elsewhere. */
export const KEY_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'what a revoked key signs goes on counting',
    file: 'src/gate/audit/audit-checkpoints.ts',
    before: 'own.slice(covering).find((one) => one.kid === kid)',
    after: 'own.slice(own.length).find((one) => one.kid === kid)',
    caughtBy: keys,
  },
  {
    name: 'the verifier in Python lets a revoked key sign on',
    file: 'clients/python/src/countersign/verify/audit.py',
    before: 'if covers and kid == key:',
    after: 'if False and kid == key:',
    caughtBy: keys,
  },
  {
    name: 'a record that lost a revocation is taken for whole',
    file: 'src/gate/audit/audit-verify.ts',
    before: 'expectRevoked(this.#knownRevoked, !this.#partial)',
    after: 'expectRevoked(this.#knownRevoked, false)',
    caughtBy: keys,
  },
  {
    name: 'a running server signs on with a revoked key',
    file: 'src/gate/proof/keys.ts',
    before: 'if ((await revokedKeys(store)).has(used.key.kid)) {',
    after: "if ((await revokedKeys(store)).has('')) {",
    caughtBy: keys,
  },
  {
    name: 'countersignatures of a revoked key count',
    file: 'src/gate/proof/keys.ts',
    before: 'key !== undefined && !revoked.has(key.kid)',
    after: 'key !== undefined',
    caughtBy: keys,
  },
  {
    name: 'reports of a revoked key count',
    file: 'src/cli/commands/audit/audit-report.ts',
    before: 'keys.filter(({ kid }) => !revoked.includes(kid))',
    after: "keys.filter(({ kid }) => revoked.includes(kid) || kid !== '')",
    caughtBy: keys,
  },
  {
    name: 'whatever a program writes is taken for a signature',
    file: 'src/gate/proof/keys.ts',
    before: 'if ((await openSigned(text, typ, [key])).ok) return text',
    after: "if (text !== '') return text",
    caughtBy: { tests: ['test/sign-command.test.ts'] },
  },
  {
    name: 'a server does not say that nothing is signed',
    file: 'src/server/server.ts',
    before:
      "onError: (error) => log.write('error', 'no checkpoint was signed', errorFields(error)),",
    after: 'onError: () => {},',
    caughtBy: { tests: ['test/sign-command.test.ts'] },
  },
  {
    name: 'from a checkpoint on, a key that was revoked before it signs on',
    file: 'src/gate/audit/audit-checkpoints.ts',
    before: 'one.n > (keptUpTo.get(one.tenant) ?? 0) &&',
    after: 'one.n < 0 &&',
    caughtBy: { tests: ['test/audit-since.test.ts'] },
  },
]
