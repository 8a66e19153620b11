// A check that cannot fail proves nothing: each is aimed at documentation that is right, and at the same with planted faults.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { PlantedTree } from '../house/planted-tree.ts'
import { checkLinks } from './links.ts'
import { pageFaults } from './page-rules.ts'
import { blocksNotRun, blocksToRun, sampleFaults } from './sample-rules.ts'
import { runSamples } from './sample-shell.ts'

const fenced = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\`\n`
const PICTURE = 'sequenceDiagram\nparticipant A as You\nparticipant B as Us\nA->>B: a request'
const RIGHT = `# A title\n\nOne sentence.\n\n## Part\n\nText with \`code\`.\n\n${fenced('mermaid', PICTURE)}\n<!-- a comment -->\n`

test('pages', async () => {
  await using tree = await PlantedTree.plant({ 'docs/pages/a.md': RIGHT, 'docs/pages/flows/b.md': RIGHT })
  const listed = ['a', 'flows/b']
  assert.deepEqual(await pageFaults(tree.root, listed), [])

  await tree.write({
    'docs/pages/c.md': RIGHT,
    'docs/pages/picture.png': '',
    'docs/pages/a.md': `A title\n\nOne sentence. And another.\n\n# Second\n\n#### Deep\n\n<b>raw</b> &nbsp; ![](x.png)\n\n${fenced('cobol', 'STOP RUN.')}`,
    'docs/pages/flows/b.md': RIGHT.replace('A->>B', 'A=>>B'),
  })
  assert.deepEqual(await pageFaults(tree.root, [...listed, 'd']), [
    'docs/pages/d.md: in the contents, but missing',
    'docs/pages/c.md: not in src/docs/pages/contents.ts',
    'docs/pages/picture.png: no page',
    'docs/pages/a.md: the first line must be its title: # …',
    'docs/pages/a.md: below the title one sentence must say what the page is about',
    'docs/pages/a.md: it has a second title',
    'docs/pages/a.md: the heading “Deep” skips a level',
    'docs/pages/a.md: this is not taken: <b>',
    'docs/pages/a.md: this is not taken: </b>',
    'docs/pages/a.md: this is not taken: &nbsp;',
    'docs/pages/a.md: this is not taken: ![](x.png)',
    'docs/pages/a.md: the site has no name for the language “cobol”',
    'docs/pages/flows/b.md: the picture cannot be drawn at “A=>>B: a request”: it is no participant, message or note that we can draw',
  ])
})

test('links', async () => {
  const right = '# A\n\n[b](pages/b.md#some-part), [itself](#a), [folder](pages), [out](https://example.com/x)\n'
  await using tree = await PlantedTree.plant({
    'README.md': '[a](docs/a.md)\n',
    'docs/a.md': right,
    'docs/pages/b.md':
      '# B\n\n## `Some` part!\n\n- in a [list](../a.md)\n\n| a | b |\n|---|---|\n| in a [table](../../README.md) | |\n',
  })
  assert.deepEqual(await checkLinks(tree.root), { faults: [], outside: ['https://example.com/x'] })

  await tree.write({
    'docs/a.md':
      '[b](pages/c.md), [b](pages/b.md#other), [x](#other), [x](/docs/b), [x](../../x.md), [x](http://example.com), **[x](mailto:a@example.com)**\n',
  })
  assert.deepEqual((await checkLinks(tree.root)).faults, [
    'docs/a.md: pages/c.md does not exist',
    'docs/a.md: pages/b.md#other has no such heading',
    'docs/a.md: #other has no such heading',
    'docs/a.md: /docs/b leads nowhere in the repository; link the file',
    'docs/a.md: ../../x.md leaves the repository',
    'docs/a.md: http://example.com is not https',
    'docs/a.md: mailto:a@example.com is not https',
  ])
})

test('the rules of samples', () => {
  const faults = (text: string) => sampleFaults({ path: 'docs/pages/a.md', text })
  assert.deepEqual(
    faults(fenced('sh', 'true') + fenced('json', '{}') + fenced('text', 'ok') + fenced('http', 'GET /')),
    [],
  )
  assert.deepEqual(faults(`<!-- not run: needs a cluster -->\n${fenced('yaml', 'a: 1')}`), [])
  assert.deepEqual(
    faults(fenced('', 'a') + fenced('json', '{…}') + fenced('yaml', 'a: 1') + fenced('python verify', 'pass')),
    [
      'docs/pages/a.md:1: it has no language; output is `text`',
      'docs/pages/a.md:4: this is no JSON',
      'docs/pages/a.md:7: no test runs yaml; give the reason in a line above it: <!-- not run: … -->',
      'docs/pages/a.md:10: "verify" behind the language means nothing',
    ],
  )
  const text = `<!-- not run: needs a cluster -->\n${fenced('sh', '\nkubectl apply')}`
  const file = { path: 'docs/pages/a.md', text }
  assert.deepEqual(blocksNotRun(file), [{ path: file.path, first: 'kubectl apply', reason: 'needs a cluster' }])
  assert.deepEqual(blocksToRun(file), [])
})

test('samples: a command that fails is named by its line, with what was printed', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'handover-planted-'))
  await mkdir(dataFolder, { recursive: true })
  await writeFile(join(dataFolder, 'demo.env'), 'GREETING=hello\n')
  try {
    const run = (text: string) => {
      const file = { path: 'docs/pages/a.md', text }
      return runSamples(file, blocksToRun(file), { dataFolder, env: {} })
    }
    const first = fenced('sh', '. data/demo.env\nexport GREETING')
    const program = fenced('js', "if (process.env.GREETING !== 'hello') process.exit(9)")
    assert.equal(await run(first + program + fenced('sh', 'sleep 60 &\ntest "$GREETING" = hello')), null)

    for (const [planted, said] of [
      [fenced('sh', 'echo printed; false; true'), /^docs\/pages\/a\.md:5: this sample ended with 1\. .*\nprinted\n$/],
      [fenced('sh', 'false | cat'), /ended with 1/],
      [fenced('sh', 'echo $NEVER_SET'), /NEVER_SET: unbound variable/],
      [fenced('js', 'throw new Error("planted")'), /planted/],
      [fenced('python', 'raise SystemExit(3)'), /ended with 3/],
    ] as const)
      assert.match((await run(first + planted)) ?? 'nothing was found', said)
  } finally {
    await rm(dataFolder, { recursive: true, force: true })
  }
})
