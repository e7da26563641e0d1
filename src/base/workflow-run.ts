/** The run of a workflow, as the asker names it. */
export interface WorkflowRun {
  readonly engine: string
  readonly id: string
}

/** As `runName` of the workflow driver writes it, with or without the place of the question. */
const RUN =
  /^(?<engine>aws-durable|cloudflare|dbos|inngest|langgraph|openworkflow|restate|temporal):(?<id>[^/]+)(?:\/|$)/

export function workflowRun(run: string | undefined): WorkflowRun | undefined {
  const { engine = '', id = '' } = RUN.exec(run ?? '')?.groups ?? {}
  if (id === '') return undefined
  try {
    return { engine, id: decodeURIComponent(id) }
  } catch {
    return undefined
  }
}
