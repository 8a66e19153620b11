/** A browser as people know it. The more particular name comes first: nearly every browser also says that it is Safari. */
const BROWSERS: Array<[sign: RegExp, name: string]> = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: Array<[sign: RegExp, name: string]> = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\b(?:Macintosh|Mac OS X)\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

export function deviceInWords(userAgent: string): string {
  const name = (of: typeof BROWSERS) => of.find(([sign]) => sign.test(userAgent))?.[1]
  const browser = name(BROWSERS)
  const system = name(SYSTEMS)
  if (browser === undefined) return system ?? 'A browser'
  return system === undefined ? browser : `${browser} on ${system}`
}
