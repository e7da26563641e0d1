import type { JsonObject } from '../../src/base/json/json.ts'
import { randomOf } from '../seeds.ts'
import type { Place } from './crash-points.ts'
import type { ToolName } from './operations.ts'

/** What people do about a call. Follows from its key, so it is the same after a restart. */
const FATES = [
  'switched',
  'twice',
  'quorum',
  'lent',
  'deny',
  'edit',
  'escalated',
  'abort',
  'ignore',
  'suspend',
  'revoke',
  'fails',
  'looked at',
  'contested',
  'granted',
  'switched',
  'lent twice',
  'granted later',
] as const
type Fate = (typeof FATES)[number]

export interface Script {
  readonly key: string
  readonly fate: Fate
  readonly tool: ToolName
  readonly args: JsonObject
}

export function scriptOf(seed: string, key: string): Script {
  const random = randomOf(seed, key)
  const wanted = FATES.find((one) => one === key.split('-').at(-1))
  // The first calls of a cycle are spread over all fates, so that every place is reached.
  const nth = Number(key.split('-')[1]) * 3 + random.below(3)
  const fate = wanted ?? FATES[nth % FATES.length] ?? 'twice'
  const fails: JsonObject = fate === 'fails' ? { fails: true } : {}
  const granted: JsonObject = fate.startsWith('granted') ? { granted: true } : {}
  return {
    key,
    fate,
    tool: TOOL_OF[fate] ?? 'pay',
    args: { amount: 1 + random.below(90), memo: key, pin: `pin of ${key}`, ...fails, ...granted },
  }
}

const TOOL_OF: Partial<Record<Fate, ToolName>> = {
  quorum: 'wire',
  contested: 'wire',
  ignore: 'note',
  lent: 'seal',
  'lent twice': 'seal',
  escalated: 'publish',
  switched: 'send',
}

/** Only calls of this fate lead to these places: one who is to die there plays one of them. */
const FATE_OF: { readonly [command: string]: Fate } = {
  mint: 'granted',
  revoke: 'granted later',
  reveal: 'looked at',
  extend: 'looked at',
  escalate: 'escalated',
  remind: 'ignore',
}

/** Names of new calls, of which the first leads to where the process is to die. */
export function keysOf(cycle: number, calls: number, place: Place | undefined): string[] {
  const wanted = FATE_OF[place?.split(' ')[0] ?? '']
  return Array.from({ length: calls }, (_, index) =>
    index === 0 && wanted !== undefined ? `${cycle}-0-${wanted}` : `${cycle}-${index}`,
  )
}

export function isRare(place: Place): boolean {
  return FATE_OF[place.split(' ')[0] ?? ''] !== undefined
}

/** Nobody answers these while everybody else is at work: first time has to pass. */
export function waitsForTime({ fate }: Script): boolean {
  return fate === 'ignore' || fate === 'escalated'
}
