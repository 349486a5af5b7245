internal import Foundation
internal import MienAPI
internal import MienCore

/// A journey as text, to go on with after the app was closed or the browser was elsewhere.
///
/// It holds the state token: keep it as one keeps a session. It holds no answer that was given.
struct SavedJourney: Codable {
    static let version = 1
    static let maxBytes = 256 * 1024

    var version = Self.version
    var server: String
    var application: String
    var answer: JourneyAnswer

    init(server: ServerAddress, application: String, answer: JourneyAnswer) {
        (self.server, self.application, self.answer) = (server.text, application, answer)
        self.answer.token = nil
        self.answer.deviceToken = nil
    }

    var text: String { Base64URL.encode(Connection.encode(self)) }

    /// - Throws: ``MienError`` `.invalidState` unless it is a journey of this app on this server.
    init(_ text: String, server: ServerAddress, application: String) throws(MienError) {
        guard text.utf8.count <= Self.maxBytes, let bytes = Base64URL.decode(text),
            let saved = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            saved.version == Self.version, saved.answer.state != nil
        else { throw MienError(.invalidState, "this is not the saved state of a journey") }
        guard saved.server == server.text, saved.application == application else {
            throw MienError(
                .invalidState, "the saved journey is another app's, or of another server")
        }
        self = saved
    }
}
