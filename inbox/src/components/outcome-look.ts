import { Ban, Check, CircleHelp, Clock, type LucideIcon, Play, Undo2, X } from 'lucide-react'
import type { OutcomeKind } from '../lib/approval/outcome-kind.ts'
import type { Tone } from './chip.tsx'

/** Never by colour alone: each has its icon, and the word stands beside it. */
export const OUTCOME_LOOKS: Readonly<Record<OutcomeKind, { tone: Tone; icon: LucideIcon }>> = {
  waiting: { tone: 'accent', icon: Clock },
  approved: { tone: 'good', icon: Check },
  running: { tone: 'accent', icon: Play },
  succeeded: { tone: 'good', icon: Check },
  failed: { tone: 'bad', icon: X },
  unknown: { tone: 'open', icon: CircleHelp },
  denied: { tone: 'bad', icon: X },
  expired: { tone: 'warn', icon: Clock },
  unused: { tone: 'plain', icon: Clock },
  withdrawn: { tone: 'plain', icon: Undo2 },
  invalidated: { tone: 'warn', icon: Ban },
}
