/** The faults that can be planted. */
export const plantedNames = [
  'lost-update-in-release',
  'event-numbered-early',
  'key-freed-in-doubt',
  'cursor-ahead-of-restore',
  'retry-after-rejected',
  'revocation-missed',
  'hold-of-nothing',
] as const
export type PlantedName = (typeof plantedNames)[number]
