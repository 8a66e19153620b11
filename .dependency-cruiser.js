// The import rules of the house (ARCHITECTURE.md, "Who may import whom"). Every arrow points down.
// test/house/checks-can-fail.test.ts plants one fault for each of these rules.
const doors = 'oidc|public-api|platform-api|portal|support|docs|delivery'
const rooms = `app|cli|${doors}|http|ui|domain|platform`
const isTest = '\\.test\\.ts$'

const forbidden = {
  'no-circular': {
    comment: 'Imports point one way.',
    from: {},
    to: { circular: true },
  },
  'app-is-the-top': {
    comment: 'Only main.ts may import app.',
    from: { pathNot: '^src/(app/|main\\.ts$)' },
    to: { path: '^src/app/' },
  },
  'nobody-imports-main': {
    comment: 'main.ts is the command line.',
    from: {},
    to: { path: '^src/main\\.ts$' },
  },
  'cli-is-a-client': {
    comment: 'The commands of integrators know the service by its addresses; rules they may ask, doors they may not.',
    from: { path: '^src/cli/' },
    to: { path: '^src/(?!cli/|domain/|platform/)' },
  },
  'cli-is-the-top': {
    comment: 'Only main.ts may import cli.',
    from: { pathNot: '^src/(cli/|main\\.ts$)' },
    to: { path: '^src/cli/' },
  },
  'doors-never-meet': {
    comment: 'A door may not import another door.',
    from: { path: `^src/(${doors})/` },
    to: { path: `^src/(${doors})/`, pathNot: '^src/$1/' },
  },
  'http-below-doors': {
    comment: 'http knows domain and platform.',
    from: { path: '^src/http/' },
    to: { path: '^src/(?!http/|domain/|platform/)' },
  },
  'ui-is-pure': {
    comment: 'ui imports ui only.',
    from: { path: '^src/ui/', pathNot: isTest },
    to: { pathNot: '^src/ui/' },
  },
  'domain-below-http': {
    comment: 'domain knows domain and platform.',
    from: { path: '^src/domain/' },
    to: { path: '^src/(?!domain/|platform/)' },
  },
  'domain-without-fastify': {
    comment: 'The domain does not know HTTP.',
    from: { path: '^src/domain/' },
    to: { path: '(^|node_modules/)(@fastify|fastify)(/|$)' },
  },
  'platform-is-the-ground': {
    comment: 'platform imports packages only.',
    from: { path: '^src/platform/' },
    to: { path: '^src/(?!platform/)' },
  },
  'no-other-rooms': {
    comment: 'A folder of src that no rule above names would be a way around them.',
    from: {},
    to: { path: `^src/(?!(${rooms})/|main\\.ts$)` },
  },
  'src-stands-alone': {
    comment: 'What runs does not know how it is tested and measured.',
    from: { path: '^src/', pathNot: isTest },
    to: { path: ['^(test|bench|scripts)/', isTest] },
  },
  'no-dev-packages': {
    comment: 'The service runs without devDependencies.',
    from: { path: '^src/', pathNot: isTest },
    to: { dependencyTypes: ['npm-dev'] },
  },
  'no-undeclared-packages': {
    comment: 'Every package is in package.json.',
    from: { path: '^src/' },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  'no-unresolved': {
    comment: 'An import that finds nothing.',
    from: {},
    to: { couldNotResolve: true },
  },
}

export default {
  forbidden: Object.entries(forbidden).map(([name, rule]) => ({ name, severity: 'error', ...rule })),
  options: {
    // Under TypeScript 7 the default parser silently reads 0 modules; swc reads them all (test/house/imports.test.ts counts).
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      // Without `exports` the newer packages (typebox) would not be found.
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
}
