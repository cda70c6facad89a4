import { Alert } from '@mantine/core'
import { useState } from 'react'
import { call, type ResultOf } from '../../api/client.ts'
import { Action } from '../../parts/action.tsx'
import { useTexts } from '../../texts/texts.ts'

type Problem = NonNullable<ResultOf<'/admin/api/audit/verification', 'post'>['data']['first_problem']>

/** The most parts of one verification: 50 million rows. */
const maxParts = 1_000

interface Verified {
  readonly rows: number
  readonly problem: Problem | null
}

/** Verifies part by part that no row of the audit log was changed, removed, inserted or cut off. */
export function VerifyAudit() {
  const t = useTexts()
  const [verified, setVerified] = useState<Verified>()
  const verify = async () => {
    setVerified(await verifyAll())
    // The dialog stays open and shows the result.
    return false
  }
  return (
    <Action
      label={t('verify')}
      variant="filled"
      title={t('verify_title')}
      consequence={t('verify_text')}
      dismiss={t('close')}
      run={verify}
      onOpen={() => setVerified(undefined)}
    >
      {verified && (
        <Alert
          color={verified.problem ? 'red' : 'green'}
          role="status"
          title={t(verified.problem ? 'verify_broken' : 'verify_whole')}
        >
          {verified.problem
            ? t(`audit_problem_${verified.problem.kind}`, {
                row: verified.problem.audit_id ?? verified.problem.number ?? '–',
              })
            : t('verify_rows', { n: verified.rows })}
        </Alert>
      )}
    </Action>
  )
}

async function verifyAll(): Promise<Verified> {
  let rows = 0
  let cursor: string | null | undefined
  for (let part = 0; part < maxParts; part++) {
    const { data } = await call('post', '/admin/api/audit/verification', { body: cursor ? { cursor } : {} })
    rows += data.rows
    if (!data.ok || data.next_cursor === null) return { rows, problem: data.first_problem }
    cursor = data.next_cursor
  }
  return { rows, problem: null }
}
