// What four common assistants send, in five of their programs, as their sources, their makers' documents and public reports of the summer of
// 2026 have it. Names and hosts are made up; all else is theirs. `ISSUER` is this server. What is absent here is absent there.

export interface FieldClient {
  who: string
  /** What it registers with; or its document, whose address is its name. */
  registration?: Record<string, unknown>
  document?: Record<string, unknown>
  /** Its authorization, beside `client_id`, `state` and the proof (PKCE). */
  authorization: Record<string, string>
  /** How it asks for tokens, beside grant, code, verifier and `redirect_uri`. */
  token: Record<string, string>
  /** How it refreshes, beside grant and token. */
  refresh: Record<string, string>
  /** The way that it shows its secret; absent: it has none. */
  secret?: 'post' | 'basic'
  /** How it calls. */
  headers: Record<string, string>
  protocol: string
  /** What comes of it: the scopes that its owner signs. */
  signs: string[]
  /** The form that it is answered in. */
  answered: 'application/json' | 'text/event-stream'
}

export const ISSUER = 'https://issuer.invalid'
const ALL = ['payments:read', 'mandates:write', 'checkout:write']

/** An editor: all the ways of being let in that it can follow, and each address that it may be called back at. */
const editor: FieldClient = {
  who: 'an editor',
  registration: {
    client_name: 'Text Editor',
    client_uri: 'https://code.editor.example',
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    response_types: ['code'],
    redirect_uris: [
      ...['https://insiders.editor.example/redirect', 'https://editor.example/redirect'],
      ...['http://127.0.0.1/', 'http://127.0.0.1:33418/'],
    ],
    scope: 'payments:read mandates:write checkout:write',
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  },
  authorization: {
    response_type: 'code',
    redirect_uri: 'http://127.0.0.1:33418/',
    scope: 'payments:read mandates:write checkout:write',
    resource: `${ISSUER}/mcp`,
  },
  token: { resource: `${ISSUER}/mcp` },
  refresh: { resource: `${ISSUER}/mcp` },
  headers: { accept: 'text/event-stream, application/json', 'user-agent': 'Text Editor/1.124.0' },
  protocol: '2025-11-25',
  signs: ALL,
  answered: 'text/event-stream',
}

/** An assistant's command line: it asks for a scope of OpenID whatever is advertised, and so that its owner be asked; and for no resource. */
const commandLine: FieldClient = {
  who: 'the command line of an assistant',
  registration: {
    client_name: 'Assistant (mintmark)',
    redirect_uris: ['http://localhost:3118/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    scope: 'payments:read mandates:write checkout:write offline_access',
  },
  authorization: {
    response_type: 'code',
    redirect_uri: 'http://localhost:59430/callback',
    scope: 'payments:read mandates:write checkout:write offline_access',
    prompt: 'consent',
  },
  token: {},
  refresh: { scope: 'payments:read mandates:write checkout:write offline_access' },
  headers: { accept: 'application/json, text/event-stream', 'user-agent': 'assistant-cli/2.1.96 (cli)' },
  protocol: '2025-11-25',
  signs: ALL,
  answered: 'text/event-stream',
}

/** The same assistant where its maker runs it: a scope of its own, a secret in the form, and JSON alone. */
const hosted: FieldClient = {
  who: 'an assistant that its maker runs',
  registration: {
    client_name: 'Assistant',
    redirect_uris: ['https://assistant.example/api/mcp/auth_callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
    scope: 'assistantai',
  },
  authorization: {
    response_type: 'code',
    redirect_uri: 'https://assistant.example/api/mcp/auth_callback',
    scope: 'assistantai',
    resource: `${ISSUER}/mcp`,
  },
  token: { resource: `${ISSUER}/mcp` },
  refresh: {},
  secret: 'post',
  headers: { accept: 'application/json', 'user-agent': 'python-httpx/0.28.1' },
  protocol: '2025-11-25',
  signs: ['payments:read'],
  answered: 'application/json',
}

/** A chat that is described by a document: it would rather show a key, and says so first; its connector names no scope. */
const chat: FieldClient = {
  who: 'a chat with connectors',
  document: {
    client_name: 'Chat',
    client_uri: 'https://chat.example/',
    logo_uri: 'https://chat.example/logo.png',
    redirect_uris: ['https://chat.example/connector/oauth/AbC123dEf'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
    token_endpoint_auth_signing_alg: 'RS256',
    jwks_uri: 'https://chat.example/oauth/jwks.json',
  },
  authorization: {
    response_type: 'code',
    redirect_uri: 'https://chat.example/connector/oauth/AbC123dEf',
    resource: `${ISSUER}/mcp`,
  },
  token: { resource: `${ISSUER}/mcp` },
  refresh: { resource: `${ISSUER}/mcp` },
  headers: { accept: '*/*', 'user-agent': 'openchat-mcp/1.0.0' },
  protocol: '2025-06-18',
  signs: ['payments:read'],
  answered: 'application/json',
}

/** An editor of agents: it registers an address of its own scheme, one of its host and one of this machine, and uses the last. */
const agentsEditor: FieldClient = {
  who: 'an editor of agents',
  registration: {
    client_name: 'Agents Editor',
    redirect_uris: [
      'agents-editor://maker.agents-editor-mcp/oauth/callback',
      'https://www.agents-editor.example/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  authorization: {
    response_type: 'code',
    redirect_uri: 'http://localhost:8787/callback',
    scope: 'payments:read mandates:write checkout:write',
    resource: `${ISSUER}/mcp`,
  },
  token: { resource: `${ISSUER}/mcp` },
  refresh: { resource: `${ISSUER}/mcp` },
  headers: { accept: 'text/event-stream', 'user-agent': 'Agents Editor/3.14.0 (linux x64)' },
  protocol: '2025-11-25',
  signs: ALL,
  answered: 'text/event-stream',
}

export const FIELD_CLIENTS: readonly FieldClient[] = [editor, commandLine, hosted, chat, agentsEditor]
