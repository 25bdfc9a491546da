// FirmMem in OpenCode: what every session starts with is in its system message, and what bears on a prompt comes with it.
// `firmmem connect opencode` copies this file and names the program. One short process an event; no worker, no port.
import { spawn } from "node:child_process"

const COMMAND = ["firmmem", "hook", "--host", "opencode"]
const MILLISECONDS = 5000

// What the hook says; nothing where it fails or takes too long: a prompt is never held up by its memory.
function ask(session, ...words) {
  return new Promise((resolve) => {
    const [program, ...first] = COMMAND
    const options = { env: { ...process.env, FIRMMEM_SESSION: session }, stdio: ["ignore", "pipe", "ignore"] }
    let said = ""
    try {
      const hook = spawn(program, [...first, ...words], options)
      const timer = setTimeout(() => hook.kill("SIGKILL"), MILLISECONDS)
      const end = (text) => { clearTimeout(timer); resolve(text) }
      hook.stdout.setEncoding("utf8").on("data", (part) => { said += part })
      hook.on("error", () => end("")).on("close", (code) => end(code === 0 ? said.trim() : ""))
    } catch {
      resolve("")
    }
  })
}

export const FirmMem = async () => {
  const begun = new Map() // by session, what it started with: the system message stays the same, so that it is cached
  return {
    "chat.message": async (input, output) => {
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = texts.map((part) => part.text).join("\n")
      if (!prompt.trim()) return
      const session = input.sessionID ?? ""
      if (!begun.has(session)) begun.set(session, await ask(session, "session-start"))
      const said = await ask(session, "prompt", prompt)
      if (said) texts[texts.length - 1].text += "\n\n" + said
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID ?? ""
      if (!session) return
      if (!begun.has(session)) begun.set(session, await ask(session, "session-start"))
      if (begun.get(session)) output.system.push(begun.get(session))
    },
    event: async ({ event }) => {
      if (event.type === "session.deleted") begun.delete(event.properties?.info?.id ?? "")
    },
  }
}
