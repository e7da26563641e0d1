import { usedByClaim } from '../gate/tool.ts'

/** Run by claiming the approval: a yes is used once, and everything it rests on is checked again. */
export const spend = usedByClaim(() => null)
