import { BINDING } from './b1-binding.ts'
import { REPLAY } from './b2-replay.ts'
import { RACES } from './b3-races.ts'
import { DECIDERS } from './b4-deciders.ts'
import { ARGUMENTS } from './b5-arguments.ts'
import { TOOLS } from './b6-tools.ts'
import { GATEWAY } from './b7-gateway.ts'
import { DISPLAY } from './b8-display.ts'
import { CHANNELS } from './b9-channels.ts'
import { FAULTS } from './b10-faults.ts'
import { AUDIT } from './b11-audit.ts'
import { ABUSE } from './b12-abuse.ts'
import type { Threats } from './threat.ts'

export interface ThreatSection {
  readonly id: string
  readonly title: string
  /** How many threats the threat model has in it. */
  readonly count: number
  readonly threats: Threats
}

export const THREAT_SECTIONS: readonly ThreatSection[] = [
  { id: 'B1', title: 'What an approval is bound to', count: 12, threats: BINDING },
  { id: 'B2', title: 'Replays and repeated runs', count: 12, threats: REPLAY },
  { id: 'B3', title: 'Races, quorums and time', count: 15, threats: RACES },
  { id: 'B4', title: 'Who may decide', count: 18, threats: DECIDERS },
  { id: 'B5', title: 'Policy and hostile arguments', count: 25, threats: ARGUMENTS },
  { id: 'B6', title: 'Tool names and definitions', count: 14, threats: TOOLS },
  { id: 'B7', title: 'MCP gateway', count: 25, threats: GATEWAY },
  { id: 'B8', title: 'What people are shown', count: 19, threats: DISPLAY },
  { id: 'B9', title: 'Channels', count: 35, threats: CHANNELS },
  { id: 'B10', title: 'Crashes, storage and network', count: 18, threats: FAULTS },
  { id: 'B11', title: 'Audit record', count: 10, threats: AUDIT },
  { id: 'B12', title: 'Abuse, availability and supply chain', count: 13, threats: ABUSE },
]

/** How many bugs of other projects the collection has. */
export const PRIOR_ART_COUNT = 45
