/** The language of the console: the one chosen here, else the first of the browser's that the console has. */

import { useSyncExternalStore } from 'react'

export const languages = ['en', 'zh', 'ko'] as const
export type Language = (typeof languages)[number]

export const languageNames: Readonly<Record<Language, string>> = { en: 'English', zh: '中文', ko: '한국어' }

const storageKey = 'trade-gateway-language'
const listeners = new Set<() => void>()
let current = chooseLanguage(localStorage.getItem(storageKey), navigator.languages)

export function isLanguage(word: unknown): word is Language {
  return languages.some((language) => language === word)
}

/** Chooses the stored language, or else the first preferred one that the console has, or else English. */
export function chooseLanguage(stored: string | null, preferred: readonly string[]): Language {
  if (isLanguage(stored)) return stored
  return preferred.map((tag) => tag.split('-', 1)[0]).find(isLanguage) ?? 'en'
}

export function readLanguage(): Language {
  return current
}

export function setLanguage(language: Language) {
  current = language
  localStorage.setItem(storageKey, language)
  document.documentElement.lang = language
  for (const listener of listeners) listener()
}

export function useLanguage(): Language {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, readLanguage)
}
