import { looksOf } from '../base/looks.ts'
import type { Decision } from './decision.ts'
import { approvedOnly, drive, driveDecision, type Ended, type Operations } from './drive.ts'
import type { Engine } from './engine.ts'
import { type Look, lookAndRun, runNow, type WorkflowGate, withdrawQuestion } from './gates.ts'
import { type ApprovalRequest, type Places, type Question, questionOf } from './question.ts'
import { spend } from './spend.ts'

/** Makes the question for its place in the workflow. */
export type Placing = (places: Places) => Promise<Question>

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

/**
 * The same for an engine that tells a position inside of a step only. The first look keeps it with
 * what it found, so no step is needed to learn it.
 */
function placedSteps(
  engine: Engine,
  { gate, stepPosition, place }: PlacedParts,
): Operations<Question> {
  let position: number | undefined
  const placed = (at: number) => place({ run: engine.run, position: () => at })
  return {
    async look(name, _, looking) {
      const kept = await engine.step<PlacedLook>(name, async () => {
        // Known before anything is asked: a workflow that is cancelled now withdraws the question.
        position ??= stepPosition()
        return { position, look: await lookAndRun(gate, await placed(position), looking) }
      })
      position = kept.position
      return kept.look
    },
    run: (name, _, looking) =>
      engine.step(name, async () => {
        position ??= stepPosition()
        return runNow(gate, await placed(position), looking)
      }),
    async withdraw(name) {
      // Nothing was asked.
      if (position === undefined) return
      const question = await placed(position)
      await engine.afterCancel?.(name, () => withdrawQuestion(gate, question))
    },
  }
}

interface PlacedParts {
  readonly gate: WorkflowGate
  readonly stepPosition: () => number
  readonly place: Placing
}

interface PlacedLook {
  readonly position: number
  readonly look: Look
}

async function asked(
  engine: Engine,
  gate: WorkflowGate,
  place: Placing,
): Promise<{ readonly question: Question; readonly steps: Operations<Question> }> {
  const { stepPosition } = engine
  const question = await place(engine)
  if (!stepPosition) return { question, steps: stepsOf(engine, gate) }
  return { question, steps: placedSteps(engine, { gate, stepPosition, place }) }
}

export async function runDurably(
  engine: Engine,
  gate: WorkflowGate,
  place: Placing,
  looks: readonly number[],
): Promise<Ended> {
  const { question, steps } = await asked(engine, gate, place)
  return drive(engine, steps, question, looks)
}

/** Asks people whether the workflow may go on, and resolves with what they answered. */
export async function decideDurably<P>(
  engine: Engine,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P>> {
  const place: Placing = (places) => questionOf(places, request, spend)
  const { question, steps } = await asked(engine, gate, place)
  return driveDecision<P, Question>(engine, steps, question, looksOf(request))
}

/** The same, for workflows that have nothing to do without a yes. */
export async function requireDurably<P>(
  engine: Engine,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P> & { readonly status: 'approved' }> {
  return approvedOnly(engine, await decideDurably<P>(engine, gate, request))
}
