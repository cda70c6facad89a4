/** The path of the MCP endpoint. */
export const mcpPath = '/mcp'

/** Decodes a path once, because any of its characters may be sent as `%73`. A malformed path stays as it is. */
export function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
