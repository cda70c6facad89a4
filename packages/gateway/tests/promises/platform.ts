import type { Promised } from './promise.ts'

export const platformPromises = {
  I31: {
    en: 'Each response of the API is JSON with `X-API-Version` and `X-Request-Id`, also for bytes that are not HTTP.',
    zh: 'API 的每个响应都是 JSON，并带有 `X-API-Version` 和 `X-Request-Id`，即使收到的字节不是 HTTP。',
    ko: 'HTTP가 아닌 바이트를 받은 경우까지 포함하여 API의 모든 응답은 JSON이며 `X-API-Version`과 `X-Request-Id`가 있습니다.',
    triedBy: {
      'packages/gateway/tests/raw-tcp.test.ts': ['a request line or Host that is not ours', 'header lines'],
      'packages/gateway/tests/raw-tcp-bodies.test.ts': ['framing that two readers would read differently'],
      'packages/gateway/tests/raw-tcp-connections.test.ts': ['what is no HTTP'],
    },
  },
  I32: {
    en: 'Over all processes together, a channel spends at most its points in any 60 seconds.',
    zh: '所有进程合计，渠道在任意 60 秒内消耗的点数不超过配额。',
    ko: '모든 프로세스를 합쳐 채널은 어떤 60초 구간에서도 포인트 한도까지만 사용합니다.',
    triedBy: {
      'packages/gateway/tests/valkey/window.test.ts': [
        'grants 50 channels exactly their limit over four connections in 100,000 calls',
      ],
      'packages/gateway/tests/valkey/shared.test.ts': ['as four real processes'],
      'packages/gateway/tests/faults/behind-nginx.test.ts': ['grant each channel exactly its limit'],
    },
  },
  I33: {
    en: 'Under more load than it can serve, the gateway refuses reads of whole warehouses first and writes with a key last. It finishes the writes that it has begun, and serves everything again 2 seconds after the delays end.',
    zh: '负载超过容量上限时，网关首先拒绝整仓读取，最后才拒绝带键的写操作；已经开始的写操作会完成；延迟消失 2 秒后，一切请求恢复处理。',
    ko: '처리할 수 있는 것보다 부하가 크면 게이트웨이는 창고 전체 조회를 먼저, 키가 있는 쓰기를 마지막에 거부하고 이미 시작한 쓰기는 끝냅니다. 지연이 사라지면 2초 뒤에 모든 요청을 다시 처리합니다.',
    triedBy: {
      'packages/gateway/src/kernel/load-shedder.test.ts': [
        'sheds pulls first, then reads, then writes, then keyed writes, and never what is under way',
        'serves everything again two seconds after the delays ended',
      ],
      'packages/gateway/tests/overload.test.ts': [
        'refuses reads first, and says what to do',
        'refuses keyed writes last, but finishes those that were begun',
        'bounds the pulls that share the bandwidth, and does not count readers that are slow',
      ],
    },
  },
  I34: {
    en: 'An ERP that hangs holds up no read that the gateway serves itself.',
    zh: 'ERP 无响应时，由网关自身提供的读取不受影响。',
    ko: 'ERP가 응답하지 않아도 게이트웨이가 직접 제공하는 조회는 지연되지 않습니다.',
    triedBy: { 'packages/gateway/tests/erp-hangs.test.ts': ['holds up no read, whatever waits for it'] },
  },
  I35: {
    en: 'Retries do not multiply an outage: reads are repeated within a budget, and a write is never repeated by itself.',
    zh: '重试不会放大故障：读取的重试有总量限制，写操作绝不自动重发。',
    ko: '재시도가 장애를 키우지 않습니다. 조회는 정해진 한도 안에서만 재시도하고 쓰기는 자동으로 다시 보내지 않습니다.',
    triedBy: { 'packages/gateway/src/upstream/guarded.test.ts': ['a read', 'is never sent twice'] },
  },
  I36: {
    en: 'After SIGTERM under load no request fails, acknowledged work is kept, and the process ends within 10 seconds of the last response.',
    zh: '在负载下收到 SIGTERM 后，没有请求失败，已确认的操作全部保留，进程在最后一个响应之后 10 秒内结束。',
    ko: '부하 중에 SIGTERM을 받아도 실패하는 요청이 없고 확인된 작업은 보존되며, 마지막 응답 뒤 10초 안에 프로세스가 끝납니다.',
    triedBy: {
      'packages/gateway/tests/faults/drain.test.ts': [
        'SIGTERM under load',
        'a response that is still running when the signal comes',
      ],
      'packages/gateway/tests/faults/rolling-restarts.test.ts': [
        'processes that restart one after another under load',
      ],
    },
  },
  I37: {
    en: 'A clock that jumps creates no points, revives no token, and neither loses nor doubles a retry. Several processes have one time, however much the clocks of their machines differ.',
    zh: '时钟跳变不会凭空产生点数，不会使失效令牌复活，也不会丢失或重复一次重试。无论各机器的时钟相差多少，多个进程都使用同一个时间。',
    ko: '시계가 갑자기 바뀌어도 포인트가 생기거나 토큰이 되살아나지 않으며 재시도가 유실되거나 중복되지 않습니다. 서버마다 시계가 아무리 달라도 모든 프로세스는 같은 시각을 사용합니다.',
    triedBy: {
      'packages/gateway/tests/faults/clock-jumps.test.ts': [
        'a clock that jumps %s',
        'a delivery that failed, and a clock that jumps %s',
      ],
      'packages/gateway/tests/access-lockout.test.ts': ['is not locked longer by a clock that jumps back'],
      'packages/gateway/tests/faults/four-processes.test.ts': [
        'have one time, whatever the clocks of their machines say',
      ],
      'packages/gateway/tests/events.test.ts': [
        'follows its predecessor in the feed even if the clock went back in between',
      ],
    },
  },
  I38: {
    en: 'If the disk is full, writes are refused before they reach the ERP, reads go on, and the gateway recovers by itself.',
    zh: '磁盘已满时，写操作在到达 ERP 之前就被拒绝，读取照常进行，网关会自行恢复。',
    ko: '디스크가 가득 차면 쓰기는 ERP에 도달하기 전에 거부되고 조회는 계속되며, 게이트웨이는 스스로 회복합니다.',
    triedBy: {
      'packages/gateway/tests/storage-full.test.ts': ['a full disk', 'a start on a full disk'],
    },
  },
  FM1: {
    en: 'If PostgreSQL goes silent, calls that need it are refused within seconds and do nothing at the ERP. Stock is served from memory, and the gateway recovers by itself.',
    zh: 'PostgreSQL 无响应时，依赖数据库的调用会在数秒内被拒绝，且不会在 ERP 中执行任何操作；库存由内存提供，网关会自行恢复。',
    ko: 'PostgreSQL이 응답하지 않으면 데이터베이스가 필요한 호출은 몇 초 안에 거부되고 ERP에서는 아무 작업도 하지 않습니다. 재고는 메모리에서 제공되며 게이트웨이는 스스로 회복합니다.',
    triedBy: {
      'packages/gateway/tests/storage-silent.test.ts': ['a database that goes silent'],
      'packages/gateway/tests/faults/database-stalls.test.ts': [
        'a database that stalls at any point of a request',
      ],
      'packages/gateway/tests/session-locks.test.ts': ['leaves no lock behind when the connection'],
    },
  },
  I39: {
    en: 'A second process on an embedded database refuses to start and names the first. After a kill the directory is free at once.',
    zh: '同一内置数据库上的第二个进程拒绝启动，并指出第一个进程；进程被终止后，目录立即可用。',
    ko: '같은 내장 데이터베이스를 여는 두 번째 프로세스는 시작을 거부하고 첫 번째 프로세스를 알려 줍니다. 프로세스가 강제 종료되면 디렉터리는 즉시 비워집니다.',
    triedBy: {
      'packages/gateway/tests/data-dir-lock.test.ts': ['a data directory'],
      'packages/gateway/tests/store.test.ts': ['refuses a second opener'],
    },
  },
  I40: {
    en: 'Version 1.x only grows: no endpoint, field, code or meaning is removed.',
    zh: '1.x 版本只增不减：不删除任何接口、字段、错误码或含义。',
    ko: '1.x 버전은 확장만 됩니다. 엔드포인트, 필드, 오류 코드, 의미를 제거하지 않습니다.',
    triedBy: {
      'packages/gateway/tests/only-grows.test.ts': ['the contract', 'the meaning of what 1.4.0 released'],
      'packages/gateway/tests/growth.test.ts': ['breaks'],
    },
  },
  I42: {
    en: 'A backup that is made under load is the state of one moment, and a restored database equals it before it serves.',
    zh: '在负载下所做的备份是某一时刻的状态，恢复的数据库在提供服务之前与备份一致。',
    ko: '부하 중에 만든 백업은 한 시점의 상태이며, 복원된 데이터베이스는 서비스하기 전에 백업과 같습니다.',
    triedBy: {
      'packages/gateway/tests/file-copy.test.ts': [
        'has both rows of every transaction or none, and every transaction from before',
      ],
      'packages/gateway/tests/backup-command.test.ts': [
        'npm run backup and npm run restore',
        'on PostgreSQL',
      ],
      'packages/gateway/tests/faults/backup-kills.test.ts': ['a kill'],
    },
  },
  I43: {
    en: 'After a restore, a channel that repeats its calls gets the orders that are newer than the backup, and none is placed twice, if the ERP has look-ups.',
    zh: '如果 ERP 支持查询，恢复之后渠道重复调用会得到备份之后的订单，且不会重复下单。',
    ko: 'ERP가 조회를 지원하면, 복원한 뒤 호출을 반복한 채널은 백업 이후의 주문을 받고 어떤 주문도 두 번 들어가지 않습니다.',
    triedBy: { 'packages/gateway/tests/restored.test.ts': ['a restored database'] },
  },
  I44: {
    en: 'A release takes over from the one before, and gives back to it, on one database without a failed request.',
    zh: '新版本在同一数据库上接替上一版本，也可以退回，没有请求失败。',
    ko: '릴리스는 같은 데이터베이스에서 이전 릴리스를 넘겨받고 다시 넘겨줄 수 있으며, 실패하는 요청이 없습니다.',
    triedBy: {
      'packages/gateway/tests/faults/upgrade.test.ts': ['an upgrade'],
      'packages/gateway/tests/upgrade.test.ts': ['a database of a newer release', 'an index of a migration'],
    },
  },
  D18: {
    en: 'A production installation has a bounded number of external packages, of known licences, and runs no install script.',
    zh: '生产环境安装的外部软件包数量有上限，许可证均已知，且不运行安装脚本。',
    ko: '운영 설치의 외부 패키지는 개수가 제한되고 라이선스가 확인되었으며 설치 스크립트를 실행하지 않습니다.',
    triedBy: { 'scripts/supply-chain.test.ts': ['the supply chain'] },
  },
} as const satisfies Readonly<Record<string, Promised>>
