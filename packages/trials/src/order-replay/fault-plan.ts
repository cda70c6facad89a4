/** The faults that the sandbox ERP injects. */
import type { ErpClass } from './options.ts'

/**
 * Creates the fault plan. Only an ERP that detects repeated references gets duplicated requests; any other ERP would
 * execute both, whatever the gateway does. Late requests take effect within the `max_request_ms` that the ERP declares.
 */
export function createFaultPlan(erp_class: ErpClass, seed: number) {
  return {
    seed,
    before: 0.02,
    after_commit: 0.02,
    cut: 0.02,
    hang: 0.003,
    hang_after_commit: 0.004,
    slow: 0.03,
    duplicate: erp_class === 'dedupe' ? 0.02 : 0,
    late: 0.003,
    slow_ms: 300,
    late_ms: 1_000,
    lookup_lag_ms: 1_000,
  }
}
