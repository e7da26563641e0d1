import { key, object, type Section } from '../read/read-object.ts'
import { flag, list, type Shape, text } from '../read/read-shape.ts'
import { riskMatch } from './grammar-governance.ts'
import { duration, groupName, peerGlob, toolGlob } from './grammar-values.ts'

const channel: Shape<string> = text('the name of a channel such as push', {
  pattern: /^[A-Za-z0-9._:-]{1,128}$/,
  problem: 'the name of a channel is 1 to 128 letters, digits, . _ : or -',
})

const SHORTEST = 60_000
const LONGEST = 86_400_000

const pause: Shape<number> = {
  ...duration,
  read(tree, at) {
    const value = duration.read(tree, at)
    if (value === undefined || (value >= SHORTEST && value <= LONGEST)) return value
    at.report.mistake(tree.place, at.path, 'bad_value', 'write a duration of 1m to 24h')
    return undefined
  },
}

const channels = list(channel, {
  wants: 'a list such as [push, slack]',
  max: 20,
  name: (one) => one,
})

/** What a test expects of the rules. */
export const toldTest = object('told', {
  group: key(groupName, 'For a person of this group; absent: of no group.'),
  by: key(channels, 'Exactly these channels, in this order.'),
  at_once: key(flag, 'Whether the person is told in quiet hours, too.'),
})

export const notifyRule = object(
  'a notify rule',
  {
    group: key(groupName, 'For people of this group under people.groups; absent: for all.'),
    tool: key(toolGlob, 'For calls of these tools; * is any run of letters.'),
    server: key(peerGlob, 'For calls to these servers; only * matches a call without one.'),
    risk: key(riskMatch, 'For calls of this level; a call of unknown risk matches.'),
    channels: key(channels, 'Channels in the order they are tried; the others come last.'),
    next_after: key(
      pause,
      'How long until the next channel tells of a call that is still open; 10m unless set.',
    ),
    at_once: key(flag, 'true: people are told in their quiet hours, too, and by no digest.'),
    people_choose: key(flag, 'false: the order of channels that a person chose does not count.'),
  },
  {
    hints: {
      match: 'write tool, server, risk and group in the rule itself',
      quiethours: 'write `at_once: true` to tell people in their quiet hours',
      after: 'did you mean `next_after`?',
      channel: 'did you mean `channels`?',
      tools: 'did you mean `tool`?',
      groups: 'did you mean `group`?',
    },
  },
)

export type NotifySection = Section<(typeof notifyRule)['keys']>

export const notify = list(notifyRule, {
  wants: 'a list such as [{ risk: L5, channels: [push, slack], at_once: true }]',
  min: 0,
  max: 100,
})

export { pause as notifyPause }
