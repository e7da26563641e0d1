import { APPROVAL_SABOTEURS } from './approval.ts'
import { GATE_SABOTEURS } from './gate.ts'
import { GRANT_SABOTEURS } from './grants.ts'
import { HOOK_SABOTEURS } from './hooks.ts'
import { OPERATE_SABOTEURS } from './operate.ts'
import { PEOPLE_SABOTEURS } from './people.ts'
import type { Saboteur } from './saboteur.ts'
import { SECRET_SABOTEURS } from './secrets.ts'
import { STORE_SABOTEURS } from './stores.ts'
import { TOLD_SABOTEURS } from './told.ts'

export const SABOTEURS: readonly Saboteur[] = [
  ...APPROVAL_SABOTEURS,
  ...STORE_SABOTEURS,
  ...GATE_SABOTEURS,
  ...GRANT_SABOTEURS,
  ...HOOK_SABOTEURS,
  ...OPERATE_SABOTEURS,
  ...PEOPLE_SABOTEURS,
  ...SECRET_SABOTEURS,
  ...TOLD_SABOTEURS,
]
