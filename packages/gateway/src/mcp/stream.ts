/** Waits for the first piece of a stream. Returns a stream of all pieces; cancelling it cancels the source. */
export async function waitForFirstPiece(
  source: ReadableStream<Uint8Array>,
): Promise<ReadableStream<Uint8Array>> {
  const reader = source.getReader()
  let next: ReturnType<typeof reader.read> | undefined = Promise.resolve(await reader.read())
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await (next ?? reader.read())
        next = undefined
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
