/** A call of the journey. Its texts may contain variables: `{{order_id}}`. */
export interface Step {
  /** The id of the endpoint. */
  readonly endpoint: string
  /** The values of the path's parameters. Without one, the variable of the same name is the value. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Values of the response that later steps use: variable → place, such as `data.0.sku`. */
  readonly keep?: Readonly<Record<string, string>>
  /** Set if the kept values exist only after the gateway's workers ran: the call is repeated until they do. */
  readonly waits?: true
}

/** The variables that a reader fills in or that a run sets, with their values in the recording. */
export const givenVariables = {
  base_url: 'http://localhost:8080',
  username: 'buyer@sandbox.example',
  password: '<password>',
  /** Makes order numbers and keys of a run differ from those of other runs. */
  run: '1001',
} as const

/** Replaces the variables in every text of a value. Throws if a variable has no value. */
export function fillVariables<T>(value: T, variables: Readonly<Record<string, string>>): T {
  const text = JSON.stringify(value).replace(/\{\{(\w+)\}\}/g, (_whole, name: string) => {
    const found = variables[name]
    if (found === undefined) throw new Error(`No step has kept {{${name}}}.`)
    return JSON.stringify(found).slice(1, -1)
  })
  return JSON.parse(text)
}

/** Reads the value at a place such as `data.0.sku`; undefined if there is none. */
export function readPlace(value: unknown, place: string): unknown {
  return place
    .split('.')
    .reduce<unknown>(
      (found, name) => (typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined),
      value,
    )
}
