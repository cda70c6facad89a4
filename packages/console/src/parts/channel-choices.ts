export interface ChannelName {
  readonly channel_code: string
  readonly name: string
}

/**
 * Returns the choices of a channel filter, each by name and code. The chosen code is always among them. Where not every
 * channel is known here, a typed code is one too.
 */
export function toChannelChoices(
  channels: readonly ChannelName[],
  { chosen, typed, areAllKnown }: { readonly chosen?: string; readonly typed: string; areAllKnown: boolean },
) {
  const choices = channels.map(({ channel_code: value, name }) => ({
    value,
    label: name === value ? value : `${name} · ${value}`,
  }))
  const isMissing = (code: string) => choices.every(({ value, label }) => value !== code && label !== code)
  if (chosen !== undefined && isMissing(chosen)) choices.push({ value: chosen, label: chosen })
  if (!areAllKnown && isCode(typed) && isMissing(typed)) choices.push({ value: typed, label: typed })
  return choices
}

function isCode(text: string): boolean {
  return /^[\w.-]{1,64}$/.test(text)
}
