import type { diagramsEn } from './en.ts'

/** The texts of every diagram in one language. The compiler requires each language to be complete. */
export type DiagramTexts = {
  readonly [Id in DiagramId]: {
    readonly title: string
    readonly description: string
    readonly boxes: { readonly [Box in keyof (typeof diagramsEn)[Id]['boxes']]: string }
    readonly arrows: { readonly [Arrow in keyof (typeof diagramsEn)[Id]['arrows']]: string }
  }
}

export type DiagramId = keyof typeof diagramsEn
