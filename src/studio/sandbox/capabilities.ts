import { type Capabilities, computedRisk } from '../../api/studio/risk.ts'
import { higherRisk, type Risk } from '../../base/call.ts'

export type { Capabilities } from '../../api/studio/risk.ts'

export const NO_CAPABILITIES: Capabilities = {
  net: [],
  write: false,
  secrets: [],
  kv: false,
  irreversible: false,
}

export function riskOf(capabilities: Capabilities, said: Risk | undefined): Risk {
  const { risk } = computedRisk(capabilities)
  return higherRisk(risk, said) ?? risk
}

/** Of a tool that asked for something it was not given. Names what it would need. */
export class CapabilityDenied extends Error {
  constructor(capability: string) {
    super(`this tool lacks the capability ${capability}`)
  }
}

export function assertMayReach({ net }: Capabilities, url: URL): void {
  const isNamed = net.includes(url.host) || net.includes(url.hostname)
  if (!isNamed && !net.includes('*')) throw new CapabilityDenied(`net: ${url.host}`)
}

const READING = ['GET', 'HEAD']

export function assertMaySend({ write }: Capabilities, method: string): void {
  if (!write && !READING.includes(method)) {
    throw new CapabilityDenied(`write (to send ${method} requests)`)
  }
}

export function assertMayKeep({ kv }: Capabilities): void {
  if (!kv) throw new CapabilityDenied('kv')
}
