import { Group, NumberInput, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWarehouses } from '../../api/warehouses.ts'
import { useTexts } from '../../texts/texts.ts'
import { type ChannelDraft, functionNames, isPlan, planNames } from './channel.ts'

interface FormProps {
  readonly draft: ChannelDraft
  readonly onChange: (draft: ChannelDraft) => void
  /** The field that the gateway refused, with its reason. */
  readonly problem?: { readonly param: string | undefined; readonly message: string } | undefined
}

/** From where the arrow keys start. */
const minPoints = 60
const maxCode = 64
const maxName = 200

interface FieldsProps {
  readonly draft: ChannelDraft
  readonly set: (change: Partial<ChannelDraft>) => void
  readonly errorOf: (name: keyof ChannelDraft) => string | false
}

/** The fields of a channel, for a new one and for a change. */
export function ChannelForm({ draft, onChange, problem }: FormProps) {
  const set = (change: Partial<ChannelDraft>) => onChange({ ...draft, ...change })
  const errorOf = (name: keyof ChannelDraft) =>
    problem?.param?.split(/[.[]/, 1)[0] === name && problem.message
  return (
    <Stack gap="md">
      <RightsFields draft={draft} set={set} errorOf={errorOf} />
      <CustomerFields draft={draft} set={set} errorOf={errorOf} />
      <FunctionSwitches draft={draft} set={set} />
    </Stack>
  )
}

function RightsFields({ draft, set, errorOf }: FieldsProps) {
  const t = useTexts()
  const warehouses = useWarehouses()
  return (
    <>
      <TextInput
        label={t('name')}
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={errorOf('name')}
        maxLength={maxName}
        required
      />
      <Select
        label={t('plan')}
        description={t(`plan_${draft.plan}_text`)}
        value={draft.plan}
        data={planNames.map((value) => ({ value, label: t(`plan_${value}`) }))}
        onChange={(value) => isPlan(value) && set({ plan: value })}
        allowDeselect={false}
        error={errorOf('plan')}
      />
      <TagsInput
        label={t('warehouses')}
        description={t('warehouses_text')}
        placeholder={draft.warehouse_allowlist.length === 0 ? t('all_warehouses') : ''}
        value={draft.warehouse_allowlist}
        data={warehouses}
        onChange={(warehouse_allowlist) => set({ warehouse_allowlist })}
        error={errorOf('warehouse_allowlist')}
      />
    </>
  )
}

function CustomerFields({ draft, set, errorOf }: FieldsProps) {
  const t = useTexts()
  return (
    <Group grow align="flex-start">
      <TextInput
        label={t('customer')}
        description={t('customer_text')}
        value={draft.customer_code ?? ''}
        onChange={(event) => set({ customer_code: event.currentTarget.value.trim() || null })}
        error={errorOf('customer_code')}
        maxLength={maxCode}
      />
      <PointsField draft={draft} set={set} errorOf={errorOf} />
    </Group>
  )
}

/** Takes any number as it was typed: one that were corrected here would be saved without being meant. */
function PointsField({ draft: { points_per_minute: points }, set, errorOf }: FieldsProps) {
  const t = useTexts()
  // Also what is a number only after the next key, such as `1200.`.
  const [typed, setTyped] = useState<string | number>(points ?? '')
  return (
    <NumberInput
      label={t('points_per_minute')}
      description={t('points_text')}
      value={toPoints(typed) === points ? typed : (points ?? '')}
      onChange={(value) => {
        setTyped(value)
        set({ points_per_minute: toPoints(value) })
      }}
      error={errorOf('points_per_minute')}
      min={minPoints}
      clampBehavior="none"
    />
  )
}

/** Reads the points; null if nothing was typed, and 0, which the gateway refuses, for a sign without digits. */
function toPoints(typed: string | number): number | null {
  return typed === '' ? null : Number(typed) || 0
}

function FunctionSwitches({ draft, set }: Omit<FieldsProps, 'errorOf'>) {
  const t = useTexts()
  return (
    <Group gap="xl">
      {functionNames.map((name) => (
        <Switch
          key={name}
          label={t(name)}
          checked={draft[name]}
          onChange={(event) => set({ [name]: event.currentTarget.checked })}
        />
      ))}
    </Group>
  )
}
