import { Mintmark } from './client.ts'

// What `<script src="mintmark.js">` leaves behind.
Object.assign(globalThis, { Mintmark })
