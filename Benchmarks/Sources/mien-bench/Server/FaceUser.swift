import MienCore
import MienFace
import MienLoad
import MienMedia
import MienModels

/// A user of the measured server whose face was registered from a photo.
struct FaceUser: Sendable {
    private static let password = "a password for the load"
    private static let start = #"{"client_id":"default_application"}"#
    let name: String

    /// Creates the user and registers the face. The app must accept photos.
    ///
    /// - Parameter photo: a JPEG.
    init(_ name: String, photo: [UInt8], _ setup: SetupClient) async throws {
        self.name = name
        try await setup.call(
            "POST", "/v1/users", #"{"username":"\#(name)","password":"\#(Self.password)"}"#,
            asAdmin: true)
        var answer = try await setup.call(
            "POST", "/v1/journeys/face-registration/start", Self.start)
        func respond(_ option: String, _ data: String) async throws {
            guard let state = answer.text("state", startingWith: "run_") else {
                throw LoadError("registration ended early: \(answer.bodyText)")
            }
            answer = try await setup.call(
                "POST", "/v1/journeys/respond",
                #"{"state":"\#(state)","option":"\#(option)","data":\#(data)}"#)
        }
        try await respond("password", #"{"username":"\#(name)","password":"\#(Self.password)"}"#)
        try await respond("client_input", "{}")
        guard let token = answer.text("start_token") else {
            throw LoadError("no start token: \(answer.bodyText)")
        }
        let frame = try await setup.client.request(
            "POST", "/v1/capture/frames", type: "image/jpeg", body: photo, bearer: token)
        guard frame.text("status") == "passed" else {
            throw LoadError("the photo was not accepted: \(frame.bodyText)")
        }
        try await respond("client_input", "{}")
        guard answer.text("journey_step_id") == "success" else {
            throw LoadError("the face was not registered: \(answer.bodyText)")
        }
    }

    /// Starts a login with the face.
    ///
    /// - Returns: the start token of its capture.
    func startToken(_ client: LoadClient) async throws -> String {
        let begun = try await client.post("/v1/journeys/face-login/start", json: Self.start)
        guard let state = begun.text("state", startingWith: "run_") else {
            throw LoadError("the login did not start: \(begun.bodyText)")
        }
        let answer = try await client.post(
            "/v1/journeys/respond",
            json: #"{"state":"\#(state)","option":"face","data":{"user_identifier":"\#(name)"}}"#)
        guard let token = answer.text("start_token") else {
            throw LoadError("no start token: \(answer.bodyText)")
        }
        return token
    }

    /// Scales a demo photo to the largest size that fits into 640×480.
    ///
    /// - Returns: a JPEG.
    static func photo(_ name: String, in home: MienHome) throws -> [UInt8] {
        JPEGEncoder.encode(PipelineBench.fitted(try DemoPhotos.image(name, in: home)), quality: 90)
    }
}

extension SetupClient {
    /// Sets what captures of the sample app must show.
    func accept(_ mode: FaceCaptureMode) async throws {
        try await call(
            "PUT", "/v1/apps/default_application",
            #"{"name":"Sample app","settings":{"liveness":{"mode":"\#(mode.rawValue)"}}}"#,
            asAdmin: true)
    }
}
