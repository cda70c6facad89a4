/** The variables of the process. Only `main.ts` reads them from the process itself. */
export type Environment = Readonly<Record<string, string | undefined>>
