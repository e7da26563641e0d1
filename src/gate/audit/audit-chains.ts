import { canonicalJson, isSafeNumber } from '../../base/json/canonical.ts'
import type { Hash } from '../../base/json/digest.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import type { Head } from '../../store/audit/audit-entry.ts'
import { isHead } from '../proof/checkpoint.ts'
import { AuditProblem } from './audit-problem.ts'
import type { EntryRecord } from './audit-records.ts'
import { SeenSet } from './audit-seen.ts'

const NOTHING = '0'.repeat(64)
/** As deep as content is sealed: a result may be nested as deeply as arguments, and stands in a list. */
const LIMITS = { bytes: 16_777_216, depth: 100, keys: 1_000_000 }
const RECENT = 1_024

export type Chains = ReturnType<typeof createChains>

export interface Body {
  readonly writer: string
  readonly seq: number
  readonly prev: string
  readonly event: { readonly [name: string]: unknown }
  readonly seals: { readonly [key: string]: unknown }
  readonly state: unknown
  readonly records: unknown
}

/** What checkpoints say of one chain. */
interface Signed {
  /** Hashes by number. */
  readonly hashes: Map<number, string>
  last: number
}

export interface Scope {
  /** Rows follow, each with its entries: there it shows whether a command is recorded twice. */
  readonly withRows: boolean
  readonly fromMiddle: boolean
  readonly oneTenant: boolean
  /** Ends of chains that a checkpoint names, by writer: each of these begins with that entry. */
  readonly after: ReadonlyMap<string, number>
}

/** The chains of all writers, each entry held against everything that is known of it. */
export function createChains(hash: Hash, commandsAtOnce: number | undefined) {
  const heads = new Map<string, Head>()
  const signed = new Map<string, Signed>()
  /** The last entries of all chains, in turns: most links that are late name one of them. */
  const recent: Head[] = []
  let taken = 0
  /** Links to entries that were passed long ago: looked at in a second reading. */
  const late = new Map<string, { readonly hash: string; readonly place: string }>()
  const commands = new SeenSet(commandsAtOnce)
  const content = { checked: 0, absent: 0 }
  let scope: Scope = { withRows: false, fromMiddle: false, oneTenant: false, after: new Map() }

  function follow(body: Body, record: EntryRecord): void {
    const { writer, seq, prev } = body
    const { place } = record
    const before = heads.get(writer)
    if (before === undefined && scope.after.has(writer)) assertEnd(writer, seq)
    else if (before === undefined && scope.fromMiddle && seq > 1) {
      compareSigned({ writer, seq: seq - 1, hash: prev }, place)
    } else {
      const due = (before?.seq ?? 0) + 1
      if (seq > due) {
        const what = due === seq - 1 ? `entry ${due} is` : `entries ${due} to ${seq - 1} are`
        const code = before === undefined ? 'first_missing' : 'missing'
        throw new AuditProblem(code, place, `${what} missing before it`)
      }
      if (seq < due) throw new AuditProblem('repeated', place, `entry ${due} should stand here`)
      if (prev !== (before?.hash ?? NOTHING)) {
        throw new AuditProblem('chain', place, 'it does not name the hash of the entry before it')
      }
    }
    compareSigned({ writer, seq, hash: record.hash }, place)
    const head = { writer, seq, hash: record.hash }
    heads.set(writer, head)
    recent[taken % RECENT] = head
    taken += 1
  }

  /** The hash of an entry that was read, as far as it is known without reading again. */
  function knownHash({ writer, seq }: Head, head: Head): string | undefined {
    if (seq === head.seq) return head.hash
    return recent.find((one) => one.seq === seq && one.writer === writer)?.hash
  }

  /** Its hash is compared with the signed one like that of every other. */
  function assertEnd(writer: string, seq: number): void {
    const signed = scope.after.get(writer)
    if (seq === signed) return
    const what = `entry ${signed} was signed, and it is not here`
    throw new AuditProblem('cut_short', `the chain of writer ${writer}`, what)
  }

  const isCovered = ({ writer, seq }: Pick<Body, 'writer' | 'seq'>) =>
    seq <= (scope.after.get(writer) ?? 0)

  function compareSigned(head: Head, place: string): void {
    const expected = signed.get(head.writer)?.hashes.get(head.seq)
    if (expected === undefined || expected === head.hash) return
    throw new AuditProblem(
      'contradicts_checkpoint',
      place,
      'a checkpoint was signed for another entry',
    )
  }

  function checkLinks(links: unknown, place: string): void {
    if (links === undefined) return
    if (!Array.isArray(links)) throw new AuditProblem('unreadable', place, 'its links are no list')
    for (const link of links) {
      if (!isHead(link)) throw new AuditProblem('unreadable', place, 'a link in it is not one')
      // What came before the checkpoint is not here; what is signed of it is known.
      if (isCovered(link)) {
        compareSigned(link, place)
        continue
      }
      const head = heads.get(link.writer)
      if (head === undefined || link.seq > head.seq) {
        // In an export of a part, the other chain may simply not be here.
        if (scope.fromMiddle || scope.oneTenant) continue
        const what = `entry ${link.seq} of writer ${link.writer}, which it names, is missing`
        throw new AuditProblem('link', place, what)
      }
      const key = `${link.writer} ${link.seq}`
      const known = knownHash(link, head)
      if (link.hash !== (known ?? late.get(key)?.hash ?? link.hash)) {
        const what = `it names another entry ${link.seq} of writer ${link.writer}`
        throw new AuditProblem('link', place, what)
      }
      if (known === undefined) late.set(key, { hash: link.hash, place })
    }
  }

  function checkCommand({ approval, command, index }: Body['event'], place: string): void {
    if (approval === undefined) return
    if (commands.add(JSON.stringify([approval, command, index]))) return
    throw new AuditProblem('repeated_command', place, `command ${String(command)} is here twice`)
  }

  async function checkContent({ seals }: Body, record: EntryRecord): Promise<void> {
    for (const [key, { salt, value }] of Object.entries(record.content)) {
      const seal = await sealOf(key, salt, value)
      if (!Object.hasOwn(seals, key) || seals[key] !== seal) {
        throw new AuditProblem('content', record.place, `${key} does not match its seal`)
      }
      content.checked += 1
    }
    content.absent += Object.keys(seals).length - Object.keys(record.content).length
  }

  async function sealOf(key: string, salt: string, value: Json): Promise<string | undefined> {
    try {
      return await hash(canonicalJson(['countersign.content.v1', salt, key, value], LIMITS))
    } catch {
      return undefined
    }
  }

  return {
    late,
    content,
    heads: () => [...heads.values()],
    /** How many entries come after what was signed. */
    uncovered() {
      return [...heads.values()].reduce((sum, { writer, seq }) => {
        return sum + Math.max(0, seq - (signed.get(writer)?.last ?? 0))
      }, 0)
    },
    isCovered,
    begin(of: Scope) {
      scope = of
    },
    expect(all: readonly Head[]) {
      for (const { writer, seq, hash } of all) {
        const known = signed.get(writer) ?? { hashes: new Map(), last: 0 }
        known.hashes.set(seq, hash)
        known.last = Math.max(known.last, seq)
        signed.set(writer, known)
      }
    },
    async take(record: EntryRecord): Promise<Body> {
      const { place, text } = record
      const body = readBody(text, place)
      if ((await hash(text)) !== record.hash) {
        throw new AuditProblem('hash', place, 'its text does not give its hash')
      }
      checkColumns(body, record)
      follow(body, record)
      if (!isCovered(body)) checkLinks(body.event.links, place)
      if (!scope.withRows) checkCommand(body.event, place)
      await checkContent(body, record)
      return body
    },
    finish() {
      for (const [writer, { last }] of signed) {
        const head = heads.get(writer)
        if (head === undefined && scope.fromMiddle) continue
        if (last <= (head?.seq ?? 0)) continue
        const found = head ? `it ends at ${head.seq}` : 'none of it is here'
        const what = `entry ${last} was signed, and ${found}`
        throw new AuditProblem('cut_short', `the chain of writer ${writer}`, what)
      }
    },
    /** Whether commands are left that only another reading can compare: there were too many. */
    hasMoreCommands: () => commands.goOn(),
    takeCommandAgain({ text, place }: EntryRecord) {
      checkCommand(readBody(text, place).event, place)
    },
    takeAgain({ text, hash: found }: EntryRecord) {
      const { writer, seq } = readBody(text, '')
      const key = `${writer} ${seq}`
      const link = late.get(key)
      if (link === undefined) return
      if (link.hash !== found) {
        throw new AuditProblem(
          'link',
          link.place,
          `it names another entry ${seq} of writer ${writer}`,
        )
      }
      late.delete(key)
    },
    finishAgain() {
      const [first] = late.values()
      if (first === undefined || scope.fromMiddle) return
      throw new AuditProblem('link', first.place, 'an entry that it names is missing')
    },
  }
}

