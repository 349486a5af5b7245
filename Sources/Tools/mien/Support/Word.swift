import ArgumentParser
import MienAPI
import MienCore

/// Parsers of arguments.
enum Word {
    @Sendable static func user(_ text: String) throws -> UserID { try identifier(text, "a user") }
    @Sendable static func app(_ text: String) throws -> AppID { try identifier(text, "an app") }
    @Sendable static func journey(_ text: String) throws -> JourneyID {
        try identifier(text, "a journey")
    }

    @Sendable static func faceGroup(_ text: String) throws -> FaceGroupID {
        try identifier(text, "a group of apps")
    }

    private static func identifier<Kind>(_ text: String, _ what: String) throws -> Identifier<Kind>
    {
        guard let id = Identifier<Kind>(text) else {
            throw ValidationError(
                "“\(text)” is not the ID of \(what): an ID has 1 to 64 of A-Z, a-z, 0-9, “_”, “-”, and “.”"
            )
        }
        return id
    }

    /// Parses a word of a fixed set for `option`.
    static func choice<Choice: WireWord>(_ text: String, for option: String) throws -> Choice {
        guard let choice = Choice(rawValue: text) else {
            throw ValidationError("\(option) must be \(Choice.choices), not “\(text)”")
        }
        return choice
    }
}
