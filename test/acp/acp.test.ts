import { expect, vi } from 'vitest'
import { answer, place, question } from '../mcp/gateway.ts'
import { promise } from '../support/promise.ts'
import { editor } from './editor.ts'

const OPTIONS = [
  { optionId: 'a', name: 'Always', kind: 'allow_always' },
  { optionId: 'y', name: 'Yes', kind: 'allow_once' },
  { optionId: 'n', name: 'No', kind: 'reject_once' },
]

const RUN = {
  toolCallId: 'c1',
  title: 'rm -rf build',
  kind: 'execute',
  rawInput: { command: 'rm -rf build' },
}
const permission = (toolCall: object = RUN, options: readonly object[] = OPTIONS) =>
  ['session/request_permission', { toolCall, options }] as const
const ended = (status: string, toolCallId = 'c1') =>
  ['session/update', { update: { sessionUpdate: 'tool_call_update', toolCallId, status } }] as const
const write = (content: string) =>
  ['fs/write_text_file', { path: '/srv/notes.txt', content }] as const

const selected = (optionId: string) => ({ value: { outcome: { outcome: 'selected', optionId } } })

promise(
  ['CS-ACP-1'],
  'a permission that the agent asks for is asked in the editor, and the record has it with its end',
  async () => {
    const at = place()
    const kinds = ['allow_once', 'reject_once', 'allow_always']
    const seen = await editor(at, { pick: () => kinds[seen.questions.length - 1] })
    expect(
      await seen.prompt(
        permission(),
        ended('completed'),
        permission({ ...RUN, toolCallId: 'c2' }),
        permission({ ...RUN, toolCallId: 'c3', title: 'another' }),
        ended('failed', 'c3'),
      ),
      // A yes for ever is never what the agent gets.
    ).toMatchObject([selected('y'), selected('n'), selected('y')])
    const [first] = seen.questions
    expect(JSON.stringify(first?.toolCall)).toContain('input.command = \\"rm -rf build\\"')
    expect(first?.options.map(({ name }) => name)).toEqual([
      'Allow once',
      'Allow once, then make a grant in the inbox',
      'Reject',
    ])
    const store = await at.store()
    const { approvals } = await store.list({})
    const stands = approvals.map(({ call, status, execution, decisions }) => ({
      tool: `${call.server}.${call.tool} at ${call.door}`,
      status,
      ended: execution?.state,
      how: decisions[0]?.by.assurance,
    }))
    const tool = 'acp.execute at acp'
    const how = 'elicitation'
    expect(stands).toHaveLength(3)
    expect(stands).toEqual(
      expect.arrayContaining([
        { tool, status: 'approved', ended: 'succeeded', how },
        { tool, status: 'denied', ended: undefined, how },
        { tool, status: 'approved', ended: 'failed', how },
      ]),
    )
    expect(seen.said.join('')).toMatch(
      /allowed once\. To allow it for a time, make a grant at http/,
    )
    expect(await store.grants.list({})).toMatchObject({ grants: [] })
  },
)

promise(
  ['CS-ACP-2'],
  'files and terminals that the agent wants from the editor wait for a person, and run as approved',
  async () => {
    const at = place()
    const seen = await editor(at, {
      pick: ({ toolCall }) => (toolCall.kind === 'edit' ? 'allow_once' : 'reject_once'),
    })
    const [wrote, ran, read] = await seen.prompt(
      write('hello'),
      ['terminal/create', { command: 'make', args: ['deploy'] }],
      ['fs/read_text_file', { path: '/srv/notes.txt' }],
    )
    expect(wrote).toMatchObject({ value: {} })
    expect(seen.written).toEqual([{ path: '/srv/notes.txt', content: 'hello' }])
    expect(ran).toMatchObject({ code: -32_003, error: expect.stringContaining('denied') })
    expect(seen.commands).toEqual([])
    expect(read).toMatchObject({ value: { content: 'as it was' } })
    expect(JSON.stringify(seen.questions[0]?.toolCall)).toContain('content = \\"hello\\"')
  },
)

