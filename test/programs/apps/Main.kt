// Runs the client of docs/apps-kotlin.md: takes a command a line, prints what came of it as JSON.
import java.time.Instant
import org.json.JSONObject

class Memory : Store {
    override var session: String? = null
    override var device: String? = null
    override var token: String? = null
}

fun main(args: Array<String>) {
    val store = Memory()
    val pushctl = Pushctl(args[0], store)
    for (line in generateSequence(::readlnOrNull)) {
        val (command, value) = line.split(' ', limit = 2)
        val said = JSONObject()
        when (command) {
            "sign-in" -> pushctl.signIn(value)
            "register" -> pushctl.register(value)
            "subscribe" -> pushctl.subscribe(value.substringBefore('/'), value.substringAfter('/'))
            "push" -> {
                val data = JSONObject(value)
                val push = Push(data.keys().asSequence().associateWith { data.getString(it) })
                said.put("title", push.title).put("tag", push.tag).put("channel", push.channel(Instant.now()))
                said.put("link", push.link).put("alert", push.openAlert)
                said.put("later", push.channel(Instant.now().plusSeconds(1_000)))
            }
            "acknowledge" -> said.put("name", pushctl.acknowledge(value, false))
            "sign-out" -> pushctl.signOut()
        }
        println(said.put("device", store.device))
    }
}
