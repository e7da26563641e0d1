import { expect, test } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import {
  answerContent,
  answersIn,
  confirmationRequest,
  pendingEvent,
  REQUEST_CONFIRMATION,
} from './confirmation.ts'

const CALL = { id: 'call-1', name: 'transfer_money', args: { amount: 100 } }

promise(
  ['AR-9', 'AR-11', 'AR-12', 'AR-13', 'AR-14', 'AR-15', 'AR-16', 'AR-17'],
  'the question is written as the ADKs write it',
  () => {
    const request = confirmationRequest(CALL, { hint: 'Approve this transfer?' })
    expect(JSON.parse(JSON.stringify(pendingEvent([request])))).toEqual({
      content: {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'call-1',
              name: 'adk_request_confirmation',
              willContinue: true,
              response: {
                originalFunctionCall: CALL,
                toolConfirmation: { hint: 'Approve this transfer?', confirmed: false },
              },
            },
          },
        ],
      },
      longRunningToolIds: ['call-1'],
      actions: {
        requestedToolConfirmations: {
          'call-1': { hint: 'Approve this transfer?', confirmed: false },
        },
      },
    })
    const { toolConfirmation } = confirmationRequest(CALL)
    expect(toolConfirmation.hint).toBe('Approve execution of tool transfer_money?')
  },
)

function read(...responses: { id?: unknown; response: unknown; name?: string }[]) {
  const warned: string[] = []
  const parts = responses.map(({ name = REQUEST_CONFIRMATION, ...rest }) => ({
    functionResponse: { name, ...rest },
  }))
  const answers = answersIn({ author: 'user', content: { parts } }, (text) => warned.push(text))
  return { answers: [...answers], warned }
}

const YES = { hint: '', confirmed: true }
const NO = { hint: '', confirmed: false }

promise.each(
  ['AR-21', 'AR-23'],
  'an answer is read in every form',
  [
    ['bare', { confirmed: true }, YES],
    [
      'with everything',
      { hint: 'h', confirmed: true, payload: 1 },
      { ...YES, hint: 'h', payload: 1 },
    ],
    ['in toolConfirmation', { toolConfirmation: { confirmed: true } }, YES],
    ['in response', { response: { confirmed: true } }, YES],
    ['as text', { response: '{"confirmed":true}' }, YES],
    ['toolConfirmation first', { toolConfirmation: {}, response: { confirmed: true } }, NO],
    ['empty', {}, NO],
  ] as [string, unknown, object][],
  (_form, response, answer) => {
    expect(read({ id: 'c1', response })).toEqual({ answers: [['c1', answer]], warned: [] })
  },
)

promise.each(
  ['AR-22'],
  'what is no answer is dropped with a warning',
  [
    ['no id', { response: { confirmed: true } }],
    ['an empty id', { id: '', response: { confirmed: true } }],
    ['an id that is no text', { id: 7, response: { confirmed: true } }],
    ['no response', { id: 'c1', response: undefined }],
    ['a list', { id: 'c1', response: [{ confirmed: true }] }],
    ['a word', { id: 'c1', response: 'yes' }],
    ['a word for yes', { id: 'c1', response: { confirmed: 'true' } }],
    ['text that is no JSON', { id: 'c1', response: { response: 'yes' } }],
    ['a wrapping around nothing', { id: 'c1', response: { toolConfirmation: null } }],
    ['a wrapping twice', { id: 'c1', response: { response: { response: { confirmed: true } } } }],
  ] as [string, { id?: unknown; response: unknown }][],
  (_which, one) => {
    const { answers, warned } = read(one)
    expect(answers).toEqual([])
    expect(warned).toHaveLength(1)
  },
)

promise(['AR-24'], 'answers keep their order, and the last one for a call counts', () => {
  const { answers } = read(
    { id: '10', response: { confirmed: true } },
    { id: '9', response: { confirmed: true } },
    { id: '10', response: { confirmed: false } },
  )
  expect(answers).toEqual([
    ['10', NO],
    ['9', YES],
  ])
})

test('only what a user sent is an answer, and only under this name', () => {
  const content = answerContent([['c1', { confirmed: true }]])
  expect(answersIn({ author: 'biller', content }).size).toBe(0)
  expect(answersIn({ content }).size).toBe(1)
  expect(read({ id: 'c1', name: 'pay', response: { confirmed: true } }).answers).toEqual([])
})
