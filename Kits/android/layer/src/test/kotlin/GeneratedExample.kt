import dev.mien.JourneyClient
import dev.mien.MienServiceResponse

// What `mien journey codegen` writes has no package, and neither has what uses it here.

/** Signs in with a face. */
fun logInWithGeneratedCode(client: JourneyClient): MienServiceResponse {
    val journey = client.start(FaceLoginJourney.ID)
    journey.respond(FaceLoginJourney.Form.Face(userIdentifier = "ada"))
    return journey.response
}
