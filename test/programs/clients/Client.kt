import com.squareup.moshi.Moshi
import com.squareup.moshi.Types
import org.openapitools.client.apis.IntegrationApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.models.InvalidFields
import org.openapitools.client.models.NotFound
import org.openapitools.client.models.PostedEvent
import org.openapitools.client.models.Unauthenticated

/** Posts, retries, lists and reads with the client that openapi-generator makes for Kotlin. */
fun main(args: Array<String>) {
    val (url, key) = args
    val api = IntegrationApi(url)

    fun <T> bodyOf(type: Class<T>, error: ClientException): T {
        val text = (error.response as ClientError<*>).body as String
        return Serializer.moshi.adapter(type).fromJson(text)!!
    }

    fun refusal(token: String, channel: String, title: String): List<Any?> {
        ApiClient.accessToken = token
        try {
            error(api.postEvent(PostedEvent(channel = channel, title = title)))
        } catch (refused: ClientException) {
            val text: Any? = when (refused.statusCode) {
                404 -> bodyOf(NotFound::class.java, refused).message
                422 -> bodyOf(InvalidFields::class.java, refused).errors["title"]!![0]
                else -> bodyOf(Unauthenticated::class.java, refused).code.value
            }
            return listOf(refused.statusCode, text)
        }
    }

    ApiClient.accessToken = key
    val event = PostedEvent(channel = "alerts", title = "Done", idempotencyKey = "run-1842")
    val posted = api.postEvent(event).event!!
    val replayed = api.postEvent(event).event!!
    val valid = api.postEvent(PostedEvent(channel = "alerts", title = "Done", validateOnly = true))
    val page = api.listEvents(limit = 1)
    val read = api.getEvent(posted.publicId)
    val said = mapOf(
        "posted" to posted.publicId,
        "replayed" to replayed.publicId,
        "devices" to posted.targetDeviceCount,
        "valid" to valid.valid,
        "listed" to page.events[0].title,
        "read" to read.event.publicId,
        "pushes" to read.deliveries!!.let { it.pending + it.accepted },
        "refused" to listOf(
            refusal(key, "nowhere", "Done"),
            refusal(key, "alerts", " "),
            refusal("nobody", "alerts", "Done"),
        ),
    )
    val type = Types.newParameterizedType(Map::class.java, String::class.java, Any::class.java)
    println(Moshi.Builder().build().adapter<Map<String, Any?>>(type).toJson(said))
    System.exit(0) // The client leaves threads behind.
}
