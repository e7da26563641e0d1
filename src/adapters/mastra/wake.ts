/** What a call is resumed with. It names answers that only this process holds. */
export interface Wake {
  readonly countersign: 'wake'
  readonly answers?: string
}

export function isWake(data: unknown): data is Wake {
  return (data as Partial<Wake> | null | undefined)?.countersign === 'wake'
}
