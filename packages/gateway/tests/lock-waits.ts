import type { TestGateway } from './harness.ts'

/** Resolves when so many requests have asked for a lock whose name begins with `prefix`, before they have it. */
export function waitForLocks({ gateway: { store } }: TestGateway, count: number, prefix = ''): Promise<void> {
  const { withLock } = store
  let left = count
  return new Promise((resolve) => {
    Object.assign(store, {
      withLock: (...args: Parameters<typeof withLock>) => {
        if (args[0].startsWith(prefix)) left -= 1
        if (left === 0) {
          Object.assign(store, { withLock })
          resolve()
        }
        return withLock.apply(store, args)
      },
    })
  })
}
