import { type Hash, sha256 } from '../../base/json/digest.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { Head } from '../../store/audit/audit-entry.ts'
import type { LoggedRow } from '../../store/audit/audit-log.ts'
import { KEY_REVOCATION_RECORD } from '../../store/audit/audited-records.ts'
import { type PublicKey, readPublicKey } from '../proof/keys.ts'
import { type Body, type Chains, createChains, readBody } from './audit-chains.ts'
import { checkpointChain } from './audit-checkpoints.ts'
import { AuditProblem, type Problem } from './audit-problem.ts'
import type { AuditRecord, EntryRecord } from './audit-records.ts'
import { createRowStates, type RowStatesOptions } from './audit-rows.ts'

export interface VerifyAuditOptions {
  /** The only keys that count. Without them, those in the records are believed. */
  readonly keys?: readonly PublicKey[] | undefined
  /** Names of keys that are known to be revoked: the record has to say so too. */
  readonly revoked?: readonly string[] | undefined
  /** Checkpoints that were kept elsewhere, as signed texts. */
  readonly checkpoints?: readonly string[] | undefined
  /** SHA-256 in hexadecimal. The platform's own unless given; a synchronous one is faster. */
  readonly hash?: Hash | undefined
  /**
   * How many commands of a file are held at once, in 16 to 32 bytes each: a million unless set. A
   * longer file is read once more for each such part. A database is not: its index has them in order.
   */
  readonly commandsAtOnce?: number | undefined
  /** Told how many entries were verified, and then rows, after every 10,000 of them. */
  readonly progress?: ((many: number, of: 'entries' | 'rows') => void) | undefined
}

const PROGRESS_EVERY = 10_000

export interface AuditReport {
  readonly ok: boolean
  readonly database: string
  readonly entries: number
  readonly writers: number
  readonly checkpoints: number
  /** Entries that no checkpoint covers yet: any writer of the database could have made them. */
  readonly uncovered: number
  /** When the last checkpoint was signed. */
  readonly checkpointAt?: number
  /** Keys that signed the checkpoints. */
  readonly signedBy: readonly string[]
  /** Keys that the record says were revoked. */
  readonly revoked?: readonly string[]
  /** Pieces of content that match their seals, and seals whose content is not here. */
  readonly content: { readonly checked: number; readonly absent: number }
  /** Checkpoints from which on it was looked at. */
  readonly since?: readonly { readonly tenant: string; readonly n: number; readonly at: number }[]
  /** Only part of the record was there to look at. */
  readonly partial: boolean
  /** Ends of all chains, in the order in which they began. */
  readonly heads: readonly Head[]
  /** The first thing that is wrong. */
  readonly problem?: Problem
}

/**
 * Goes through everything once and stops at the first thing that is wrong. `read` gives the records
 * from the beginning each time it is called. It is called again when an entry names one of another
 * chain that was passed long ago, for every million commands of a file, and to name a row that is
 * missing. What is kept are the ends of chains, checkpoints, grants and audited records, and nothing
 * of entries and approvals, so that memory does not grow with the years.
 */
export async function verifyAudit(
  read: () => AsyncIterable<AuditRecord>,
  options: VerifyAuditOptions = {},
): Promise<AuditReport> {
  const hash = options.hash ?? sha256
  const state = new State(hash, options)
  try {
    for await (const record of read()) await state.take(record)
    await state.finish(read)
    return state.report()
  } catch (error) {
    if (error instanceof AuditProblem) return state.report(error.problem)
    throw error
  }
}

class State {
  readonly #chains: Chains
  readonly #checkpoints: ReturnType<typeof checkpointChain>
  readonly #trusted: readonly PublicKey[] | undefined
  readonly #knownRevoked: readonly string[]
  readonly #keys: PublicKey[] = []
  #database = ''
  #entries = 0
  #rowsTaken = 0
  #partial = false
  #isBegun = false
  #after: readonly Head[] | undefined
  #ended: number | undefined
  /** Where the rows are here to look at. */
  #rows: ReturnType<typeof createRowStates> | undefined
  /** Keys that the rows say were revoked, by tenant. */
  readonly #revokedRows: { readonly id: string; readonly tenant: string }[] = []
  #rowsAt: RowStatesOptions = { at: 0 }
  readonly #hash: Hash
  readonly #progress: VerifyAuditOptions['progress']

  constructor(hash: Hash, options: VerifyAuditOptions) {
    const { keys, revoked = [], checkpoints = [], progress } = options
    this.#hash = hash
    this.#knownRevoked = revoked
    this.#progress = progress
    this.#chains = createChains(hash, options.commandsAtOnce)
    this.#trusted = keys
    this.#checkpoints = checkpointChain(hash, checkpoints)
  }

