/** Who speaks with whom, in order: the part of mermaid's sequence diagrams that our pages use. */
export type SequenceDiagram = { participants: Participant[]; steps: SequenceStep[] }

export type Participant = { id: string; name: string }

/** `reply` is what goes back, drawn with a broken line. Participants are named by their position. */
export type SequenceStep =
  | { kind: 'message'; from: number; to: number; reply: boolean; text: string }
  | { kind: 'note'; first: number; last: number; text: string }

export type ReadDiagram =
  | { kind: 'diagram'; diagram: SequenceDiagram }
  | { kind: 'unreadable'; line: string; why: string }

const PARTICIPANT = /^participant (\w+) as (.+)$/
const MESSAGE = /^(\w+)(--?>>)(\w+): (.+)$/
const NOTE = /^Note over (\w+)(?:, ?(\w+))?: (.+)$/

/** Whatever is not of that part is refused, so that no line is left out silently. */
export function readSequenceDiagram(source: string): ReadDiagram {
  const [first = '', ...lines] = source.split('\n').map((line) => line.trim())
  if (first !== 'sequenceDiagram') return { kind: 'unreadable', line: first, why: 'it must begin with sequenceDiagram' }
  const diagram: SequenceDiagram = { participants: [], steps: [] }
  for (const line of lines.filter(Boolean)) {
    const why = addLine(diagram, line)
    if (why !== null) return { kind: 'unreadable', line, why }
  }
  if (diagram.steps.length === 0) return { kind: 'unreadable', line: first, why: 'nobody says anything in it' }
  return { kind: 'diagram', diagram }
}

function addLine({ participants, steps }: SequenceDiagram, line: string): string | null {
  const place = (id: string) => participants.findIndex((each) => each.id === id)
  const [, newcomer, name] = PARTICIPANT.exec(line) ?? []
  if (newcomer !== undefined && name !== undefined) {
    if (place(newcomer) >= 0) return `${newcomer} is there twice`
    participants.push({ id: newcomer, name })
    return null
  }
  const [, sender, arrow, receiver, said] = MESSAGE.exec(line) ?? []
  if (sender !== undefined && receiver !== undefined && said !== undefined) {
    const [from, to] = [place(sender), place(receiver)]
    if (from < 0 || to < 0) return 'it names somebody who is no participant'
    steps.push({ kind: 'message', from, to, reply: arrow === '-->>', text: said })
    return null
  }
  const [, one, other = one, note] = NOTE.exec(line) ?? []
  if (one === undefined || other === undefined || note === undefined)
    return 'it is no participant, message or note that we can draw'
  const [left, right] = [place(one), place(other)]
  if (left < 0 || right < 0) return 'it names somebody who is no participant'
  steps.push({ kind: 'note', first: Math.min(left, right), last: Math.max(left, right), text: note })
  return null
}
