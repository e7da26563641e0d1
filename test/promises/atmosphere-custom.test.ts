import { expect, vi } from 'vitest'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import { type CustomInput, custom } from '../../src/policy/evaluate/mode.ts'
import type { Verdict } from '../../src/policy/evaluate/verdict.ts'
import { call, policyOf, under } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const policy = policyOf(`
  tools:
    delete_all: { approval: { message_template: "This permanently deletes customer records." } }
    get_weather: { description: Weather for a city }
    pay: { approval: { condition: { args_match: { amount: { gt: 100 } } } } }
`)
const deleteAll = call('delete_all')
const getWeather = call('get_weather')

promise(['AT-15'], 'a function is asked about every call and may use what it knows', async () => {
  let budget = 2
  const asked: string[] = []
  const mode = custom(({ tool }) => {
    asked.push(tool)
    if (tool.startsWith('read_')) return false
    budget -= 1
    return budget < 0
  })
  const verdicts: string[] = []
  for (const tool of ['read_a', 'a', 'b', 'c', 'read_b']) {
    verdicts.push((await under(mode, call(tool), policy)).verdict)
  }
  expect(asked).toEqual(['read_a', 'a', 'b', 'c', 'read_b'])
  expect(verdicts).toEqual(['allow', 'allow', 'allow', 'confirm', 'allow'])
})

promise(['AT-15'], 'true asks as declared, or plainly where nothing is declared', async () => {
  const yes = custom(() => true)
  expect(await under(yes, deleteAll, policy)).toEqual(evaluate(policy, deleteAll))
  expect(await under(yes, getWeather, policy)).toMatchObject({
    verdict: 'confirm',
    reasons: [{ source: 'mode', rule: 'mode.custom' }],
  })
  const named = policyOf('defaults: { approvers: [ana@example.com] }')
  expect(await under(yes, getWeather, named)).toMatchObject({
    verdict: 'review',
    requirements: [{ approvers: [{ email: 'ana@example.com' }] }],
  })
})

promise(['AT-15'], 'a verdict means itself', async () => {
  for (const word of ['allow', 'confirm', 'review', 'deny'] as const) {
    for (const asked of [deleteAll, getWeather]) {
      expect(
        (
          await under(
            custom(async () => word),
            asked,
            policy,
          )
        ).verdict,
      ).toBe(word)
    }
  }
})

promise(['AT-16'], 'custom needs a function', () => {
  for (const wrong of [undefined, null, true, 'deny', {}]) {
    const make = () => custom(wrong as unknown as () => boolean)
    expect(make).toThrow(expect.objectContaining({ code: 'mode_refused' }))
  }
})

promise(['AT-18'], 'the function sees the arguments and all else that matters', async () => {
  const seen: CustomInput[] = []
  const mode = custom((input) => {
    seen.push(input)
    return Number(input.args.amount) > 100
  })
  const more = { agent: { alias: 'clerk', id: 'v1' }, principal: 'ana@example.com' }
  expect((await under(mode, call('get_weather', { amount: 101 }, more), policy)).verdict).toBe(
    'confirm',
  )
  expect((await under(mode, call('get_weather', { amount: 100 }, more), policy)).verdict).toBe(
    'allow',
  )
  expect((await under(mode, call('pay', { amount: 500 }), policy)).verdict).toBe('confirm')
  expect(seen).toEqual([
    { tool: 'get_weather', args: { amount: 101 }, ...more, declared: 'allow' },
    { tool: 'get_weather', args: { amount: 100 }, ...more, declared: 'allow' },
    {
      tool: 'pay',
      args: { amount: 500 },
      agent: undefined,
      principal: undefined,
      declared: 'confirm',
    },
  ])
})

const wrong = (value: unknown) => () => value as boolean

promise.each(
  ['CS-MODE-2'],
  'a function that fails means that a person is asked',
  [
    [
      'it throws',
      () => {
        throw new Error('no database')
      },
    ],
    ['it rejects', () => Promise.reject(new Error('no database'))],
    ['it answers nothing', wrong(undefined)],
    ['it answers null', wrong(null)],
    ['it answers 0', wrong(0)],
    ['it answers an empty text', wrong('')],
    ['it answers a word we do not know', wrong('alow')],
    ['it answers a name every object has', wrong('toString')],
    ['it answers an object', wrong({ verdict: 'allow' })],
    ['it promises something else', wrong(Promise.resolve('yes'))],
  ],
  async (_, decide: () => boolean | Promise<boolean>) => {
    expect((await under(custom(decide), getWeather, policy)).verdict).toBe('confirm')
    expect((await under(custom(decide), deleteAll, policy)).verdict).toBe('confirm')
  },
)

promise(
  ['CS-MODE-2'],
  'a function that never answers means that a person is asked, after a second',
  async () => {
    vi.useFakeTimers()
    try {
      let answer: Verdict | undefined
      const waiting = under(
        custom(() => new Promise(() => {})),
        getWeather,
        policy,
      ).then((verdict) => {
        answer = verdict
      })
      await vi.advanceTimersByTimeAsync(900)
      expect(answer).toBeUndefined()
      await vi.advanceTimersByTimeAsync(100)
      await waiting
      expect(answer?.verdict).toBe('confirm')
    } finally {
      vi.useRealTimers()
    }
  },
)
