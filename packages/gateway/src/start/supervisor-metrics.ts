/** Formats the metrics of a supervisor, which its processes add to their own. */
export function formatSupervisorMetrics(facts: {
  readonly processes: number
  readonly restarts: number
}): string {
  return `# HELP tgw_supervised_processes Processes that the supervisor keeps running (PROCESSES).
# TYPE tgw_supervised_processes gauge
tgw_supervised_processes ${facts.processes}
# HELP tgw_process_restarts_total Processes that ended by themselves and were started again.
# TYPE tgw_process_restarts_total counter
tgw_process_restarts_total ${facts.restarts}
`
}
