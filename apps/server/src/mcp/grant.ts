import type { Grant } from '../agents/service.ts'

/**
 * What the authorization server calls a grant: the agent that a client acts as, and the link by which its owner has let it in. Every token
 * has it in what is sealed of it, so that none says by itself whose it is in the database.
 */
export const nameOfGrant = ({ agentId, linkId }: Grant): string => `${agentId}.${linkId}`

/** Undefined for a name of another form. */
export function grantNamed(name: unknown): Grant | undefined {
  const [, agentId, linkId] = typeof name === 'string' ? (FORM.exec(name) ?? []) : []
  return agentId === undefined || linkId === undefined ? undefined : { agentId, linkId }
}

const FORM = /^(aa_[0-9a-z]+)\.(lk_[0-9a-z]+)$/
