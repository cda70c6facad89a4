declare const content: unique symbol

/** JSON in a text column, with the type of its content. */
export type Json<T> = string & { readonly [content]: T }

export function toJson<T>(value: T): Json<T> {
  // The cast holds because only this function creates such a text, from a value of the column's type.
  return JSON.stringify(value) as Json<T>
}

export function toJsonOrNull<T>(value: T | null): Json<T> | null {
  return value === null ? null : toJson(value)
}

export function fromJson<T>(text: Json<T>): T {
  return JSON.parse(text)
}

export function fromJsonOrNull<T>(text: Json<T> | null): T | null {
  return text === null ? null : fromJson(text)
}
