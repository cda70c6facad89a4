export interface ChannelName {
  readonly channel_code: string
  readonly name: string
}

/**
 * Returns the choices of a channel filter, each by name and code. The chosen code and a typed one are always among them: a
 * deleted channel is not in the list, but what it did is still found.
 */
export function toChannelChoices(
  channels: readonly ChannelName[],
  { chosen, typed }: { readonly chosen?: string; readonly typed: string },
) {
  const choices = channels.map(({ channel_code: value, name }) => ({
    value,
    label: name === value ? value : `${name} · ${value}`,
  }))
  const isMissing = (code: string) => choices.every(({ value, label }) => value !== code && label !== code)
  if (chosen !== undefined && isMissing(chosen)) choices.push({ value: chosen, label: chosen })
  if (isCode(typed) && isMissing(typed)) choices.push({ value: typed, label: typed })
  return choices
}

function isCode(text: string): boolean {
  return /^[\w.-]{1,64}$/.test(text)
}
