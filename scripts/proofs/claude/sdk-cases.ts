import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { guardOptions } from '../../../src/adapters/claude-agent-sdk/guard-options.ts'
import type { Hooks } from '../../../src/adapters/claude-agent-sdk/sdk-types.ts'
import { type Waiting, waitingIn } from '../../../src/adapters/claude-agent-sdk/waiting.ts'
import { memoryStore } from '../../../src/store/memory/index.ts'
import { openSqlite } from '../../../src/store/sqlite/open-store.ts'
import { RECORDED } from '../../../test/adapters/claude-hook-inputs.ts'
import type { Installed } from './install.ts'
import type { Place } from './place.ts'
import { prove, until } from './prove.ts'
import { call, type Ended, gateOn, question, type Session, say, start } from './session.ts'

/** The adapter in front of the real SDK and the real Claude Code. */
export async function proveSdk(installed: Installed, place: Place): Promise<void> {
  const play = (more: Partial<Session> & Pick<Session, 'turns'>) => {
    const gate = more.gate ?? gateOn()
    return { gate, going: start({ installed, place, gate, ...more }) }
  }
  const end = async ({ going }: ReturnType<typeof play>): Promise<Ended> => (await going).ended

  await prove('what policy allows runs unasked', async () => {
    const played = play({ turns: [[call('c1', 1, 'read')]] })
    const { ran, model } = await end(played)
    assert.deepEqual(ran, [1])
    assert.match(model.read('c1'), /read did 1/)
    assert.equal((await played.gate.approvals.list({})).approvals.length, 0)
  })

  await prove('approved, it runs exactly once, allowedTools and canUseTool or not', async () => {
    let others = 0
    const canUseTool = async () => {
      others += 1
      return { behavior: 'allow' }
    }
    const played = play({ turns: [[call('c1', 5)]], options: { canUseTool } })
    const asked = await question(played.gate, 'c1')
    assert.equal(asked.status, 'pending')
    await say(played.gate, 'c1', 'approve')
    const { ran, model } = await end(played)
    assert.deepEqual(ran, [5])
    assert.equal(others, 0)
    assert.match(model.read('c1'), /pay did 5/)
    assert.equal((await question(played.gate, 'c1')).execution?.state, 'succeeded')
  })

  await prove('denied, it does not run, and the model reads why', async () => {
    const played = play({ turns: [[call('c1', 5)]] })
    await say(played.gate, 'c1', 'deny', { reason: 'Not this month' })
    const { ran, model } = await end(played)
    assert.deepEqual(ran, [])
    assert.match(
      model.read('c1'),
      /PreToolUse:mcp__bank__pay hook error: The call to pay was denied by a person and did not run\. Reason: Not this month\./,
    )
  })

  await prove('edited, the other arguments run, and the model is told what changed', async () => {
    const played = play({ turns: [[call('c1', 500)]] })
    await say(played.gate, 'c1', 'approve', { args: { amount: 20 } })
    const { ran, model } = await end(played)
    assert.deepEqual(ran, [20])
    assert.match(model.read('c1'), /A person changed the call to pay.*amount is now 20/)
  })

  await prove('a tool that fails is on record as failed', async () => {
    const played = play({ turns: [[call('c1', 13)]] })
    await say(played.gate, 'c1', 'approve')
    const { model } = await end(played)
    assert.match(model.read('c1'), /the bank is closed/)
    assert.equal((await question(played.gate, 'c1')).execution?.state, 'failed')
  })

  await prove('calls of one turn are asked about one after another, each by itself', async () => {
    const played = play({ turns: [[call('c1', 1), call('c2', 2)]] })
    await say(played.gate, 'c1', 'deny')
    await say(played.gate, 'c2', 'approve')
    const { ran, model } = await end(played)
    assert.deepEqual(ran, [2])
    assert.match(model.read('c1'), /denied by a person/)
    assert.match(model.read('c2'), /pay did 2/)
  })

  await prove('calls of tools that only read are asked about together', async () => {
    const played = play({ turns: [[call('c1', 1, 'look'), call('c2', 2, 'look')]] })
    await question(played.gate, 'c1')
    await question(played.gate, 'c2')
    await say(played.gate, 'c2', 'approve')
    await say(played.gate, 'c1', 'deny')
    const { ran } = await end(played)
    assert.deepEqual(ran, [2])
  })

  await prove('the mode that bypasses permissions does not bypass people', async () => {
    const options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }
    const played = play({ turns: [[call('c1', 5)]], options })
    await say(played.gate, 'c1', 'deny')
    assert.deepEqual((await end(played)).ran, [])
  })

  await prove(
    'a sub-agent is asked about as a delegation, and what it calls by itself',
    async () => {
      const input = {
        description: 'x',
        prompt: 'pay',
        subagent_type: 'payer',
        run_in_background: false,
      }
      const played = play({
        turns: [[{ id: 'a1', name: 'Agent', input }], [call('s1', 5)], 'paid', 'done'],
        options: { agents: { payer: { description: 'pays', prompt: 'You pay.' } } },
      })
      const { kind, tool } = (await question(played.gate, 'a1')).call
      assert.deepEqual([kind, tool], ['agent', 'payer'])
      await say(played.gate, 'a1', 'approve')
      const inside = await question(played.gate, 's1')
      const shown = await played.gate.approvals.get(inside.id)
      assert.equal(shown?.question?.context?.says, 'The sub-agent payer makes this call.')
      await say(played.gate, 's1', 'approve')
      const { ran } = await end(played)
      assert.deepEqual(ran, [5])
      for (const key of ['a1', 's1']) {
        assert.equal((await question(played.gate, key)).execution?.state, 'succeeded')
      }
    },
  )

  await prove('when the store is gone nothing runs', async () => {
    const store = memoryStore()
    const gate = gateOn(store)
    await store.close()
    const { ran, model } = await end(play({ gate, turns: [[call('c1', 5)]] }))
    assert.deepEqual(ran, [])
    assert.match(model.read('c1'), /ran nothing|did not run/)
  })

  await prove('a hook that crashes, in whatever way, runs nothing', async () => {
    for (const crash of [
      () => Promise.reject(new Error('out of memory')),
      async () => 'not an answer',
      async () => ({
        hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'yes' },
      }),
    ]) {
      const hooks = changed(gateOn(), () => ({ hooks: [crash as never] }))
      const gate = allowing()
      const { ran, model } = await end(play({ gate, turns: [[call('c1', 5)]], options: { hooks } }))
      assert.deepEqual(ran, [])
      assert.match(model.read('c1'), /hook/)
    }
  })

  await prove(
    'a hook that takes too long runs nothing, and its question is withdrawn',
    async () => {
      const gate = gateOn()
      const hooks = changed(gate, () => ({ timeout: 1 }))
      const played = play({ gate: allowing(), turns: [[call('c1', 5)]], options: { hooks } })
      const { ran } = await end(played)
      assert.deepEqual(ran, [])
      assert.equal((await question(gate, 'c1')).status, 'withdrawn')
    },
  )

  await prove('killed between the claim and the run, it runs at no time', async () => {
    const gate = gateOn()
    const ran: number[] = []
    const played = play({ gate, ran, turns: [[call('c1', 5)]], diesWhenAllowed: true })
    await say(gate, 'c1', 'approve')
    const { messages, error } = await end(played)
    assert.match(String(error), /SIGKILL/)
    await unknown(gate)
    const resume = messages.find((message) => message.session_id)?.session_id
    const prompt = 'Go on.'
    await end(play({ gate, ran, turns: [], options: { resume }, prompt }))
    assert.deepEqual(ran, [])
    await unknown(gate)
  })

  await prove('killed while its tool runs, the outcome is unknown', async () => {
    const gate = gateOn()
    const ran: number[] = []
    const played = play({ gate, ran, turns: [[call('c1', 99)]] })
    await say(gate, 'c1', 'approve')
    const going = await played.going
    await until(() => ran.length || undefined)
    going.claude().kill('SIGKILL')
    await going.ended
    await unknown(gate)
    assert.deepEqual(ran, [99])
  })

  await prove('deferred, it goes on in another process, once, and in a third no more', async () => {
    const database = path.join(place.home, 'deferred.db')
    const first = await otherProcess({ place, database })
    assert.deepEqual(first.ran, [])
    assert.deepEqual(first.waiting, { ...first.waiting, callId: 'c1', name: 'mcp__bank__pay' })
    const resume = first.waiting?.session
    assert.ok(resume)
    const early = await otherProcess({ place, database, resume })
    assert.deepEqual([early.ran, early.waiting], [[], first.waiting])
    const store = await openSqlite(database)
    try {
      await say(gateOn(store), 'c1', 'approve', { args: { amount: 7 } })
    } finally {
      await store.close()
    }
    const second = await otherProcess({ place, database, resume })
    assert.deepEqual([second.ran, second.waiting], [[7], undefined])
    assert.match(second.read, /pay did 7.*A person changed the call to pay/s)
    assert.deepEqual((await otherProcess({ place, database, resume })).ran, [])
  })

  await prove('of two calls of a turn one is deferred, the other waits, none is lost', async () => {
    const gate = gateOn()
    const ran: number[] = []
    const asking = { mode: 'suspend' } as const
    const played = play({ gate, ran, asking, turns: [[call('c1', 1), call('c2', 2)]] })
    await question(gate, 'c1')
    await say(gate, 'c2', 'approve')
    const { messages } = await end(played)
    assert.deepEqual(ran, [2])
    const waiting = messages.map(waitingIn).find((one) => one !== undefined)
    assert.equal(waiting?.callId, 'c1')
    await say(gate, 'c1', 'approve')
    const options = { resume: waiting?.session }
    const { model } = await end(play({ gate, ran, asking, turns: [], options, prompt: '' }))
    assert.deepEqual(ran, [2, 1])
    assert.match(model.all(), /pay did 2.*pay did 1/s)
  })

  await prove('what Claude Code tells its hooks has the recorded shape', async () => {
    const told: Record<string, unknown>[] = []
    async function note(input: Record<string, unknown>) {
      told.push(input)
      return {}
    }
    const events = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'Stop']
    const input = {
      description: 'x',
      prompt: 'y',
      subagent_type: 'payer',
      run_in_background: false,
    }
    const played = play({
      turns: [
        [{ id: 'b1', name: 'Bash', input: { command: 'echo hi' } }],
        [{ id: 'b2', name: 'Bash', input: { command: 'exit 3' } }],
        [call('t1', 5, 'read')],
        [{ id: 'a1', name: 'Agent', input }],
        [call('s1', 6, 'read')],
        'read',
      ],
      options: {
        allowedTools: ['Bash', 'mcp__bank__read'],
        agents: { payer: { description: 'pays', prompt: 'You pay.' } },
        hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [note] }]])),
      },
    })
    for (const key of ['b1', 'b2', 'a1']) await say(played.gate, key, 'approve')
    await end(played)
    const seen = (event: string, id?: string) =>
      told.find(
        (one) => one.hook_event_name === event && (id === undefined || one.tool_use_id === id),
      )
    const pairs: [object, object | undefined][] = [
      [RECORDED.before, seen('PreToolUse', 'b1')],
      [RECORDED.after, seen('PostToolUse', 'b1')],
      [RECORDED.failed, seen('PostToolUseFailure', 'b2')],
      [RECORDED.beforeMcp, seen('PreToolUse', 't1')],
      [RECORDED.afterMcp, seen('PostToolUse', 't1')],
      [RECORDED.delegating, seen('PreToolUse', 'a1')],
      [RECORDED.beforeInSubAgent, seen('PreToolUse', 's1')],
      [RECORDED.batch, seen('PostToolBatch')],
      [RECORDED.stop, seen('Stop')],
    ]
    assert.equal(seen('PreToolUse', 'a1')?.tool_name, RECORDED.delegating.tool_name)
    for (const [recorded, real] of pairs) {
      assert.ok(real, JSON.stringify(recorded))
      assert.deepEqual(shapeOf(real), shapeOf(recorded))
    }
  })
}