export function readBody(text: string, place: string): Body {
  const body = parsed(text)
  // What two readers could understand differently was not written by us.
  if (!isPlainObject(body) || !isCanonical(body, text)) {
    throw new AuditProblem('unreadable', place, 'its text is not canonical JSON')
  }
  const { v, writer, seq, prev, event, state, records, seals = {} } = body
  const isEntry =
    v === 'countersign.event.v1' &&
    typeof writer === 'string' &&
    Number.isSafeInteger(seq) &&
    typeof prev === 'string' &&
    isPlainObject(event) &&
    isPlainObject(seals)
  if (!isEntry) throw new AuditProblem('unreadable', place, 'its text is not an entry')
  return { writer, seq: seq as number, prev, event, state, records, seals }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether this text is the one canonical text of this value. */
function isCanonical(value: unknown, text: string): boolean {
  // The platform's own writer is many times faster, and right whenever the names are in order.
  if (JSON.stringify(value) === text && isInOrder(value)) return true
  try {
    return canonicalJson(value, LIMITS) === text
  } catch {
    return false
  }
}

function isInOrder(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return isSafeNumber(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isInOrder)
  let before = ''
  for (const name of Object.keys(value)) {
    if (name < before || !name.isWellFormed()) return false
    if (!isInOrder((value as Record<string, unknown>)[name])) return false
    before = name
  }
  return true
}

function checkColumns({ writer, seq, prev, event }: Body, { columns, place }: EntryRecord): void {
  if (columns === undefined) return
  const { tenant, approval, revision, type, at, command, index } = event
  const says = { tenant, approval, revision, type, at, command, index, writer, seq, prev }
  for (const [name, value] of Object.entries(columns)) {
    const expected = says[name as keyof typeof says] ?? null
    if (value === expected) continue
    throw new AuditProblem('columns', place, `its column ${name} says something else than its text`)
  }
}
