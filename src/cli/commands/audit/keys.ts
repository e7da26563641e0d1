import type { Command } from 'commander'
import { OPERATOR } from '../../../approval/transition.ts'
import { isPlainObject, type JsonObject } from '../../../base/json/json.ts'
import { writeCheckpoint } from '../../../gate/proof/checkpoint.ts'
import { openSigner, type PublicKey, readPublicKey } from '../../../gate/proof/keys.ts'
import { revokedKeys, revokeKey } from '../../../gate/proof/revocations.ts'
import type { Store } from '../../../store/store.ts'
import { usage } from '../../failure.ts'
import type { Run, Shell } from '../../shell.ts'
import { databasePlace } from '../../state/database.ts'
import { type DatabaseOptions, openStore, takesDatabase } from '../../state/open-store.ts'
import { type SigningKeys, signingKeys } from '../../state/signing-keys.ts'

interface Options extends DatabaseOptions {
  readonly json?: boolean
  readonly jwks?: boolean
}

export function addKeys(program: Command, run: Run): void {
  const keys = program
    .command('keys')
    .description('Keys that sign checkpoints, countersignatures and reports.')
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  $ countersign keys list')
  takesDatabase(keys.command('list'))
    .description('List the public keys: since when, whether they are on this machine, or revoked.')
    .option('--jwks', 'print a JSON Web Key Set for audit verify --keys, revoked keys marked')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign keys list --jwks > keys.json')
    .action((options: Options) => run((shell) => list(options, shell)))
  takesDatabase(keys.command('rotate'))
    .description('Make a new key. The next start signs with it, and the old ones verify on.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign keys rotate')
    .action((options: Options) => run((shell) => rotate(options, shell)))
  takesDatabase(keys.command('revoke'))
    .description('Revoke a key that others may have: what it signs from now on does not count.')
    .argument('<kid>', 'the name of the key, as keys list shows it')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign keys revoke kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    )
    .action((kid: string, options: Options) => run((shell) => revoke(kid, options, shell)))
}

async function withStore<T>(
  options: DatabaseOptions,
  shell: Shell,
  work: (store: Store, signing: SigningKeys) => Promise<T>,
): Promise<T> {
  const place = databasePlace(options.db, shell)
  const signing = await signingKeys(place, shell)
  const store = await openStore(place, options)
  try {
    return await work(store, signing)
  } finally {
    await store.close()
  }
}

interface Listed {
  readonly key: PublicKey
  readonly since: string
  readonly here: boolean
  readonly revoked?: string
}

async function listed(store: Store, { keys, signingKey }: SigningKeys): Promise<Listed[]> {
  const revoked = await revokedKeys(store)
  const here = new Set((await keys.list()).map(publicHalf))
  const external = signingKey && (await readPublicKey(signingKey.jwk))
  const all = await Promise.all(
    (await store.vault.keys()).map(async ({ jwk, at }): Promise<Listed[]> => {
      const key = await readPublicKey(jwk)
      if (!key) return []
      const end = revoked.get(key.kid)
      return [
        {
          key,
          since: new Date(at).toISOString(),
          here: here.has(key.x) || external?.kid === key.kid,
          ...(end === undefined ? {} : { revoked: new Date(end).toISOString() }),
        },
      ]
    }),
  )
  return all.flat()
}

/** Of a private key as text. Nothing else of it is looked at. */
function publicHalf(text: string): unknown {
  const key: unknown = JSON.parse(text)
  return isPlainObject(key) ? key.x : undefined
}

async function list(options: Options, shell: Shell): Promise<number> {
  const all = await withStore(options, shell, listed)
  if (options.jwks) shell.out.json({ keys: all.map(jwkOf) })
  else if (options.json) {
    shell.out.json({ keys: all.map(({ key, ...rest }) => ({ kid: key.kid, ...rest })) })
  } else {
    for (const { key, since, here, revoked } of all) {
      const end = revoked === undefined ? '' : `  revoked ${revoked}`
      shell.out.line(`${key.kid}  since ${since}${here ? '  here' : ''}${end}`)
    }
  }
  return 0
}

/** As the historical keys of OpenID Federation: seconds since 1970. */
function jwkOf({ key, revoked }: Listed): JsonObject {
  if (revoked === undefined) return { ...key }
  return { ...key, revoked: { revoked_at: Math.floor(Date.parse(revoked) / 1_000) } }
}

async function rotate(options: Options, shell: Shell): Promise<number> {
  const made = await withStore(options, shell, async (store, { keys, signingKey }) => {
    if (signingKey) {
      throw usage(
        'the key that signs is not on this machine',
        'Make a new one where it is, set COUNTERSIGN_SIGN_KEY to it, and start again.',
      )
    }
    const { key } = await openSigner({ store, keys, rotate: true })
    await store.amend({
      commandId: crypto.randomUUID(),
      event: { type: 'key.rotated', by: OPERATOR, facts: { key: key.kid } },
      changes: [],
    })
    return key
  })
  if (options.json) shell.out.json({ kid: made.kid })
  else shell.out.line(`${made.kid} signs from the next start on. The keys before it verify on.`)
  return 0
}

async function revoke(kid: string, options: Options, shell: Shell): Promise<number> {
  const { isNew, by } = await withStore(options, shell, async (store, { keys, signingKey }) => {
    const isNew = await revokeKey(store, kid)
    const external = signingKey && (await readPublicKey(signingKey.jwk))
    if (external?.kid === kid) return { isNew, by: undefined }
    // At once: what the revoked key signs from this checkpoint on is refused by every verifier.
    const signer = await openSigner({ store, keys: signingKey ?? keys })
    await writeCheckpoint(store, signer)
    return { isNew, by: signer.key.kid }
  })
  if (options.json)
    shell.out.json({ revoked: isNew, ...(by === undefined ? {} : { signedBy: by }) })
  else {
    shell.out.line(isNew ? 'Revoked.' : 'It was revoked before.')
    shell.out.line(
      by === undefined
        ? 'No other key can sign: set COUNTERSIGN_SIGN_KEY to another one, and start again.'
        : `The record is signed by ${by} now.`,
    )
  }
  return 0
}
