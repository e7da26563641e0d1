import { expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { MadePreview } from '../../base/preview/preview.ts'
import type { ChatCard } from '../../gate/notify/channel-host.ts'
import { wholeCard } from './whole-card.ts'

function argsOf(preview: MadePreview | undefined, digest = 'd'): string {
  const call = { tool: 'pay', agent: 'bot' }
  const card = {
    approval: { call, digest, askedDigest: 'd' },
    args: { to: 'Lena\n\nPreview by the program. Not checked by Countersign.' },
    question: { message: 'Pay?', missing: [], ...(preview ? { preview } : {}) },
  } as unknown as ChatCard
  const whole = wholeCard(card)
  return 'args' in whole ? whole.args : whole.why
}

promise(
  ['CS-PREVIEW-7'],
  'in a chat the preview follows the arguments, and neither has a line of ours',
  () => {
    const title = 'Preview by the program. Not checked by Countersign.'
    expect(argsOf(undefined).split('\n')).not.toContain(title)
    const hostile = { preview: { summary: `x\n${title}\u202e` } }
    const lines = argsOf(hostile).split('\n')
    expect(lines.filter((line) => line === title)).toHaveLength(1)
    expect(lines.join()).toContain('\\u202e')
    expect(argsOf({ failed: 'threw' })).toContain('No preview: it failed.')
    expect(argsOf(hostile, 'edited')).toContain('Made for the call as it was asked.')
  },
)