promise(
  ['CS-ACP-2'],
  'a person may decide in the inbox instead, and what the editor answers by itself does not count',
  async () => {
    const at = place()
    const seen = await editor(at, { pick: () => 'allow_once', reads: 0 })
    const prompting = seen.prompt(write('from the inbox'))
    await vi.waitFor(
      () => expect(seen.said.join('')).toContain('still waits for a person at http'),
      {
        timeout: 20_000,
      },
    )
    expect(seen.written).toEqual([])
    await answer(at, 'approve')
    expect(await prompting).toMatchObject([{ value: {} }])
    expect(seen.written).toHaveLength(1)
    // What does not fit into a question is left to the inbox from the beginning.
    const long = seen.prompt(write('long '.repeat(2_000)))
    await question(at)
    expect(seen.questions).toHaveLength(1)
    await answer(at, 'deny')
    expect(await long).toMatchObject([{ code: -32_003 }])
    expect(seen.written).toHaveLength(1)
  },
)

promise(
  ['CS-ACP-3'],
  'what the policy denies or leaves to other people is not asked in the editor',
  async () => {
    const at = place(`version: 1
mcp_servers:
  - alias: acp
    approval: false
    allowed_tools: [edit, write_text_file, { name: terminal_create, approval: { min_assurance: signed-in } }]
`)
    const seen = await editor(at, { pick: () => 'allow_once' })
    const terminal = ['terminal/create', { command: 'make' }] as const
    const prompting = seen.prompt(permission(), write('allowed'), terminal)
    await question(at)
    expect(seen.questions).toEqual([])
    expect(seen.written).toHaveLength(1)
    await answer(at, 'approve')
    expect(await prompting).toMatchObject([selected('n'), { value: {} }, { value: {} }])
    expect(seen.commands).toEqual(['make'])
    // Rules that allow do not answer for the person whom the agent asks, and drop a yes for ever.
    expect(await seen.prompt(permission({ ...RUN, kind: 'edit' }))).toMatchObject([selected('y')])
    expect(seen.questions.map(({ options }) => options.map(({ kind }) => kind))).toEqual([
      ['allow_once', 'reject_once'],
    ])
  },
)

promise(
  ['CS-ACP-3'],
  'requests that are unknown, take no single yes, or end with their turn get nothing',
  async () => {
    const at = place()
    const seen = await editor(at, { pick: () => undefined })
    const [always] = OPTIONS
    expect(
      await seen.prompt(
        ['_zed/run_anything', { command: 'x' }],
        ['fs/delete_file', { path: '/srv' }],
        permission(RUN, [always ?? {}]),
        permission(RUN, []),
      ),
    ).toMatchObject([
      // The editor does not know them either; but it is not what refused.
      { code: -32_601, error: expect.stringContaining('not passed on here') },
      { code: -32_601, error: expect.stringContaining('not passed on here') },
      { value: { outcome: { outcome: 'cancelled' } } },
      { value: { outcome: { outcome: 'cancelled' } } },
    ])
    expect(seen.questions).toEqual([])
    const prompting = seen.prompt(write('late'))
    const { id } = await question(at)
    await seen.cancel()
    expect(await prompting).toMatchObject([{ code: -32_003 }])
    expect((await (await at.store()).get(id))?.status).toBe('withdrawn')
    expect(seen.written).toEqual([])
  },
)

promise(
  ['CS-ACP-3'],
  'without an inbox, a call that cannot be decided in the editor is refused',
  async () => {
    const at = place()
    const seen = await editor(at, { args: ['--no-inbox'], pick: () => undefined })
    expect(await seen.prompt(write('x'))).toMatchObject([{ code: -32_003 }])
    expect(seen.said.join('')).toContain('no person can be asked')
    expect(seen.written).toEqual([])
  },
)
