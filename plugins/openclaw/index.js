// FirmMem in OpenClaw's memory slot: what every session starts with goes before the system prompt, and what bears on a
// prompt before that prompt. One short process an event; no worker, no port.
import { spawn } from "node:child_process"

const MILLISECONDS = 5000

// What the hook says; nothing where it fails or takes too long: a prompt is never held up by its memory.
export function ask(command, session, ...words) {
  return new Promise((resolve) => {
    const [program, ...first] = command
    const options = { env: { ...process.env, FIRMMEM_SESSION: session }, stdio: ["ignore", "pipe", "ignore"] }
    let said = ""
    const hook = spawn(program, [...first, "--host", "openclaw", ...words], options)
    const timer = setTimeout(() => hook.kill("SIGKILL"), MILLISECONDS)
    const end = (text) => { clearTimeout(timer); resolve(text) }
    hook.stdout.setEncoding("utf8").on("data", (part) => { said += part })
    hook.on("error", () => end("")).on("close", (code) => end(code === 0 ? said.trim() : ""))
  })
}

export default {
  id: "firmmem",
  name: "FirmMem",
  description: "Long-term memory from one SQLite file",
  kind: "memory",
  register(api) {
    const command = api.pluginConfig?.command ?? ["firmmem", "hook"]
    const begun = new Map() // by session, what it started with: the system prompt stays the same, so that it is cached
    api.on("before_prompt_build", async (event, context) => {
      const session = context?.sessionKey ?? context?.sessionId ?? ""
      if (!begun.has(session)) begun.set(session, await ask(command, session, "session-start"))
      const bearing = event?.prompt?.trim() ? await ask(command, session, "prompt", event.prompt) : ""
      return {
        ...(begun.get(session) ? { prependSystemContext: begun.get(session) } : {}),
        ...(bearing ? { prependContext: bearing } : {}),
      }
    })
    api.on("session_end", async (event, context) => {
      const session = context?.sessionKey ?? context?.sessionId ?? ""
      begun.delete(session)
      await ask(command, session, "session-end")
    })
  },
}
