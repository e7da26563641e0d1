import type { Channel } from '../../gate/notify/channel.ts'
import { wakeChannel } from '../wake.ts'

export const NAME = 'aws-durable'

/** The name of the callback that waits for an approval: by it the callback's id is found. */
export function callbackOf(approval: string): string {
  return `countersign:${approval}`
}

/** What sending a wake-up needs: `new Lambda({})` of `@aws-sdk/client-lambda`. */
export interface CallbackClient {
  getDurableExecutionHistory(
    request: {
      readonly DurableExecutionArn: string
      readonly IncludeExecutionData: false
      readonly ReverseOrder: true
      readonly MaxItems: number
      readonly Marker?: string
    },
    options?: { readonly abortSignal: AbortSignal },
  ): Promise<{
    readonly Events?: readonly HistoryEvent[] | undefined
    readonly NextMarker?: string | undefined
  }>
  sendDurableExecutionCallbackSuccess(
    request: { readonly CallbackId: string },
    options?: { readonly abortSignal: AbortSignal },
  ): Promise<unknown>
}

export interface HistoryEvent {
  readonly EventType?: string | undefined
  readonly Id?: string | undefined
  readonly Name?: string | undefined
  readonly CallbackStartedDetails?: { readonly CallbackId?: string | undefined } | undefined
}

const PAGE = 1_000
/** An execution that waits has its callback among the newest events, unless many branches run. */
const MOST_PAGES = 10

/**
 * A channel of the gate: wakes an execution as soon as its question is over. Each wait has another
 * callback id, which Lambda's own history tells, so none is stored elsewhere.
 */
export function wakeUps(lambda: CallbackClient): Channel {
  return wakeChannel(NAME, async ({ workflow, approval }, signal) => {
    const options = { abortSignal: signal }
    const id = await openCallback(lambda, { arn: workflow, name: callbackOf(approval), options })
    if (id === undefined) return false
    // Without a result: the handler asks the gate.
    await lambda.sendDurableExecutionCallbackSuccess({ CallbackId: id }, options)
    return true
  })
}

const ENDS = ['CallbackSucceeded', 'CallbackFailed', 'CallbackTimedOut']

/** Newest first, so the end of a callback is seen before its start. */
async function openCallback(
  lambda: CallbackClient,
  {
    arn,
    name,
    options,
  }: {
    readonly arn: string
    readonly name: string
    readonly options: { readonly abortSignal: AbortSignal }
  },
): Promise<string | undefined> {
  const ended = new Set<string | undefined>()
  let marker: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { Events = [], NextMarker } = await lambda.getDurableExecutionHistory(
      {
        DurableExecutionArn: arn,
        IncludeExecutionData: false,
        ReverseOrder: true,
        MaxItems: PAGE,
        ...(marker === undefined ? {} : { Marker: marker }),
      },
      options,
    )
    for (const { EventType = '', Id, Name, CallbackStartedDetails } of Events) {
      if (ENDS.includes(EventType)) ended.add(Id)
      else if (EventType === 'CallbackStarted' && Name === name && !ended.has(Id)) {
        return CallbackStartedDetails?.CallbackId
      }
    }
    if (NextMarker === undefined) return undefined
    marker = NextMarker
  }
  return undefined
}
