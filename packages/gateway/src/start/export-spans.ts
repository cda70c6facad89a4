/**
 * Exports spans with OpenTelemetry's SDK over OTLP/HTTP, if a collector is configured. The packages are optional and
 * imported only then. The gateway carries the place in a trace itself, so the SDK needs no context manager.
 */

import type * as Api from '@opentelemetry/api'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { type Config, ConfigError } from '../config.ts'
import type { Log } from '../kernel/log.ts'
import { noSpans, type Span, type SpanEnd, type Spans } from '../kernel/spans.ts'
import type { TraceContext } from '../kernel/trace-context.ts'
import { readPackageVersion } from '../metrics/package-version.ts'

const serviceName = 'trade-gateway'
/** The largest number of spans that wait for their export; further ones are dropped. */
const maxWaitingSpans = 4_096
const exportEveryMs = 2_000
/** The exporter gives up first, and says why, before the processor that waits for it gives up as well. */
const exporterTimeoutMs = 4_000
const processorTimeoutMs = 5_000
const maxAttributeCharacters = 256
const warningMs = 60_000

/** Creates the exporter of spans, or one that does nothing. Throws `ConfigError` if the packages are not installed. */
export async function openSpans({ traces }: Config, log: Log, now: () => number): Promise<Spans> {
  if (!traces) return noSpans
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await importPackages()
  const exporter = reportFailures(
    new OTLPTraceExporter({ url: traces.url, timeoutMillis: exporterTimeoutMs }),
    log,
    now,
  )
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': readPackageVersion(),
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(traces.share) }),
    spanLimits: { attributeValueLengthLimit: maxAttributeCharacters },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter,
        maxQueueSize: maxWaitingSpans,
        scheduledDelayMillis: exportEveryMs,
        exportTimeoutMillis: processorTimeoutMs,
      }),
    ],
  })
  const tracer = provider.getTracer(serviceName)
  return {
    start({ name, kind, parent }) {
      const options = { kind: kind === 'server' ? api.SpanKind.SERVER : api.SpanKind.CLIENT }
      return toSpan(api, tracer.startSpan(name, options, toParent(api, parent)))
    },
    // `reportFailures` has logged why spans were lost, and that must not disturb the end of the process.
    close: () => provider.shutdown().catch(() => {}),
  }
}

async function importPackages() {
  try {
    return await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ])
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    throw new ConfigError([
      'OTEL_EXPORTER_OTLP_ENDPOINT requires packages that this installation does not have. In a clone, run npm ci without --omit=dev. Elsewhere, run npm install @opentelemetry/api@1.10.0 @opentelemetry/sdk-trace@3.1.0 @opentelemetry/resources@3.1.0 @opentelemetry/exporter-trace-otlp-http@0.301.0.',
    ])
  }
}

function toParent(
  { trace, ROOT_CONTEXT, TraceFlags }: typeof Api,
  parent: TraceContext | undefined,
): Api.Context {
  if (!parent) return ROOT_CONTEXT
  const { traceId, spanId, isSampled } = parent
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function toSpan({ SpanStatusCode, TraceFlags }: typeof Api, span: Api.Span): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    context: { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED },
    end({ name, attributes, error }: SpanEnd) {
      if (name !== undefined) span.updateName(name)
      span.setAttributes(attributes)
      if (error !== undefined) {
        span.setAttribute('error.type', error)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}

/** Wraps an exporter so that the log has at most one warning a minute while the collector does not take spans. */
function reportFailures(exporter: SpanExporter, log: Log, now: () => number): SpanExporter {
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    export(spans: ReadableSpan[], onResult) {
      exporter.export(spans, (result) => {
        if (result.error && now() - warnedAt >= warningMs) {
          warnedAt = now()
          log.warn(
            { rows: spans.length, error: result.error.message },
            'spans could not be exported and are lost',
          )
        }
        onResult(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush ? { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() } : {}),
  }
}