/** A gate that lets everything run, so that only the hooks given with the options can stop it. */
function allowing(): ReturnType<typeof gateOn> {
  const gate = gateOn()
  return { ...gate, check: async () => ({ status: 'allowed', args: {} }) }
}

/** Our hook for a gate, with something changed about it. */
function changed(gate: ReturnType<typeof gateOn>, change: () => object): Hooks {
  const { hooks } = guardOptions(gate, {}) as { readonly hooks: Hooks }
  const [before] = hooks.PreToolUse ?? []
  assert.ok(before)
  return { PreToolUse: [{ ...before, ...change() }] }
}

function unknown(gate: ReturnType<typeof gateOn>): Promise<true> {
  return until(async () => (await question(gate, 'c1')).execution?.state === 'unknown' || undefined)
}

interface Told {
  readonly ran: readonly number[]
  readonly waiting?: Waiting
  readonly read: string
}

async function otherProcess(wanted: object): Promise<Told> {
  const program = path.join(import.meta.dirname, 'agent-process.ts')
  const args = ['--conditions=countersign-source', program, JSON.stringify(wanted)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as Told
}

/** Which members, of which type. What the tools themselves take and give is theirs. */
function shapeOf(value: object): object {
  const kinds = Object.entries(value).map(([name, member]) => [
    name,
    name === 'hook_event_name' ? member : typeof member,
  ])
  return Object.fromEntries(kinds.sort())
}
