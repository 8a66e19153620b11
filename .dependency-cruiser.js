// The import rules of the house (ARCHITECTURE.md, "Who may import whom"). Every arrow points down.
const doors = 'oidc|public-api|platform-api|portal|support|delivery'

const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

export default {
  forbidden: [
    never('no-circular', 'Imports point one way.', {}, { circular: true }),
    never('app-is-the-top', 'Only main.ts may import app.', { pathNot: '^src/(app/|main\\.ts$)' }, { path: '^src/app/' }),
    never('nobody-imports-main', 'main.ts is the command line.', {}, { path: '^src/main\\.ts$' }),
    never('doors-never-meet', 'A door may not import another door.', { path: `^src/(${doors})/` }, { path: `^src/(${doors})/`, pathNot: '^src/$1/' }),
    never('http-below-doors', 'http knows domain and platform.', { path: '^src/http/' }, { path: `^src/(?!http/|domain/|platform/)` }),
    never('ui-is-pure', 'ui imports ui only.', { path: '^src/ui/' }, { pathNot: '^src/ui/' }),
    never('domain-below-http', 'domain knows domain and platform.', { path: '^src/domain/' }, { path: '^src/(?!domain/|platform/)' }),
    never('domain-without-fastify', 'The domain does not know HTTP.', { path: '^src/domain/' }, { path: 'node_modules/(@fastify|fastify)/' }),
    never('platform-is-the-ground', 'platform imports packages only.', { path: '^src/platform/' }, { path: '^src/(?!platform/)' }),
    never('no-dev-packages', 'The service runs without devDependencies.', { path: '^src/' }, { dependencyTypes: ['npm-dev'] }),
    never('no-undeclared-packages', 'Every package is in package.json.', { path: '^src/' }, { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] }),
    never('no-unresolved', 'An import that finds nothing.', {}, { couldNotResolve: true }),
  ],
  options: {
    // Under TypeScript 7 the default parser silently reads 0 modules; swc reads them all (test/house/imports.test.ts counts).
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { conditionNames: ['node', 'import', 'default'], extensions: ['.ts', '.js', '.mjs', '.json'] },
  },
}
