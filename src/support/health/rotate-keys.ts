import { rotateSigningKeys } from '../../domain/support-acts/rotate-keys.ts'
import { choice } from '../../ui/choice.ts'
import { field } from '../../ui/form.ts'
import { html } from '../../ui/html.ts'
import { goDone } from '../threshold/done.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { given, reasonedRoutes } from '../threshold/with-reason.ts'

const WHEN = ['tomorrow', 'now'] as const

/** Typed by hand, so that nobody does it by a wrong click. */
const WORD = 'rotate'

/** As `handover keys rotate` does it, for who is not at a command line. */
export function rotateKeysRoutes(parts: SupportParts): SupportRoute[] {
  return reasonedRoutes({
    path: '/health/rotate-keys',
    sensitive: true,
    find: async () => null,
    ask: (_, visit, faults) => ({
      title: 'Rotate the signing keys',
      back: { href: '/support/health', name: 'Keys and health' },
      hint: 'Written down with your name.',
      what: html`<p>A new key of each algorithm is made. Tokens that the old ones signed stay good until they die.</p>`,
      button: 'Rotate the keys',
      kind: 'danger',
      labels: { when: 'When', confirm: 'Confirmation' },
      fields: [
        choice({
          name: 'when',
          legend: 'When the new keys sign',
          options: [
            { value: 'tomorrow', label: 'From tomorrow', hint: 'Every verifier has met them by then' },
            {
              value: 'now',
              label: 'At once',
              hint: 'When a key may be known: verifiers that keep keys for long fail until they ask again',
            },
          ],
          value: given(visit, 'when') || 'tomorrow',
          error: faults['when'],
        }),
        field({
          name: 'confirm',
          label: `Type “${WORD}” to confirm`,
          value: visit.form.get('confirm') ?? '',
          autocomplete: 'off',
          maxlength: 20,
          error: faults['confirm'],
        }),
      ],
    }),
    act: async (visit, _, act, again) => {
      const when = WHEN.find((each) => each === visit.form.get('when'))
      if (when === undefined) return again(400, { when: 'Choose one of the two.' })
      if (visit.form.get('confirm')?.trim() !== WORD) return again(400, { confirm: `Type “${WORD}”, as it stands.` })
      const made = await rotateSigningKeys(parts, act, when)
      return goDone(visit.reply, '/health', made > 0 ? 'rotated' : 'rotated-already')
    },
  })
}
