import { join } from 'node:path'
import { CommandError, UsageError } from '../failures.ts'
import { nearest } from '../nearest.ts'
import { withLock } from './lock-file.ts'
import type { Paths } from './paths.ts'
import { readJsonFile, writeJsonFile } from './private-file.ts'

/** How a profile signs in. */
export type ProfileKind = 'channel' | 'account' | 'token'

/** One gateway, and who signs in there. The secret is kept elsewhere. */
export interface Profile {
  readonly base_url: string
  readonly kind: ProfileKind
  /** The client id or the user name; empty for a token. */
  readonly user: string
  /** Whether the gateway is a sandbox. Writes elsewhere ask once. */
  readonly sandbox: boolean
  readonly secret_in: 'keychain' | 'file'
  /** The name of the secret; that of the profile, if an earlier version stored it. */
  readonly secret_name?: string
}

export interface ProfileList {
  readonly current: string | undefined
  readonly profiles: Readonly<Record<string, Profile>>
}

export const defaultProfile = 'default'
const validName = /^[\w.-]{1,64}$/

export function getProfilesFile(paths: Paths): string {
  return join(paths.config, 'profiles.json')
}

export async function readProfiles(paths: Paths): Promise<ProfileList> {
  const found = await readJsonFile(getProfilesFile(paths))
  if (found === undefined) return { current: undefined, profiles: {} }
  if (isProfileList(found)) return found
  throw new CommandError(`${getProfilesFile(paths)} is not a list of profiles.`, {
    hint: 'Move it away, and run `tgw login` again.',
  })
}

/** Throws `UsageError` if a profile cannot have this name. */
export function checkProfileName(name: string): void {
  if (!validName.test(name) || name === '__proto__')
    throw new UsageError(
      `The name of a profile has 1 to 64 letters, digits, ".", "-" and "_", and "${name}" has not.`,
      'Choose another name with --profile NAME.',
    )
}

/** Adds or replaces a profile, and makes it the current one. Returns the profile that it replaces. */
export async function saveProfile(
  paths: Paths,
  name: string,
  profile: Profile,
): Promise<Profile | undefined> {
  checkProfileName(name)
  return changeProfiles(paths, ({ profiles }) => ({
    list: { current: name, profiles: { ...profiles, [name]: profile } },
    former: Object.hasOwn(profiles, name) ? profiles[name] : undefined,
  }))
}

export async function selectProfile(paths: Paths, name: string): Promise<void> {
  await changeProfiles(paths, ({ profiles }) => ({
    list: { current: name, profiles },
    former: requireProfile(profiles, name),
  }))
}

export async function deleteProfile(paths: Paths, name: string): Promise<void> {
  await changeProfiles(paths, ({ current, profiles }) => {
    const former = requireProfile(profiles, name)
    const left = Object.fromEntries(Object.entries(profiles).filter(([each]) => each !== name))
    const [first] = Object.keys(left)
    return { list: { current: current === name ? first : current, profiles: left }, former }
  })
}

interface ProfileChange {
  readonly list: ProfileList
  /** The profile as it was before the change. */
  readonly former: Profile | undefined
}

/** Changes the list under a lock: two commands that read the same list would each lose the profile of the other one. */
function changeProfiles(
  paths: Paths,
  change: (found: ProfileList) => ProfileChange,
): Promise<Profile | undefined> {
  const file = getProfilesFile(paths)
  return withLock(`${file}.lock`, 'changes the profiles', async () => {
    const { list, former } = change(await readProfiles(paths))
    await writeJsonFile(file, list)
    return former
  })
}

export function requireProfile(profiles: ProfileList['profiles'], name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const names = Object.keys(profiles)
  const similar = nearest(name, names)
  throw new UsageError(
    `There is no profile "${name}".${similar ? ` Did you mean "${similar}"?` : ''}`,
    names.length === 0 ? 'Run `tgw login`.' : `Profiles: ${names.join(', ')}.`,
  )
}

function isProfileList(value: unknown): value is ProfileList {
  return (
    typeof value === 'object' &&
    value !== null &&
    'profiles' in value &&
    typeof value.profiles === 'object' &&
    value.profiles !== null &&
    Object.values(value.profiles).every(
      (each) => typeof each === 'object' && each !== null && 'base_url' in each && 'kind' in each,
    )
  )
}
