internal import Foundation
internal import MienAPI
internal import MienCore

/// A journey as text, so that it can continue after the app was closed or the browser left.
///
/// It contains the state token, so protect it like a session. It contains no answers.
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
        else { throw MienError(.invalidState, "This is not the saved state of a journey.") }
        guard saved.server == server.text, saved.application == application else {
            throw MienError(
                .invalidState, "The saved journey belongs to another app or server.")
        }
        self = saved
    }
}
