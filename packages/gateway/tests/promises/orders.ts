import type { Promised } from './promise.ts'

export const orderPromises = {
  I1: {
    en: 'If a submit returns 2xx, the order exists exactly once in the ERP, whatever crashes. The ERP must deduplicate by reference or find a reference.',
    zh: '提交返回 2xx 后，无论发生何种崩溃，订单在 ERP 中都恰好存在一份。前提是 ERP 能按引用去重，或能按引用查询。',
    ko: '제출이 2xx를 반환하면 어떤 장애가 발생해도 ERP에 주문이 정확히 하나만 존재합니다. ERP가 참조로 중복을 제거하거나 참조를 조회할 수 있어야 합니다.',
    triedBy: {
      'packages/gateway/tests/faults/order-kills.test.ts': ['kill -9 of gateway and ERP'],
      'packages/gateway/tests/faults/ordering.test.ts': ['orders at an ERP that $name'],
      'packages/gateway/tests/order-crash.test.ts': ['a crash $point'],
      'packages/gateway/tests/settlement.test.ts': ['a submit of an order whose outcome is unknown'],
    },
  },
  I2: {
    en: 'One business operation creates at most one document in the ERP, also without an `Idempotency-Key`.',
    zh: '即使没有 `Idempotency-Key`，一次业务操作在 ERP 中也最多创建一份单据。',
    ko: '`Idempotency-Key`가 없어도 업무 한 건은 ERP에 문서를 최대 하나만 만듭니다.',
    triedBy: {
      'packages/gateway/tests/orders.test.ts': ['that comes twice at once makes one order'],
      'packages/gateway/tests/reservations.test.ts': [
        'that comes many times at once under one number is one',
      ],
      'packages/gateway/tests/lost-locks.test.ts': ['a document that another process changes meanwhile'],
    },
  },
  I3: {
    en: 'If the outcome of a write is unknown, the response never reports a definite failure.',
    zh: '如果写操作结果未知，响应绝不会报告确定的失败。',
    ko: '쓰기의 결과를 알 수 없으면 응답은 확정된 실패를 보고하지 않습니다.',
    triedBy: {
      'packages/gateway/tests/faults/order-kills.test.ts': ['leaves each order exactly once'],
      'packages/gateway/tests/faults/ordering.test.ts': ['are never oversold, lost, made twice or leaked'],
      'packages/gateway/src/upstream/guarded.test.ts': ['a write'],
    },
  },
  I4: {
    en: 'The same `Idempotency-Key` with the same body runs once and replays the same bytes. With another body it returns `IDEMPOTENCY_MISMATCH` and changes nothing.',
    zh: '同一 `Idempotency-Key` 与同一请求体只执行一次，重复请求逐字节返回原响应；请求体不同则返回 `IDEMPOTENCY_MISMATCH`，不作任何改动。',
    ko: '같은 `Idempotency-Key`와 같은 본문은 한 번만 실행되고 바이트까지 같은 응답을 다시 반환합니다. 본문이 다르면 `IDEMPOTENCY_MISMATCH`를 반환하고 아무것도 바꾸지 않습니다.',
    triedBy: {
      'packages/gateway/tests/orders.test.ts': ['an idempotency key'],
      'packages/gateway/tests/access-idempotency.test.ts': ['the same key and body', 'the same key'],
      'packages/gateway/tests/lost-locks.test.ts': ['an Idempotency-Key that another process uses meanwhile'],
    },
  },
  I5: {
    en: 'A retry with the same key finishes work that was interrupted. A refused request does not use up its key.',
    zh: '用同一幂等键重试会完成中断的操作；请求被拒绝后，幂等键仍可使用。',
    ko: '같은 멱등키로 재시도하면 중단된 작업이 완료됩니다. 거부된 요청은 멱등키를 소모하지 않습니다.',
    triedBy: {
      'packages/gateway/tests/order-crash.test.ts': [
        'a retry while the ERP cannot be asked',
        'a crash $point',
      ],
      'packages/gateway/tests/orders.test.ts': ['is free again after a refusal'],
    },
  },
  I6: {
    en: 'A write of unknown outcome is settled by what the ERP reports. Nothing is sent again before its absence is proven.',
    zh: '结果未知的写操作以 ERP 的查询结果为准；在证明 ERP 没有收到之前，绝不重新发送。',
    ko: '결과를 알 수 없는 쓰기는 ERP 조회 결과로 확정합니다. ERP에 없음이 입증되기 전에는 다시 보내지 않습니다.',
    triedBy: {
      'packages/gateway/tests/settlement.test.ts': ['a write of unknown outcome, look-ups being %s'],
      'packages/gateway/tests/faults/ordering.test.ts': ['orders at an ERP that $name'],
      'packages/gateway/tests/faults/clock-jumps.test.ts': ['believes no absence before'],
    },
  },
  I7: {
    en: 'No unit is sold twice or lost: available, held and sold quantities add up, and each hold ends by void, release, submit or expiry.',
    zh: '没有一件货会被重复售出或丢失：可售、预占与已售数量之和不变，每个预占都会因作废、释放、提交或到期而结束。',
    ko: '같은 재고를 두 번 팔거나 잃지 않습니다. 가용, 선점, 판매 수량의 합은 변하지 않으며 모든 재고 선점은 취소, 해제, 제출 또는 만료로 끝납니다.',
    triedBy: {
      'packages/gateway/tests/faults/ordering.test.ts': ['orders at an ERP that $name'],
      'packages/gateway/tests/reservations.test.ts': [
        'gives the last unit to exactly one of 20 that come at once',
        'against a cancel: one of them wins, and no unit is lost',
      ],
      'packages/gateway/tests/holds-that-moved-on.test.ts': ['a hold that its preview left behind'],
    },
  },
  I8: {
    en: 'Concurrent allocations of one SKU in one warehouse have the results of some order in which they ran one after another.',
    zh: '同一仓库同一 SKU 并发分配的结果，等同于按某个先后顺序逐一执行。',
    ko: '한 창고에서 같은 SKU를 동시에 할당한 결과는 어떤 순서로 하나씩 실행한 결과와 같습니다.',
    triedBy: {
      'packages/simulator/tests/simulate.test.ts': [
        'has the same history for the same seed, in the same process',
      ],
      'packages/simulator/tests/checker.test.ts': ['the checker finds'],
    },
  },
  I9: {
    en: 'A shipped order is never voided, and a voided order never ships. Void against submit has one winner.',
    zh: '已发货的订单不会被作废，已作废的订单不会发货；作废与提交同时发生时，只有一方成功。',
    ko: '출고된 주문은 취소되지 않고 취소된 주문은 출고되지 않습니다. 취소와 제출이 겹치면 하나만 성공합니다.',
    triedBy: {
      'packages/gateway/tests/void-against-ship.test.ts': ['void against ship'],
      'packages/gateway/tests/orders.test.ts': ['against a submit: one of them wins'],
    },
  },
  I10: {
    en: 'With `WRITES_ENABLED=0`, no write reaches the ERP, neither over REST nor over MCP nor from background work.',
    zh: '设置 `WRITES_ENABLED=0` 后，无论经由 REST、MCP 还是后台任务，都没有写操作到达 ERP。',
    ko: '`WRITES_ENABLED=0`이면 REST, MCP, 백그라운드 작업 어디에서도 쓰기가 ERP에 도달하지 않습니다.',
    triedBy: {
      'packages/gateway/tests/bad-input-orders.test.ts': ['an environment without writes'],
      'packages/gateway/tests/mcp-call-endpoint.test.ts': ['reads only, where the environment is read-only'],
      'packages/gateway/src/upstream/guarded.test.ts': ['read-only mode'],
    },
  },
} as const satisfies Readonly<Record<string, Promised>>
