import com.google.gson.Gson;
import java.util.LinkedHashMap;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.IntegrationApi;
import org.openapitools.client.model.InvalidFields;
import org.openapitools.client.model.NotFound;
import org.openapitools.client.model.PostedEvent;
import org.openapitools.client.model.Unauthenticated;

/** Posts, lists and reads with the client that openapi-generator makes for Java. */
public class Client {
  public static void main(String[] args) throws Exception {
    var mine = api(args[0], args[1]);
    var posted = mine.postEvent(event("alerts", "Done"), "run-1842").getEvent();
    var replayed = mine.postEvent(event("alerts", "Done"), "run-1842").getEvent();
    var valid = mine.postEvent(event("alerts", "Done").validateOnly(true), null);
    var page = mine.listEvents(null, null, null, null, null, null, null, null, null, null, 1);
    var read = mine.getEvent(posted.getPublicId());
    var said = new LinkedHashMap<String, Object>();
    said.put("posted", posted.getPublicId());
    said.put("replayed", replayed.getPublicId());
    said.put("devices", posted.getTargetDeviceCount());
    said.put("valid", valid.getValid());
    said.put("listed", page.getEvents().get(0).getTitle());
    said.put("read", read.getEvent().getPublicId());
    said.put("pushes", read.getDeliveries().getPending() + read.getDeliveries().getAccepted());
    said.put(
        "refused",
        List.of(
            refusal(mine, "nowhere", "Done"),
            refusal(mine, "alerts", " "),
            refusal(api(args[0], "nobody"), "alerts", "Done")));
    System.out.println(new Gson().toJson(said));
    System.exit(0); // The client leaves threads behind.
  }

  private static IntegrationApi api(String url, String key) {
    var client = new ApiClient().setBasePath(url);
    client.setBearerToken(key);
    return new IntegrationApi(client);
  }

  private static PostedEvent event(String channel, String title) {
    return new PostedEvent().channel(channel).title(title);
  }

  private static List<Object> refusal(IntegrationApi api, String channel, String title) throws Exception {
    try {
      throw new AssertionError(api.postEvent(event(channel, title), null));
    } catch (ApiException refused) {
      var code = refused.getCode();
      var body = refused.getResponseBody();
      if (code == 404) return List.of(code, NotFound.fromJson(body).getMessage());
      if (code == 422) return List.of(code, InvalidFields.fromJson(body).getErrors().get("title").get(0));
      return List.of(code, Unauthenticated.fromJson(body).getCode().getValue());
    }
  }
}
