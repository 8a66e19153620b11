import type { Member } from '../../domain/teams/team.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'

export function membersTable(members: readonly Member[]): Markup {
  return table({
    caption: 'Members',
    columns: ['Member', 'Role', 'Since', 'Two-factor'],
    rows: members.map(({ id, name, email, role, joinedAt, twoFactor }) => [
      html`<strong><a href="/support/integrators/${id}"><bdi>${name}</bdi></a></strong><br><span class="faint">${email}</span>`,
      html`<span class="tag${role === 'owner' && ' good'}">${role}</span>`,
      day(joinedAt),
      twoFactor ? html`<span class="tag good">on</span>` : html`<span class="tag">off</span>`,
    ]),
  })
}
