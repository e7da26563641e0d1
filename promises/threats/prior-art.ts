import { APPLICATION_BUGS } from './prior-art-applications.ts'
import { CLIENT_BUGS } from './prior-art-clients.ts'
import { FRAMEWORK_BUGS } from './prior-art-frameworks.ts'
import { OPENCLAW_BUGS } from './prior-art-openclaw.ts'
import type { PriorArt } from './threat.ts'

/** Approval bugs that other projects had. The numbers are those of our collection. */
export const PRIOR_ART: PriorArt = {
  ...FRAMEWORK_BUGS,
  ...OPENCLAW_BUGS,
  ...APPLICATION_BUGS,
  ...CLIENT_BUGS,
}
