import { openSandboxErp, type SandboxErp, type SandboxErpOptions } from '../erp.ts'

const filled = new Map<string, Uint8Array>()

/**
 * Opens a sandbox ERP in memory with a copy of what the first one of this name in this process was filled with. To fill
 * one takes ten times as long as the copy. The name stands for the goods, the accounts and the time.
 */
export async function openFilledErp(
  name: string,
  options: Omit<SandboxErpOptions, 'path' | 'contents'>,
): Promise<SandboxErp> {
  const contents = filled.get(name)
  if (contents) return openSandboxErp({ ...options, path: ':memory:', contents, accounts: [] })
  const erp = await openSandboxErp({ ...options, path: ':memory:' })
  filled.set(name, erp.store.serialize())
  return erp
}
