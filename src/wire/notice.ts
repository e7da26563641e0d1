/** `GET /v1/notices`: what people are still to be told. */
export interface NoticePage {
  readonly waiting: number
  readonly stuck: number
  readonly channels: readonly WireChannel[]
  /** The oldest first, at most a hundred. */
  readonly notices: readonly WireNotice[]
}

export interface WireChannel {
  readonly name: string
  readonly seenAt: number
  readonly waiting: number
  readonly stuck: number
  /** Why nothing is sent there any more. */
  readonly problem?: string
}

export interface WireNotice {
  readonly id: string
  readonly channel: string
  readonly approval: string
  readonly kind: string
  readonly at: number
  readonly attempts: number
  readonly state: 'waiting' | 'stuck'
  readonly problem?: string
}