  async take(record: AuditRecord): Promise<void> {
    if (record.kind === 'broken') throw new AuditProblem('unreadable', record.place, record.why)
    if (this.#isBegun !== (record.kind !== 'export')) {
      throw new AuditProblem('unreadable', 'line 1', 'an export begins with its own line, once')
    }
    if (this.#ended !== undefined) {
      throw new AuditProblem('unreadable', 'after the end', 'something follows the last line')
    }
    switch (record.kind) {
      case 'export':
        this.#isBegun = true
        this.#database = record.database
        this.#after = record.after
        this.#rowsAt = { at: record.at, after: record.after }
        this.#rows = record.rows === true ? createRowStates(this.#hash, this.#rowsAt) : undefined
        this.#partial = [record.since, record.tenant, record.after].some(
          (bound) => bound !== undefined,
        )
        this.#chains.begin({
          withRows: record.rows === true && record.after === undefined,
          fromMiddle: record.since !== undefined,
          oneTenant: record.tenant !== undefined,
          after: new Map(record.after?.map(({ writer, seq }) => [writer, seq])),
        })
        return
      case 'key':
        await this.#takeKey(record.jwk)
        return
      case 'checkpoint':
        // Entries are held against checkpoints as they are read: a later one would say nothing.
        if (this.#entries > 0) {
          const why = 'checkpoints stand before all entries'
          throw new AuditProblem('unreadable', record.place, why)
        }
        await this.#checkpoints.take(record, this.#trusted ?? this.#keys)
        return
      case 'entry':
        await this.#takeEntry(record)
        return
      case 'row':
        this.#noteRevoked(record.row)
        await this.#rows?.take(record.row)
        this.#rowsTaken += 1
        if (this.#rowsTaken % PROGRESS_EVERY === 0) this.#progress?.(this.#rowsTaken, 'rows')
        return
      case 'end':
        this.#ended = record.entries
    }
  }

  async #takeKey(jwk: unknown): Promise<void> {
    const key = await readPublicKey(jwk)
    if (key) this.#keys.push(key)
  }

  async #takeEntry(record: EntryRecord): Promise<void> {
    if (this.#entries === 0) await this.#closeCheckpoints()
    this.#entries += 1
    const body = await this.#chains.take(record)
    const { type, tenant, facts } = body.event
    if (type === 'key.revoked' && typeof tenant === 'string' && isPlainObject(facts)) {
      const { key } = facts
      if (typeof key === 'string') this.#checkpoints.revoke(key, { ...body, tenant })
    }
    // What a checkpoint covers was told before it.
    const { hash, place } = record
    if (!this.#chains.isCovered(body)) await this.#rows?.note({ ...body, hash }, place)
    if (this.#entries % PROGRESS_EVERY === 0) this.#progress?.(this.#entries, 'entries')
  }

  #noteRevoked(row: LoggedRow): void {
    if (row.of === 'record' && row.kind === KEY_REVOCATION_RECORD) this.#revokedRows.push(row)
  }

  /** Checkpoints stand before all entries, so that each entry can be held against them. */
  async #closeCheckpoints(): Promise<void> {
    this.#chains.expect(await this.#checkpoints.close(this.#trusted ?? this.#keys))
  }

  async finish(read: () => AsyncIterable<AuditRecord>): Promise<void> {
    if (this.#ended === undefined) {
      throw new AuditProblem('cut_off', 'the end', 'the last line is missing')
    }
    if (this.#ended !== this.#entries) {
      const found = `${this.#entries} entries were found, ${this.#ended} were written`
      throw new AuditProblem('cut_off', 'the end', found)
    }
    if (this.#entries === 0) await this.#closeCheckpoints()
    this.#checkpoints.expectRevoked(this.#knownRevoked, !this.#partial)
    if (this.#after !== undefined) {
      for (const kid of this.#knownRevoked) this.#checkpoints.expectUnused(kid)
      for (const { id, tenant } of this.#revokedRows) this.#checkpoints.expectUnused(id, tenant)
    }
    this.#chains.finish()
    if (this.#rows?.isEven() === false) await this.#nameOther(read)
    await this.#rows?.finish(() => bodies(read()))
    while (this.#chains.hasMoreCommands()) {
      for await (const record of read()) {
        if (record.kind === 'entry') this.#chains.takeCommandAgain(record)
      }
    }
    if (this.#chains.late.size === 0) return
    for await (const record of read()) {
      if (record.kind === 'entry') this.#chains.takeAgain(record)
    }
    this.#chains.finishAgain()
  }

  /** Rows differ from what entries tell of them: says which, by holding all of them. */
  async #nameOther(read: () => AsyncIterable<AuditRecord>): Promise<never> {
    const held = createRowStates(this.#hash, { ...this.#rowsAt, byName: true })
    for await (const record of read()) {
      if (record.kind === 'row') await held.take(record.row)
      if (record.kind !== 'entry') continue
      const { text, hash, place } = record
      await held.note({ ...readBody(text, place), hash }, place)
    }
    await held.finish(() => bodies(read()))
    const why = 'the entries found by their approval are not those of the chains'
    throw new AuditProblem('row_changed', 'an index of the database', why)
  }

  report(problem?: Problem): AuditReport {
    const { at, count, signedBy, revoked } = this.#checkpoints
    const { heads, uncovered, content } = this.#chains
    return {
      ok: problem === undefined,
      database: this.#database,
      entries: Math.max(0, this.#entries - (this.#after?.length ?? 0)),
      writers: heads().length,
      checkpoints: count(),
      uncovered: uncovered(),
      ...(at() === undefined ? {} : { checkpointAt: at() as number }),
      signedBy: [...signedBy],
      ...(revoked.size === 0 ? {} : { revoked: [...revoked] }),
      content,
      partial: this.#partial,
      heads: heads(),
      ...(problem === undefined ? {} : { problem }),
    }
  }
}

/** What entries that were found good say, in another reading. */
async function* bodies(records: AsyncIterable<AuditRecord>): AsyncGenerator<Body> {
  for await (const record of records) {
    if (record.kind === 'entry') yield readBody(record.text, record.place)
  }
}
