import type { Decision } from './decision.ts'
import { approvedOnly, drive, driveDecision, type Ended, type Operations } from './drive.ts'
import type { Engine } from './engine.ts'
import { lookAndRun, runNow, type WorkflowGate, withdrawQuestion } from './gates.ts'
import { looksOf } from './looks.ts'
import { type ApprovalRequest, type Question, questionOf } from './question.ts'

/** For engines whose steps are functions, which can hold the gate themselves. */
function stepsOf(engine: Engine, gate: WorkflowGate): Operations<Question> {
  return {
    look: (name, question, looking) => engine.step(name, () => lookAndRun(gate, question, looking)),
    run: (name, question, looking) => engine.step(name, () => runNow(gate, question, looking)),
    async withdraw(name, question) {
      await engine.afterCancel?.(name, () => withdrawQuestion(gate, question))
    },
  }
}

export function runDurably(
  engine: Engine,
  gate: WorkflowGate,
  question: Question,
  looks: readonly number[],
): Promise<Ended> {
  return drive(engine, stepsOf(engine, gate), question, looks)
}

/** Asks people whether the workflow may go on, and resolves with what they answered. */
export async function decideDurably<P>(
  engine: Engine,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P>> {
  const question = await questionOf(engine, request, spend)
  return driveDecision<P, Question>(engine, stepsOf(engine, gate), question, looksOf(request))
}

/** The same, for workflows that have nothing to do without a yes. */
export async function requireDurably<P>(
  engine: Engine,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P> & { readonly status: 'approved' }> {
  return approvedOnly(engine, await decideDurably<P>(engine, gate, request))
}

/** Run by claiming the approval: a yes is used once, and everything it rests on is checked again. */
function spend(): null {
  return null
}
